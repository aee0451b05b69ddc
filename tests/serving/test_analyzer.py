import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.document.analysis import PageAnalysis, PageFailure, Part
from mineru_core.document.geometry import Box
from mineru_core.document.page import Page
from mineru_core.document.task import Region, Task, TaskKind
from mineru_core.engines.base import LoadListener
from mineru_core.engines.echo import EchoEngine
from mineru_core.errors import (
    Cancelled,
    CorruptPdf,
    DeadlineExceeded,
    EngineUnavailable,
    InvalidRequest,
    ModelMissing,
    NoPages,
    WorkbenchError,
)
from mineru_core.export.result import DocumentResult
from mineru_core.intake import Document, open_document
from mineru_core.runtime.context import Progress, RunContext
from mineru_core.serving.analyzer import Analyzer
from mineru_core.serving.preparation import Preparation
from mineru_core.settings import EngineSettings, Settings
from tests.documents import PdfPage, PdfText, text_pdf
from tests.stand_ins import BrokenEngine, GatedEngine

T = TypeVar("T")
PAGES = 4


def pdf(pages: int = PAGES) -> Document:
    return open_document(text_pdf([PdfPage([PdfText(f"Page {n}")]) for n in range(1, pages + 1)]), name="a.pdf")


def texts(result: DocumentResult) -> dict[int, str]:
    return {page.page: "\n".join(block.text for block in page.blocks) for page in result.analysis.pages}


@pytest.fixture
def analyzer() -> Iterator[Analyzer]:
    with Analyzer(Settings(), EchoEngine()) as analyzer:
        yield analyzer


def test_every_page_is_read_in_order(analyzer: Analyzer) -> None:
    with pdf() as document:
        result = analyzer.analyze(document)
        assert texts(result) == {n: f"Page {n}" for n in range(1, PAGES + 1)}
        assert [page.sha256 for page in result.analysis.pages] == [page.sha256 for page in document.pages()]
    assert result.success
    assert result.engine == "echo-1"
    assert (result.analysis.source, result.analysis.media_type, result.analysis.page_count) == (
        "a.pdf",
        "application/pdf",
        PAGES,
    )
    assert {"render", "echo", "answer", "total"} <= result.timings.keys()


def test_only_the_pages_that_the_words_name_are_read() -> None:
    engine = GatedEngine()
    engine.gate.set()
    with Analyzer(Settings(), engine) as analyzer, pdf() as document:
        assert list(texts(analyzer.analyze(document, "the last page"))) == [PAGES]
        assert list(texts(analyzer.analyze(document, Task(pages=(2, 3))))) == [2, 3]
    assert sorted(engine.seen) == [2, 3, PAGES]  # pages of one document are read at the same time


def test_wanted_pages_that_do_not_exist(analyzer: Analyzer) -> None:
    with pdf() as document:
        result = analyzer.analyze(document, Task(pages=(2, 77)))
        assert list(texts(result)) == [2]
        assert [note.code for note in result.answer.notes] == ["no-such-page"]
        with pytest.raises(NoPages):
            analyzer.analyze(document, Task(pages=(77,)))


@settings(max_examples=10, deadline=None)
@given(bad=st.sets(st.integers(1, PAGES)))
def test_pages_fail_alone_whichever_they_are(bad: set[int]) -> None:
    with Analyzer(Settings(), EchoEngine(fail_pages=bad)) as analyzer, pdf() as document:
        result = analyzer.analyze(document)
        assert {failure.page for failure in result.failures} == bad
        assert set(texts(result)) == set(range(1, PAGES + 1)) - bad
        assert result.success is not bool(bad)
        assert analyzer.metrics.value("mineru_workbench_pages_total", outcome="failed") == len(bad)
        assert analyzer.metrics.value("mineru_workbench_requests_total", outcome="ok") == 1


