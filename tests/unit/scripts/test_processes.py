import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

SCRIPT = Path(__file__).parents[3] / "scripts" / "processes.py"
PARENT = "import subprocess, sys; subprocess.run([sys.executable, '-c', 'import time; time.sleep(60)'])"
SLEEPER = "import time; time.sleep(60)"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, str(SCRIPT), *arguments], capture_output=True, text=True)


@contextmanager
def process(code: str, *arguments: str) -> Iterator[subprocess.Popen[bytes]]:
    started = subprocess.Popen([sys.executable, "-c", code, *arguments])
    try:
        yield started
    finally:
        started.kill()
        started.wait()


def test_ends_the_family_of_its_own_process_and_no_other(tmp_path: Path) -> None:
    home = str(tmp_path / "demo.abc")
    with process(PARENT, f"--temp-dir={home}/ray") as ours, process(SLEEPER, str(tmp_path)) as other:
        assert run("alive", str(ours.pid), home).returncode == 0
        done = run("end", str(ours.pid), home)
        assert (done.returncode, done.stderr) == (0, "")
        assert ours.wait(timeout=10) != 0
        assert other.poll() is None


def test_a_number_that_now_belongs_to_another_process_is_not_ours(tmp_path: Path) -> None:
    home = str(tmp_path / "demo.abc")
    with process(SLEEPER) as other:
        assert run("alive", str(other.pid), home).returncode == 1
        assert run("end", str(other.pid), home).returncode == 0
        assert other.poll() is None


def test_a_port_that_is_taken_is_named_with_its_variable() -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        done = run("free", f"DEMO_HTTP_PORT={port}")
    assert done.returncode == 1
    assert f"port {port}" in done.stderr
    assert "DEMO_HTTP_PORT=" in done.stderr
