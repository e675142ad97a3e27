"""Vectors of texts met lately, so that no text is embedded twice in a short while."""

from collections import OrderedDict
from collections.abc import Callable, Sequence
from threading import Lock

from tgrag.models.protocols import Vectors


class RememberedVectors:
    """Keeps the vectors of the ``size`` texts used last. Safe to share between threads."""

    def __init__(self, embed: Callable[[Sequence[str]], Vectors], size: int) -> None:
        self._embed = embed
        self._size = size
        self._kept: OrderedDict[str, Vectors] = OrderedDict()
        self._lock = Lock()

    def of(self, texts: Sequence[str]) -> list[Vectors]:
        """Return one vector a text. Raises what the embedder raises."""
        with self._lock:
            known = {text: self._kept[text] for text in texts if text in self._kept}
        new = [text for text in dict.fromkeys(texts) if text not in known]
        if new:
            known.update(zip(new, self._embed(new), strict=True))
        with self._lock:
            for text in texts:
                self._kept[text] = known[text]
                self._kept.move_to_end(text)
            while len(self._kept) > self._size:
                self._kept.popitem(last=False)
        return [known[text] for text in texts]
