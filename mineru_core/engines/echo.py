"""An engine without models: it gives back a PDF page's own words, or a digest of the pixels.

Deterministic and quick, so everything around an engine can be tried and tested without weights. Options make it slow
or let it fail on chosen pages.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Sequence

from mineru_core.document.analysis import (
    Block,
    BlockType,
    Line,
    LineWord,
    PageAnalysis,
    PageFailure,
    Part,
)
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Page, Word
from mineru_core.document.parts import PageFrame, PartReading
from mineru_core.engines.base import LoadListener, Readings, chosen_readings, known_of_each
from mineru_core.errors import EngineFailed, EngineUnavailable
from mineru_core.runtime.context import Progress, RunContext

_DIGEST_CHARS = 16


class EchoEngine:
    """Reads each page as one text block.

    ``delay_s`` is spent on every page of which anything is to be read, in a way that a cancel interrupts at once.
    ``fail_pages`` are page numbers that then come back as ``PageFailure`` (engine-failed). ``capabilities`` may name
    parts it then claims to have looked for.
    """

    name = "echo"
    reads_text_layer = True

    def __init__(
        self,
        *,
        delay_s: float = 0.0,
        fail_pages: Collection[int] = (),
        capabilities: Collection[Part] = (Part.TEXT, Part.LAYOUT),
    ) -> None:
        self.delay_s = delay_s
        self.fail_pages = frozenset(fail_pages)
        self.capabilities = frozenset(capabilities)
        self._closed = False

    @property
    def fingerprint(self) -> str:
        """Name and version: the options change when and whether a page is read, never how."""
        return "echo-1"

    def load(self, progress: LoadListener | None = None) -> None:
        """Nothing to load. Raises ``EngineUnavailable`` once closed."""
        if self._closed:
            raise EngineUnavailable("The echo engine was closed.")
        if progress is not None:
            progress("ready", 1.0)

    def close(self) -> None:
        """Refuse to load from now on."""
        self._closed = True

    def needed(self, parts: frozenset[Part]) -> frozenset[Part]:
        """The parts themselves, and the text, which is all that the block is made of."""
        return (parts & self.capabilities) | {Part.TEXT}

    def read(
        self, pages: Sequence[Page], parts: frozenset[Part], ctx: RunContext, known: Sequence[Readings] = ()
    ) -> list[PageAnalysis | PageFailure]:
        """One block a page. Raises what ``Engine.read`` does."""
        return [self._read_page(page, parts, ctx, readings) for page, readings in known_of_each(pages, known)]

    def compose(self, frame: PageFrame, parts: frozenset[Part], readings: Readings) -> PageAnalysis:
        """One block with the text's lines. Raises ValueError as ``Engine.compose`` does."""
        chosen = chosen_readings(self.needed(parts), readings)
        lines = readings[Part.TEXT].lines
        block = Block(
            type=BlockType.TEXT,
            box=Box.around(line.box for line in lines),
            order=0,
            text="\n".join(line.text for line in lines),
            lines=lines,
        )
        return PageAnalysis(
            page=frame.number,
            width=frame.width,
            height=frame.height,
            sha256=frame.sha256,
            parts=parts & self.capabilities,
            blocks=(block,),
            readings=chosen,
        )

    def _read_page(
        self, page: Page, parts: frozenset[Part], ctx: RunContext, known: Readings
    ) -> PageAnalysis | PageFailure:
        missing = self.needed(parts) - known.keys()
        if not missing:
            ctx.check()
            return self.compose(PageFrame.of(page), parts, known)
        started = time.perf_counter()
        ctx.report(Progress(stage="echo"))
        self._spend(ctx)
        ctx.check()
        if page.number in self.fail_pages:
            error = EngineFailed(f"The echo engine was told to fail on page {page.number}.")
            return PageFailure.from_error(page.number, "echo", error)
        readings = dict(known)
        for part in missing:
            readings[part] = PartReading(part=part, lines=_lines_of(page) if part is Part.TEXT else ())
        analysis = self.compose(PageFrame.of(page), parts, readings)
        return analysis.model_copy(update={"timings": {"echo": time.perf_counter() - started}})

    def _spend(self, ctx: RunContext) -> None:
        remaining = ctx.remaining_s
        delay = self.delay_s if remaining is None else min(self.delay_s, remaining)
        if delay > 0:
            ctx.cancel_event.wait(delay)


def _lines_of(page: Page) -> tuple[Line, ...]:
    """The words of the text layer as rows, or one line that names the pixels."""
    if not page.text_layer:
        digest = page.sha256[:_DIGEST_CHARS]
        return (Line(text=digest, box=page.box, quad=Quad.from_box(page.box)),)
    return tuple(_line(row) for row in _rows(page.text_layer))


def _rows(words: Sequence[Word]) -> list[list[Word]]:
    """Words in their given order, a new row wherever a word's middle leaves the row's height."""
    rows: list[list[Word]] = []
    for word in words:
        row_box = rows[-1][-1].box if rows else None
        if row_box is not None and row_box.y0 <= word.box.center[1] < row_box.y1:
            rows[-1].append(word)
        else:
            rows.append([word])
    return rows


def _line(words: Sequence[Word]) -> Line:
    box = Box.around(word.box for word in words)
    return Line(
        text=" ".join(word.text for word in words),
        box=box,
        quad=Quad.from_box(box),
        confidence=min(word.confidence for word in words),
        words=tuple(LineWord(text=w.text, box=w.box, confidence=w.confidence) for w in words),
    )
