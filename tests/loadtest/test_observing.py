from __future__ import annotations

import pytest

from mineru_core.loadtest.observing import Sample, readings_of, server_figures
from mineru_core.runtime.batcher import BatchReport
from mineru_core.runtime.metrics import Metrics


def test_what_the_servers_own_metrics_say() -> None:
    metrics = Metrics()
    metrics.observe_lookup("page", hit=False)
    first = readings_of(metrics.render()[0].decode())
    metrics.observe_batch("text", BatchReport(items=10, units=300, padded_units=400, seconds=1.0))
    metrics.observe_batch("text", BatchReport(items=20, units=300, padded_units=400, seconds=1.0))
    for hit in (True, True, True, False):
        metrics.observe_lookup("page", hit=hit)
    metrics.observe_stage("read", 2.0)
    metrics.observe_stage("read", 4.0)
    metrics.refused("places")
    last = readings_of(metrics.render()[0].decode())
    samples = [
        Sample(at_s=0, cpu=0.1, queue_fraction=0.2, resident_bytes=5),
        Sample(at_s=1, cpu=0.9, queue_fraction=0.4, resident_bytes=7),
    ]
    found = server_figures(first, last, samples)
    assert found.batch_items == {"text": 15.0}
    assert found.padding == {"text": 0.25}
    assert found.cache_hits == {"page": 0.75}
    assert found.stage_seconds == {"read": 3.0}
    assert found.refusals == {"places": 1.0}
    assert (found.queue_fraction_mean, found.queue_fraction_worst) == (pytest.approx(0.3), 0.4)
    assert (found.resident_worst_bytes, found.cpu_mean) == (7, 0.9)


def test_a_server_that_tells_nothing() -> None:
    found = server_figures({}, {}, [])
    assert (found.batch_items, found.queue_fraction_mean, found.cpu_mean) == ({}, None, None)
