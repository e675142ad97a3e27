"""Evaluate question sets on a cluster; the same as ``tgrag evaluate``, with the same options.

ray job submit --working-dir . -- python jobs/evaluate.py --data sets/made_ru --root s3://bucket/evaluation --json out.json
"""

import sys

from tgrag.cli import app

if __name__ == "__main__":
    app(["evaluate", *sys.argv[1:]])
