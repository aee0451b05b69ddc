"""Counts and times for an operator, in Prometheus' text format.

Each ``Metrics`` holds a registry of its own: two analysers in one process, or two tests, never share or clash.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from time import perf_counter

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from prometheus_client.exposition import CONTENT_TYPE_LATEST, generate_latest

_SECONDS = (0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 300.0)
_ITEMS = (1, 2, 4, 8, 16, 32, 64, 128)


class Metrics:
    """The process's counters. Every method may be called from any thread.

    Names start with ``mineru_workbench_``; times are in seconds. Labels hold stable names and codes only, never
    names of documents, owners or recognised text.
    """

    def __init__(self) -> None:
        self.registry = CollectorRegistry()
        self._requests = Counter(
            "mineru_workbench_requests", "Documents analysed, by outcome", ["outcome"], registry=self.registry
        )
        self._pages = Counter("mineru_workbench_pages", "Pages read, by outcome", ["outcome"], registry=self.registry)
        self._failures = Counter(
            "mineru_workbench_failures", "Documents and pages that failed, by code", ["code"], registry=self.registry
        )
        self._stages = Histogram(
            "mineru_workbench_stage_seconds", "Time in a stage", ["stage"], buckets=_SECONDS, registry=self.registry
        )
        self._queue = Gauge(
            "mineru_workbench_queue_fraction", "Share of the waiting places that are taken", registry=self.registry
        )
        self._in_flight = Gauge(
            "mineru_workbench_pages_in_flight", "Pages an engine is reading now", registry=self.registry
        )
        self._batches = Histogram(
            "mineru_workbench_batch_items",
            "Items in one engine call",
            ["batcher"],
            buckets=_ITEMS,
            registry=self.registry,
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

    def observe_batch(self, batcher: str, items: int) -> None:
        """Note the size of one engine call."""
        self._batches.labels(batcher).observe(items)

    def set_queue(self, waiting: int, places: int) -> None:
        """Note how many documents wait, of how many that may."""
        self._queue.set(waiting / places if places else 0.0)

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
