"""The one family of errors that tgrag raises on purpose.

Each has a stable ``code`` (what a program switches on), a message for a person that says what to do
next, and the HTTP status it becomes.
"""


class TgragError(Exception):
    """An expected failure: bad input, a missing collection, a busy lease."""

    code = "error"
    status = 400

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class InvalidRequest(TgragError):
    code = "invalid_request"
    status = 422


class EmptyQuestion(TgragError):
    code = "empty_question"
    status = 422


class CallerLeft(TgragError):
    """Whoever asked does not wait for the answer any more; nobody is told."""

    code = "caller_left"
    status = 499


class UnknownMode(TgragError):
    code = "unknown_mode"
    status = 422


class UnknownCollection(TgragError):
    code = "unknown_collection"
    status = 404


class UnknownVersion(TgragError):
    code = "unknown_version"
    status = 404


class UnknownDocument(TgragError):
    code = "unknown_document"
    status = 404


class UnreadableDocument(TgragError):
    code = "unreadable_document"
    status = 415


class UnknownBook(TgragError):
    code = "unknown_book"
    status = 404


class UnknownChapter(TgragError):
    code = "unknown_chapter"
    status = 404


class EntityNotFound(TgragError):
    code = "entity_not_found"
    status = 404


class AmbiguousAsOf(TgragError):
    """``as_of`` fits several series, books or chapters: the caller has to say which."""

    code = "ambiguous_as_of"
    status = 422


class NoVersion(TgragError):
    """The collection exists but nothing has been published in it yet."""

    code = "no_version"
    status = 409


class EmbedderMismatch(TgragError):
    """The index was built with another embedder than the one that would read it."""

    code = "embedder_mismatch"
    status = 409


class SchemaMismatch(TgragError):
    """The index was written by an incompatible release of tgrag."""

    code = "schema_mismatch"
    status = 409


class LeaseHeld(TgragError):
    """Another run is writing to this collection."""

    code = "lease_held"
    status = 409


class PublishConflict(TgragError):
    """Another run published since this one began: nothing was overwritten."""

    code = "publish_conflict"
    status = 409


class StorageError(TgragError):
    """The root cannot be read or written."""

    code = "storage_error"
    status = 503


class StageFailed(TgragError):
    """A stage of an index run broke off; nothing was published and nothing that was stored is lost."""

    code = "stage_failed"
    status = 500


class ConfigurationError(TgragError):
    code = "configuration_error"
    status = 400


class ModelUnavailable(TgragError):
    """A model deployment does not answer."""

    code = "model_unavailable"
    status = 503
