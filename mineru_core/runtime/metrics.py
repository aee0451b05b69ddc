"""Counts and times for an operator, in Prometheus' text format.

Each ``Metrics`` holds a registry of its own: two analysers in one process, or two tests, never share or clash.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

from mineru_core.runtime.batcher import BatchReport
from mineru_core.runtime.circuit_breaker import BreakerState
from mineru_core.runtime.memory import resident_bytes

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
_ITEMS = (1, 2, 4, 8, 16, 32, 64, 128)


class Metrics:
    """The process's counters. Every method may be called from any thread.

    Names start with ``mineru_workbench_``; times are in seconds. Labels hold stable names and codes only, never
    names of documents, owners or recognised text.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        counter = partial(Counter, registry=self.registry)
        gauge = partial(Gauge, registry=self.registry)
        histogram = partial(Histogram, registry=self.registry)
        self._requests = counter("mineru_workbench_requests", "Documents analysed, by outcome", ["outcome"])
        self._pages = counter(
            "mineru_workbench_pages",
            "Pages answered for, by outcome; those known already are among them",
            ["outcome"],
        )
        self._failures = counter("mineru_workbench_failures", "Documents and pages that failed, by code", ["code"])
        self._stages = histogram("mineru_workbench_stage_seconds", "Time in a stage", ["stage"], buckets=_SECONDS)
        self._queue = gauge("mineru_workbench_queue_fraction", "Share of the places for documents that is taken")
        self._refusals = counter("mineru_workbench_refusals", "Documents refused for now, by reason", ["reason"])
        self._rate = gauge(
            "mineru_workbench_documents_per_second", "Documents that can be read in a second, as learned"
        )
        resident = gauge("mineru_workbench_resident_bytes", "Memory the process holds")
        resident.set_function(lambda: resident_bytes() or 0)
        self._in_flight = gauge("mineru_workbench_pages_in_flight", "Pages that are decoded, prepared or read now")
        self._gate = gauge("mineru_workbench_gate_pages", "Pages at the gate, by whether they wait", ["state"])
        self._gates: dict[str, tuple[int, int]] = {}
        self._gates_lock = threading.Lock()
        self._lookups = counter(
            "mineru_workbench_cache_lookups", "Looks into the cache, by level and outcome", ["level", "outcome"]
        )
        self._units = counter(
            "mineru_workbench_batch_units",
            "What engine calls computed (pixels of lines), and how much of it was padding",
            ["batcher", "kind"],
        )
        self._batches = histogram(
            "mineru_workbench_batch_items", "Items in one engine call", ["batcher"], buckets=_ITEMS
        )
        self._breakers = gauge(
            "mineru_workbench_circuit_breaker",
            "1 for the state of a server's circuit breaker, 0 for its others",
            ["server", "state"],
        )

    def request_ended(self, code: str | None = None) -> None:
        """Count a document: ``code`` is None where it was answered, else the code of its error."""
        self._requests.labels("ok" if code is None else "failed").inc()
        if code is not None:
            self._failures.labels(code).inc()

    def page_ended(self, code: str | None = None) -> None:
        """Count a page: ``code`` is None where it was read, else the code of its failure."""
        self._pages.labels("ok" if code is None else "failed").inc()
        if code is not None:
            self._failures.labels(code).inc()

    def observe_stage(self, stage: str, seconds: float) -> None:
        """Note the time one stage took."""
        self._stages.labels(stage).observe(seconds)

    def observe_batch(self, batcher: str, report: BatchReport) -> None:
        """Note one engine call made for the items of several callers."""
        self._batches.labels(batcher).observe(report.items)
        self._units.labels(batcher, "useful").inc(report.units)
        self._units.labels(batcher, "padding").inc(report.padded_units - report.units)

    def set_breaker(self, server: str, state: BreakerState) -> None:
        """Note whether a server is used, left alone or being tried."""
        for each in BreakerState:
            self._breakers.labels(server, each).set(each is state)

    def observe_lookup(self, level: str, hit: bool) -> None:
        """Count a look into the cache at ``level`` (document, page, part, answer)."""
        self._lookups.labels(level, "hit" if hit else "miss").inc()

    def set_gate(self, waiting: int, in_flight: int, engine: str = "") -> None:
        """Note how many pages wait at the gate of an engine, and how many are at work behind it; all gates' are told
        together."""
        with self._gates_lock:
            self._gates[engine] = (waiting, in_flight)
            all_waiting, all_in_flight = (sum(counts) for counts in zip(*self._gates.values(), strict=True))
            self._gate.labels("waiting").set(all_waiting)
            self._gate.labels("in_flight").set(all_in_flight)

    def refused(self, reason: str) -> None:
        """Count a document that was not let in: ``reason`` is a stable name, such as places or memory."""
        self._refusals.labels(reason).inc()

    def set_queue(self, fraction: float, documents_per_s: float) -> None:
        """Note the share of the places that is taken (0..1), and the rate learned."""
        self._queue.set(fraction)
        self._rate.set(documents_per_s)

    @contextmanager
    def reading_page(self) -> Iterator[None]:
        """Count a page as in flight for the length of the block."""
        with self._in_flight.track_inprogress():
            yield

    @contextmanager
    def timed(self, stage: str, into: dict[str, float] | None = None) -> Iterator[None]:
        """Time the block as a stage; ``into`` gets the seconds added under the stage's name."""
        started = perf_counter()
        try:
            yield
        finally:
            seconds = perf_counter() - started
            self.observe_stage(stage, seconds)
            if into is not None:
                into[stage] = into.get(stage, 0.0) + seconds

    def value(self, name: str, **labels: str) -> float:
        """The value of one sample now, 0 where it was never set; ``name`` as it is exposed."""
        return self.registry.get_sample_value(name, labels) or 0.0

    def render(self) -> tuple[bytes, str]:
        """Everything as Prometheus reads it, and the content type to send it with."""
        return generate_latest(self.registry), CONTENT_TYPE_LATEST
