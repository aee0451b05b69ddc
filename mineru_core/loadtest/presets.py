"""Scenarios by name."""

from __future__ import annotations

from mineru_core.errors import InvalidRequest
from mineru_core.loadtest.scenario import (
    ClosedLoop,
    Documents,
    Kind,
    Poisson,
    Ramp,
    Scenario,
    Soak,
    Spike,
    check_seconds,
)

SMALL = Documents(kinds=(Kind.SLIDE, Kind.TABLE))

PRESETS: dict[str, Scenario] = {
    scenario.name: scenario
    for scenario in (
        Scenario(name="quick", arrivals=Poisson(rate_per_s=2), seconds=10, capacity_s=5, documents=SMALL),
        # What the reports from the field measured: ten people a second at random on a box that carries fewer, at most
        # 50 on their way, 30 s of patience.
        Scenario(name="field-report", arrivals=Poisson(rate_per_s=10), seconds=60, capacity_s=20),
        Scenario(
            name="office",
            arrivals=ClosedLoop(users=20, think_s=10),
            seconds=120,
            documents=Documents(repeat_share=0.2, question_share=0.2),
        ),
        Scenario(
            name="spike",
            arrivals=Spike(rate_per_s=0.5, peak_per_s=10, start_s=20, peak_s=10),
            seconds=60,
            capacity_s=10,
        ),
        Scenario(name="ramp", arrivals=Ramp(first_per_s=0.25), seconds=120),
        Scenario(name="soak", arrivals=Soak(rate_per_s=0.5), seconds=1800, documents=Documents(repeat_share=0.2)),
    )
}
DEFAULT = next(iter(PRESETS))
"""The preset where none is named."""


def preset(name: str, seconds: float | None = None) -> Scenario:
    """The scenario of that name, lasting ``seconds`` if given: the maximum is then measured for as long at most, and a
    spike keeps its place in the whole. Raises ``InvalidRequest`` for a name there is not, or no time at all."""
    found = PRESETS.get(name)
    if found is None:
        raise InvalidRequest(f"No load test is called {name[:40]!r}.", f"Choose of: {', '.join(PRESETS)}.")
    if seconds is None:
        return found
    check_seconds(seconds)
    changes: dict[str, object] = {"seconds": seconds, "capacity_s": min(found.capacity_s, seconds)}
    if isinstance(found.arrivals, Spike):
        share = seconds / found.seconds
        times = {"start_s": found.arrivals.start_s * share, "peak_s": found.arrivals.peak_s * share}
        changes["arrivals"] = found.arrivals.model_copy(update=times)
    return found.model_copy(update=changes)
