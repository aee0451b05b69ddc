"""Which services on a home folder are alive: each holds the lock of a file named for it.

The system frees a lock when its process ends, however it ends, so a dead service is known at once. No clock is asked:
one that is set forward cannot make a living service look dead.
"""

from __future__ import annotations

import time
import uuid
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

_LONG_AGO_S = 3600.0


class Presence:
    """One service's sign of life, shown from construction until ``close()``. ``id`` is its name, unique for ever."""

    def __init__(self, folder: Path) -> None:
        self.id = uuid.uuid4().hex
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = self._lock_of(self.id)
        self._lock.acquire(blocking=False)

    def is_alive(self, service: str) -> bool:
        """Whether the service of that name still shows its sign of life."""
        if service == self.id:
            return self._lock.is_locked
        path = self._path(service)
        if not path.exists():
            return False
        lock = self._lock_of(service)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            return True
        path.unlink(missing_ok=True)
        lock.release()
        return False

    def sweep(self) -> None:
        """Remove the files of services that died long ago. Young files are left alone: their service may just have
        made its file and not locked it yet."""
        for path in self._folder.glob("*.lock"):
            with suppress(FileNotFoundError):
                if time.time() - path.stat().st_mtime > _LONG_AGO_S:
                    self.is_alive(path.stem)

    def close(self) -> None:
        """Take the sign down; calling it again does nothing."""
        if self._lock.is_locked:
            self._path(self.id).unlink(missing_ok=True)
            self._lock.release()

    def _path(self, service: str) -> Path:
        return self._folder / f"{service}.lock"

    def _lock_of(self, service: str) -> FileLock:
        # not thread-local: a service is closed by another thread than the one that made it
        return FileLock(self._path(service), thread_local=False)
