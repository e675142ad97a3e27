"""The memo of raw answers, on both kinds of root, with real cuts and corruption."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tgrag.hashing import stable_hash
from tgrag.index import answers
from tgrag.index.answers import AnswerMemo
from tgrag.index.memo import ATTEMPTS, Failure, purge
from tgrag.index.packs import Member, member_bytes, members
from tgrag.models.chat import ChatReply
from tgrag.store.root import LocalRoot, ObjectInfo, Root, open_root

REPLY = ChatReply('{"entities": [{"name": "Лизавета Ивановна"}]}', "stop", 812, 133)


def key(number: int) -> str:
    return stable_hash("key", number)


def reply(number: int) -> ChatReply:
    return ChatReply(f"ответ {number} " + stable_hash(number) * (number % 7), "stop", number, 2 * number)


def names(root: Root) -> list[str]:
    return [info.path.rsplit("/", 1)[-1] for info in root.objects("c/memo/chat")]


@pytest.fixture
def small_packs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(answers, "PACK_FROM", 4)
    monkeypatch.setattr(answers, "PACK_AT_MOST", 10)


def fill(root: Root, numbers: range, owner: str = "doc") -> AnswerMemo:
    memo = AnswerMemo(root, "c")
    for number in numbers:
        memo.put(owner, key(number), reply(number))
    return memo


def test_an_answer_comes_back_equal(root_address: str) -> None:
    root = open_root(root_address)
    memo = AnswerMemo(root, "c")
    assert memo.put("doc", key(1), REPLY) == REPLY
    for reader in (memo, AnswerMemo(root, "c")):
        assert reader.get(key(1)) == REPLY
        assert reader.get(key(2)) is None
        assert reader.known() == {key(1)}
        assert key(1) in reader and key(2) not in reader
    assert [info.path for info in root.objects("")] == [f"c/memo/chat/doc/{key(1)}.json.gz"]


@pytest.mark.parametrize("reason", ["stop", "length", "filter"])
def test_how_an_answer_ended_is_kept(tmp_path: Path, reason: str) -> None:
    cut = ChatReply("{", reason, 1, 2)  # type: ignore[arg-type]
    AnswerMemo(LocalRoot(tmp_path), "c").put("doc", key(1), cut)
    assert AnswerMemo(LocalRoot(tmp_path), "c").get(key(1)) == cut


def test_the_first_answer_stays_also_against_one_that_has_not_seen_it(root_address: str) -> None:
    root = open_root(root_address)
    late = AnswerMemo(root, "c")
    assert late.known() == set()
    AnswerMemo(root, "c").put("doc", key(1), REPLY)
    assert late.put("doc", key(1), reply(5)) == REPLY
    assert AnswerMemo(root, "c").put("other document", key(1), reply(5)) == REPLY
    assert len(root.objects("c")) == 1


def test_of_answers_of_two_documents_the_same_counts_for_every_reader(root_address: str) -> None:
    root = open_root(root_address)
    first, second = AnswerMemo(root, "c"), AnswerMemo(root, "c")
    assert first.known() == second.known() == set()
    first.put("doc b", key(1), reply(1))
    second.put("doc a", key(1), reply(2))
    assert AnswerMemo(root, "c").get(key(1)) == reply(2)


def test_many_threads_at_once_and_nothing_is_lost(root_address: str) -> None:
    memo = AnswerMemo(open_root(root_address), "c")
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda n: memo.put("doc", key(n % 30), reply(n % 30)), range(90)))
    again = AnswerMemo(open_root(root_address), "c")
    assert dict(again.load(map(key, range(40)))) == {key(n): reply(n) for n in range(30)}


@pytest.mark.parametrize("cut", [0, 1, 20, -1, -9])
def test_a_cut_object_is_never_read_and_made_again(tmp_path: Path, cut: int) -> None:
    fill(LocalRoot(tmp_path), range(1))
    (path,) = tmp_path.rglob("*.gz")
    path.write_bytes(path.read_bytes()[:cut])
    memo = AnswerMemo(LocalRoot(tmp_path), "c")
    assert memo.get(key(0)) is None
    assert memo.put("doc", key(0), REPLY) == REPLY
    assert AnswerMemo(LocalRoot(tmp_path), "c").get(key(0)) == REPLY


def test_no_flipped_bit_is_read_as_another_answer(tmp_path: Path) -> None:
    whole = member_bytes(key(0), REPLY)
    for position in range(len(whole)):
        flipped = bytearray(whole)
        flipped[position] ^= 1 << position % 8
        for member in members(bytes(flipped)):
            assert member is None or (member.key, member.reply) == (key(0), REPLY)


def test_an_object_under_a_wrong_name_is_no_answer(tmp_path: Path) -> None:
    fill(LocalRoot(tmp_path), range(1))
    (path,) = tmp_path.rglob("*.gz")
    path.rename(path.with_name(f"{key(7)}.json.gz"))
    assert AnswerMemo(LocalRoot(tmp_path), "c").get(key(7)) is None


def test_failures_are_counted_and_forgotten(root_address: str) -> None:
    root = open_root(root_address)
    memo = AnswerMemo(root, "c")
    assert memo.is_outstanding(key(1))
    for attempt in range(ATTEMPTS):
        assert memo.given_up(key(1)) is None
        memo.put_failure("doc", key(1), Failure(f"слишком длинно {attempt}", False))
        memo.put_failure("doc", key(2), Failure("занято", True))
    memo = AnswerMemo(root, "c")
    assert [failure.reason[-1] for failure in memo.failures(key(1))] == ["0", "1", "2"]
    assert memo.given_up(key(1)) == Failure("слишком длинно 2", False)
    assert not memo.is_outstanding(key(1)) and memo.is_outstanding(key(2))
    memo.forget_failures([key(1)])
    assert AnswerMemo(root, "c").is_outstanding(key(1))
    assert len(AnswerMemo(root, "c").failures(key(2))) == ATTEMPTS


def test_failures_of_two_runs_at_once_are_both_kept(tmp_path: Path) -> None:
    one, two = AnswerMemo(LocalRoot(tmp_path), "c"), AnswerMemo(LocalRoot(tmp_path), "c")
    assert one.failures(key(1)) == two.failures(key(1)) == []
    one.put_failure("doc", key(1), Failure("a", False))
    two.put_failure("doc", key(1), Failure("b", False))
    assert [f.reason for f in AnswerMemo(LocalRoot(tmp_path), "c").failures(key(1))] == ["a", "b"]


def test_a_damaged_failure_is_dropped(tmp_path: Path) -> None:
    AnswerMemo(LocalRoot(tmp_path), "c").put_failure("doc", key(1), Failure("a", False))
    (path,) = tmp_path.rglob("*.failed")
    path.write_bytes(b'{"reason": ')
    assert AnswerMemo(LocalRoot(tmp_path), "c").failures(key(1)) == []
    assert not path.exists()


@pytest.mark.usefixtures("small_packs")
def test_packs_hold_what_the_singles_held(root_address: str) -> None:
    root = open_root(root_address)
    memo = fill(root, range(27))
    fill(root, range(30, 33), "small document")
    assert memo.compact() == 3
    assert sorted(name.rsplit(".", 1)[-1] for name in names(root)) == ["gz"] * 3 + ["pack"] * 3
    for reader in (memo, AnswerMemo(root, "c")):
        assert reader.known() == {key(n) for n in [*range(27), *range(30, 33)]}
        assert all(reader.get(key(n)) == reply(n) for n in range(27))
        assert dict(reader.load([key(3), key(31), key(99)])) == {key(3): reply(3), key(31): reply(31)}
        assert reader.put("doc", key(3), REPLY) == reply(3)
    assert AnswerMemo(root, "c").compact() == 0
    assert not AnswerMemo(root, "c").is_scattered
    fill(root, range(40, 44), "small document")
    assert AnswerMemo(root, "c").is_scattered


@pytest.mark.usefixtures("small_packs")
def test_a_reader_finds_answers_that_a_compaction_moved(root_address: str) -> None:
    root = open_root(root_address)
    reader = fill(root, range(6))
    AnswerMemo(root, "c").compact()
    assert [reader.get(key(n)) for n in range(6)] == [reply(n) for n in range(6)]


class Dying:
    """A root whose process dies before so many-th change, as a kill would."""

    def __init__(self, root: Root, changes: int) -> None:
        self._root, self._changes = root, changes
        self.address = root.address

    def read(self, path: str) -> bytes:
        return self._root.read(path)

    def objects(self, prefix: str) -> list[ObjectInfo]:
        return self._root.objects(prefix)

    def write(self, path: str, data: bytes) -> None:
        self._change()
        self._root.write(path, data)

    def delete(self, path: str) -> None:
        self._change()
        self._root.delete(path)

    def _change(self) -> None:
        if not self._changes:
            raise KeyboardInterrupt
        self._changes -= 1


@pytest.mark.usefixtures("small_packs")
@pytest.mark.parametrize("changes", range(16))
def test_a_kill_at_any_moment_of_a_compaction_loses_and_doubles_nothing(tmp_path: Path, changes: int) -> None:
    root = LocalRoot(tmp_path)
    fill(root, range(14))
    with pytest.raises(KeyboardInterrupt):
        AnswerMemo(Dying(root, changes), "c").compact()  # type: ignore[arg-type]
    whole = {key(n): reply(n) for n in range(14)}
    assert dict(AnswerMemo(root, "c").load(whole)) == whole
    AnswerMemo(root, "c").compact()
    assert dict(AnswerMemo(root, "c").load(whole)) == whole
    stored = [m.key for i in root.objects("c") for m in members(root.read(i.path)) if m]
    assert sorted(stored) == sorted(whole)


@pytest.mark.usefixtures("small_packs")
@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.data())
def test_of_a_damaged_pack_all_is_read_but_what_is_damaged(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("root")
    fill(LocalRoot(folder), range(10)).compact()
    (pack,) = folder.rglob("*.pack")
    whole = pack.read_bytes()
    position = data.draw(st.integers(0, len(whole) - 1))
    damaged = bytearray(whole)
    damaged[position] ^= data.draw(st.integers(1, 255))
    if data.draw(st.booleans()):
        del damaged[position:]
    pack.write_bytes(damaged)
    memo = AnswerMemo(LocalRoot(folder), "c")
    found = dict(memo.load(map(key, range(10))))
    assert all(found[k] == reply(n) for n in range(10) if (k := key(n)) in found)
    before = [m.key for m in members(whole[: max(0, position - 1)]) if m]
    assert found.keys() >= set(before)
    if len(damaged) == len(whole):
        assert len(found) >= 9
    for number in range(10):
        memo.put("doc", key(number), reply(number))
    again = AnswerMemo(LocalRoot(folder), "c")
    assert dict(again.load(map(key, range(10)))) == {key(n): reply(n) for n in range(10)}
    assert len([i for i in LocalRoot(folder).objects("c") if i.path.endswith(".pack")]) <= 1


@pytest.mark.usefixtures("small_packs")
@pytest.mark.parametrize("packed", [False, True])
def test_what_nobody_uses_leaves_no_byte(root_address: str, packed: bool) -> None:
    root = open_root(root_address)
    memo = fill(root, range(8))
    memo.put_failure("doc", key(20), Failure("нет", False))
    memo.put_failure("doc", key(1), Failure("нет", False))
    if packed:
        memo.compact()
    used = {key(1), key(2)}
    assert memo.drop_unused(used) == (2 if packed else 7)
    assert memo.known() == AnswerMemo(root, "c").known() == used
    stored = b"".join(root.read(info.path) for info in root.objects("c") if "failed" not in info.path)
    assert {m.key for m in members(stored) if m} == used
    assert [len(memo.failures(key(n))) for n in (1, 20)] == [1, 0]
    assert memo.drop_unused(used) == 0


@pytest.mark.usefixtures("small_packs")
def test_forgotten_answers_are_asked_for_anew(root_address: str) -> None:
    root = open_root(root_address)
    memo = fill(root, range(6))
    memo.compact()
    memo.put("doc", key(6), reply(6))
    memo.put_failure("doc", key(1), Failure("нет", False))
    memo.forget([key(1), key(6)])
    for reader in (memo, AnswerMemo(root, "c")):
        assert reader.known() == {key(n) for n in (0, 2, 3, 4, 5)}
        assert reader.is_outstanding(key(1)) and reader.failures(key(1)) == []


@pytest.mark.usefixtures("small_packs")
def test_a_purged_document_leaves_nothing_and_others_stay(root_address: str) -> None:
    root = open_root(root_address)
    memo = fill(root, range(9))
    memo.compact()
    fill(root, range(9, 11))
    fill(root, range(20, 26), "other")
    memo.put_failure("doc", key(50), Failure("нет", False))
    assert purge(root, "c", {"doc"}, {}) == 4
    assert AnswerMemo(root, "c").known() == {key(n) for n in range(20, 26)}


def test_bytes_of_an_answer_are_the_same_always() -> None:
    assert member_bytes(key(1), REPLY) == member_bytes(key(1), REPLY)
    (member,) = members(member_bytes(key(1), REPLY))
    assert member == Member(key(1), REPLY, member_bytes(key(1), REPLY))


@pytest.mark.usefixtures("small_packs")
@pytest.mark.parametrize("packed", [False, True])
def test_what_another_document_needs_outlives_its_payer(root_address: str, packed: bool) -> None:
    root = open_root(root_address)
    fill(root, range(6), "gone")
    fill(root, range(6, 8), "stays")
    if packed:
        AnswerMemo(root, "c").compact()
    AnswerMemo(root, "c").hand_over({"gone"}, {key(n): "stays" for n in (2, 4, 6)})
    purge(root, "c", {"gone"}, {})
    left = AnswerMemo(root, "c")
    assert left.known() == {key(n) for n in (2, 4, 6, 7)}
    assert [left.get(key(n)) for n in (2, 4)] == [reply(2), reply(4)]
    assert {info.path.split("/")[3] for info in root.objects("c/memo/chat")} == {"stays"}
