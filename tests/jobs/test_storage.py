"""What callers are told where the disk or the database of the home folder fails."""

from __future__ import annotations

import errno
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from PIL import Image
from sqlalchemy import text

from mineru_core.errors import StorageUnavailable
from mineru_core.jobs.model import JobState
from mineru_core.jobs.service import JobService
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import Settings
from tests.documents import draw_lines, png_bytes
from tests.stand_ins import GatedEngine

PNG = png_bytes(draw_lines(["one line"], width=200))


@pytest.fixture
def engine() -> GatedEngine:
    return GatedEngine()


@pytest.fixture
def service(home: Path, engine: GatedEngine) -> Iterator[JobService]:
    """A service that has not started."""
    settings = Settings(home=home)
    made = JobService(settings, Analyzer(settings, engine))
    yield made
    made.close()


@contextmanager
def files_of_at_most(count: int) -> Iterator[None]:
    """While the block lasts, no file can grow beyond ``count`` bytes: what a full disk looks like to a writer."""
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (count, hard))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))


@pytest.mark.parametrize("room", [0, 50_000])
def test_a_full_disk_is_told_and_leaves_nothing_behind(service: JobService, home: Path, room: int) -> None:
    noise = png_bytes(Image.effect_noise((300, 300), 90))
    with files_of_at_most(room), pytest.raises(StorageUnavailable):
        service.submit(noise, name="a.png", owner="ann")
    assert service.list("ann") == []
    assert [path for path in (home / "blobs").rglob("*") if path.is_file()] == []
    assert service.submit(noise, name="a.png", owner="ann").state is JobState.PENDING


def test_a_result_that_finds_no_room_fails_its_job_by_name(
    service: JobService, engine: GatedEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    service.start()
    job = service.submit(PNG, name="a.png", owner="ann")
    engine.wait_until_entered()

    def no_room(data: bytes) -> str:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(service._blobs, "put", no_room)
    engine.gate.set()
    error = service.wait(job.id, "ann", 20).error
    assert error is not None
    assert error.code == StorageUnavailable.code
    with pytest.raises(StorageUnavailable):
        service.result(job.id, "ann")


def test_a_broken_database_is_told_and_not_thrown(service: JobService) -> None:
    job = service.submit(PNG, name="a.png", owner="ann")
    with service._database.write() as session:
        session.execute(text("ALTER TABLE jobs RENAME TO elsewhere"))
    calls: tuple[Callable[[], object], ...] = (
        lambda: service.get(job.id, "ann"),
        lambda: service.list("ann"),
        lambda: service.cancel(job.id, "ann"),
        lambda: service.result(job.id, "ann"),
        lambda: service.document(job.id, "ann"),
        lambda: service.wait(job.id, "ann", 0),
        lambda: service.submit(PNG, name="b.png", owner="ann"),
        lambda: service.resubmit(job.id, "ann"),
    )
    for call in calls:
        with pytest.raises(StorageUnavailable) as told:
            call()
        assert "jobs" not in told.value.message + told.value.hint
    with service._database.write() as session:
        session.execute(text("ALTER TABLE elsewhere RENAME TO jobs"))
