"""Series and their books: as ``collection.yaml`` states them, else as files and their names let one infer.

``collection.yaml`` lies in an input folder, in one below it (the nearest to a file wins) or next to an input file; what
it leaves out is inferred::

    series:
      - title: Война и мир
        id: war-and-peace          # optional; the title, folded, when left out
        language: ru               # optional: ru, uk or en
        books:                     # in order; a name, a path below this folder, or a glob
          - file: tom1.fb2
            number: 1              # optional; one more than the book before
            title: Том первый      # optional
            date: 1868             # optional: ISO 8601, a year is enough
          - file: tom2.fb2
          - "part-*.txt"           # short for file: several files in natural order
    entities:                      # optional: who is who, see tgrag.graph.wishes
      merge: [[Хромой, Степан Ильич]]
"""

import datetime
import fnmatch
import re
from collections.abc import Sequence
from functools import cached_property
from typing import Annotated, Any

import yaml
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from tgrag.errors import ConfigurationError
from tgrag.graph.wishes import NO_WISHES, Wishes, together
from tgrag.ingest.metadata import declared_date
from tgrag.ingest.sources import collection_files, read_source
from tgrag.ingest.text import clean
from tgrag.language import fold
from tgrag.records import Language


def _date_text(value: Any) -> Any:
    if value is None:
        return None
    text = value.isoformat() if isinstance(value, datetime.date) else str(value)
    if declared_date(text) != text:
        raise ValueError("write a date as 1868, 1868-05 or 1868-05-17")
    return text


class _Entry(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class BookEntry(_Entry):
    """file: name, path or glob below the folder of the file that states it. folder: that folder's source prefix."""

    file: str = Field(min_length=1)
    number: int | None = Field(None, ge=1)
    title: str | None = Field(None, min_length=1)
    language: Language | None = None
    date: Annotated[str | None, BeforeValidator(_date_text)] = None
    folder: str = ""

    def matches(self, source: str) -> bool:
        """Tell whether a source is (one of) the file(s) of this entry."""
        if not source.startswith(self.folder):
            return False
        inside = source.removeprefix(self.folder)
        name = inside.rpartition("/")[2]
        return bool(
            self._pattern.match(inside)
            or ("/" not in self.file.removeprefix("./") and self._pattern.match(name))
        )

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        return re.compile(fnmatch.translate(clean(self.file).removeprefix("./")))


def _book(value: Any) -> Any:
    return {"file": value} if isinstance(value, str) else value


class SeriesEntry(_Entry):
    title: str = Field(min_length=1)
    id: str | None = Field(None, min_length=1)
    language: Language | None = None
    books: tuple[Annotated[BookEntry, BeforeValidator(_book)], ...] = Field(min_length=1)

    @property
    def series_id(self) -> str:
        return self.id or fold(self.title)


class CollectionFile(_Entry):
    """entities: what the user says of who is who."""

    series: tuple[SeriesEntry, ...] = ()
    entities: Wishes = NO_WISHES

    def find(self, source: str) -> tuple[SeriesEntry, BookEntry, int] | None:
        """Return the first entry that a source matches, with its place among the books of its series."""
        for series in self.series:
            for place, book in enumerate(series.books):
                if book.matches(source):
                    return series, book, place
        return None

    def naming(self, sources: Sequence[str]) -> tuple[SeriesEntry, ...]:
        """Return what is stated of these sources: series without the books that match none of them."""
        found = []
        for series in self.series:
            books = tuple(book for book in series.books if any(map(book.matches, sources)))
            if books:
                found.append(series.model_copy(update={"books": books}))
        return tuple(found)

    def unmatched(self, sources: Sequence[str]) -> list[str]:
        """Return the files that are stated here and match no source: most likely misspelt."""
        books = (book for series in self.series for book in series.books)
        return [book.folder + book.file for book in books if not any(map(book.matches, sources))]


def load_collection_files(inputs: Sequence[str]) -> CollectionFile | None:
    """Read every collection.yaml among the inputs. Raises ConfigurationError that names file and field."""
    files: list[CollectionFile] = []
    for location, folder in collection_files(inputs):
        try:
            data = read_source(location)
        except FileNotFoundError:
            continue
        except OSError as error:
            raise ConfigurationError(f"{location} cannot be read: {error.strerror}") from None
        files.append(_parse(location, data, folder))
    series = tuple(entry for file in files for entry in file.series)
    entities = together(file.entities for file in files)
    return CollectionFile(series=series, entities=entities) if files else None


def _parse(location: str, data: bytes, folder: str) -> CollectionFile:
    try:
        stated = CollectionFile.model_validate(yaml.safe_load(data))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise ConfigurationError(f"{location} is not valid YAML: {error}") from None
    except ValidationError as error:
        faults = "; ".join(
            f"{'.'.join(map(str, fault['loc'])) or 'file'}: {fault['msg']}" for fault in error.errors()
        )
        raise ConfigurationError(f"{location}: {faults}") from None
    placed = [
        entry.model_copy(
            update={"books": tuple(book.model_copy(update={"folder": folder}) for book in entry.books)}
        )
        for entry in stated.series
    ]
    return CollectionFile(series=tuple(placed), entities=stated.entities)
