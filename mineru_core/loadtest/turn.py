"""One load test at a time for a home folder, and how the others there learn that one is under way."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

import psutil
from filelock import FileLock, Timeout
from pydantic import BaseModel

from mineru_core.errors import Overloaded
from mineru_core.settings import Settings
from mineru_core.store.whole_files import write_whole

_LOCK, _SIGN = "loadtest.lock", "loadtest.json"
_SAME_S = 1.0
"""By how much two looks at when a process began may differ, seconds."""


class _Sign(BaseModel):
    """Whose load test runs: a process, and when it began, since numbers of processes come again."""

    pid: int
    began: float


@contextmanager
def one_at_a_time(settings: Settings) -> Iterator[None]:
    """Nobody else of this home folder runs a load test within the block. Raises ``Overloaded``."""
    settings.home.mkdir(parents=True, exist_ok=True)
    lock = FileLock(settings.home / _LOCK)
    try:
        lock.acquire(blocking=False)
    except Timeout as error:
        raise Overloaded("A load test is running already.", "Stop it, or wait for its end.") from error
    sign = settings.home / _SIGN
    try:
        told = _Sign(pid=os.getpid(), began=psutil.Process().create_time())
        write_whole(sign, told.model_dump_json().encode(), temporary=settings.home, durable=False)
        yield
    finally:
        sign.unlink(missing_ok=True)
        lock.release()


def is_under_way(settings: Settings) -> bool:
    """Whether a load test of this home folder runs, in whichever process of this machine. Nobody is kept from starting
    one by being asked, as they would be by a look at the lock."""
    try:
        told = _Sign.model_validate_json((settings.home / _SIGN).read_bytes())
        return abs(psutil.Process(told.pid).create_time() - told.began) < _SAME_S
    except (OSError, ValueError, psutil.Error):
        return False  # none, half a file of another version, or one that a process left behind
