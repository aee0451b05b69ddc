"""From a document and words to a result: the one way that every door takes."""

from __future__ import annotations

import logging
import threading
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Self

from mineru_core.document.analysis import BlockType, DocumentAnalysis, PageAnalysis, PageFailure, Part
from mineru_core.document.assemble import assemble
from mineru_core.document.page import Page
from mineru_core.document.task import Note, Region, Task, TaskKind
from mineru_core.engines.base import Engine, LoadListener
from mineru_core.engines.registry import create_engine
from mineru_core.errors import Cancelled, DeadlineExceeded, EngineError, EngineFailed, EngineUnavailable, WorkbenchError
from mineru_core.export.result import DocumentResult
from mineru_core.instruct import answer, parse_words
from mineru_core.runtime.context import Progress, RunContext
from mineru_core.runtime.metrics import Metrics
from mineru_core.serving.gate import Gate
from mineru_core.serving.prefetch import Rendered, rendered_ahead
from mineru_core.serving.selection import choose_pages, crop, shift_analysis
from mineru_core.settings import Settings, load_settings

if TYPE_CHECKING:
    from mineru_core.intake import Document

_LOG = logging.getLogger(__name__)

_SPECIAL_PARTS = {
    Part.TABLES: ("tables", TaskKind.TABLES, BlockType.TABLE),
    Part.CHARTS: ("charts", TaskKind.CHARTS, BlockType.CHART),
    Part.FORMULAS: ("formulas", TaskKind.FORMULAS, BlockType.EQUATION),
}

Reading = PageAnalysis | PageFailure


