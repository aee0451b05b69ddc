import hashlib
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.errors import NotFound
from mineru_core.store.blobs import BlobStore

HELLO = hashlib.sha256(b"hello").hexdigest()


@given(data=st.binary(max_size=2000))
def test_what_goes_in_comes_out(tmp_path_factory: pytest.TempPathFactory, data: bytes) -> None:
    store = BlobStore(tmp_path_factory.getbasetemp() / "shared-blobs")
    assert store.get(store.put(data)) == data


def test_the_name_is_the_hash_in_two_levels_of_folders(tmp_path: Path) -> None:
    assert BlobStore(tmp_path).put(b"hello") == HELLO
    assert (tmp_path / HELLO[:2] / HELLO[2:4] / HELLO).read_bytes() == b"hello"


def test_the_same_bytes_are_kept_once(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    store.put(b"hello")
    path = tmp_path / HELLO[:2] / HELLO[2:4] / HELLO
    before = path.stat().st_ino
    store.put(b"hello")
    assert path.stat().st_ino == before
    assert list(store.names()) == [HELLO]


def test_nothing_half_is_left_when_a_write_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(_handle: int) -> None:
        raise OSError(28, "No space left on device")

    store = BlobStore(tmp_path)
    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        store.put(b"hello")
    monkeypatch.undo()
    assert not store.has(HELLO)
    assert [p for p in tmp_path.rglob("*") if p.is_file()] == []


def test_the_bytes_are_not_under_their_name_before_they_are_on_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[bool] = []
    flush = os.fsync

    def look(handle: int) -> None:
        seen.append(store.has(HELLO))
        flush(handle)

    store = BlobStore(tmp_path)
    monkeypatch.setattr(os, "fsync", look)
    store.put(b"hello")
    assert seen == [False, True]  # the file's bytes, then the folder's entry


def test_a_damaged_blob_is_not_given_out_and_is_written_anew(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    store.put(b"hello")
    path = tmp_path / HELLO[:2] / HELLO[2:4] / HELLO
    path.write_bytes(b"hel")
    with pytest.raises(NotFound):
        store.get(HELLO)
    store.put(b"hello")
    assert store.get(HELLO) == b"hello"


@pytest.mark.parametrize("name", ["", "../../etc/passwd", "A" * 64, HELLO[:-1], HELLO + "\n"])
def test_what_is_no_hash_opens_nothing(tmp_path: Path, name: str) -> None:
    with pytest.raises(NotFound):
        BlobStore(tmp_path).get(name)


def test_delete_and_delete_again(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    store.put(b"hello")
    store.delete(HELLO)
    store.delete(HELLO)
    assert not store.has(HELLO)
    with pytest.raises(NotFound):
        store.get(HELLO)


def test_only_old_temporary_files_are_swept(tmp_path: Path) -> None:
    store = BlobStore(tmp_path)
    store.put(b"hello")
    old, new = tmp_path / "tmp" / "old", tmp_path / "tmp" / "new"
    old.write_bytes(b"x")
    new.write_bytes(b"x")
    os.utime(old, (time.time() - 7200, time.time() - 7200))
    assert store.sweep() == 1
    assert (old.exists(), new.exists()) == (False, True)


_WRITER = """
import sys
from pathlib import Path
from mineru_core.store.blobs import BlobStore

store = BlobStore(Path(sys.argv[1]))
print("ready", flush=True)
for number in range(1_000_000):
    store.put(number.to_bytes(8, "big") * 250_000)
"""


@pytest.mark.long
def test_a_kill_leaves_no_half_blob_under_its_name(tmp_path: Path) -> None:
    for wait_s in (0.02, 0.05, 0.11, 0.2, 0.31, 0.4):
        with subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path)], stdout=subprocess.PIPE) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(wait_s)  # somewhere in a write: the moment is the point
            writer.kill()
    store = BlobStore(tmp_path)
    names = list(store.names())
    assert names
    for name in names:
        assert len(store.get(name)) == 2_000_000
