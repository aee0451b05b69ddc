"""A finished load test as data: what was asked, of what, and what came of it."""

from __future__ import annotations

import math
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from mineru_core.loadtest.machine import Machine
from mineru_core.loadtest.observing import Sample, ServerFigures
from mineru_core.loadtest.scenario import Scenario


class Second(BaseModel):
    """What ended within one second of the main phase; ``p95_s`` of its answers, None where there was none."""

    model_config = ConfigDict(frozen=True)

    at_s: int
    answers: int = 0
    errors: int = 0
    refused: int = 0
    p95_s: float | None = None


class Run(BaseModel):
    """One run. ``figures`` are by name, as ``figures.Figures`` has them, without those there are not; ``started_at`` is
    in seconds since 1970; ``changes`` are the settings its own server had otherwise than the default."""

    model_config = ConfigDict(frozen=True)

    id: str
    name: str
    scenario: Scenario
    target: str
    engine: str
    started_at: float
    stopped: bool
    machine: Machine
    figures: dict[str, float]
    by_code: dict[str, int]
    by_kind_p95_s: dict[str, float]
    slow_stages_s: dict[str, float]
    server: ServerFigures
    seconds: tuple[Second, ...] = ()
    samples: tuple[Sample, ...] = ()
    changes: dict[str, str] = Field(default_factory=dict)

    @field_validator("figures", "by_kind_p95_s", mode="before")
    @classmethod
    def _only_numbers(cls, value: Any) -> Any:
        """JSON has no NaN: what was not measured is left out."""
        return {name: number for name, number in value.items() if number is not None and math.isfinite(number)}
