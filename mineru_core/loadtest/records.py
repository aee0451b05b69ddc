"""What became of each request: one line of JSON each, written by the generator and read back by whoever watches."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, Self

OK = "ok"
TIMEOUT = "timeout"
CONNECTION = "connection"
WRONG_ANSWER = "wrong-answer"
TOO_MANY_IN_FLIGHT = "in-flight"
STOPPED = "stopped"
GENERATOR = "generator"
"""The load test itself broke on it."""
OVERLOADED, RATE_LIMITED = "overloaded", "rate-limited"

REFUSALS = frozenset({TOO_MANY_IN_FLIGHT, OVERLOADED, RATE_LIMITED})
"""Codes of requests that were turned away: neither answers nor errors."""


@dataclass(frozen=True, slots=True)
class Record:
    """One request. Times are seconds from the start of its phase: ``due`` when it should have gone out, ``start`` when
    it did, ``end`` when its last byte was there. ``code`` is "ok", an error's code, or one of this module's."""

    phase: str
    due: float
    start: float
    end: float
    code: str
    status: int = 0
    kind: str = ""
    asked: str = "new"
    bytes: int = 0
    queue_fraction: float | None = None
    step: int = 0
    timings: Mapping[str, float] = field(default_factory=dict)

    @property
    def latency_s(self) -> float:
        """From when it was due: a generator or a connection that was late does not hide what a person waits."""
        return self.end - self.due

    @property
    def is_refused(self) -> bool:
        """Whether it was turned away."""
        return self.code in REFUSALS

    @property
    def is_error(self) -> bool:
        """Whether it got neither an answer nor a refusal, and was not stopped by whoever started the run."""
        return self.code not in {OK, STOPPED} and not self.is_refused

    def to_line(self) -> str:
        """The same as a line of JSON."""
        return json.dumps({**asdict(self), "timings": dict(self.timings)}, ensure_ascii=False)

    @classmethod
    def of(cls, fields: Mapping[str, Any]) -> Self:
        """A line of JSON, parsed, as a record."""
        return cls(**fields)


@dataclass(frozen=True, slots=True)
class PhaseEnd:
    """A phase is over: how long people came, seconds; the highest rate that held and how many documents came round a
    second time, where that was found out."""

    phase: str
    window_s: float
    best_rate: float | None = None
    rounds: int = 0

    def to_line(self) -> str:
        """The same as a line of JSON."""
        return json.dumps({"ended": self.phase, **asdict(self)})


class RecordFile:
    """Reads a growing file of lines, each once."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._offset = 0
        self.phases: dict[str, PhaseEnd] = {}

    def new_records(self) -> list[Record]:
        """Records written since the last call; a line that is not yet whole is left for the next."""
        try:
            with self._path.open("rb") as file:
                file.seek(self._offset)
                data = file.read()
        except FileNotFoundError:
            return []
        whole = data[: data.rfind(b"\n") + 1]
        self._offset += len(whole)
        found: list[Record] = []
        for line in whole.splitlines():
            fields = json.loads(line)
            if fields.pop("ended", None) is not None:
                self.phases[fields["phase"]] = PhaseEnd(**fields)
            else:
                found.append(Record.of(fields))
        return found
