"""The command line against a real S3 server process: everything that a folder can, a bucket can."""

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.books import write_library
from tests.roots import make_bucket
from tgrag.store.root import open_root


def tgrag(root: str, *arguments: str) -> Any:
    environment = {name: value for name, value in os.environ.items() if name != "RAY_ADDRESS"}
    command = [sys.executable, "-m", "tgrag", "--root", root, *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, timeout=300)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


def test_index_ask_purge_on_s3(s3_endpoint: str, tmp_path: Path) -> None:
    root = make_bucket(s3_endpoint, "whole-path") + "/indexes"
    books = tmp_path / "books"
    write_library(books)
    (books / "three.txt").unlink()

    first = tgrag(root, "index", str(books), "--collection", "library")
    assert first["counts"]["documents"] == 2 and first["stages"]["embed"]["calls"] > 0
    assert tgrag(root, "index", str(books), "--collection", "library")["noop"]

    answer = tgrag(root, "query", "Что рассказал Томский о графине?")
    assert answer["version"] == first["version_id"] and answer["citations"]
    assert all(citation["verified"] for citation in answer["citations"])

    (document,) = (d for d in tgrag(root, "inspect")["documents"] if d["source"] == "books/two.txt")
    deleted = tgrag(root, "delete", document["document_id"], "--purge")
    assert deleted["stages"]["embed"]["calls"] == 0 and deleted["purged_versions"] == 1
    paths = [info.path for info in open_root(root).objects("library")]
    assert paths and not [path for path in paths if document["document_id"] in path]
    assert [v["version_id"] for v in tgrag(root, "versions")["versions"]] == [deleted["version_id"]]
