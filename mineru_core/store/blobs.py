"""Bytes on disk under the sha256 of what they are; a file under its name is always whole."""

from __future__ import annotations

import hashlib
import os
import re
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Self

from mineru_core.errors import NotFound
from mineru_core.store.whole_files import write_whole

_SHA256 = re.compile(r"[0-9a-f]{64}")
_TEMPORARY_FOLDER = "tmp"
_STALE_S = 3600.0
"""A temporary file this old was left by a process that died: no write takes an hour."""


class BlobStore:
    """Blobs under ``root/ab/cd/abcd…``. It knows no owners: who may read what is for the references to say.

    Writes go to a temporary file that is flushed to disk and then renamed, so neither a kill nor a power cut leaves
    half a blob under its name.
    """

    def __init__(self, root: Path) -> None:
        self._root = root
        self._temporary = root / _TEMPORARY_FOLDER

    def put(self, data: bytes) -> str:
        """Keep the bytes and return their sha256 (hex). Bytes that are there already are not written again."""
        sha256 = hashlib.sha256(data).hexdigest()
        path = self._path(sha256)
        if self.has(sha256, len(data)):
            return sha256
        write_whole(path, data, temporary=self._temporary)
        _flush_folder(path.parent)
        return sha256

    def receive(self) -> Incoming:
        """A blob that comes piece by piece, for bytes that are not to be held in memory."""
        return Incoming(self._path, self._temporary)

    def get(self, sha256: str) -> bytes:
        """The bytes. Raises ``NotFound`` where there are none, or the disk gives others than were kept."""
        try:
            data = self._path(sha256).read_bytes()
        except FileNotFoundError:
            raise NotFound("The document is no longer kept.", "Upload it again.") from None
        if hashlib.sha256(data).hexdigest() != sha256:
            raise NotFound("The kept copy of the document is damaged.", "Upload it again.")
        return data

    def has(self, sha256: str, size: int | None = None) -> bool:
        """Whether the blob is there (and has that many bytes)."""
        try:
            found = self._path(sha256).stat().st_size
        except FileNotFoundError:
            return False
        return size is None or found == size

    def delete(self, sha256: str) -> None:
        """Remove the blob; one that is not there is no error."""
        self._path(sha256).unlink(missing_ok=True)

    def names(self) -> Iterator[str]:
        """sha256 of every blob, in no order."""
        for path in self._root.glob("??/??/*"):
            if _SHA256.fullmatch(path.name):
                yield path.name

    def sweep(self) -> int:
        """Remove temporary files of processes that died; returns how many."""
        removed = 0
        for path in self._temporary.glob("*"):
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > _STALE_S:
                    path.unlink()
                    removed += 1
        return removed

    def _path(self, sha256: str) -> Path:
        if not _SHA256.fullmatch(sha256):
            raise NotFound("This is no name of a document.")
        return self._root / sha256[:2] / sha256[2:4] / sha256


class Incoming:
    """Bytes on their way into a store: written as they come, then ``finish``-ed and ``place``-d under their name.

    A context manager: what has not been placed by its end is removed. For one thread at a time.
    """

    def __init__(self, path_of: Callable[[str], Path], temporary: Path) -> None:
        temporary.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(dir=temporary)
        self._file = os.fdopen(handle, "wb")
        self._temporary = Path(name)
        self._path_of = path_of
        self._hash = hashlib.sha256()
        self.size = 0
        """Bytes written so far."""

    def write(self, data: bytes | bytearray) -> None:
        """Add these bytes."""
        self._file.write(data)
        self._hash.update(data)
        self.size += len(data)

    def so_far(self) -> Path:
        """The file with the bytes written so far, to be read; it stays this object's."""
        self._file.flush()
        return self._temporary

    @property
    def sha256(self) -> str:
        """The sha256 (hex) of the bytes written so far."""
        return self._hash.hexdigest()

    def finish(self) -> str:
        """Flush everything to disk, which may take a moment; the sha256 of the bytes."""
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.close()
        return self.sha256

    def place(self) -> str:
        """Keep the finished bytes and return their sha256. Quick: it may be done under a lock."""
        sha256 = self.sha256
        path = self._path_of(sha256)
        path.parent.mkdir(parents=True, exist_ok=True)
        os.replace(self._temporary, path)
        _flush_folder(path.parent)
        return sha256

    def close(self) -> None:
        """Remove what has not been placed."""
        with suppress(OSError):  # of a full disk, which has been told of where it was written to
            self._file.close()
        self._temporary.unlink(missing_ok=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _flush_folder(folder: Path) -> None:
    """Write the folder's entries to disk, where the platform lets a folder be opened."""
    if os.name != "posix":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
