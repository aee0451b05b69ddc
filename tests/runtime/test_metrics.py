import pytest

from mineru_core.runtime.batcher import BatchReport
from mineru_core.runtime.circuit_breaker import BreakerState
from mineru_core.runtime.metrics import Metrics


def test_two_registries_do_not_share() -> None:
    first, second = Metrics(), Metrics()
    first.page_ended()
    assert first.value("mineru_workbench_pages_total", outcome="ok") == 1
    assert second.value("mineru_workbench_pages_total", outcome="ok") == 0


def test_failures_are_counted_by_code() -> None:
    metrics = Metrics()
    metrics.page_ended("engine-failed")
    metrics.request_ended("corrupt-pdf")
    metrics.request_ended()
    assert metrics.value("mineru_workbench_failures_total", code="engine-failed") == 1
    assert metrics.value("mineru_workbench_failures_total", code="corrupt-pdf") == 1
    assert metrics.value("mineru_workbench_requests_total", outcome="ok") == 1
    assert metrics.value("mineru_workbench_requests_total", outcome="failed") == 1


def test_a_stage_is_timed_even_when_it_raises() -> None:
    metrics = Metrics()
    spent: dict[str, float] = {}
    with metrics.timed("ocr", spent):
        pass
    with pytest.raises(KeyError), metrics.timed("ocr", spent):
        raise KeyError
    assert metrics.value("mineru_workbench_stage_seconds_count", stage="ocr") == 2
    assert spent["ocr"] == pytest.approx(metrics.value("mineru_workbench_stage_seconds_sum", stage="ocr"))


def test_queue_and_pages_in_flight() -> None:
    metrics = Metrics()
    metrics.set_queue(0.25, 1.5)
    with metrics.reading_page():
        assert metrics.value("mineru_workbench_pages_in_flight") == 1
    assert metrics.value("mineru_workbench_pages_in_flight") == 0
    assert metrics.value("mineru_workbench_queue_fraction") == 0.25
    assert metrics.value("mineru_workbench_documents_per_second") == 1.5


def test_refusals_are_counted_by_reason_and_memory_is_told() -> None:
    metrics = Metrics()
    metrics.refused("memory")
    metrics.refused("places")
    metrics.refused("places")
    assert metrics.value("mineru_workbench_refusals_total", reason="places") == 2
    assert metrics.value("mineru_workbench_resident_bytes") > 1_000_000


def test_rendered_as_prometheus_reads_it() -> None:
    metrics = Metrics()
    metrics.observe_batch("lines", BatchReport(items=32, units=1000.0, padded_units=1100.0, seconds=0.5))
    body, content_type = metrics.render()
    assert 'mineru_workbench_batch_items_bucket{batcher="lines",le="32.0"} 1.0' in body.decode()
    assert metrics.value("mineru_workbench_batch_units_total", batcher="lines", kind="padding") == 100
    assert content_type.startswith("text/plain")


def test_a_breaker_is_in_one_state() -> None:
    metrics = Metrics()
    for state in (BreakerState.OPEN, BreakerState.HALF_OPEN, BreakerState.CLOSED):
        metrics.set_breaker("gpu-1:8000", state)
        there = {
            each: metrics.value("mineru_workbench_circuit_breaker", server="gpu-1:8000", state=each)
            for each in BreakerState
        }
        assert there == {each: float(each is state) for each in BreakerState}


def test_pages_at_all_gates_are_told_together() -> None:
    metrics = Metrics()
    metrics.set_gate(3, 2, "embedded")
    metrics.set_gate(1, 4, "mineru")
    metrics.set_gate(0, 1, "embedded")
    assert metrics.value("mineru_workbench_gate_pages", state="waiting") == 1
    assert metrics.value("mineru_workbench_gate_pages", state="in_flight") == 5
