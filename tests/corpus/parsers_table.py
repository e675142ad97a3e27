"""What was expected of each file of two collections of odd files, and what came.

tests/corpus/parsers.csv holds the expectation, decided by looking at the files; test_parsers.py asserts it;
``python -m tests.corpus.parsers_table`` writes the table into docs/parsing.md, so that nobody types it.
"""

import csv
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from tests.corpus.readings import independent_words, words
from tests.data import SHARED
from tgrag.ingest.parse import parse

COLLECTIONS = ("parser_dedoc", "parser_docling")
EXPECTATIONS = Path(__file__).with_name("parsers.csv")
DOCUMENT = Path(__file__).resolve().parents[2] / "docs" / "parsing.md"
BEGIN, END = "<!-- parsers table: begin -->", "<!-- parsers table: end -->"


@dataclass(frozen=True)
class Expected:
    """refused: a part of the reason, "" where the file has to be read. None: not asserted.

    lost: words that the independent reading has and ours may lack; added: the other way round (automatic numbers,
    notes, heads and feet of pages). remark: why it is so.
    """

    file: str
    refused: str
    headings: int | None
    tables: int | None
    dropped: int | None
    lost: int
    added: int
    remark: str


@dataclass(frozen=True)
class Came:
    refused: str
    headings: int
    tables: int
    dropped: int
    n_words: int
    n_independent: int | None
    lost: int
    added: int


def files() -> list[Path]:
    return sorted(path for name in COLLECTIONS for path in (SHARED / name).rglob("*") if path.is_file())


def name_of(path: Path) -> str:
    return path.relative_to(SHARED).as_posix()


def expectations() -> dict[str, Expected]:
    with EXPECTATIONS.open(encoding="utf-8", newline="") as file:
        return {row["file"]: _expected(row) for row in csv.DictReader(file)}


def _expected(row: dict[str, str]) -> Expected:
    headings, tables, dropped = (
        int(row[key]) if row[key] else None for key in ("headings", "tables", "dropped")
    )
    return Expected(
        row["file"],
        row["refused"],
        headings,
        tables,
        dropped,
        int(row["lost"]),
        int(row["added"]),
        row["remark"],
    )


def came_of(path: Path) -> Came:
    """Read a file, and count its words beside those of an independent reading."""
    document = parse(path.name, path.read_bytes())
    found = Counter(word for element in document.elements for word in words(element.text))
    try:
        independent = independent_words(path)
    except Exception as error:
        if document.status == "ok":
            raise AssertionError(f"{path}: read by us and by no other tool") from error
        independent = None
    there = Counter(independent or ())
    kinds = Counter(element.kind for element in document.elements if not element.drop)
    is_compared = document.status == "ok" and independent is not None
    return Came(
        refused=document.reason or "",
        headings=kinds["heading"],
        tables=kinds["table"],
        dropped=sum(element.drop is not None for element in document.elements),
        n_words=found.total(),
        n_independent=None if independent is None else there.total(),
        lost=(there - found).total() if is_compared else 0,
        added=(found - there).total() if is_compared else 0,
    )


def faults(expected: Expected, came: Came) -> list[str]:
    """Return in which points what came is not what was expected."""
    if expected.refused:
        is_as_said = expected.refused in came.refused
        return (
            [] if is_as_said else [f"should be refused ({expected.refused}), came: {came.refused or 'text'}"]
        )
    if came.refused:
        return [f"should be read, was refused: {came.refused}"]
    found = [
        f"{what}: {wanted} expected, {got} came"
        for what, wanted, got in (
            ("headings", expected.headings, came.headings),
            ("tables", expected.tables, came.tables),
            ("dropped", expected.dropped, came.dropped),
        )
        if wanted is not None and wanted != got
    ]
    found += [f"{came.lost} words lost"] if came.lost > expected.lost else []
    found += [f"{came.added} words added"] if came.added > expected.added else []
    return found


def table() -> str:
    """Return the table in Markdown."""
    known = expectations()
    lines = [
        "| file | expected | came | headings | tables | dropped | words: another tool, ours, lost, added | remark |",
        "|---|---|---|---|---|---|---|---|",
    ]
    for path in files():
        expected, came = known[name_of(path)], came_of(path)
        compared = (
            f"{came.n_independent}, {came.n_words}, {came.lost}, {came.added}"
            if came.n_independent is not None and not came.refused
            else ""
        )
        counts = (
            ["", "", ""] if came.refused else [str(n) for n in (came.headings, came.tables, came.dropped)]
        )
        verdict = "; ".join(faults(expected, came))
        cells = [
            name_of(path),
            f"refused: {expected.refused}" if expected.refused else "read",
            f"**{verdict}**" if verdict else f"refused: {came.refused}" if came.refused else "read",
            *counts,
            compared,
            expected.remark,
        ]
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return "\n".join(lines)


def main() -> None:
    before, rest = DOCUMENT.read_text("utf-8").split(BEGIN)
    after = rest.split(END)[1]
    DOCUMENT.write_text(f"{before}{BEGIN}\n{table()}\n{END}{after}", encoding="utf-8")


if __name__ == "__main__":
    main()
