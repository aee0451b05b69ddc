import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import select, update

from mineru_core.store.blobs import BlobStore
from mineru_core.store.database import Database
from mineru_core.store.references import add_reference
from mineru_core.store.retention import Removed, enforce
from mineru_core.store.tables import BlobRefRow, JobRow

FOREVER_S = 1e9


class Shelf:
    """A database with blobs, and jobs that hold them."""

    def __init__(self, root: Path) -> None:
        self.database = Database(root / "state.db")
        self.blobs = BlobStore(root / "blobs")

    def job(self, name: str, data: bytes, *, state: str = "done", keep_s: float = 60.0, result: bytes = b"") -> str:
        with self.database.write() as session:
            finished = time.time() if state not in ("pending", "running") else None
            row = JobRow(
                id=name, owner="ann", state=state, source=name, blob="", created_at=time.time(), finished_at=finished
            )
            session.add(row)
            session.flush()
            row.blob = add_reference(session, self.blobs, data, owner="ann", name=name, job_id=name, keep_s=keep_s)
            if result:
                row.result = add_reference(
                    session, self.blobs, result, owner="ann", name=name, job_id=name, keep_s=keep_s
                )
            return row.blob

    def enforce(self, max_bytes: int = 10**9, forget_after_s: float = FOREVER_S) -> Removed:
        return enforce(self.database, self.blobs, max_bytes=max_bytes, forget_after_s=forget_after_s)

    def states(self) -> dict[str, str]:
        with self.database.read() as session:
            return {row.id: row.state for row in session.scalars(select(JobRow))}


@pytest.fixture
def shelf(tmp_path: Path) -> Iterator[Shelf]:
    shelf = Shelf(tmp_path)
    yield shelf
    shelf.database.close()


def test_nothing_goes_before_its_time(shelf: Shelf) -> None:
    sha256 = shelf.job("a", b"document", result=b"result")
    assert shelf.enforce() == Removed(references=0, expired_jobs=0, blobs=0)
    assert shelf.blobs.has(sha256)
    assert shelf.states() == {"a": "done"}


def test_past_its_time_a_job_expires_and_its_blobs_go(shelf: Shelf) -> None:
    shelf.job("a", b"document", result=b"result", keep_s=-1)
    assert shelf.enforce() == Removed(references=2, expired_jobs=1, blobs=2)
    assert shelf.states() == {"a": "expired"}
    assert list(shelf.blobs.names()) == []


def test_a_blob_stays_while_one_reference_does(shelf: Shelf) -> None:
    sha256 = shelf.job("a", b"document", keep_s=-1)
    shelf.job("b", b"document")
    shelf.enforce()
    assert shelf.blobs.has(sha256)
    assert shelf.states() == {"a": "expired", "b": "done"}


@pytest.mark.parametrize("state", ["pending", "running"])
def test_a_job_at_work_keeps_its_document(shelf: Shelf, state: str) -> None:
    sha256 = shelf.job("a", b"document", state=state, keep_s=-1)
    shelf.enforce(max_bytes=1)
    assert shelf.blobs.has(sha256)
    assert shelf.states() == {"a": state}


def test_over_the_limit_the_oldest_go_first(shelf: Shelf) -> None:
    hashes = {name: shelf.job(name, name.encode() * 100) for name in "abcd"}
    with shelf.database.write() as session:
        for age, name in enumerate("dbca"):  # d is the newest, a the oldest
            made = time.time() - 10 * age
            session.execute(update(BlobRefRow).where(BlobRefRow.job_id == name).values(created_at=made))
    assert shelf.enforce(max_bytes=250).references == 2
    assert {name for name, sha256 in hashes.items() if shelf.blobs.has(sha256)} == {"d", "b"}


def test_bytes_held_twice_count_once(shelf: Shelf) -> None:
    shelf.job("a", b"x" * 100)
    shelf.job("b", b"x" * 100)
    assert shelf.enforce(max_bytes=100).references == 0


def test_a_job_at_work_counts_but_the_others_go_for_it(shelf: Shelf) -> None:
    shelf.job("a", b"a" * 100)
    shelf.job("b", b"b" * 100, state="running")
    assert shelf.enforce(max_bytes=100).references == 1
    assert shelf.states() == {"a": "expired", "b": "running"}


def test_a_blob_that_nobody_ever_referred_to_goes(shelf: Shelf) -> None:
    shelf.blobs.put(b"left by a process that died between write and reference")
    assert shelf.enforce().blobs == 1


def test_rows_are_forgotten_long_after_their_end(shelf: Shelf) -> None:
    shelf.job("a", b"document", keep_s=-1)
    shelf.job("b", b"other", state="pending", keep_s=-1)
    shelf.enforce()
    shelf.enforce(forget_after_s=-1)
    assert shelf.states() == {"b": "pending"}
