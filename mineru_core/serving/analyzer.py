"""From a document and words to a result: the one way that every door takes."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Sequence
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from time import perf_counter
from types import TracebackType
from typing import TYPE_CHECKING, Self

from mineru_core.document.analysis import PageFailure, Part
from mineru_core.document.task import Region, Task
from mineru_core.engines.base import Engine, LoadListener
from mineru_core.engines.registry import create_engine
from mineru_core.errors import EngineUnavailable, TextModelUnavailable, WorkbenchError
from mineru_core.export.result import DocumentResult
from mineru_core.instruct import answer
from mineru_core.runtime.context import Progress, RunContext
from mineru_core.runtime.heap import settle_objects
from mineru_core.runtime.metrics import Metrics
from mineru_core.serving import comparing
from mineru_core.serving.cache import AnalysisCache, DocumentFacts, document_key
from mineru_core.serving.documents import answers_key_of, assembled, task_of
from mineru_core.serving.edge import EdgePages, Taken, capabilities_of, fingerprint_of
from mineru_core.serving.free_answers import FreeAnswers
from mineru_core.serving.gate import Gate
from mineru_core.serving.notes import joined, unsupported
from mineru_core.serving.pages import PageReader, PageRequest, Reading
from mineru_core.serving.preparation import Preparation
from mineru_core.serving.progress import DocumentProgress, part_of
from mineru_core.serving.selection import choose_pages
from mineru_core.settings import Settings, load_settings

if TYPE_CHECKING:
    from mineru_core.intake import Document, Source

_LOOK_S = 0.05
"""How often somebody who waits for the engine to load looks whether he is still to wait."""


class Analyzer:
    """Reads documents with one engine; safe to use from many threads at once, and best made once a process.

    ``engine`` is an engine, or the name of one; left out, it is the one of the settings. The engine is loaded at the
    first page that has to be read unless ``load()`` is called before. What was read is kept in the home folder's
    cache. ``close()`` closes an engine and a cache made here, not those handed in. ``settle`` is for a process that
    lives for this: what is there once the engine is loaded is taken out of garbage collection for good.

        with Analyzer() as analyzer:
            result = analyzer.analyze(analyzer.open("scan.png"), "extract the tables")
    """

    def __init__(
        self,
        settings: Settings | None = None,
        engine: Engine | str | None = None,
        *,
        metrics: Metrics | None = None,
        cache: AnalysisCache | None = None,
        settle: bool = False,
    ) -> None:
        self.settings = settings if settings is not None else load_settings()
        self.metrics = metrics if metrics is not None else Metrics()
        self._lock = threading.Lock()  # of the engine's name and state; never held for long
        self._loading = threading.Lock()  # held while the engine loads, seconds
        self._engine = engine if isinstance(engine, Engine) else None
        self.name = engine if isinstance(engine, str) else engine.name if engine else self.settings.engine.name
        self._owns_engine, self._owns_cache = self._engine is None, cache is None
        self._loaded = False
        self.settles = settle
        self.load_progress: tuple[str, float] | None = None
        self._load: Future[None] | None = None
        self._closed = False
        self.gate = Gate(self.settings.pages_in_flight, on_change=partial(self.metrics.set_gate, engine=self.name))
        self.cache = cache or AnalysisCache.from_settings(self.settings, self.metrics.observe_lookup)
        self._preparation = Preparation() if self.settings.engine.compress else Preparation(None)
        self._free = FreeAnswers(self.settings.text_model, self.metrics.set_breaker)
        self._pages = PageReader(
            engine=lambda: self.engine,
            gate=self.gate,
            cache=self.cache,
            preparation=self._preparation,
            metrics=self.metrics,
            edge=EdgePages(lambda: self.engine, self.settings),
        )

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
                metrics = self.metrics
                self._engine = create_engine(self.name, self.settings, metrics.observe_batch, metrics.set_breaker)
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
            if self._loaded:
                return

            def tell(stage: str, share: float) -> None:
                self.load_progress = (stage, share)
                if progress is not None:
                    progress(stage, share)

            with self.metrics.timed("load"):
                engine.load(tell)
            if self.settles:
                settle_objects()
            self._loaded = True

    def close(self) -> None:
        """Close the engine and the cache made here, and the gate. Analyses from now on raise ``EngineUnavailable``;
        calling again does nothing."""
        with self._loading:
            with self._lock:
                if self._closed:
                    return
                self._closed, self._loaded = True, False
            self.gate.close()
            self._free.close()
            if self._owns_cache:
                self.cache.close()
            if self._engine is not None and self._owns_engine:
                self._engine.close()

    def open(self, source: Source, *, name: str | None = None, password: str | None = None) -> Document:
        """Open a document as ``open_document`` does, without decoding bytes that are known already.

        Raises what ``open_document`` does.
        """
        from mineru_core import intake

        if password is not None or not isinstance(source, str | Path | bytes | bytearray | memoryview):
            return intake.open_document(source, name=name, password=password, settings=self.settings)
        upload = intake.read_upload(source, name, self.settings)
        key = document_key(upload.sha256, intake.decoding_of(upload.media_type, self.settings))
        facts = self.cache.document_facts(key)
        if facts is not None:
            return intake.open_upload(upload, self.settings, known_pages=facts.page_count)
        document = intake.open_upload(upload, self.settings)
        self.cache.keep_document_facts(
            key, DocumentFacts(media_type=document.media_type, page_count=document.page_count)
        )
        return document

    def analyze(
        self,
        document: Document,
        words: str | Task = "",
        *,
        regions: Sequence[Region] = (),
        also: frozenset[Part] = frozenset(),
        ctx: RunContext | None = None,
    ) -> DocumentResult:
        """Read the pages that ``words`` (or a ready task) call for, and answer; ``also`` is read beside what they need.

        ``regions`` are rectangles in page pixels; with them only their pages are read, each rectangle as a page of its
        own, and every box of the result is in pixels of the whole page. Without ``ctx`` the deadline of the settings
        applies. A page that fails is in ``result.failures``; the document goes on. What was read or answered before,
        of these bytes or of the same pixels, is not read again.

        Raises ``NoPages`` or ``InvalidRequest`` for pages or regions the document does not have, ``Cancelled``,
        ``DeadlineExceeded``, ``ModelMissing`` and ``EngineUnavailable``.
        """
        context = ctx if ctx is not None else RunContext.with_timeout(self.settings.engine.deadline_s)
        try:
            result = self._analyze(document, words, regions, also, context)
        except WorkbenchError as error:
            self.metrics.request_ended(error.code)
            raise
        except Exception:
            self.metrics.request_ended(WorkbenchError.code)
            raise
        self.metrics.request_ended()
        return result

    def known(
        self, data: bytes, words: str = "", *, name: str | None = None, regions: Sequence[Region] = ()
    ) -> DocumentResult | None:
        """The answer to the words about the document of these bytes where it is kept; None where anything would have to
        be decoded or read. Raises what opening and analysing it would, as far as that is seen here."""
        from mineru_core import intake

        started = perf_counter()
        upload = intake.read_upload(data, name, self.settings)
        facts = self.cache.document_facts(
            document_key(upload.sha256, intake.decoding_of(upload.media_type, self.settings))
        )
        if facts is None:
            return None
        task = task_of(words, regions)
        with intake.open_upload(upload, self.settings, known_pages=facts.page_count) as document:
            choose_pages(task, document.page_count, task.regions)
            kept = self._kept_answer(document, task)
        if kept is None:
            return None
        self.metrics.request_ended()
        return kept.model_copy(update={"timings": {"total": perf_counter() - started}})

    def take(
        self, document: Document, words: str | Task, *, regions: Sequence[Region] = (), ctx: RunContext
    ) -> tuple[list[Taken], list[Reading]]:
        """Read what ``analyze`` would, for somebody else to answer: what each page is put together from, in no order,
        and the pages themselves. Raises what ``analyze`` does."""
        task, taken = task_of(words, regions), list[Taken]()
        numbers, _ = choose_pages(task, document.page_count, task.regions)
        return taken, self._read_pages(document, task, numbers, task.parts, ctx, {}, taken)

    def compare(self, before: Document, after: Document, *, ctx: RunContext | None = None) -> DocumentResult:
        """What changed from one document to another, whole: ``answer.changes``, the earlier document in ``before``.

        Both are read as ``analyze`` reads them, within one deadline; raises what it raises.
        """
        context = ctx if ctx is not None else RunContext.with_timeout(self.settings.engine.deadline_s)
        pages = before.page_count + after.page_count
        first = self.analyze(before, comparing.COMPARISON, ctx=part_of(context, 0, pages))
        then = self.analyze(after, comparing.COMPARISON, ctx=part_of(context, before.page_count, pages))
        return comparing.compared(first, then)

    def _analyze(
        self, document: Document, words: str | Task, regions: Sequence[Region], also: frozenset[Part], ctx: RunContext
    ) -> DocumentResult:
        started = perf_counter()
        timings: dict[str, float] = {}
        task = task_of(words, regions)
        numbers, notes = choose_pages(task, document.page_count, task.regions)
        ctx.check()
        kept = None if also - task.parts else self._kept_answer(document, task)
        if kept is not None:
            return kept.model_copy(update={"timings": {"total": perf_counter() - started}})
        readings = self._read_pages(document, task, numbers, task.parts | also, ctx, timings)
        ctx.report(Progress(stage="answer", page=numbers[-1], done=len(numbers), pages=len(numbers)))
        with self.metrics.timed("answer", timings):
            analysis = assembled(document, readings)
            given = self._free.improved(answer(analysis, task), analysis, task, ctx)
            notes += unsupported(task, task.parts - capabilities_of(document, self.engine), analysis)
        timings["total"] = perf_counter() - started
        result = DocumentResult(
            task=task,
            answer=given.model_copy(update={"notes": joined(given.notes, notes)}),
            analysis=analysis,
            engine=fingerprint_of(document, self.engine),
            timings=timings,
            warnings=tuple(dict.fromkeys(w for page in analysis.pages for w in page.warnings)),
        )
        if also <= task.parts:
            self._keep_answer(document, result)
        return result

    def _read_pages(
        self,
        document: Document,
        task: Task,
        numbers: Sequence[int],
        wanted: frozenset[Part],
        ctx: RunContext,
        timings: dict[str, float],
        taken: list[Taken] | None = None,
    ) -> list[Reading]:
        """The pages' readings in order. As many pages of the document as there are places are under way at once, so
        that one is decoded while others are read; no more, so that a long document does not fill the memory."""
        readings: list[Reading] = []
        ahead: deque[tuple[PageRequest, Future[list[Reading]]]] = deque()
        place = DocumentProgress(ctx, numbers)
        parts = wanted & self.engine.capabilities

        def collect() -> None:
            request, future = ahead.popleft()
            found = future.result()
            place.page_done()
            self._count(found, request.timings, timings)
            readings.extend(found)

        try:
            for number in numbers:
                if len(ahead) >= self.gate.places:
                    collect()
                boxes = tuple(region for region in task.regions if region.page == number)
                request = PageRequest(document, number, boxes, parts, place.context(), wanted, taken=taken)
                ahead.append((request, self._start(request, len(numbers), ctx, timings)))
            while ahead:
                collect()
        finally:
            for _, future in ahead:
                future.cancel()
        return readings

    def _start(
        self, request: PageRequest, pages: int, ctx: RunContext, timings: dict[str, float]
    ) -> Future[list[Reading]]:
        """The readings of a page, one of ``pages``, where they are known, else the promise of them."""
        ctx.check()
        known = self._pages.known(request)
        if known is not None:
            future: Future[list[Reading]] = Future()
            future.set_result(known)
            return future
        if not self._loaded:
            ctx.report(Progress(stage="load", pages=pages))
            waited = perf_counter()
            self._await_load(ctx)
            timings["load"] = perf_counter() - waited
        return self._pages.start(request)

    def _await_load(self, ctx: RunContext) -> None:
        """Load the engine in a thread of its own, so that who waits for it can be cancelled."""
        with self._lock:
            if self._load is None or self._load.done():
                self._load = Future()
                threading.Thread(target=self._load_into, args=(self._load,), name="engine-load", daemon=True).start()
            load = self._load
        while True:
            try:
                return load.result(timeout=_LOOK_S)
            except TimeoutError:
                if load.done():  # the loading itself timed out: its error is the answer
                    raise
                ctx.check()

    def _load_into(self, future: Future[None]) -> None:
        try:
            self.load()
        except BaseException as error:  # noqa: BLE001  it is the answer to all who wait
            future.set_exception(error)
        else:
            future.set_result(None)

    def _kept_answer(self, document: Document, task: Task) -> DocumentResult | None:
        key = answers_key_of(document)
        if key is None:
            return None
        return self.cache.answer(key, self.engine.fingerprint, self._answering, task, source=document.name)

    def _keep_answer(self, document: Document, result: DocumentResult) -> None:
        key = answers_key_of(document)
        unasked = any(note.code == TextModelUnavailable.code for note in result.answer.notes)
        if key is not None and not unasked:  # the next try may find the text model well
            self.cache.keep_answer(key, self.engine.fingerprint, self._answering, result)

    @property
    def _answering(self) -> str:
        """What answers follow from beside the engine."""
        return " ".join(filter(None, (self._preparation.fingerprint, self._free.fingerprint)))

    def _count(self, readings: Sequence[Reading], before: dict[str, float], timings: dict[str, float]) -> None:
        """Note how the page ended and where its time went: ``before`` the engine read, and there."""
        if "wait" in before:
            self.metrics.observe_stage("wait", before["wait"])
        for stage, seconds in before.items():
            timings[stage] = timings.get(stage, 0.0) + seconds
        for reading in readings:
            if isinstance(reading, PageFailure):
                self.metrics.page_ended(reading.code)
                continue
            self.metrics.page_ended()
            for stage, seconds in reading.timings.items():
                self.metrics.observe_stage(stage, seconds)
                timings[stage] = timings.get(stage, 0.0) + seconds
