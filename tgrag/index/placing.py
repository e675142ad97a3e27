"""From parsed documents to their places in series, and why those that failed did."""

from collections.abc import Mapping, Sequence

from tgrag.errors import StorageError
from tgrag.index.assemble import Outcome
from tgrag.index.listing import Listed
from tgrag.index.memo import ParseMemo
from tgrag.ingest.collection import CollectionFile, ParsedSource, place
from tgrag.records import DeadLetter, ParsedDocument


def placed(
    listed: Sequence[Listed],
    stated: CollectionFile | None,
    answers: Mapping[str, ParsedDocument],
    parses: ParseMemo,
) -> tuple[dict[str, Outcome], list[DeadLetter]]:
    """Return what became of each document, and the dead letters of parsing by source.

    answers: parsed documents by parse key. Raises StorageError when one can neither be read nor made again.
    """
    parsed: dict[str, ParsedDocument] = {}
    letters = []
    for document in listed:
        answer = answers.get(document.parse_key)
        failures = parses.failures(document.parse_key) if answer is None else []
        if answer is None and not failures and not document.unreadable:
            raise StorageError(
                f"the stored text of {document.source} is missing or damaged and its file is not among the "
                "inputs; nothing was published: run again with the folder or file it came from"
            )
        if answer is None and failures:
            last = failures[-1]
            letters.append(
                DeadLetter(
                    "parse",
                    document.document_id,
                    document.source,
                    document.parse_key,
                    last.reason,
                    last.transient,
                    len(failures),
                )
            )
        why = document.unreadable or (failures[-1].reason if failures else "")
        parsed[document.document_id] = answer or ParsedDocument(status="failed", reason=why)
    places = place([ParsedSource(d.source, parsed[d.document_id]) for d in listed], stated)
    outcomes = {
        d.document_id: Outcome(
            reason=parsed[d.document_id].reason if parsed[d.document_id].status == "failed" else None,
            placement=placement,
            n_pages=parsed[d.document_id].n_pages,
            warnings=parsed[d.document_id].warnings,
            n_characters=sum(len(element.text) for element in parsed[d.document_id].elements),
        )
        for d, placement in zip(listed, places, strict=True)
    }
    return outcomes, sorted(letters, key=lambda letter: letter.source)
