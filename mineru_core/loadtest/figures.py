"""What the records of a run say: times, rates, errors, refusals.

Times run from when a request was due, so that neither a slow generator nor a full connection hides what a person waits
(no coordinated omission).
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from mineru_core.loadtest.records import OK, TIMEOUT, TOO_MANY_IN_FLIGHT, PhaseEnd, Record

MAIN_FIGURES = (
    "requests",
    "answers",
    "errors",
    "timeouts",
    "refused",
    "throughput",
    "goodput",
    "capacity",
    "mean_s",
    "p50_s",
    "p95_s",
    "p99_s",
)
"""Figures that are told of every run, by name and in order."""
REPORTED = (*MAIN_FIGURES, "worst_s", "refused_share", "best_rate")
"""Figures of a report."""

_SLOW_SHARE = 0.9
"""Answers slower than this share of all are the slow ones."""


@dataclass(frozen=True)
class Figures:
    """What came of one phase.

    ``throughput`` counts every answer and ``goodput`` the right ones within the time limit, both a second from the
    start to the last answer or the end of the window, whichever is later. ``capacity`` is the closed-loop maximum
    measured before, answers a second; NaN where it was not. Times are seconds; NaN of no answers.
    """

    requests: int
    answers: int
    errors: int
    timeouts: int
    refused: int
    stopped: int
    throughput: float
    goodput: float
    capacity: float
    mean_s: float
    p50_s: float
    p95_s: float
    p99_s: float
    worst_s: float
    late_p95_s: float
    refused_share: float
    seconds: float
    best_rate: float = math.nan
    rounds: int = 0
    by_code: dict[str, int] = field(default_factory=dict)
    by_kind_p95_s: dict[str, float] = field(default_factory=dict)
    slow_stages_s: dict[str, float] = field(default_factory=dict)

    def flat(self) -> dict[str, float]:
        """Name → number, without what is told by code, kind or stage. Errors hold timeouts as well."""
        numbers = {name: value for name, value in vars(self).items() if not isinstance(value, dict)}
        return {name: float(value) for name, value in numbers.items()}


def figures_of(records: Sequence[Record], end: PhaseEnd, *, timeout_s: float, capacity: float = math.nan) -> Figures:
    """The figures of the records of one phase; an answer later than ``timeout_s`` is a timeout."""
    answered = [record for record in records if record.code == OK]
    in_time = [record for record in answered if record.latency_s <= timeout_s]
    late = len(answered) - len(in_time)
    codes = Counter(record.code for record in records)
    if late:
        codes[OK] -= late
        codes[TIMEOUT] += late
    latencies = [record.latency_s for record in in_time]
    seconds = max([end.window_s, *(record.end for record in answered)])
    refused = sum(record.is_refused for record in records)
    sent = [record for record in records if record.code != TOO_MANY_IN_FLIGHT]
    return Figures(
        requests=len(records),
        answers=len(in_time),
        errors=sum(record.is_error for record in records) + late,
        timeouts=codes[TIMEOUT],
        refused=refused,
        stopped=len(records) - len(answered) - refused - sum(record.is_error for record in records),
        throughput=len(answered) / seconds if seconds else 0.0,
        goodput=len(in_time) / seconds if seconds else 0.0,
        capacity=capacity,
        mean_s=sum(latencies) / len(latencies) if latencies else math.nan,
        p50_s=percentile(latencies, 0.5),
        p95_s=percentile(latencies, 0.95),
        p99_s=percentile(latencies, 0.99),
        worst_s=max(latencies, default=math.nan),
        late_p95_s=percentile([record.start - record.due for record in sent], 0.95),
        refused_share=refused / len(records) if records else 0.0,
        seconds=seconds,
        best_rate=math.nan if end.best_rate is None else end.best_rate,
        rounds=end.rounds,
        by_code={code: count for code, count in sorted(codes.items()) if count},
        by_kind_p95_s=_by_kind(in_time),
        slow_stages_s=slow_stages(in_time),
    )


def closed_rate(records: Iterable[Record], window_s: float) -> float:
    """Answers a second of a closed loop: each answer counts with the share of its time that lies in the window, so
    that neither those on their way at its end nor the tail after it bend the rate."""
    done = 0.0
    for record in records:
        if record.code == OK and record.start < window_s:
            done += min(1.0, (window_s - record.start) / max(1e-9, record.end - record.start))
    return done / window_s if window_s > 0 else 0.0


def percentile(values: Sequence[float], share: float) -> float:
    """The value below which ``share`` (0..1) of the values lie, linear between two of them; NaN of none."""
    if not values:
        return math.nan
    ordered = sorted(values)
    place = share * (len(ordered) - 1)
    low = math.floor(place)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (place - low) * (ordered[high] - ordered[low])


def slow_stages(answered: Sequence[Record]) -> dict[str, float]:
    """Mean seconds by stage of the slowest tenth of the answers that tell their stages; the largest first."""
    told = [record for record in answered if record.timings]
    limit = percentile([record.latency_s for record in told], _SLOW_SHARE)
    slow = [record for record in told if record.latency_s >= limit]
    sums: Counter[str] = Counter()
    for record in slow:
        sums.update(dict(record.timings))
    means = {name: total / len(slow) for name, total in sums.items()}
    return dict(sorted(means.items(), key=lambda item: -item[1]))


def _by_kind(answered: Sequence[Record]) -> dict[str, float]:
    kinds = sorted({record.kind for record in answered})
    return {kind: percentile([r.latency_s for r in answered if r.kind == kind], 0.95) for kind in kinds}
