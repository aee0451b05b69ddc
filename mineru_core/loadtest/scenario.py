"""What a load test does, as data: who comes when, with which documents, for how long."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from mineru_core.errors import InvalidRequest
from mineru_core.settings import LoadtestSettings

CAPACITY_PATIENCE_S = 120.0
"""How long an answer is waited for at least while the closed-loop maximum is measured, seconds."""


class _Data(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class Poisson(_Data):
    """Requests at random moments, so many a second on average, whether or not earlier ones are answered."""

    kind: Literal["poisson"] = "poisson"
    rate_per_s: float = Field(gt=0, description="arrivals a second")


class Spike(_Data):
    """A Poisson process that is denser from ``start_s`` on for ``peak_s`` seconds."""

    kind: Literal["spike"] = "spike"
    rate_per_s: float = Field(gt=0, description="arrivals a second before and after")
    peak_per_s: float = Field(gt=0, description="arrivals a second in the spike")
    start_s: float = Field(ge=0, description="seconds until the spike")
    peak_s: float = Field(gt=0, description="seconds it lasts")


class Ramp(_Data):
    """A search for the highest rate that is answered in time: up by half at each step, then halving the gap.

    A step holds where its p95 is at most ``p95_limit_s`` and nothing failed or was refused.
    """

    kind: Literal["ramp"] = "ramp"
    first_per_s: float = Field(gt=0, description="arrivals a second of the first step")
    step_s: float = Field(default=10.0, gt=0, description="seconds of a step")
    p95_limit_s: float = Field(default=10.0, gt=0, description="seconds 95 % of the answers of a step may take")


class ClosedLoop(_Data):
    """So many people who each ask again once they have their answer and have thought for a while."""

    kind: Literal["closed"] = "closed"
    users: int = Field(gt=0, le=1000, description="people at once")
    think_s: float = Field(default=0.0, ge=0, description="mean of the exponential pause after an answer, seconds")


class Soak(_Data):
    """A Poisson process that lasts: memory over time is what it is for."""

    kind: Literal["soak"] = "soak"
    rate_per_s: float = Field(gt=0, description="arrivals a second")


Arrivals = Annotated[Poisson | Spike | Ramp | ClosedLoop | Soak, Field(discriminator="kind")]


class Kind(StrEnum):
    """What is drawn: a slide, a table cut out of a page, a page of text, a scanned sheet at 300 dpi."""

    SLIDE = "slide"
    TABLE = "table"
    PAGE = "page"
    SCAN = "scan"


class Documents(_Data):
    """What is handed in. Drawn documents differ in every run, so no cache of an earlier one knows them.

    Of the requests, ``repeat_share`` ask again what was answered before, ``question_share`` ask something new about a
    page that was read before, and the rest are of documents nobody has handed in.
    """

    folder: Path | None = Field(default=None, description="folder of files to hand in; drawn documents if unset")
    kinds: tuple[Kind, ...] = Field(
        default=(Kind.SLIDE, Kind.TABLE, Kind.PAGE) * 3 + (Kind.SCAN,),
        min_length=1,
        description="kinds that are drawn, by turns; one named twice comes twice as often",
    )
    most: int = Field(default=300, ge=1, le=5000, description="different documents at most; then they come round again")
    repeat_share: float = Field(default=0.0, ge=0, le=1, description="share of requests asked before")
    question_share: float = Field(default=0.0, ge=0, le=1, description="share of new questions on known pages")
    words: str = Field(default="", max_length=4000, description="the instruction; empty: everything")
    new_words: str = Field(default="extract the tables", max_length=4000, description="the new question")

    @model_validator(mode="after")
    def _shares(self) -> Documents:
        if self.repeat_share + self.question_share > 1:
            raise ValueError("repeat_share and question_share are more than 1 together")
        return self


class Scenario(_Data):
    """A load test. All times are in seconds.

    ``in_flight`` is how many requests may be open: an arrival beyond that is refused here and never sent. A request
    that is not answered ``timeout_s`` after it was due is an error. ``capacity_s`` is how long the closed-loop maximum
    is measured beforehand, with ``capacity_users`` that never pause (None: two for each core) and wait for
    ``CAPACITY_PATIENCE_S``, so that a slow machine is measured as well; 0: not at all.
    """

    name: str = Field(default="custom", min_length=1, max_length=80)
    arrivals: Arrivals
    seconds: float = Field(gt=0)
    in_flight: int = Field(default=50, ge=1, le=1000)
    timeout_s: float = Field(default=30.0, gt=0, le=600)
    asynchronous: bool = False
    keep_alive: bool = True
    capacity_s: float = Field(default=0.0, ge=0)
    capacity_users: int | None = Field(default=None, ge=1, le=200)
    documents: Documents = Documents()
    seed: int | None = Field(default=None, description="decides who comes when and what is drawn; random if unset")

    @property
    def longest_s(self) -> float:
        """Seconds after which the run is over, whatever happens: its phases, and the answers that are waited for."""
        return self.seconds + self.capacity_s + 3 * self.timeout_s + (CAPACITY_PATIENCE_S if self.capacity_s else 0)


def check_seconds(seconds: float) -> None:
    """Raise ``InvalidRequest`` for no time at all."""
    if not seconds > 0:
        raise InvalidRequest("A load test needs time.", "Give it more than 0 seconds.")


def check_bounds(scenario: Scenario, limits: LoadtestSettings) -> None:
    """Raise ``InvalidRequest`` for a scenario that lasts longer or asks for more than the settings allow."""
    lasting = scenario.seconds + scenario.capacity_s
    if lasting > limits.max_seconds:
        raise InvalidRequest(
            f"A load test of {lasting:.0f} s is longer than the {limits.max_seconds:.0f} s that are allowed.",
            "Choose fewer seconds, or raise loadtest.max_seconds.",
        )
    if highest_rate(scenario.arrivals) > limits.max_rate_per_s:
        raise InvalidRequest(
            f"More than {limits.max_rate_per_s:g} requests a second are not allowed.",
            "Choose a lower rate, or raise loadtest.max_rate_per_s.",
        )


def highest_rate(arrivals: Arrivals) -> float:
    """The most arrivals a second it asks for; 0 for people who wait for their answers. A ramp is bounded by the
    generator."""
    match arrivals:
        case Spike():
            return max(arrivals.rate_per_s, arrivals.peak_per_s)
        case Ramp():
            return arrivals.first_per_s
        case ClosedLoop():
            return 0.0
        case _:
            return arrivals.rate_per_s
