"""Files handed in ahead of a question: kept like documents, and removed like them."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.errors import NotFound
from mineru_core.jobs.uploads import KeptUpload, Uploads, clean_name
from mineru_core.store import retention
from mineru_core.store.blobs import BlobStore
from mineru_core.store.database import Database


def kept_file(uploads: Uploads, *pieces: bytes, name: str = "a.png", owner: str = "ann") -> KeptUpload:
    with uploads.receive() as incoming:
        for piece in pieces:
            uploads.write(incoming, piece)
        return uploads.keep(incoming, name, owner)


def test_pieces_become_one_file_that_is_kept_until_its_time(tmp_path: Path) -> None:
    database, blobs = Database(tmp_path / "state.db"), BlobStore(tmp_path / "blobs")
    uploads, passing = Uploads(database, blobs, 60), Uploads(database, blobs, -1)
    first = kept_file(uploads, b"one ", b"two")
    assert (first.name, first.size) == ("a.png", 7)
    gone = kept_file(passing, b"past its time")
    with pytest.raises(NotFound):
        uploads.read(gone.id, "ann")
    removed = retention.enforce(database, blobs, max_bytes=1_000, forget_after_s=60)
    assert (removed.references, removed.blobs) == (1, 1)
    assert uploads.read(first.id, "ann") == b"one two"
    uploads.forget(first.id, "ann")
    retention.enforce(database, blobs, max_bytes=1_000, forget_after_s=60)
    assert list(blobs.names()) == []
    database.close()


def test_the_same_bytes_twice_are_two_files(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db")
    uploads = Uploads(database, BlobStore(tmp_path / "blobs"), 60)
    first, second = kept_file(uploads, b"same", name="1.png"), kept_file(uploads, b"same", name="2.png")
    assert first.id != second.id
    uploads.forget(first.id, "ann")
    assert (uploads.get(second.id, "ann").name, uploads.read(second.id, "ann")) == ("2.png", b"same")
    database.close()


def test_an_id_never_opens_a_later_file(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db")
    uploads = Uploads(database, BlobStore(tmp_path / "blobs"), 60)
    first = kept_file(uploads, b"first")
    uploads.forget(first.id, "ann")
    kept_file(uploads, b"second")  # the database gives the freed number anew
    with pytest.raises(NotFound):
        uploads.read(first.id, "ann")
    database.close()


def test_what_is_not_kept_leaves_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db")
    uploads = Uploads(database, BlobStore(tmp_path / "blobs"), 60)
    with uploads.receive() as incoming:
        uploads.write(incoming, b"half")
    assert [path for path in (tmp_path / "blobs").rglob("*") if path.is_file()] == []
    database.close()


@given(st.text(max_size=400))
def test_a_name_is_one_printable_part(name: str) -> None:
    clean = clean_name(name)
    assert clean
    assert clean.isprintable()
    assert not set(clean) & {"/", "\\"}
    assert clean.encode()
    assert len(clean) <= 200
