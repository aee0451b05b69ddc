from pathlib import Path

import numpy as np
import pytest

from mineru_core.runtime import memory
from mineru_core.runtime.memory import MemoryCeiling, available_bytes, default_ceiling, resident_bytes


def test_what_is_allocated_is_seen() -> None:
    before = resident_bytes()
    held = np.ones(64_000_000, np.uint8)
    after = resident_bytes()
    assert before is not None
    assert after is not None
    assert after - before > 0.8 * held.nbytes


def test_the_container_s_limit_counts_where_it_is_less(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    machine = available_bytes()
    assert machine is not None
    limit = tmp_path / "memory.max"
    monkeypatch.setattr(memory, "_CGROUP_LIMITS", (limit, tmp_path / "none"))
    limit.write_text("1000000\n")
    assert available_bytes() == 1_000_000
    assert default_ceiling() == 800_000
    limit.write_text("max\n")
    assert (available_bytes() or 0) >= machine


class Process:
    def __init__(self, held: int | None, after_trim: int = 0) -> None:
        self.held, self.after_trim, self.trims, self.now = held, after_trim, 0, 0.0

    def trim(self) -> None:
        self.trims += 1
        self.held = self.after_trim

    def ceiling(self, count: int | None) -> MemoryCeiling:
        return MemoryCeiling(count, resident=lambda: self.held, trim=self.trim, clock=lambda: self.now)


def test_below_the_ceiling_nothing_is_done() -> None:
    process = Process(100)
    assert not process.ceiling(100).exceeded()
    assert process.trims == 0


def test_what_a_trim_gives_back_does_not_count() -> None:
    process = Process(101, after_trim=99)
    assert not process.ceiling(100).exceeded()
    assert process.trims == 1


def test_above_the_ceiling_it_trims_once_a_second() -> None:
    process = Process(101, after_trim=101)
    ceiling = process.ceiling(100)
    assert [ceiling.exceeded() for _ in range(3)] == [True] * 3
    assert process.trims == 1
    process.now = 1.0
    assert ceiling.exceeded()
    assert process.trims == 2


def test_no_ceiling_and_no_knowledge_refuse_nobody() -> None:
    assert not Process(10**15).ceiling(0).exceeded()
    assert not Process(None).ceiling(1).exceeded()
    assert Process(0).ceiling(None).ceiling_bytes == default_ceiling()
