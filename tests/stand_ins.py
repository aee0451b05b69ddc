"""Engines whose moments a test decides, for what cannot be tested with a real one."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from mineru_core.document.analysis import PageAnalysis, PageFailure, Part
from mineru_core.document.page import Page
from mineru_core.document.parts import PageFrame
from mineru_core.engines.base import Readings
from mineru_core.engines.echo import EchoEngine
from mineru_core.runtime.context import RunContext


class GatedEngine(EchoEngine):
    """Reads a page only once ``gate`` is open; ``entered`` counts the pages that have come to it."""

    def __init__(self) -> None:
        super().__init__()
        self.gate = threading.Event()
        self.entered = threading.Semaphore(0)
        self.seen: list[int] = []

    def read(
        self, pages: Sequence[Page], parts: frozenset[Part], ctx: RunContext, known: Sequence[Readings] = ()
    ) -> list[PageAnalysis | PageFailure]:
        self.seen += [page.number for page in pages]
        self.entered.release()
        while not self.gate.wait(0.01):
            ctx.check()
        return super().read(pages, parts, ctx, known)

    def wait_until_entered(self, times: int = 1) -> None:
        for _ in range(times):
            assert self.entered.acquire(timeout=10), "no page came to the engine"


class BrokenEngine(EchoEngine):
    """Raises what it is given on chosen pages."""

    def __init__(self, errors: dict[int, Exception]) -> None:
        super().__init__()
        self.errors = errors

    def read(
        self, pages: Sequence[Page], parts: frozenset[Part], ctx: RunContext, known: Sequence[Readings] = ()
    ) -> list[PageAnalysis | PageFailure]:
        for page in pages:
            if page.number in self.errors:
                raise self.errors[page.number]
        return super().read(pages, parts, ctx, known)


class MisreadingEngine(EchoEngine):
    """Reads a word as another, always."""

    name = "misreading"

    def __init__(self, word: str = "Stapler", taken_for: str = "Stopper") -> None:
        super().__init__()
        self.word, self.taken_for = word, taken_for

    @property
    def fingerprint(self) -> str:
        return f"misreading {self.word} {self.taken_for}"

    def compose(self, frame: PageFrame, parts: frozenset[Part], readings: Readings) -> PageAnalysis:
        page = super().compose(frame, parts, readings)
        blocks = [b.model_copy(update={"text": b.text.replace(self.word, self.taken_for)}) for b in page.blocks]
        return page.model_copy(update={"blocks": tuple(blocks)})
