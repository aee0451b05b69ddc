from pathlib import Path

import pytest

from mineru_core.errors import NotFound
from mineru_core.store.blobs import BlobStore
from mineru_core.store.database import Database
from mineru_core.store.references import add_reference, read_blob


def test_only_an_owner_with_a_claim_reads(tmp_path: Path) -> None:
    database, blobs = Database(tmp_path / "state.db"), BlobStore(tmp_path / "blobs")
    with database.write() as session:
        sha256 = add_reference(session, blobs, b"hello", owner="ann", name="a.png", job_id=None, keep_s=60)
        add_reference(session, blobs, b"hello", owner="cid", name="a.png", job_id=None, keep_s=-1)
    with database.read() as session:
        assert read_blob(session, blobs, sha256, "ann") == b"hello"
        with pytest.raises(NotFound) as kept:
            read_blob(session, blobs, sha256, "bob")
        with pytest.raises(NotFound) as unknown:
            read_blob(session, blobs, "0" * 64, "bob")
        with pytest.raises(NotFound):
            read_blob(session, blobs, sha256, "cid")  # past its time
    assert str(kept.value) == str(unknown.value)
    database.close()
