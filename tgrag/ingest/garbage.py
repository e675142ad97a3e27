"""Is a text language at all? A broken text layer, a wrong encoding and a bad scan are told here."""


def fault(text: str) -> str | None:
    """Return why a page's or a document's text is not language, for a person, or None."""
    return None
