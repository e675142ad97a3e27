"""The memo of a chat model's raw answers and failures, by call key.

One answer is one object, ``memo/chat/<document_id>/<key>.json.gz``. As listing very many objects is slow on S3,
``compact`` joins those of one document into packs, ``<hash>.pack``; a pack never mixes documents. Of several
answers to a key the one whose path sorts first counts. A crash between the writing of a pack and the deletion of
its singles leaves doubles, which the next compaction deletes.
"""

import json
import logging
import threading
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Set
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass, field
from itertools import islice
from math import inf
from typing import TypeVar

from tgrag.errors import StorageError
from tgrag.hashing import bytes_hash
from tgrag.index.memo import ATTEMPTS, Failure
from tgrag.index.packs import Member, member_bytes, members
from tgrag.models.chat import ChatReply
from tgrag.store.root import Root

logger = logging.getLogger(__name__)

PACK_FROM = 256  # single answers of a document that are worth a pack
PACK_AT_MOST = 1024  # answers in a pack
THREADS = 16  # requests to the root at once, where many objects are read or deleted
SINGLE, PACK, FAILED = ".json.gz", ".pack", ".failed"

A = TypeVar("A")
B = TypeVar("B")


@dataclass(slots=True)
class _Listing:
    """Where things are. places: by key the folder of a single answer, or the path of a pack."""

    places: dict[str, str] = field(default_factory=dict)
    failures: dict[str, list[str]] = field(default_factory=dict)


