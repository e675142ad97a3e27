"""The two kinds of root for tests: a local folder and a real S3 server process on loopback."""

import os
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest

START_SECONDS = 60


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def s3_server() -> Iterator[str]:
    """Run a moto server as a process of its own; yield its address. AWS_* variables name it meanwhile."""
    port = free_port()
    endpoint = f"http://127.0.0.1:{port}"
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    variables = {
        "AWS_ENDPOINT_URL": endpoint,
        "AWS_ACCESS_KEY_ID": "test",
        "AWS_SECRET_ACCESS_KEY": "test",
        "AWS_REGION": "us-east-1",
    }
    saved = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                httpx.get(f"{endpoint}/moto-api/", timeout=2)
                break
            except httpx.HTTPError:
                assert process.poll() is None, "the S3 server did not start"
                assert time.monotonic() < deadline, "the S3 server did not answer"
                time.sleep(0.2)
        yield endpoint
    finally:
        process.terminate()
        process.wait()
        for name, value in saved.items():
            os.environ.pop(name, None) if value is None else os.environ.__setitem__(name, value)


def make_bucket(endpoint: str, name: str) -> str:
    httpx.put(f"{endpoint}/{name}").raise_for_status()
    return f"s3://{name}"


@pytest.fixture(scope="session")
def s3_endpoint() -> Iterator[str]:
    with s3_server() as endpoint:
        yield endpoint


@pytest.fixture(params=["local", "s3"])
def root_address(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The address of an empty root: a test that uses it runs on both kinds."""
    if request.param == "local":
        return str(tmp_path / "root")
    endpoint = request.getfixturevalue("s3_endpoint")
    return make_bucket(endpoint, f"bucket-{abs(hash(request.node.nodeid)) % 10**12}") + "/some/prefix"
