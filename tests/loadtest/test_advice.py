from __future__ import annotations

from pathlib import Path

import pytest

from mineru_core.loadtest.advice import advise
from mineru_core.loadtest.observing import ServerFigures
from mineru_core.settings import Settings, load_settings
from tests.loadtest.runs import make_run

BUSY = ServerFigures(stage_seconds={"wait": 9.0, "text": 2.0}, batch_items={"text": 20.0}, cpu_mean=0.97)


@pytest.fixture
def settings(home: Path) -> Settings:
    return load_settings(engine={"pages_in_flight": 6, "engine_calls": 2}, jobs={"waiting_places": 300})


def told(server: ServerFigures, settings: Settings, **more: object) -> dict[str, int]:
    return {p.setting: p.proposed for p in advise(make_run(server=server, **more), settings).proposals}


def test_what_suits_is_left_alone(settings: Settings) -> None:
    # Two pages a second of two seconds each are four at work, and half as many again are six.
    assert told(BUSY, settings) == {"jobs.waiting_places": 36}  # read in 18 of the 30 s somebody waits


def test_a_machine_that_is_too_small_is_told(settings: Settings) -> None:
    assert advise(make_run(server=BUSY), settings).cores_needed == 20
    enough = {"throughput": 12.0, "capacity": 12.0, "refused_share": 0.0}
    assert advise(make_run(server=BUSY, figures=enough), settings).cores_needed is None


def test_idle_cores_with_pages_waiting_get_another_call(settings: Settings) -> None:
    idle = BUSY.model_copy(update={"cpu_mean": 0.5, "queue_fraction_mean": 0.8})
    assert told(idle, settings)["engine.engine_calls"] == 3


def test_batches_that_are_full_may_grow(settings: Settings) -> None:
    assert told(BUSY.model_copy(update={"batch_items": {"text": 31.0}}), settings)["engine.batch_items"] == 64


def test_it_can_be_pasted_into_the_settings(settings: Settings) -> None:
    assert advise(make_run(server=BUSY), settings).as_toml() == "[jobs]\nwaiting_places = 36\n"


@pytest.mark.parametrize("more", [{"stopped": True}, {"figures": {}}])
def test_nothing_is_said_without_a_rate(settings: Settings, more: dict[str, object]) -> None:
    found = advise(make_run(server=BUSY, **more), settings)
    assert (found.proposals, found.cores_needed) == ((), None)
