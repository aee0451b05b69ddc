"""What closed loops do not show: overload, an idle system, repeats, neighbours, cancelling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from math import inf
from statistics import fmean, median
from time import perf_counter, sleep
from typing import ParamSpec

from benchmarks.serving.loads import arrival_times, closed_loop, open_loop
from benchmarks.serving.stages import (
    ANSWER_S,
    Door,
    asking,
    await_true,
    fresh_settings,
    read,
    served,
    step_changes,
)
from benchmarks.serving.workload import Picture, Workload
from mineru_core import Analyzer, open_document
from mineru_core.document.analysis import PageAnalysis
from mineru_core.engines.base import Engine
from mineru_core.instruct import answer, parse_words
from mineru_core.loadtest.figures import percentile
from mineru_core.runtime.context import RunContext
from mineru_core.serving.documents import assembled
from mineru_core.serving.preparation import Preparation
from mineru_core.settings import Settings

P = ParamSpec("P")

OVERLOAD = 1.5
OPEN_OWNERS = 25
_LEARNING = 0.2
_DRAIN_S = 300.0
_IDLE_PAGES = 12
_ROUNDS = 3
_BATCH = 200
_BATCH_PLACES = 400
_BATCH_HEAD_START_S = 3.0
_CANCELS = 5
_LIMIT_S = 60.0


@dataclass(frozen=True)
class Bench:
    """What every extra needs: the workload, the engine's name (None: that of the settings), the seed, and stage 3's
    throughput in answers a second (0 where it was not measured)."""

    workload: Workload
    engine: str | None
    seed: int
    capacity: float
    window_s: float


def overload(bench: Bench) -> dict[str, float]:
    """Arrivals at random at 1.5 times stage 3's throughput. The requests are those of the stages, in their order, so
    that a page costs on average what it did there; without a cache, a repeat is a page like any other."""
    if bench.capacity <= 0:
        raise ValueError("the open loop needs stage 3's throughput")
    requests = bench.workload.requests
    with served(3, bench.workload.warm_up, bench.engine, waiting_places=None) as door:
        users = door.analyzer.gate.places
        # The service learns what it can do before the crowd comes, as one that has run for a while has.
        first = max(users, round(_LEARNING * bench.window_s * bench.capacity))
        closed_loop(door.ask, requests[:first], users, ANSWER_S)
        arrivals = arrival_times(OVERLOAD * bench.capacity, bench.window_s, bench.seed)
        outcome = open_loop(door.ask, requests, arrivals, seconds=bench.window_s, owners=OPEN_OWNERS, drain_s=_DRAIN_S)
    refusals_ms = [1000 * seconds for seconds in outcome.refusal_seconds]
    return {
        "arrivals": len(arrivals),
        "goodput": outcome.throughput / bench.capacity,
        "open_p50_s": percentile(outcome.latencies, 0.5),
        "open_p95_s": percentile(outcome.latencies, 0.95),
        "refusals": outcome.refusals,
        "refusal_p95_ms": percentile(refusals_ms, 0.95) if refusals_ms else 0.0,
        "refusal_max_ms": max(refusals_ms, default=0.0),
        "refusals_without_hint": outcome.without_hint,
        "open_lag_p95_ms": 1000 * percentile(outcome.lags, 0.95) if outcome.lags else 0.0,
        "open_errors": outcome.errors,
    }


def overhead(bench: Bench) -> dict[str, float]:
    """One page at a time: through an analyzer that knows nothing yet, against the same decoding, preparation, reading
    and answering without gate, batcher and cache. By turns; each page's least time of three counts."""
    pages = bench.workload.distinct[:_IDLE_PAGES]
    full: dict[str, float] = {}
    bare: dict[str, float] = {}
    alone_changes = step_changes(1)
    alone_changes["engine"]["compress"] = True  # both read the same picture in the same way
    with (
        fresh_settings(bench.engine, step_changes(4)) as settings,
        Analyzer(settings) as shared,
        fresh_settings(bench.engine, alone_changes) as bare_settings,
        Analyzer(bare_settings) as alone,
    ):
        for analyzer in (shared, alone):
            analyzer.load()
            read(analyzer, bench.workload.warm_up)
        for turn in range(_ROUNDS):
            with (
                fresh_settings(bench.engine, step_changes(4)) as empty,  # for a cache that knows nothing
                Analyzer(empty, shared.engine) as analyzer,
            ):
                analyzer.load()
                through: Callable[[Picture], object] = partial(read, analyzer)
                around: Callable[[Picture], object] = partial(read_bare, alone.engine, bare_settings)
                for number, picture in enumerate(pages):
                    ways = [(full, through), (bare, around)]
                    for least, way in ways if (turn + number) % 2 else reversed(ways):
                        least[picture.name] = min(timed(way, picture), least.get(picture.name, inf))
    added = {name: full[name] - bare[name] for name in bare}
    return {
        "overhead_ms": 1000 * median(added.values()),
        "overhead_share": median(added[name] / bare[name] for name in bare),
    }


