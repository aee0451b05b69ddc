"""What a run says about the settings: the four numbers, from how long pages took, and whether the machine is enough."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from mineru_core.loadtest.run import Run
from mineru_core.loadtest.scenario import highest_rate
from mineru_core.settings import Settings

WAIT = "wait"
"""The stage that is waiting, not work."""

WAIT_SHARE = 0.6
"""Of the time somebody is ready to wait: what may be spent waiting for a place."""
BUSY = 0.85
"""Share of the processor above which more pages at once only make each slower."""
REFUSED_SHARE = 0.05
_FILLED = 0.75
_MOST_BATCH = 64


REASONS: dict[str, str] = {
    "pages": "{rate:.2f} pages a second, {working_s:.2f} s of work each, processor {busy:.0%} busy",
    "calls": "processor only {busy:.0%} busy",
    "places": "{rate:.2f} documents a second are read",
    "batch": "calls hold {items:.1f} lines on average",
}
"""Why something is proposed, with the figures it follows from."""


@dataclass(frozen=True, slots=True)
class Proposal:
    """A setting, what it is now and what it should be; ``because`` is one of ``REASONS``, ``facts`` are its figures."""

    setting: str
    now: int
    proposed: int
    because: str
    facts: Mapping[str, float]

    @property
    def reason(self) -> str:
        """Why, in a sentence."""
        return REASONS[self.because].format(**self.facts)


@dataclass(frozen=True, slots=True)
class Advice:
    """``cores_needed`` are those the rate that was asked for would take, where it was too much for this machine (else
    None): docs/scaling.md says how to add machines."""

    proposals: tuple[Proposal, ...]
    cores_needed: int | None = None

    def as_toml(self) -> str:
        """The proposals as lines for config.toml; "" where nothing is to be changed."""
        sections: dict[str, list[str]] = {}
        for proposal in self.proposals:
            section, _, name = proposal.setting.partition(".")
            sections.setdefault(section, []).append(f"{name} = {proposal.proposed}")
        return "\n".join(f"[{section}]\n" + "\n".join(lines) + "\n" for section, lines in sections.items())


def advise(run: Run, settings: Settings) -> Advice:
    """Advice from a run against a server of this machine with these settings; none without a measured rate."""
    rate = run.figures.get("capacity") or run.figures.get("throughput") or 0.0
    if rate <= 0 or run.stopped:
        return Advice(())
    found = [
        _pages(run, settings, rate),
        _calls(run, settings),
        _places(run, settings, rate),
        _batch(run, settings),
    ]
    return Advice(tuple(proposal for proposal in found if proposal is not None), _cores(run, rate))


def _pages(run: Run, settings: Settings, rate: float) -> Proposal | None:
    """As many pages as are at work on average at the full rate (Little's law), and half as many again to keep every
    core busy; more where the processor was not."""
    working_s = sum(seconds for stage, seconds in run.server.stage_seconds.items() if stage not in (WAIT, "load"))
    if not working_s:
        return None
    cores = run.machine.cores
    wanted = math.ceil(1.5 * rate * working_s)
    busy = run.server.cpu_mean or 0.0
    proposed = max(cores, min(wanted, (2 if busy >= BUSY else 4) * cores))
    facts = {"rate": rate, "working_s": working_s, "busy": busy}
    return _proposal("engine.pages_in_flight", settings.pages_in_flight, proposed, "pages", **facts)


def _calls(run: Run, settings: Settings) -> Proposal | None:
    """One more call at once as long as cores are idle although pages wait."""
    busy, queue = run.server.cpu_mean, run.server.queue_fraction_mean
    if busy is None or queue is None or busy >= BUSY or queue < REFUSED_SHARE:
        return None
    proposed = min(run.machine.cores, settings.engine_calls + 1)
    return _proposal("engine.engine_calls", settings.engine_calls, proposed, "calls", busy=busy)


def _places(run: Run, settings: Settings, rate: float) -> Proposal | None:
    """As many as are read while somebody is ready to wait; where none is set, the server learns it by itself."""
    now = settings.jobs.waiting_places
    if now is None:
        return None
    proposed = max(1, math.floor(WAIT_SHARE * run.scenario.timeout_s * rate))
    return _proposal("jobs.waiting_places", now, proposed, "places", rate=rate)


def _batch(run: Run, settings: Settings) -> Proposal | None:
    """Twice what calls are made of on average, to the next power of two, where they are nearly full. It is a limit:
    lowering it gains nothing."""
    if not run.server.batch_items:
        return None
    mean = max(run.server.batch_items.values())
    now = settings.engine.batch_items
    if mean <= _FILLED * now:
        return None
    proposed = max(now, min(_MOST_BATCH, 2 ** math.ceil(math.log2(2 * mean))))
    return _proposal("engine.batch_items", now, proposed, "batch", items=mean)


def _cores(run: Run, rate: float) -> int | None:
    asked = highest_rate(run.scenario.arrivals)
    if asked <= rate or run.figures.get("refused_share", 0.0) <= REFUSED_SHARE:
        return None
    return math.ceil(run.machine.cores * asked / rate)


def _proposal(setting: str, now: int, proposed: int, because: str, **facts: float) -> Proposal | None:
    return None if proposed == now else Proposal(setting, now, proposed, because, facts)