class Analyzer:
    """Reads documents with one engine; safe to use from many threads at once, and best made once a process.

    ``engine`` is an engine, or the name of one; left out, it is the one of the settings. The engine is loaded at the
    first page unless ``load()`` is called before. ``close()`` closes an engine made here, not one handed in.

        with Analyzer() as analyzer:
            result = analyzer.analyze(open_document("scan.png"), "extract the tables")
    """

    def __init__(
        self,
        settings: Settings | None = None,
        engine: Engine | str | None = None,
        *,
        metrics: Metrics | None = None,
    ) -> None:
        self.settings = settings if settings is not None else load_settings()
        self.metrics = metrics if metrics is not None else Metrics()
        self._gate = Gate(self.settings.pages_in_flight)
        self._lock = threading.Lock()  # of the engine's name and state; never held for long
        self._loading = threading.Lock()  # held while the engine loads, seconds
        self._engine = engine if isinstance(engine, Engine) else None
        self._name = engine if isinstance(engine, str) else self.settings.engine.name
        self._owns_engine = self._engine is None
        self._loaded = False
        self._closed = False

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @property
    def engine(self) -> Engine:
        """What reads; made at the first use, not loaded. Raises ``EngineUnavailable`` for an unknown name."""
        with self._lock:
            if self._closed:
                raise EngineUnavailable("This analyzer was closed.", "Make a new Analyzer.")
            if self._engine is None:
                self._engine = create_engine(self._name, self.settings)
            return self._engine

    @property
    def loaded(self) -> bool:
        """Whether the engine is ready to read."""
        return self._loaded

    def load(self, progress: LoadListener | None = None) -> None:
        """Make and load the engine, once; callers that come meanwhile wait.

        Raises ``ModelMissing`` or ``EngineUnavailable``; the next call then tries again.
        """
        if self._loaded:
            return
        with self._loading:
            engine = self.engine
            if not self._loaded:
                engine.load(progress)
                self._loaded = True

    def close(self) -> None:
        """Close the engine made here. Analyses from now on raise ``EngineUnavailable``; calling again does nothing."""
        with self._loading, self._lock:
            if self._closed:
                return
            self._closed, self._loaded = True, False
            if self._engine is not None and self._owns_engine:
                self._engine.close()

    def analyze(
        self,
        document: Document,
        words: str | Task = "",
        *,
        regions: Sequence[Region] = (),
        ctx: RunContext | None = None,
    ) -> DocumentResult:
        """Read the pages that ``words`` (or a ready task) call for, and answer.

        ``regions`` are rectangles in page pixels; with them only their pages are read, each rectangle as a page of its
        own, and every box of the result is in pixels of the whole page. Without ``ctx`` the deadline of the settings
        applies. A page that fails is in ``result.failures``; the document goes on.

        Raises ``NoPages`` or ``InvalidRequest`` for pages or regions the document does not have, ``Cancelled``,
        ``DeadlineExceeded``, ``ModelMissing`` and ``EngineUnavailable``.
        """
        context = ctx if ctx is not None else RunContext.with_timeout(self.settings.engine.deadline_s)
        try:
            result = self._analyze(document, words, regions, context)
        except WorkbenchError as error:
            self.metrics.request_ended(error.code)
            raise
        self.metrics.request_ended()
        return result

    def _analyze(
        self, document: Document, words: str | Task, regions: Sequence[Region], ctx: RunContext
    ) -> DocumentResult:
        started = perf_counter()
        timings: dict[str, float] = {}
        task = words if isinstance(words, Task) else parse_words(words)
        if regions:
            task = task.model_copy(update={"regions": tuple(regions)})
        numbers, notes = choose_pages(task, document.page_count, task.regions)
        ctx.check()
        ctx.report(Progress(stage="load", pages=len(numbers)))
        with self.metrics.timed("load", timings):
            self.load()
        parts = task.parts & self.engine.capabilities
        readings = self._read_pages(document, task, numbers, parts, ctx, timings)
        ctx.report(Progress(stage="answer", page=numbers[-1], done=len(numbers), pages=len(numbers)))
        with self.metrics.timed("answer", timings):
            analysis = assemble(
                readings,
                source=document.name,
                sha256=document.sha256,
                media_type=document.media_type,
                page_count=document.page_count,
            )
            given = answer(analysis, task)
            notes += _unsupported(task, task.parts - parts, analysis)
        timings["total"] = perf_counter() - started
        return DocumentResult(
            task=task,
            answer=given.model_copy(update={"notes": _joined_notes(given.notes, notes)}),
            analysis=analysis,
            engine=self.engine.fingerprint,
            timings=timings,
            warnings=tuple(dict.fromkeys(w for page in analysis.pages for w in page.warnings)),
        )

    def _read_pages(
        self,
        document: Document,
        task: Task,
        numbers: Sequence[int],
        parts: frozenset[Part],
        ctx: RunContext,
        timings: dict[str, float],
    ) -> list[Reading]:
        def render(number: int) -> Page:
            with self.metrics.timed("render", timings):
                return document.page(number)

        readings: list[Reading] = []
        with closing(rendered_ahead(render, numbers)) as pages:
            for done, (number, page) in enumerate(pages):
                ctx.check()
                local = _page_context(ctx, number, done, len(numbers))
                local.report(Progress(stage="read"))
                boxes = tuple(region for region in task.regions if region.page == number)
                found = self._read_page(number, page, boxes, parts, local)
                del page  # or it would stay in memory while the next two are there
                self._count(found, timings)
                readings += found
        return readings

    def _read_page(
        self, number: int, page: Rendered, regions: Sequence[Region], parts: frozenset[Part], ctx: RunContext
    ) -> list[Reading]:
        if isinstance(page, WorkbenchError):
            return [PageFailure.from_error(number, "intake", page)]
        if not regions:
            return [self._engine_read(page, parts, ctx)]
        readings: list[Reading] = []
        for part, dx, dy in [crop(page, region.box) for region in regions]:  # all are checked before one is read
            reading = self._engine_read(part, parts, ctx)
            readings.append(shift_analysis(reading, dx, dy, page) if isinstance(reading, PageAnalysis) else reading)
        return readings

    def _engine_read(self, page: Page, parts: frozenset[Part], ctx: RunContext) -> Reading:
        engine = self.engine
        with self._gate.admitted(ctx), self.metrics.reading_page():
            try:
                (reading,) = engine.read([page], parts, ctx)
            except (Cancelled, DeadlineExceeded, EngineError):
                raise
            except WorkbenchError as error:
                return PageFailure.from_error(page.number, engine.name, error)
            except Exception:  # noqa: BLE001  an engine's own fault becomes this page's failure; the others go on
                _LOG.exception("engine broke on page %d", page.number, extra={"code": EngineFailed.code})
                broken = EngineFailed(f"The engine broke on page {page.number}.")
                return PageFailure.from_error(page.number, engine.name, broken)
            return reading

    def _count(self, readings: Sequence[Reading], timings: dict[str, float]) -> None:
        for reading in readings:
            if isinstance(reading, PageFailure):
                self.metrics.page_ended(reading.code)
                continue
            self.metrics.page_ended()
            for stage, seconds in reading.timings.items():
                self.metrics.observe_stage(stage, seconds)
                timings[stage] = timings.get(stage, 0.0) + seconds


def _page_context(ctx: RunContext, page: int, done: int, pages: int) -> RunContext:
    """The context with which an engine reads one page: it reports stages, the place in the document is filled in."""

    def report(progress: Progress) -> None:
        ctx.report(replace(progress, page=page, done=done, pages=pages))

    return replace(ctx, on_progress=report)


def _unsupported(task: Task, missing: frozenset[Part], analysis: DocumentAnalysis) -> list[Note]:
    """Notes on parts the engine cannot read: where they were asked for by name, or are there to be read.

    Who asks for everything of a page without a chart need not hear that charts cannot be read.
    """
    there = {block.type for page in analysis.pages for block in page.blocks}
    return [
        Note(code=f"{name}-unsupported", message=f"The engine in use cannot read {name}.")
        for part, (name, kind, block_type) in _SPECIAL_PARTS.items()
        if part in missing and (task.kind is kind or block_type in there)
    ]


def _joined_notes(answered: Sequence[Note], own: Sequence[Note]) -> tuple[Note, ...]:
    """Notes of the answer, then those of the run, each code once."""
    by_code = {note.code: note for note in [*reversed(own), *reversed(answered)]}
    return tuple(dict.fromkeys(by_code[note.code] for note in [*answered, *own]))
