"""Runs for tests, made without running anything."""

from __future__ import annotations

from typing import Any

from mineru_core.loadtest.machine import Machine
from mineru_core.loadtest.observing import Sample, ServerFigures
from mineru_core.loadtest.presets import preset
from mineru_core.loadtest.run import Run, Second

MACHINE = Machine(
    processor="A processor", cores=4, memory_bytes=8 * 2**30, system="Linux 6", python="3.11", version="1", load=0.5
)


def make_run(number: int = 1, *, server: ServerFigures | None = None, **more: Any) -> Run:
    """A field report of 10 requests a second at a machine that reads two."""
    fields: dict[str, Any] = {
        "id": f"20260101-000000-{number:06x}",
        "name": f"run {number}",
        "scenario": preset("field-report"),
        "target": "http://127.0.0.1:1",
        "engine": "echo",
        "started_at": 1.8e9,
        "stopped": False,
        "machine": MACHINE,
        "figures": {"throughput": 2.0, "goodput": 1.9, "capacity": 2.0, "p95_s": 12.5, "refused_share": 0.6},
        "by_code": {"ok": 3, "in-flight": 5},
        "by_kind_p95_s": {"slide": 1.0},
        "slow_stages_s": {"text": 2.0},
        "server": server or ServerFigures(),
        "seconds": (Second(at_s=0, answers=1, p95_s=0.5), Second(at_s=1, answers=2, refused=5, p95_s=0.7)),
        "samples": (Sample(at_s=0, cpu=0.5), Sample(at_s=1, cpu=1.0, resident_bytes=1e8, queue_fraction=0.4)),
    }
    return Run(**{**fields, **more})
