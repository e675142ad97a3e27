"""Index documents on a cluster; the same as ``tgrag index``.

ray job submit --working-dir . -- python jobs/index.py --input books --collection library --root s3://bucket/indexes
"""

import argparse
import sys

from tgrag import console
from tgrag.errors import TgragError
from tgrag.index import run
from tgrag.settings import load_settings


def main() -> int:
    parser = argparse.ArgumentParser(description="Index documents and publish a new version.")
    parser.add_argument("--input", action="append", required=True, help="file, folder or glob; repeatable")
    parser.add_argument("--collection", required=True)
    parser.add_argument("--root", help="where indexes live: a folder or s3://bucket/prefix")
    parser.add_argument("--retry-failed", action="store_true", help="try again also what has failed for good")
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    arguments = parser.parse_args()
    try:
        summary = run.index(
            arguments.input,
            arguments.collection,
            load_settings(root=arguments.root),
            console.progress,
            retry_failed=arguments.retry_failed,
        )
    except TgragError as error:
        return console.fail(error, arguments.json).exit_code
    console.show(summary, summary.lines(), arguments.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