class AnswerMemo:
    """Answers and failures of one collection; safe to use from many threads.

    Objects are listed once, when first asked for, and again when one that was listed is gone.
    """

    def __init__(self, root: Root, collection: str) -> None:
        self._root = root
        self._folder = f"{collection}/memo/chat"
        self._lock = threading.RLock()
        self._listed: _Listing | None = None
        self._last_pack: tuple[str, dict[str, ChatReply]] | None = None

    def known(self) -> set[str]:
        """Return the keys that have an answer."""
        with self._lock:
            return set(self._listing.places)

    def __contains__(self, key: str) -> bool:
        with self._lock:
            return key in self._listing.places

    def get(self, key: str) -> ChatReply | None:
        """Return the answer, or None when there is none that can be read; a damaged one is deleted."""
        for _ in range(2):  # again after a new listing, when a compaction has moved it
            with self._lock:
                place = self._listing.places.get(key)
            if place is None:
                return None
            try:
                return self._in_pack(place).get(key) if place.endswith(PACK) else self._single(place, key)
            except FileNotFoundError:
                self._list_anew()
        return None

    def load(self, keys: Iterable[str]) -> Iterator[tuple[str, ChatReply]]:
        """Return the answers to those keys that have one, a pack at a time, reading ahead by a few objects."""
        by_place: dict[str, list[str]] = defaultdict(list)
        with self._lock:
            for key in keys:
                if place := self._listing.places.get(key):
                    by_place[place].append(key)
        groups = (
            group
            for place, wanted in sorted(by_place.items())
            for group in ([wanted] if place.endswith(PACK) else ([key] for key in wanted))
        )
        for found in _in_threads(self._load, groups):
            yield from found

    def put(self, owner: str, key: str, reply: ChatReply) -> ChatReply:
        """Store an answer unless there is one; durable on return. Returns the answer that counts, which is the first."""
        folder = f"{self._folder}/{owner}"
        for _ in range(3):  # again when the one that was first is damaged
            first = self.get(key)
            if first is not None:
                return first
            written = self._root.create(f"{folder}/{key}{SINGLE}", member_bytes(key, reply))
            with self._lock:
                self._listing.places[key] = folder
            if written:
                return reply
        raise StorageError(
            f"the answer {folder}/{key}{SINGLE} cannot be stored: what is there cannot be read"
        )

    def failures(self, key: str) -> list[Failure]:
        """Return the failed attempts at this key, oldest first."""
        with self._lock:
            paths = list(self._listing.failures.get(key, ()))
        found = (self._failure(path) for path in paths)
        return [failure for failure in found if failure]

    def given_up(self, key: str) -> Failure | None:
        """Return the last lasting failure of a call that is only made again on request, else None."""
        lasting = [failure for failure in self.failures(key) if not failure.transient]
        return lasting[-1] if len(lasting) >= ATTEMPTS else None

    def is_outstanding(self, key: str) -> bool:
        """Say whether the next run should make this call: never answered, and not given up."""
        return key not in self and self.given_up(key) is None

    def put_failure(self, owner: str, key: str, failure: Failure) -> None:
        """Record a failed attempt; a run makes one at most."""
        data = json.dumps(asdict(failure), ensure_ascii=False).encode()
        with self._lock:
            paths = self._listing.failures.setdefault(key, [])
            number = 1 + max((int(path.rsplit(".", 2)[1]) for path in paths), default=0)
            while not self._root.create(path := f"{self._folder}/{owner}/{key}.{number:03}{FAILED}", data):
                number += 1
            paths.append(path)

    def forget_failures(self, keys: Iterable[str]) -> None:
        """Delete the failures of these keys, so that their calls are made again."""
        with self._lock:
            paths = [path for key in keys for path in self._listing.failures.pop(key, ())]
        self._delete(paths)

    def forget(self, keys: Iterable[str]) -> None:
        """Delete the answers and failures of these keys, so that their calls are made again."""
        forgotten = set(keys)
        self._keep(lambda key: key not in forgotten)

    def drop_unused(self, used: Set[str], written_before: float = inf) -> int:
        """Delete old answers and failures whose key is not used; return how many objects changed."""
        return self._keep(lambda key: key in used, written_before)

    def hand_over(self, owners: Collection[str], heirs: Mapping[str, str]) -> None:
        """Give what these owners paid for to others that need it too. heirs: document_id by key."""
        folders = {f"{self._folder}/{owner}" for owner in owners}
        with self._lock:
            places = self._listing.places
            inherited = [key for key in heirs if key in places and _folder(places[key]) in folders]
        for key, reply in self.load(inherited):
            self._root.create(f"{self._folder}/{heirs[key]}/{key}{SINGLE}", member_bytes(key, reply))
        self._list_anew()

    @property
    def is_scattered(self) -> bool:
        """Whether some document has so many single answers that a compaction is worth it: one listing of names."""
        singles = Counter(
            info.path.rsplit("/", 1)[0]
            for info in self._root.objects(self._folder)
            if info.path.endswith(SINGLE)
        )
        return max(singles.values(), default=0) >= PACK_FROM

    def compact(self) -> int:
        """Join single answers into packs where a document has many; return how many packs were written."""
        singles: dict[str, list[str]] = defaultdict(list)
        packed: dict[str, set[str]] = defaultdict(set)
        for info in self._root.objects(self._folder):
            folder, name = info.path.rsplit("/", 1)
            if name.endswith(SINGLE):
                singles[folder].append(info.path)
            elif name.endswith(PACK):
                packed[folder].update(member.key for member in self._members(info.path))
        n_packs = 0
        for folder, paths in singles.items():
            doubles = [path for path in paths if _key(path) in packed[folder]]
            self._delete(doubles)
            rest = sorted(set(paths).difference(doubles))
            for start in range(0, len(rest), PACK_AT_MOST):
                chunk = rest[start : start + PACK_AT_MOST]
                if len(chunk) >= PACK_FROM:
                    self._write_pack(
                        folder, (m for found in _in_threads(self._members, chunk) for m in found)
                    )
                    self._delete(chunk)
                    n_packs += 1
        self._list_anew()
        return n_packs

    @property
    def _listing(self) -> _Listing:
        """Read this under the lock."""
        while self._listed is None:
            with suppress(FileNotFoundError):  # a pack was compacted away since it was listed
                self._listed = self._list()
        return self._listed

    def _list(self) -> _Listing:
        listing = _Listing()
        for info in self._root.objects(self._folder):
            folder, name = info.path.rsplit("/", 1)
            if name.endswith(SINGLE):
                listing.places.setdefault(_key(name), folder)
            elif name.endswith(PACK):
                for member in self._members(info.path):
                    listing.places.setdefault(member.key, info.path)
            elif name.endswith(FAILED):
                listing.failures.setdefault(_key(name), []).append(info.path)
        return listing

    def _list_anew(self) -> None:
        with self._lock:
            self._listed = self._last_pack = None

    def _load(self, keys: list[str]) -> list[tuple[str, ChatReply]]:
        found = ((key, self.get(key)) for key in keys)
        return [(key, reply) for key, reply in found if reply is not None]

    def _single(self, folder: str, key: str) -> ChatReply | None:
        for member in self._members(f"{folder}/{key}{SINGLE}"):
            if member.key == key:
                return member.reply
        with self._lock:
            self._listing.places.pop(key, None)
        return None

    def _in_pack(self, path: str) -> dict[str, ChatReply]:
        """Return the answers of a pack; the last one is kept, as neighbours are asked for together."""
        last = self._last_pack
        if last is None or last[0] != path:
            last = path, {member.key: member.reply for member in self._members(path)}
            self._last_pack = last
        return last[1]

    def _members(self, path: str) -> list[Member]:
        """Return the answers in an object. A damaged one is deleted, what is left of a pack is written anew."""
        found = list(members(self._root.read(path)))
        intact = [member for member in found if member]
        if len(intact) < len(found) or not found:
            logger.warning("memo object %s is damaged: what is lost of it will be made again", path)
            if intact:
                self._write_pack(path.rsplit("/", 1)[0], intact)
            self._root.delete(path)
        return intact

    def _write_pack(self, folder: str, answers: Iterable[Member]) -> None:
        data = b"".join(member.data for member in answers)
        self._root.write(f"{folder}/{bytes_hash(data)}{PACK}", data)

    def _keep(self, wanted: Callable[[str], bool], written_before: float = inf) -> int:
        """Delete what belongs to other keys, in old packs too; return how many objects that changed."""
        gone = []
        for info in self._root.objects(self._folder):
            if info.written_at >= written_before:
                continue
            if info.path.endswith(PACK):
                answers = self._members(info.path)
                kept = [member for member in answers if wanted(member.key)]
                if len(kept) == len(answers):
                    continue
                if kept:
                    self._write_pack(info.path.rsplit("/", 1)[0], kept)
                gone.append(info.path)
            elif not wanted(_key(info.path)):
                gone.append(info.path)
        self._delete(gone)
        self._list_anew()
        return len(gone)

    def _delete(self, paths: Iterable[str]) -> None:
        for _ in _in_threads(self._root.delete, paths):
            pass

    def _failure(self, path: str) -> Failure | None:
        try:
            return Failure(**json.loads(self._root.read(path)))
        except FileNotFoundError:
            return None
        except (ValueError, TypeError) as error:
            logger.warning("memo object %s is damaged (%s): dropped", path, error)
            self._root.delete(path)
            return None


@dataclass(frozen=True, slots=True)
class Overlooking:
    """A memo as it would be without these keys."""

    memo: AnswerMemo
    keys: Set[str]

    def get(self, key: str) -> ChatReply | None:
        return None if key in self.keys else self.memo.get(key)

    def is_outstanding(self, key: str) -> bool:
        return key in self.keys or self.memo.is_outstanding(key)


def _folder(place: str) -> str:
    return place.rsplit("/", 1)[0] if place.endswith(PACK) else place


def _key(path: str) -> str:
    return path.rsplit("/", 1)[-1].split(".", 1)[0]


def _in_threads(function: Callable[[A], B], arguments: Iterable[A]) -> Iterator[B]:
    """Map in a few threads, in order, without taking more arguments than are worked on."""
    remaining = iter(arguments)
    with ThreadPoolExecutor(THREADS) as pool:
        while batch := list(islice(remaining, 4 * THREADS)):
            yield from pool.map(function, batch)
