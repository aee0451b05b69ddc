"""What the server and the machine did during a run: /metrics and the processor, once a second."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping
from contextlib import suppress
from types import TracebackType
from typing import Self

import httpx
import psutil
from prometheus_client.parser import text_string_to_metric_families
from pydantic import BaseModel, ConfigDict

Readings = Mapping[tuple[str, tuple[tuple[str, str], ...]], float]
"""Samples by name and labels."""

PREFIX = "mineru_workbench_"
_EVERY_S = 1.0
_PATIENCE_S = 2.0


class Sample(BaseModel):
    """One moment. ``at_s`` is from the start of the run; ``cpu`` the share of all cores that was busy since the last
    sample, ``server_cores`` how many of them the server kept busy (None: it is not ours); what the server does not
    tell is None."""

    model_config = ConfigDict(frozen=True)

    at_s: float
    cpu: float
    server_cores: float | None = None
    resident_bytes: float | None = None
    queue_fraction: float | None = None
    pages_in_flight: float | None = None


class ServerFigures(BaseModel):
    """What the server counted from the first to the last look; shares are 0..1, empty or None where nothing was."""

    model_config = ConfigDict(frozen=True)

    batch_items: dict[str, float] = {}
    padding: dict[str, float] = {}
    cache_hits: dict[str, float] = {}
    stage_seconds: dict[str, float] = {}
    refusals: dict[str, float] = {}
    queue_fraction_mean: float | None = None
    queue_fraction_worst: float | None = None
    resident_worst_bytes: float | None = None
    cpu_mean: float | None = None


class Observer:
    """Looks once a second on a thread of its own, as long as the block lasts."""

    def __init__(self, url: str, token: str | None = None, pid: int | None = None) -> None:
        self._url, self._pid = url, pid
        self._headers = {"Authorization": f"Bearer {token}"} if token else {}
        self._end = threading.Event()
        self._thread = threading.Thread(target=self._look_on, name="loadtest-observer", daemon=True)
        self._samples: list[Sample] = []
        self._first: Readings = {}
        self._last: Readings = {}
        self._started = time.perf_counter()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end.set()
        self._thread.join()

    @property
    def samples(self) -> list[Sample]:
        """Those so far."""
        return list(self._samples)

    def figures(self) -> ServerFigures:
        """What was counted so far."""
        return server_figures(self._first, self._last, self._samples)

    def _look_on(self) -> None:
        server = None
        if self._pid is not None:
            with suppress(psutil.Error):
                server = psutil.Process(self._pid)
        psutil.cpu_percent()  # the share is of the time since the call before
        before = (time.perf_counter(), _cpu_seconds(server))
        with httpx.Client(base_url=self._url, headers=self._headers, timeout=_PATIENCE_S, trust_env=False) as client:
            while True:
                readings = _read(client)
                self._first = self._first or readings
                self._last = readings or self._last
                now = (time.perf_counter(), _cpu_seconds(server))
                self._samples.append(self._sample(readings, before, now))
                before = now
                if self._end.wait(_EVERY_S):
                    self._last = _read(client) or self._last
                    return

    def _sample(
        self, readings: Readings, before: tuple[float, float | None], now: tuple[float, float | None]
    ) -> Sample:
        def told(name: str) -> float | None:
            return readings.get((PREFIX + name, ()))

        cores = None
        if before[1] is not None and now[1] is not None and now[0] > before[0]:
            cores = (now[1] - before[1]) / (now[0] - before[0])
        return Sample(
            at_s=round(now[0] - self._started, 2),
            cpu=psutil.cpu_percent() / 100,
            server_cores=cores,
            resident_bytes=told("resident_bytes"),
            queue_fraction=told("queue_fraction"),
            pages_in_flight=told("pages_in_flight"),
        )


def server_figures(first: Readings, last: Readings, samples: list[Sample]) -> ServerFigures:
    """The difference of the counters, and the course of the gauges."""
    grown = {key: value - first.get(key, 0.0) for key, value in last.items()}
    batches = _ratios(grown, "batch_items_sum", "batch_items_count", "batcher")
    padding, hits = {}, {}
    for batcher in _values(grown, "batch_units_total", "batcher"):
        units = {kind: _of(grown, "batch_units_total", batcher=batcher, kind=kind) for kind in ("useful", "padding")}
        if total := sum(units.values()):
            padding[batcher] = units["padding"] / total
    for level in _values(grown, "cache_lookups_total", "level"):
        looks = {found: _of(grown, "cache_lookups_total", level=level, outcome=found) for found in ("hit", "miss")}
        if total := sum(looks.values()):
            hits[level] = looks["hit"] / total
    reasons = _values(grown, "refusals_total", "reason")
    queue = [sample.queue_fraction for sample in samples if sample.queue_fraction is not None]
    resident = [sample.resident_bytes for sample in samples if sample.resident_bytes is not None]
    cpu = [sample.cpu for sample in samples[1:]]
    return ServerFigures(
        batch_items=batches,
        padding=padding,
        cache_hits=hits,
        stage_seconds=_ratios(grown, "stage_seconds_sum", "stage_seconds_count", "stage"),
        refusals={reason: count for reason in reasons if (count := _of(grown, "refusals_total", reason=reason))},
        queue_fraction_mean=sum(queue) / len(queue) if queue else None,
        queue_fraction_worst=max(queue, default=None),
        resident_worst_bytes=max(resident, default=None),
        cpu_mean=sum(cpu) / len(cpu) if cpu else None,
    )


def readings_of(text: str) -> Readings:
    """Prometheus' text format as numbers by name and labels. Raises ``ValueError`` for other text."""
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): float(sample.value)
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def _read(client: httpx.Client) -> Readings:
    """The metrics now; none where the server does not tell them, or not to us, or is too busy to."""
    try:
        answer = client.get("/metrics")
        return readings_of(answer.text) if answer.status_code == httpx.codes.OK else {}
    except (httpx.HTTPError, ValueError):
        return {}


def _cpu_seconds(process: psutil.Process | None) -> float | None:
    if process is None:
        return None
    try:
        times = process.cpu_times()
    except psutil.Error:
        return None
    return float(times.user + times.system)


def _of(readings: Readings, name: str, **labels: str) -> float:
    return readings.get((PREFIX + name, tuple(sorted(labels.items()))), 0.0)


def _values(readings: Readings, name: str, label: str) -> list[str]:
    """The values of a label there are."""
    return sorted(
        {dict(labels)[label] for found, labels in readings if found == PREFIX + name and label in dict(labels)}
    )


def _ratios(readings: Readings, above: str, below: str, label: str) -> dict[str, float]:
    """One counter over another by a label's values, where the second has grown."""
    found = {}
    for value in _values(readings, below, label):
        if count := _of(readings, below, **{label: value}):
            found[value] = _of(readings, above, **{label: value}) / count
    return found
