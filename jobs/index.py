"""Index documents on a cluster; the same as ``tgrag index``.

ray job submit --working-dir . -- python jobs/index.py --input books --collection library --root s3://bucket/indexes
"""

import argparse
import sys
import time

from tgrag import console, logs
from tgrag.errors import TgragError
from tgrag.index import run
from tgrag.index.budget import Budget
from tgrag.index.plan import Plan
from tgrag.settings import load_settings


def main() -> int:
    parser = argparse.ArgumentParser(description="Index documents and publish a new version.")
    parser.add_argument("--input", action="append", required=True, help="file, folder or glob; repeatable")
    parser.add_argument("--collection", required=True)
    parser.add_argument("--root", help="where indexes live: a folder or s3://bucket/prefix")
    parser.add_argument("--retry-failed", action="store_true", help="try again also what has failed for good")
    parser.add_argument("--max-calls", type=int, help="of the language model; then publish what there is")
    parser.add_argument("--max-tokens", type=int, help="begin no call after so many, in and out together")
    parser.add_argument("--max-seconds", type=float, help="begin no call so many seconds after the start")
    parser.add_argument("--read-batch", metavar="FILE", help="take in the output of a batch first")
    parser.add_argument(
        "--own-engines",
        action="store_true",
        help="start vLLM's engines inside the workers (profiles h100 and cpu); their GPUs are free again afterwards",
    )
    parser.add_argument("--json", action="store_true", help="print the summary as JSON")
    arguments = parser.parse_args()
    until = None if arguments.max_seconds is None else time.time() + arguments.max_seconds
    try:
        logs.set_up()
        console.keep_output_for_facts()
        summary = run.index(
            arguments.input,
            arguments.collection,
            load_settings(root=arguments.root, index={"own_engines": arguments.own_engines}),
            console.progress,
            Plan(
                Budget(arguments.max_calls, arguments.max_tokens, until),
                arguments.retry_failed,
                arguments.read_batch,
            ),
        )
    except TgragError as error:
        return console.fail(error, arguments.json).exit_code
    console.show(summary, summary.lines(), arguments.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
