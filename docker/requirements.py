"""Prints what pyproject.toml requires, with extras: ``requirements.py EXTRA,EXTRA``."""

import sys
import tomllib
from pathlib import Path

project = tomllib.loads(Path("pyproject.toml").read_text(encoding="utf-8"))["project"]
extras = [extra for extra in sys.argv[1].split(",") if extra]
print(
    *project["dependencies"],
    *(need for e in extras for need in project["optional-dependencies"][e]),
    sep="\n",
)