def read_bare(engine: Engine, settings: Settings, picture: Picture) -> object:
    """The answer of a loaded engine with nothing around it."""
    task = parse_words("")
    preparation = Preparation()
    with open_document(picture.data, name=picture.name, settings=settings) as document:
        page = document.page(1)
        prepared = preparation.prepare(page, preparation.letters(page))
        readings = engine.read([prepared], task.parts & engine.capabilities, RunContext())
        return answer(assembled(document, readings), task)


def repeats(bench: Bench) -> dict[str, float]:
    """Known pages with another question: the tables of each are asked for first, then its text, then one word."""
    new: list[float] = []
    new_jobs: list[float] = []
    repeated_jobs: list[float] = []
    with served(4, bench.workload.warm_up, bench.engine) as door:
        ask = asking(door.service, "markdown")
        for picture in bench.workload.distinct[:_IDLE_PAGES]:
            known = read(door.analyzer, picture, "tables")
            new.append(timed(read, door.analyzer, picture, "text"))
            new.append(timed(read, door.analyzer, picture, f"find {longest_word(known.analysis.pages)}"))
            new_jobs.append(timed(ask, picture, "asker"))
            repeated_jobs.append(timed(ask, picture, "asker"))
    return {
        "new_question_ms": 1000 * median(new),
        "new_question_job_ms": 1000 * median(new_jobs),
        "repeat_job_ms": 1000 * median(repeated_jobs),
    }


def repeat_ms(analyzer: Analyzer, pictures: Sequence[Picture]) -> float:
    """Median milliseconds for known bytes with a known question, in process."""
    return 1000 * median(timed(read, analyzer, picture) for picture in pictures)


def longest_word(pages: Sequence[PageAnalysis]) -> str:
    """A word to look for; "total" on an empty page."""
    return max((word for page in pages for line in page.lines for word in line.text.split()), key=len, default="total")


def neighbour(bench: Bench) -> dict[str, float]:
    """A single page alone, and while another owner has 200 documents queued, each three times."""
    by_bytes = sorted(bench.workload.distinct, key=lambda picture: len(picture.data))
    batch = by_bytes[: max(1, len(by_bytes) // 2)]  # light to hand in, as accepting decodes each
    single = bench.workload.warm_up
    with served(3, single, bench.engine, waiting_places=_BATCH_PLACES) as door:
        idle = median(timed(door.ask, single, "single") for _ in range(_ROUNDS))
        page = fmean(timed(door.ask, picture, "batch") for picture in batch[:: max(1, len(batch) // 6)])
        jobs = [
            door.service.submit(picture.data, name=picture.name, owner="batch")
            for picture in (batch[n % len(batch)] for n in range(_BATCH))
        ]
        sleep(_BATCH_HEAD_START_S)
        times = [timed(door.ask, single, "single") for _ in range(_ROUNDS)]
        left = sum(not door.service.get(job.id, "batch").state.is_final for job in jobs)
        for job in jobs:
            door.service.cancel(job.id, "batch")
    loaded = median(times)
    return {
        "neighbour_idle_s": idle,
        "neighbour_page_s": page,
        "neighbour_loaded_s": loaded,
        "neighbour_worst_s": max(times),
        "neighbour_ratio": loaded / idle,
        "neighbour_of_bar": loaded / (2 * idle + page),
        "neighbour_left": left,
    }


def cancelling(bench: Bench) -> dict[str, float]:
    """Seconds from the cancel of a job on the heaviest page until the engine is idle, at five points of its way."""
    heavy = max(bench.workload.distinct, key=lambda picture: picture.pixels)
    with served(3, bench.workload.warm_up, bench.engine) as door:
        whole = timed(door.ask, heavy, "canceller")
        times = [_cancel_after(door, heavy, whole * (n + 0.5) / (_CANCELS + 1)) for n in range(_CANCELS)]
    return {"cancel_s": max(times), "cancel_median_s": median(times)}


def _cancel_after(door: Door, picture: Picture, seconds: float) -> float:
    gate = door.analyzer.gate
    job = door.service.submit(picture.data, name=picture.name, owner="canceller")
    await_true(lambda: gate.in_flight > 0, _LIMIT_S)
    sleep(seconds)
    start = perf_counter()
    door.service.cancel(job.id, "canceller")
    await_true(lambda: gate.in_flight == 0, _LIMIT_S)
    return perf_counter() - start


def timed(work: Callable[P, object], *args: P.args, **kwargs: P.kwargs) -> float:
    """Seconds the work takes."""
    start = perf_counter()
    work(*args, **kwargs)
    return perf_counter() - start


EXTRAS: dict[str, Callable[[Bench], dict[str, float]]] = {
    "open": overload,
    "overhead": overhead,
    "repeats": repeats,
    "neighbour": neighbour,
    "cancel": cancelling,
}
"""By their names on the command line."""
