"""Chores done at intervals by one thread."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from sqlalchemy.exc import SQLAlchemyError

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Chore:
    """Something to do every ``every_s`` seconds, the first time when the housekeeper starts."""

    run: Callable[[], None]
    every_s: float


def keep_house(chores: Sequence[Chore], stop: threading.Event) -> None:
    """Do the chores at their times until ``stop`` is set.

    One that fails for want of the database or the disk is tried again at its next time, and keeps none from its turn.
    """
    due = dict.fromkeys(range(len(chores)), 0.0)
    while not stop.is_set():
        for place, chore in enumerate(chores):
            if time.monotonic() >= due[place]:
                _attempt(chore)
                due[place] = time.monotonic() + chore.every_s
        stop.wait(max(0.0, min(due.values()) - time.monotonic()) if due else None)


def _attempt(chore: Chore) -> None:
    try:
        chore.run()
    except (SQLAlchemyError, OSError):
        _LOG.exception("a chore failed; it is tried again in %g s", chore.every_s)
