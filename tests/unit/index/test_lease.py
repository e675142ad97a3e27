import json
import os
import subprocess
import sys
import threading
import time
from dataclasses import asdict
from pathlib import Path

import pytest

from tgrag.errors import LeaseHeld
from tgrag.index.lease import Holder, Lease
from tgrag.store.root import LocalRoot, Root, open_root


def lease(root: Root, purpose: str = "a run", *, seconds: float = 30, wait: float = 0) -> Lease:
    return Lease(root, "c", purpose, lease_seconds=seconds, wait_seconds=wait)


def put_holder(root: Root, number: int, **changes: object) -> None:
    holder = {
        "purpose": "another run",
        "host": "elsewhere",
        "pid": 1,
        "started": 5,
        "expires_at": time.time() + 60,
    }
    root.write(f"c/lease/{number:010}.json", json.dumps(asdict(Holder(**holder | changes))).encode())  # type: ignore[arg-type]


def test_one_holder_at_a_time(root_address: str) -> None:
    root = open_root(root_address)
    with (
        lease(root, "the first run"),
        pytest.raises(LeaseHeld, match=r"the first run .*process"),
        lease(root),
    ):
        pass
    with lease(root) as again:
        again.check()


def test_waiting_for_the_holder(tmp_path: Path) -> None:
    root = LocalRoot(tmp_path)
    inside, done = threading.Event(), []

    def hold() -> None:
        with lease(root):
            inside.set()
            time.sleep(0.5)
            done.append(True)

    thread = threading.Thread(target=hold)
    thread.start()
    inside.wait()
    with lease(root, wait=20):
        assert done
    thread.join()


def test_a_killed_process_of_this_machine_holds_nothing(tmp_path: Path) -> None:
    program = (
        "import sys, time; from tgrag.index.lease import Lease; from tgrag.store.root import open_root\n"
        f"with Lease(open_root({str(tmp_path)!r}), 'c', 'doomed', lease_seconds=99): print('in', flush=True); time.sleep(60)"
    )
    process = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE)
    assert process.stdout and process.stdout.readline() == b"in\n"
    with pytest.raises(LeaseHeld, match="doomed"), lease(LocalRoot(tmp_path)):
        pass
    process.kill()
    process.wait()
    with lease(LocalRoot(tmp_path)):
        pass


def test_a_holder_elsewhere_is_believed_until_it_expires(tmp_path: Path) -> None:
    root = LocalRoot(tmp_path)
    put_holder(root, 1)
    with pytest.raises(LeaseHeld, match="elsewhere"), lease(root):
        pass
    put_holder(root, 1, expires_at=time.time() - 1)
    with lease(root):
        pass


def test_a_reused_process_number_is_not_the_holder(tmp_path: Path) -> None:
    import socket

    root = LocalRoot(tmp_path)
    put_holder(root, 1, host=socket.gethostname(), pid=os.getpid(), started=1)
    with lease(root):
        pass


def test_the_heart_beats(tmp_path: Path) -> None:
    root = LocalRoot(tmp_path)
    with lease(root, seconds=1.5):
        time.sleep(2.5)
        with pytest.raises(LeaseHeld), lease(root):
            pass


def test_who_was_overtaken_is_told_and_does_not_write(tmp_path: Path) -> None:
    root = LocalRoot(tmp_path)
    with lease(root) as first:
        root.delete("c/lease/0000000001.json")
        put_holder(root, 2)
        with pytest.raises(LeaseHeld, match="took over"):
            first.check()
    assert [i.path for i in root.objects("c")] == ["c/lease/0000000002.json"]
    assert json.loads(root.read("c/lease/0000000002.json"))["purpose"] == "another run"


def test_work_ends_at_the_next_line_of_progress_once_another_took_over(tmp_path: Path) -> None:
    root, lines = LocalRoot(tmp_path), list[str]()
    with lease(root, seconds=0.3) as first:
        report = first.heeded(lines.append)
        report("at work")
        put_holder(root, 2)
        deadline = time.monotonic() + 30
        with pytest.raises(LeaseHeld, match="took over"):
            while time.monotonic() < deadline:
                report("still at work")
                time.sleep(0.05)
    assert lines[0] == "at work"


def test_one_of_many_takers_wins(root_address: str) -> None:
    root = open_root(root_address)
    put_holder(root, 7, expires_at=0.0)
    inside: list[int] = []
    most = []

    def take() -> None:
        try:
            with lease(root):
                inside.append(1)
                most.append(len(inside))
                time.sleep(0.5)
                inside.pop()
        except LeaseHeld:
            pass

    threads = [threading.Thread(target=take) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most and max(most) == 1


def test_a_taker_that_comes_late_does_not_take_a_number_of_the_past(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = LocalRoot(tmp_path)
    put_holder(root, 7, expires_at=0.0)
    create = LocalRoot.create

    def late(self: LocalRoot, path: str, data: bytes) -> bool:
        if path.endswith("8.json"):  # meanwhile somebody held 8, and somebody else holds 9
            put_holder(root, 9, expires_at=time.time() + 60)
            root.delete("c/lease/0000000007.json")
        return create(self, path, data)

    monkeypatch.setattr(LocalRoot, "create", late)
    with pytest.raises(LeaseHeld), lease(root):
        raise AssertionError("taken twice")
    assert [info.path for info in root.objects("c")] == ["c/lease/0000000009.json"]


def test_a_damaged_lease_is_free(tmp_path: Path) -> None:
    root = LocalRoot(tmp_path)
    root.write("c/lease/0000000004.json", b'{"purpose": "cut of')
    with lease(root) as taken:
        taken.check()
    assert [i.path for i in root.objects("c")] == ["c/lease/0000000005.json"]