def test_what_an_engine_must_not_raise_is_still_only_its_page() -> None:
    engine = BrokenEngine({2: RuntimeError("private text"), 3: CorruptPdf("bad stream")})
    with Analyzer(Settings(), engine) as analyzer, pdf() as document:
        result = analyzer.analyze(document)
    assert [(f.page, f.component, f.code) for f in result.failures] == [
        (2, "echo", "engine-failed"),
        (3, "echo", "corrupt-pdf"),
    ]
    assert "private" not in result.failures[0].message
    assert list(texts(result)) == [1, 4]


def test_an_engine_that_answers_for_no_page_is_at_fault() -> None:
    class Silent(EchoEngine):
        def read(self, *_: object, **__: object) -> list[PageAnalysis | PageFailure]:
            return []

    with Analyzer(Settings(), Silent()) as analyzer, pdf(1) as document:
        assert [f.code for f in analyzer.analyze(document).failures] == ["engine-failed"]


def test_a_page_that_cannot_be_drawn_fails_alone(analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch) -> None:
    with pdf() as document:
        draw = document.page

        def page(number: int) -> Page:
            if number == 3:
                raise CorruptPdf("Page 3 cannot be drawn.")
            return draw(number)

        monkeypatch.setattr(document, "page", page)
        result = analyzer.analyze(document)
    assert [(f.page, f.component, f.code) for f in result.failures] == [(3, "intake", "corrupt-pdf")]
    assert list(texts(result)) == [1, 2, 4]


