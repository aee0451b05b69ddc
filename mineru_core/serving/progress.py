"""How far a document is while several of its pages are under way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mineru_core.runtime.context import Progress, RunContext


class DocumentProgress:
    """How far a document is: the first of its pages that is not done, whichever of them are under way."""

    def __init__(self, ctx: RunContext, numbers: Sequence[int]) -> None:
        self._ctx, self._numbers, self._done = ctx, numbers, 0

    def context(self) -> RunContext:
        """The context with which a page is read: the engine's stages are reported with the document's place."""
        return replace(self._ctx, on_progress=self._report)

    def page_done(self) -> None:
        """Go on to the next page."""
        self._done += 1
        if self._done < len(self._numbers):
            self._report(Progress(stage="read"))

    def _report(self, progress: Progress) -> None:
        done = self._done
        page = self._numbers[min(done, len(self._numbers) - 1)]
        self._ctx.report(replace(progress, page=page, done=done, pages=len(self._numbers)))


def part_of(ctx: RunContext, before: int, pages: int) -> RunContext:
    """The context for one of several documents read as one: ``before`` pages come first, ``pages`` are in all."""

    def tell(progress: Progress) -> None:
        page = progress.page + before if progress.page else 0
        ctx.report(replace(progress, page=page, done=progress.done + before, pages=pages))

    return replace(ctx, on_progress=tell)
