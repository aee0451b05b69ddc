"""One page on its way through the stages of an engine; what breaks in a stage fails this page alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter
from typing import Self

from mineru_core.document.analysis import PageAnalysis, PageFailure, Part
from mineru_core.document.page import Page
from mineru_core.engines.base import Readings
from mineru_core.errors import Cancelled, DeadlineExceeded, EngineFailed, WorkbenchError
from mineru_core.runtime.context import Progress, RunContext
from mineru_core.runtime.heap import trim_heap

_log = logging.getLogger(__name__)


@dataclass
class PageRun:
    """A page, the parts wanted of it and what is known; ``timings`` are seconds by stage, ``at`` is the latest one."""

    page: Page
    parts: frozenset[Part]
    ctx: RunContext
    known: Readings
    at: str = "start"
    timings: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage, and tell who waits that it began; not begun where the work is no longer wanted."""
        self.ctx.check()
        self.at = name
        self.ctx.report(Progress(stage=name, page=self.page.number))
        start = perf_counter()
        yield
        self.timings[name] = perf_counter() - start

    def outcome(self, read: Callable[[Self], PageAnalysis]) -> PageAnalysis | PageFailure:
        """What ``read`` makes of the page; whatever breaks in it is the page's failure, in the stage it was at.

        Raises ``Cancelled`` and ``DeadlineExceeded``. Heap that the page took is handed back to the system.
        """
        number = self.page.number
        try:
            return read(self)
        except (Cancelled, DeadlineExceeded):
            raise
        except WorkbenchError as error:
            return PageFailure.from_error(number, self.at, error)
        except Exception:  # noqa: BLE001  whatever breaks in a model or a library fails this page, not its neighbours
            _log.exception("page %d failed in stage %s, request %s", number, self.at, self.ctx.request_id)
            failed = EngineFailed(f"The engine broke on page {number} while reading ({self.at}).")
            return PageFailure.from_error(number, self.at, failed)
        finally:
            trim_heap()
