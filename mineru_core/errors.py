"""One tree of exceptions; every leaf carries a stable kebab-case code, a message and a hint that names the fix.

    WorkbenchError
    ├── InputError                what was handed in cannot be read (HTTP 422)
    │   ├── EmptyFile             empty-file
    │   ├── UnsupportedType       unsupported-type
    │   ├── TruncatedImage        truncated-image
    │   ├── CorruptPdf            corrupt-pdf
    │   ├── EncryptedPdf          encrypted-pdf
    │   ├── CorruptOffice         corrupt-office
    │   ├── EncryptedOffice       encrypted-office
    │   ├── NoPages               no-pages
    │   └── InvalidRequest        invalid-request
    ├── LimitError                a limit of the settings was passed (HTTP 413)
    │   ├── FileTooLarge          file-too-large
    │   ├── TooManyPixels         too-many-pixels
    │   └── TooManyPages          too-many-pages
    ├── Busy                      try again later (HTTP 429)
    │   ├── Overloaded            overloaded
    │   └── RateLimited           rate-limited
    ├── Cancelled                 cancelled (HTTP 409)
    ├── EditConflict              edit-conflict (HTTP 409)
    ├── DeadlineExceeded          deadline-exceeded (HTTP 504)
    ├── EngineError               the engine cannot work (HTTP 503)
    │   ├── ModelMissing          model-missing
    │   └── EngineUnavailable     engine-unavailable
    ├── TextModelUnavailable      text-model-unavailable (HTTP 503)
    ├── EngineFailed              engine-failed: the engine broke on one page (HTTP 500)
    ├── TokenRequired             token-required (HTTP 403; 401 where a good token would help)
    ├── NotFound                  not-found (HTTP 404)
    ├── StorageUnavailable        storage-unavailable (HTTP 503)
    └── InvalidSetting            invalid-setting (HTTP 500)

Codes never change once released: callers and translations are keyed by them. ``message`` says what happened and
``hint`` what to do about it; neither carries recognised text or paths of the server.
"""

from __future__ import annotations

from typing import Any, ClassVar


class WorkbenchError(Exception):
    """Root of every error this package raises on purpose.

    ``code`` is a stable kebab-case name, ``message`` one sentence on what happened, ``hint`` one sentence on the fix,
    ``http_status`` the status the HTTP API answers with.
    """

    code: ClassVar[str] = "internal"
    http_status: ClassVar[int] = 500
    default_hint: ClassVar[str] = ""

    def __init__(self, message: str, hint: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.hint = self.default_hint if hint is None else hint

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.hint)


class InputError(WorkbenchError):
    """What was handed in cannot be read."""

    code = "invalid-input"
    http_status = 422


class EmptyFile(InputError):
    """The file holds no bytes."""

    code = "empty-file"
    default_hint = "Choose a file that is not empty; if it was still being saved, wait and upload it again."


class UnsupportedType(InputError):
    """The bytes are of no type that can be read."""

    code = "unsupported-type"
    default_hint = "Upload a picture (PNG, JPEG, TIFF …), a PDF or an Office file (PPTX, DOCX, XLSX)."


class TruncatedImage(InputError):
    """The picture ends early or its data is damaged."""

    code = "truncated-image"
    default_hint = "Export or download the picture again; the copy is incomplete."


class CorruptPdf(InputError):
    """The PDF cannot be parsed."""

    code = "corrupt-pdf"
    default_hint = "Open the file in a PDF viewer and save or print it to PDF again."


class EncryptedPdf(InputError):
    """The PDF asks for a password, or the given one is wrong."""

    code = "encrypted-pdf"
    default_hint = "Give the password, or save a copy without one."


class CorruptOffice(InputError):
    """The Office file is damaged, or lacks parts without which it cannot be read."""

    code = "corrupt-office"
    default_hint = "Open the file in its program and save it again, or save it as PDF."


class EncryptedOffice(InputError):
    """The Office file is encrypted; it cannot be read with a password either."""

    code = "encrypted-office"
    default_hint = "Open the file in its program with the password and save a copy without one."


class NoPages(InputError):
    """The document holds no pages, or none of the chosen ones."""

    code = "no-pages"
    default_hint = "Choose pages that the document has."


class InvalidRequest(InputError):
    """An argument of a call is off."""

    code = "invalid-request"
    default_hint = "Correct the named argument."


class LimitError(WorkbenchError):
    """A limit of the settings was passed."""

    code = "limit"
    http_status = 413


class FileTooLarge(LimitError):
    """More bytes than ``limits.max_file_bytes``."""

    code = "file-too-large"
    default_hint = "Split or compress the file, or raise limits.max_file_bytes."


