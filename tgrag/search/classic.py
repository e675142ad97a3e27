"""Classic mode: candidates from two lists, fused; the best few text units are the context."""

from tgrag.search.context import ItemWriter, fill
from tgrag.search.fuse import Ranking
from tgrag.search.requests import ContextItem
from tgrag.search.view import View


def classic_context(units: Ranking, view: View, writer: ItemWriter, budget: int) -> list[ContextItem]:
    """Return the units as context items, best first, as far as the budget of tokens goes."""
    records = view.text_units(units.rows.tolist())
    kept, _ = fill((writer.text_unit(u, s) for u, s in zip(records, units.scores, strict=True)), budget)
    return kept
