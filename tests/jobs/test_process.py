from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mineru_core.errors import InvalidSetting
from mineru_core.jobs.process import close_shared_service, shared_service
from tests.documents import draw_lines, png_bytes


@pytest.fixture(autouse=True)
def fresh(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("MINERU_WORKBENCH_ENGINE__NAME", "echo")
    close_shared_service()
    yield
    close_shared_service()


def test_there_is_one_for_the_process(home: Path) -> None:
    with ThreadPoolExecutor(6) as pool:
        services = list(pool.map(lambda _: shared_service(), range(6)))
    assert len(set(map(id, services))) == 1
    job = services[0].submit(png_bytes(draw_lines(["x"], width=120)), name="a.png", owner="ann")
    assert services[0].wait(job.id, "ann", 20).state == "done"
    assert (home / "state.db").exists()


def test_closed_the_next_is_another() -> None:
    first = shared_service()
    close_shared_service()
    assert shared_service() is not first


def test_a_wrong_setting_is_told_each_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINERU_WORKBENCH_JOBS__WORKERS", "none")
    for _ in range(2):
        with pytest.raises(InvalidSetting, match=r"jobs\.workers"):
            shared_service()
    monkeypatch.setenv("MINERU_WORKBENCH_JOBS__WORKERS", "1")
    assert shared_service().settings.jobs.workers == 1