@pytest.mark.parametrize("step", ["decode", "measure", "shrink"])
def test_a_page_there_is_no_memory_for_fails_alone(
    analyzer: Analyzer, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    with pdf() as document:
        draw, measure, prepare = document.page, Preparation.letters, Preparation.prepare

        def on_page_3(number: int, act: Callable[[], T], at: str) -> T:
            if (number, at) == (3, step):
                raise MemoryError
            return act()

        monkeypatch.setattr(document, "page", lambda n: on_page_3(n, lambda: draw(n), "decode"))
        monkeypatch.setattr(Preparation, "letters", lambda s, p: on_page_3(p.number, lambda: measure(s, p), "measure"))
        monkeypatch.setattr(
            Preparation, "prepare", lambda s, p, h: on_page_3(p.number, lambda: prepare(s, p, h), "shrink")
        )
        result = analyzer.analyze(document)
    assert [(f.page, f.component, f.code) for f in result.failures] == [(3, "serving", "internal")]
    assert list(texts(result)) == [1, 2, 4]
    assert analyzer.metrics.value("mineru_workbench_pages_in_flight") == 0


@pytest.mark.parametrize("error", [ModelMissing("gone"), EngineUnavailable("gone"), Cancelled("gone")])
def test_what_no_page_can_be_read_with_ends_the_document(error: WorkbenchError) -> None:
    with Analyzer(Settings(), BrokenEngine({2: error})) as analyzer, pdf() as document:
        with pytest.raises(type(error)):
            analyzer.analyze(document)
        assert analyzer.metrics.value("mineru_workbench_failures_total", code=error.code) == 1


def test_progress_names_page_and_stage(analyzer: Analyzer) -> None:
    seen: list[Progress] = []
    with pdf(2) as document:
        analyzer.analyze(document, ctx=RunContext(on_progress=seen.append))
    assert [(p.stage, p.page, p.done, p.pages) for p in (seen[0], seen[-1])] == [("load", 0, 0, 2), ("answer", 2, 2, 2)]
    # Pages are read at the same time; what is told is how far the document is, and that never goes back.
    between = seen[1:-1]
    assert [p.done for p in between] == sorted(p.done for p in between)
    assert {p.page - p.done for p in between} == {1}
    assert {p.pages for p in seen} == {2}
    assert [p.stage for p in between].count("echo") == 2


def test_a_cancel_stops_between_pages_and_in_them() -> None:
    engine = GatedEngine()
    ctx = RunContext()
    with Analyzer(Settings(), engine) as analyzer, pdf() as document, ThreadPoolExecutor(1) as pool:
        running = pool.submit(analyzer.analyze, document, ctx=ctx)
        engine.wait_until_entered()
        ctx.cancel()
        assert isinstance(running.exception(timeout=10), Cancelled)
        assert analyzer.gate.waiting == 0
    assert set(engine.seen) <= {1, 2, 3}  # as many as one owner's pages may be in flight


def test_the_deadline_of_the_settings_applies() -> None:
    settings_ = Settings(engine=EngineSettings(deadline_s=0.1))
    with Analyzer(settings_, EchoEngine(delay_s=60)) as analyzer, pdf() as document, pytest.raises(DeadlineExceeded):
        analyzer.analyze(document)


def test_no_more_pages_in_flight_than_admitted() -> None:
    engine = GatedEngine()
    settings_ = Settings(engine=EngineSettings(pages_in_flight=2))
    with Analyzer(settings_, engine) as analyzer, ThreadPoolExecutor(5) as pool:
        documents = [pdf(n) for n in range(1, 6)]
        running = [
            pool.submit(analyzer.analyze, document, Task(pages=(number,)), ctx=RunContext(owner=str(number)))
            for number, document in enumerate(documents, start=1)
        ]
        engine.wait_until_entered(2)
        assert not engine.entered.acquire(timeout=0.3)
        engine.gate.set()
        assert all(future.result(timeout=10).success for future in running)
        for document in documents:
            document.close()


class TestRegions:
    def test_only_the_region_is_read_and_its_boxes_are_of_the_page(self, analyzer: Analyzer) -> None:
        page = PdfPage([PdfText("upper", 100, 700), PdfText("lower", 100, 100)])
        with open_document(text_pdf([PdfPage(), page])) as document:
            whole = document.page(2)
            lower = Box(0, whole.height / 2, whole.width, whole.height)
            result = analyzer.analyze(document, regions=[Region(page=2, box=lower)])
            everything = analyzer.analyze(document, Task(pages=(2,)))
        assert texts(result) == {2: "lower"}
        assert result.task.regions == (Region(page=2, box=lower),)
        (read,) = result.analysis.pages
        assert (read.width, read.height, read.sha256) == (whole.width, whole.height, whole.sha256)
        (there,) = [line for line in everything.analysis.pages[0].lines if line.text == "lower"]
        assert read.lines[0].box == pytest.approx(there.box)

    def test_several_of_one_page_become_one_analysis(self, analyzer: Analyzer) -> None:
        page = PdfPage([PdfText("upper", 100, 700), PdfText("lower", 100, 100)])
        with open_document(text_pdf([page])) as document:
            whole = document.page(1)
            halves = [
                Box(0, whole.height / 2, whole.width, whole.height),
                Box(0, 0, whole.width, whole.height / 2),
            ]
            result = analyzer.analyze(document, regions=[Region(page=1, box=half) for half in halves])
        (read,) = result.analysis.pages
        assert [(block.order, block.text) for block in read.blocks] == [(0, "lower"), (1, "upper")]

    def test_a_task_may_bring_its_own(self, analyzer: Analyzer) -> None:
        task = Task(regions=(Region(page=3, box=Box(0, 0, 500, 500)),))
        with pdf() as document:
            assert list(texts(analyzer.analyze(document, task))) == [3]

    def test_outside_of_the_page_it_is_refused(self, analyzer: Analyzer) -> None:
        with pdf() as document, pytest.raises(InvalidRequest, match="outside page 1"):
            analyzer.analyze(document, regions=[Region(page=1, box=Box(9000, 0, 9900, 90))])


class TestUnsupported:
    def test_asked_for_by_name_it_is_noted(self, analyzer: Analyzer) -> None:
        with pdf(1) as document:
            notes = {kind: analyzer.analyze(document, Task(kind=kind)).answer.notes for kind in TaskKind}
        codes = {
            kind: {note.code for note in found if note.code.endswith("-unsupported")} for kind, found in notes.items()
        }
        assert codes[TaskKind.CHARTS] == {"charts-unsupported"}
        assert codes[TaskKind.FORMULAS] == {"formulas-unsupported"}
        assert codes[TaskKind.TABLES] == {"tables-unsupported"}
        assert codes[TaskKind.EVERYTHING] == codes[TaskKind.TEXT] == codes[TaskKind.FIELDS] == set()

    def test_an_engine_that_can_is_believed(self) -> None:
        with Analyzer(Settings(), EchoEngine(capabilities=list(Part))) as analyzer, pdf(1) as document:
            result = analyzer.analyze(document, Task(kind=TaskKind.CHARTS))
        assert "charts-unsupported" not in {note.code for note in result.answer.notes}
        assert Part.CHARTS in result.analysis.pages[0].parts


class TestLoading:
    def test_the_engine_is_loaded_once_by_whoever_comes_first(self) -> None:
        class Counting(EchoEngine):
            loads = 0

            def load(self, *_: object) -> None:
                self.loads += 1
                threading.Event().wait(0.05)

        engine = Counting()
        with Analyzer(Settings(), engine) as analyzer, ThreadPoolExecutor(6) as pool:
            assert not analyzer.loaded
            list(pool.map(lambda _: analyzer.load(), range(6)))
            assert analyzer.loaded
        assert engine.loads == 1

    def test_after_a_failure_it_is_tried_again(self) -> None:
        class Late(EchoEngine):
            ready = False

            def load(self, *_: object) -> None:
                if not self.ready:
                    raise ModelMissing("not yet")

        engine = Late()
        with Analyzer(Settings(), engine) as analyzer, pdf(1) as document:
            with pytest.raises(ModelMissing):
                analyzer.analyze(document)
            assert not analyzer.loaded
            engine.ready = True
            assert analyzer.analyze(document).success

    def test_who_waits_for_it_can_be_cancelled_and_sees_how_far_it_is(self) -> None:
        class Slow(EchoEngine):
            at_half, go_on = threading.Event(), threading.Event()

            def load(self, progress: LoadListener | None = None) -> None:
                assert progress is not None
                progress("text", 0.5)
                self.at_half.set()
                assert self.go_on.wait(20)

        engine, ctx = Slow(), RunContext()
        with Analyzer(Settings(), engine) as analyzer, pdf(1) as document, ThreadPoolExecutor(2) as pool:
            leaving = pool.submit(analyzer.analyze, document, ctx=ctx)
            staying = pool.submit(analyzer.analyze, document)
            assert engine.at_half.wait(10)
            assert analyzer.load_progress == ("text", 0.5)
            ctx.cancel()
            assert isinstance(leaving.exception(timeout=10), Cancelled)
            engine.go_on.set()
            assert staying.result(timeout=10).success

    @pytest.mark.parametrize("error", [TimeoutError("a slow disk"), RuntimeError("a fault")])
    def test_whatever_loading_breaks_with_is_told_at_once_and_counted(self, error: Exception) -> None:
        class Breaking(EchoEngine):
            def load(self, *_: object) -> None:
                raise error

        with Analyzer(Settings(), Breaking()) as analyzer, pdf(1) as document:
            with pytest.raises(type(error)):
                analyzer.analyze(document, ctx=RunContext.with_timeout(30))
            assert analyzer.metrics.value("mineru_workbench_requests_total", outcome="failed") == 1

    def test_by_name_or_by_the_settings(self) -> None:
        assert Analyzer(Settings(), "echo").engine.name == "echo"
        assert Analyzer(Settings(engine=EngineSettings(name="echo"))).engine.name == "echo"
        with pytest.raises(EngineUnavailable, match="nonsense"):
            Analyzer(Settings(), "nonsense").load()

    def test_closed_it_reads_no_more(self) -> None:
        analyzer = Analyzer(Settings(), "echo")
        with pdf(1) as document:
            analyzer.analyze(document)
            analyzer.close()
            analyzer.close()
            with pytest.raises(EngineUnavailable, match="closed"):
                analyzer.analyze(document)

    def test_an_engine_handed_in_stays_open(self) -> None:
        engine = EchoEngine()
        Analyzer(Settings(), engine).close()
        engine.load()