class TooManyPixels(LimitError):
    """More pixels a page than ``limits.max_page_pixels``."""

    code = "too-many-pixels"
    default_hint = "Scan at a lower resolution or crop the picture, or raise limits.max_page_pixels."


class TooManyPages(LimitError):
    """More pages than ``limits.max_pages``."""

    code = "too-many-pages"
    default_hint = "Choose a range of pages, split the document, or raise limits.max_pages."


class Busy(WorkbenchError):
    """Refused for now; ``retry_after_s`` says when to try again, and ``queue_fraction`` (0..1) what share of the places
    is taken, where they are known."""

    code = "busy"
    http_status = 429
    default_hint = "Try again in a moment."

    def __init__(
        self,
        message: str,
        hint: str | None = None,
        retry_after_s: float | None = None,
        queue_fraction: float | None = None,
    ) -> None:
        super().__init__(message, hint)
        self.retry_after_s = retry_after_s
        self.queue_fraction = queue_fraction

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.hint, self.retry_after_s, self.queue_fraction)


class Overloaded(Busy):
    """Every place, the waiting ones too, is taken."""

    code = "overloaded"


class RateLimited(Busy):
    """The caller has used up its submissions for now."""

    code = "rate-limited"


class Cancelled(WorkbenchError):
    """The work was cancelled by its owner."""

    code = "cancelled"
    http_status = 409
    default_hint = "Submit the document again to read it."


class EditConflict(WorkbenchError):
    """A correction was made to a state of the tables that is no longer the latest; nothing was changed."""

    code = "edit-conflict"
    http_status = 409
    default_hint = "Load the tables again and repeat the change."


class DeadlineExceeded(WorkbenchError):
    """The work did not end in the time it was given."""

    code = "deadline-exceeded"
    http_status = 504
    default_hint = "Choose fewer pages, or allow more time."


class EngineError(WorkbenchError):
    """The engine cannot work at all."""

    code = "engine-error"
    http_status = 503


class ModelMissing(EngineError):
    """Weights of the engine are not installed or damaged."""

    code = "model-missing"
    default_hint = "Run: mineru-workbench models install embedded"


class EngineUnavailable(EngineError):
    """The engine is unknown, not installed, or cannot be reached."""

    code = "engine-unavailable"
    default_hint = "Run: mineru-workbench models, and choose an engine that is installed."


class TextModelUnavailable(WorkbenchError):
    """The text model that answers free questions cannot be reached, refuses, or does not answer as it should."""

    code = "text-model-unavailable"
    http_status = 503
    default_hint = "Check the server at text_model.url, its model and its key."


class EngineFailed(WorkbenchError):
    """The engine broke on one page; the other pages are not touched."""

    code = "engine-failed"
    default_hint = "Try the page again; if it fails again, report it with the request id."


class TokenRequired(WorkbenchError):
    """The HTTP API asks for a token that was not given, is not good, or is good for something else.

    ``challenge`` is what RFC 6750 has the API tell of it beside the error: "" where a token is to be sent,
    ``error="invalid_token"`` for one that is not good (both HTTP 401), ``error="insufficient_scope"`` for one that is
    good for something else; None where no token would help.
    """

    code = "token-required"
    http_status = 403
    default_hint = "Send Authorization: Bearer TOKEN, or call from the machine itself."

    def __init__(self, message: str, hint: str | None = None, challenge: str | None = None) -> None:
        super().__init__(message, hint)
        self.challenge = challenge

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.message, self.hint, self.challenge)


class NotFound(WorkbenchError):
    """No such job, page or blob, or it belongs to somebody else, or it has expired."""

    code = "not-found"
    http_status = 404
    default_hint = "Check the id; results are kept for a limited time."


class StorageUnavailable(WorkbenchError):
    """The disk or the database of the home folder fails: full, read-only, or locked for too long."""

    code = "storage-unavailable"
    http_status = 503
    default_hint = "Free space on the disk of the home folder and check that it can be written, then try again."


class InvalidSetting(WorkbenchError):
    """A setting has a value it cannot have."""

    code = "invalid-setting"
    default_hint = "Correct the named setting in the environment or in config.toml."


def error_of_code(code: str, message: str, hint: str) -> WorkbenchError:
    """The error with this code; the root of the tree where the code is not known."""
    kinds = [WorkbenchError]
    for kind in kinds:
        if kind.code == code:
            return kind(message, hint)
        kinds.extend(kind.__subclasses__())
    return WorkbenchError(message, hint)
