"""Values on disk that may be lost at any moment and are never wrong: bounded in bytes and age, shared by processes."""

from __future__ import annotations

import hashlib
import logging
import os
import re
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from functools import partial
from itertools import product
from pathlib import Path

from mineru_core.store.cache_index import CacheIndex
from mineru_core.store.whole_files import write_whole

_LOG = logging.getLogger(__name__)

_NAME = re.compile(r"[0-9a-f]{64}")
_HEX = "0123456789abcdef"
_INDEX = "index.db"
_TEMPORARY_FOLDER = "tmp"
_STALE_S = 3600.0
"""A temporary file this old was left by a process that died: no write takes an hour."""
_MAGIC = b"MWCACHE1"
_HEADER_BYTES = len(_MAGIC) + hashlib.sha256().digest_size
_BLOCK_BYTES = 4096
"""What the file system gives a file at least; small values are counted as what they take."""
_CLOSE_S = 10.0
"""How long closing waits for a disk that does not answer."""
_USES_AT_ONCE = 256
"""Uses that are noted in one commit, so that a hit costs none."""


class CacheStore:
    """Bytes by key under ``folder``, at most ``max_bytes`` of disk; what was used longest ago goes first.

    It is a cache: ``get`` gives exactly what was put under that key, or None. Each file carries the sha256 of its key
    and value, so one that is torn, damaged or misplaced is a miss and is removed. Values older than ``max_age_s``
    (seconds by the wall clock; None: no bound) are misses too. Writes happen behind the caller in a thread of its
    own; while ``max_pending_bytes`` wait, further ones are dropped.

    Several processes may share the folder, and it may be deleted at any moment. A disk that is full, read-only or
    damaged turns ``put`` into nothing, with one warning in the log; no method raises for it.
    """

    def __init__(
        self, folder: Path, max_bytes: int, *, max_age_s: float | None = None, max_pending_bytes: int = 32_000_000
    ) -> None:
        self._folder = folder
        self._temporary = folder / _TEMPORARY_FOLDER
        self._max_bytes = max_bytes
        self._max_age_s = max_age_s
        self._max_pending_bytes = max_pending_bytes
        self._index = CacheIndex(folder / _INDEX)
        self._index_lock = threading.Lock()
        self._changed = threading.Condition()  # of everything below
        self._pending: dict[str, bytes] = {}
        self._writing: dict[str, bytes] = {}
        self._used: dict[str, None] = {}
        self._pending_bytes = 0
        self._at_work = self._flushing = self._closed = self._warned = False
        self._writer: threading.Thread | None = None

    def get(self, key: str) -> bytes | None:
        """The value that was put under the key, if it is still there."""
        name = _name_of(key)
        with self._changed:
            waiting = self._pending.get(name, self._writing.get(name))
        value = self._read(name) if waiting is None else waiting
        if value is not None:
            self._note_use(name)
        return value

    def put(self, key: str, value: bytes) -> None:
        """Keep the value, soon; one that is larger than the whole store is not kept."""
        if _disk_bytes(len(value)) > self._max_bytes:
            return
        name = _name_of(key)
        with self._changed:
            replaced = len(self._pending.get(name, b""))
            waiting = self._pending_bytes + len(value) - replaced
            if self._closed or waiting > self._max_pending_bytes:
                return
            self._pending[name], self._pending_bytes = value, waiting
            self._wake_writer()

    def touch(self, key: str) -> None:
        """Count the key as used now, where its value was given out by a faster level."""
        self._note_use(_name_of(key))

    def remove(self, key: str) -> None:
        """Take the value away, where it turned out to be of no use; one that is not there is no error."""
        name = _name_of(key)
        with self._changed:
            self._pending_bytes -= len(self._pending.pop(name, b""))
        with suppress(OSError):
            self._remove_file(name)

    def flush(self, timeout_s: float = 30.0) -> bool:
        """Wait until everything put so far is on disk or given up; whether that came about in ``timeout_s`` seconds."""
        with self._changed:
            self._flushing = self._busy()
            self._wake_writer()
            return self._changed.wait_for(lambda: not self._busy(), timeout_s)

    def sweep(self) -> None:
        """Remove what is past its age and what dead processes left, find files nobody knows of, and keep the bound.

        Reads the whole folder: a matter of seconds for half a million values. A store does it once by itself, before
        its first write.
        """
        with self._index_lock:
            try:
                self._index.take_renewed()
                self._sweep()
            except (OSError, sqlite3.Error) as error:
                self._warn(error)

    def close(self) -> None:
        """Write what waits, and let go of the folder. Later puts are dropped; calling it again does nothing."""
        self.flush(_CLOSE_S)
        with self._changed:
            self._closed = True
            self._changed.notify_all()
            writer = self._writer
        if writer is not None:
            writer.join(_CLOSE_S)
        with self._index_lock:
            self._index.close()

    def _busy(self) -> bool:
        """Whether anything put or noted so far is not on disk yet. The lock is held."""
        return bool(self._pending or self._used or self._at_work)

    def _note_use(self, name: str) -> None:
        with self._changed:
            if self._closed:
                return
            self._used.pop(name, None)
            self._used[name] = None  # at the end: the latest use
            if len(self._used) >= _USES_AT_ONCE:
                self._wake_writer()

    def _wake_writer(self) -> None:
        """The lock is held."""
        if self._writer is None and not self._closed and self._busy():
            self._writer = threading.Thread(target=self._work, name="cache-writer", daemon=True)
            self._writer.start()
        self._changed.notify_all()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(self._wanted)
                if not self._pending and not self._used:
                    return
                self._writing, self._pending, self._pending_bytes = self._pending, {}, 0
                used, self._used, self._at_work = list(self._used), {}, True
            with self._index_lock:
                self._commit(self._writing, used)
            with self._changed:
                self._writing, self._at_work = {}, False
                self._flushing = self._flushing and self._busy()
                self._changed.notify_all()

    def _wanted(self) -> bool:
        """Whether the writer has something to do now, if only to end. The lock is held."""
        uses_enough = 1 if self._flushing else _USES_AT_ONCE
        return bool(self._pending) or self._closed or len(self._used) >= uses_enough

    def _commit(self, values: Mapping[str, bytes], used: Iterable[str]) -> None:
        """Enter the values, make room for them, and write them. The lock of the index is held."""
        sizes = {name: _disk_bytes(len(value)) for name, value in values.items()}
        try:
            # First the entry, then the file: with an index that cannot be written, nothing fills the disk unseen.
            dropped = self._index.record(sizes, used, self._max_bytes, self._remove_file)
            if self._index.take_renewed():
                self._sweep()
        except (OSError, sqlite3.Error) as error:
            self._warn(error)
            return
        left = [name for name in values if name not in dropped]
        try:
            while left:
                self._write(left[-1], values[left[-1]])
                left.pop()
        except OSError as error:
            self._warn(error)
            with suppress(OSError, sqlite3.Error):
                self._index.forget(left)

    def _read(self, name: str) -> bytes | None:
        try:
            with self._path(name).open("rb") as file:
                age_s = time.time() - os.fstat(file.fileno()).st_mtime
                data = file.read()
        except FileNotFoundError:
            return None
        except OSError as error:
            self._warn(error)
            return None
        value = data[_HEADER_BYTES:]
        if data[:_HEADER_BYTES] == _header(name, value) and not self._too_old(age_s):
            return value
        with suppress(OSError):
            self._remove_file(name)
        return None

    def _write(self, name: str, value: bytes) -> None:
        """Write a file that is whole as soon as it has its name.

        It is not flushed to disk: after a power cut its sha256 tells whether it is what was written.
        """
        parts = (_header(name, value), value)
        write = partial(write_whole, self._path(name), *parts, temporary=self._temporary, durable=False)
        try:
            write()
        except FileNotFoundError:  # somebody has just deleted the folder
            write()

    def _remove_file(self, name: str) -> None:
        self._path(name).unlink(missing_ok=True)

    def _sweep(self) -> None:
        """The lock of the index is held."""
        now = time.time()
        for entry in _files(self._temporary):
            with suppress(FileNotFoundError):
                # Either way: a clock set back makes a file of the future, and that one was left behind too.
                if abs(now - entry.stat().st_mtime) > _STALE_S:
                    os.unlink(entry)
        for first, second in product(_HEX, _HEX):
            self._sweep_folder(first + second, now)
        self._index.record({}, (), self._max_bytes, self._remove_file)

    def _sweep_folder(self, prefix: str, now: float) -> None:
        known = self._index.names(prefix)
        unknown: dict[str, int] = {}
        for entry in _files(self._folder / prefix[0] / prefix[1]):
            with suppress(FileNotFoundError):
                if not _NAME.fullmatch(entry.name) or (entry.name in known and self._max_age_s is None):
                    continue
                status = entry.stat()
                if self._too_old(now - status.st_mtime):
                    os.unlink(entry)
                elif entry.name not in known:
                    unknown[entry.name] = _disk_bytes(status.st_size - _HEADER_BYTES)
        if unknown:
            self._index.adopt(unknown)

    def _too_old(self, age_s: float) -> bool:
        return self._max_age_s is not None and age_s > self._max_age_s

    def _warn(self, error: Exception) -> None:
        with self._changed:
            if self._warned:
                return
            self._warned = True
        _LOG.warning("The disk cache fails; work goes on without it: %s", error)

    def _path(self, name: str) -> Path:
        return self._folder / name[0] / name[1] / name


def _files(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Every file of a folder; none where there is no folder."""
    try:
        with os.scandir(folder) as entries:
            yield from entries
    except FileNotFoundError:
        return


def _name_of(key: str) -> str:
    return hashlib.sha256(key.encode(errors="surrogatepass")).hexdigest()


def _header(name: str, value: bytes) -> bytes:
    digest = hashlib.sha256(name.encode())
    digest.update(value)
    return _MAGIC + digest.digest()


def _disk_bytes(length: int) -> int:
    """Bytes of disk a value of that length takes, in whole blocks."""
    return -(-(length + _HEADER_BYTES) // _BLOCK_BYTES) * _BLOCK_BYTES
