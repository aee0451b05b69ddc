"""What a flow may ask of whoever carries it out. A flow is a generator: it yields steps, gets replies, does no I/O."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, TypeVar

T = TypeVar("T")


class Lost(Exception):
    """The server could not be reached, or the connection ended before the answer did."""


@dataclass(frozen=True, slots=True)
class Fetch:
    """Send a request and give its whole answer. ``files`` are name and bytes by form field; ``timeout_s`` seconds
    without news end it, the client's own where it is None."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    fields: Mapping[str, str | list[str]] = field(default_factory=dict)
    files: Mapping[str, tuple[str, bytes]] = field(default_factory=dict, repr=False)
    timeout_s: float | None = None


@dataclass(frozen=True, slots=True)
class Listen:
    """Hand each line of an answer to ``feed`` as it comes, until it returns True. Replies with the answer's status; the
    body is there only where that is an error."""

    path: str
    feed: Callable[[str], bool]


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for so many seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Work:
    """Do something that takes a while on this machine, such as decoding a picture; replies with what it returns."""

    function: Callable[[], Any]


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: its status, its headers by names in small letters, its body."""

    status: int
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = field(default=b"", repr=False)

    @property
    def retry_after_s(self) -> float | None:
        """Seconds after which to come again; None where the answer does not say."""
        told = self.headers.get("retry-after", "").strip()
        if told.isascii() and told.isdecimal():
            return float(told)
        try:
            at = parsedate_to_datetime(told)
        except ValueError:
            return None
        at = at if at.tzinfo is not None else at.replace(tzinfo=UTC)
        return max(0.0, (at - datetime.now(UTC)).total_seconds())


Step = Fetch | Listen | Pause | Work
Flow = Generator[Step, Any, T]
"""``Fetch`` and ``Listen`` are answered with a ``Reply``. Whoever carries the steps out throws ``Lost`` into the
generator where the server did not answer, and whatever else ended a step."""
