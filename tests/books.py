"""Small books for tests, cut from the bundled sample, which is in the public domain."""

import re
from pathlib import Path

SAMPLE = Path(__file__).parents[1] / "samples" / "pikovaya_dama.txt"
CHAPTER = re.compile(r"^(?:I|II|III|IV|V|VI)$", re.MULTILINE)


def chapters(characters: int = 900) -> list[str]:
    """The beginnings of the sample's six chapters, each cut at the end of a paragraph."""
    bodies = CHAPTER.split(SAMPLE.read_text(encoding="utf-8"))[1:]
    return [body[: body.index("\n", characters)].strip() for body in bodies]


def book(*parts: str, title: str = "ПОВЕСТЬ") -> str:
    """A book of numbered chapters in plain text."""
    return (
        f"{title}\n\n" + "\n\n".join(f"Глава {n}\n\n{part}" for n, part in enumerate(parts, start=1)) + "\n"
    )


def write_library(folder: Path) -> None:
    """Three books of two chapters each: one.txt, two.txt and three.txt."""
    parts = chapters()
    folder.mkdir(parents=True, exist_ok=True)
    for number, name in enumerate(("one", "two", "three")):
        text = book(*parts[2 * number : 2 * number + 2], title=f"ПОВЕСТЬ {name.upper()}")
        (folder / f"{name}.txt").write_text(text, encoding="utf-8")


def files_below(folder: Path) -> dict[str, bytes]:
    return {
        p.relative_to(folder).as_posix(): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()
    }


def table_bytes(root: Path, collection: str, version_id: str) -> dict[str, bytes]:
    """The tables of a version, byte for byte."""
    return files_below(root / collection / "versions" / version_id / "data")
