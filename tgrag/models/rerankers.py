"""Which reranker the settings mean."""

from tgrag.models.protocols import Reranker
from tgrag.settings import RerankSettings

RERANK_SECONDS = 15.0  # all pairs of a question


def open_reranker(settings: RerankSettings) -> Reranker | None:
    """Return the reranker of the settings; None where they name none. Raises ConfigurationError."""
    if settings.backend == "serve":
        from tgrag.models.served import ServedReranker

        return ServedReranker(RERANK_SECONDS)
    if not settings.model:
        return None
    from tgrag.models.cross_encoder import CrossEncoder

    return CrossEncoder(settings)
