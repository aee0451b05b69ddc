"""What is read, what is known, and who shares it, through the analyzer."""

from __future__ import annotations

import io
import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mineru_core.document.analysis import PageAnalysis, PageFailure
from mineru_core.document.geometry import Box
from mineru_core.document.page import Page
from mineru_core.document.parts import Part
from mineru_core.document.task import Region, Task, TaskKind
from mineru_core.engines.base import Readings
from mineru_core.engines.echo import EchoEngine
from mineru_core.errors import Cancelled, EncryptedPdf
from mineru_core.intake import Document, open_document
from mineru_core.runtime.context import RunContext
from mineru_core.serving.analyzer import Analyzer
from mineru_core.serving.preparation import Preparation
from mineru_core.settings import CacheSettings, EngineSettings, PdfSettings, Settings
from tests.documents import PdfPage, PdfText, encrypted_pdf, text_pdf
from tests.stand_ins import GatedEngine

TEXT, TABLES = Task(kind=TaskKind.TEXT), Task(kind=TaskKind.TABLES)


class CountingEngine(EchoEngine):
    """Remembers what it was asked to read, without what was known."""

    reads_text_layer = False
    model = "one"

    def __init__(self) -> None:
        super().__init__(capabilities=(Part.TEXT, Part.LAYOUT, Part.TABLES))
        self.reads: list[frozenset[Part]] = []

    @property
    def fingerprint(self) -> str:
        return self.model

    def read(
        self, pages: Sequence[Page], parts: frozenset[Part], ctx: RunContext, known: Sequence[Readings] = ()
    ) -> list[PageAnalysis | PageFailure]:
        self.reads += [self.needed(parts) - readings.keys() for readings in known]
        return super().read(pages, parts, ctx, known)


Make = Callable[..., Analyzer]


@pytest.fixture
def engine() -> CountingEngine:
    return CountingEngine()


@pytest.fixture
def make(home: Path, engine: CountingEngine) -> Iterator[Make]:
    """Makes analyzers on one home folder, as one process after the other would have them."""
    made: list[Analyzer] = []

    def analyzer(**sections: object) -> Analyzer:
        made.append(Analyzer(Settings(**sections), engine))  # type: ignore[arg-type]
        return made[-1]

    yield analyzer
    for one in made:
        one.close()


def picture(shade: int = 0, side: int = 64) -> Image.Image:
    pixels = np.full((side, side, 3), 255, np.uint8)
    pixels[8:24, 8 : 8 + side // 2] = shade
    return Image.fromarray(pixels)


def png(image: Image.Image, level: int = 6) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=level)
    return out.getvalue()


def test_the_same_question_is_answered_from_what_is_kept(make: Make, engine: CountingEngine) -> None:
    analyzer = make()
    first, again = (analyzer.analyze(analyzer.open(png(picture()), name=name)) for name in ("a.png", "b.png"))
    assert len(engine.reads) == 1
    assert (first.analysis.source, again.analysis.source) == ("a.png", "b.png")
    assert again.analysis.pages == first.analysis.pages
    assert again.answer == first.answer
    assert analyzer.metrics.value("mineru_workbench_cache_lookups_total", level="answer", outcome="hit") == 1


def test_what_is_known_outlives_the_process(make: Make, engine: CountingEngine) -> None:
    with make() as analyzer:
        first = analyzer.analyze(analyzer.open(png(picture())))
    with make() as analyzer:
        assert analyzer.analyze(analyzer.open(png(picture()))).analysis.pages == first.analysis.pages
    assert len(engine.reads) == 1


def test_a_known_page_is_not_measured_again(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    measured: list[tuple[int, int]] = []
    letters = Preparation.letters
    monkeypatch.setattr(
        Preparation, "letters", lambda self, page: measured.append((page.width, page.height)) or letters(self, page)
    )
    analyzer = make()
    region = Region(page=1, box=Box(0, 0, 32, 32))
    for task, regions in ((TEXT, ()), (TABLES, ()), (TEXT, (region,)), (TABLES, (region,))):
        analyzer.analyze(analyzer.open(png(picture())), task, regions=regions)
    assert measured == [(64, 64), (32, 32)]


def test_the_same_pixels_in_another_container_are_known(make: Make, engine: CountingEngine) -> None:
    analyzer = make()
    image = picture()
    sources = (png(image), png(image, level=1), png(image.convert("P", palette=Image.Palette.ADAPTIVE)), image)
    results = [analyzer.analyze(analyzer.open(source)) for source in sources]
    assert len(engine.reads) == 1
    assert len({result.analysis.sha256 for result in results}) == len(sources)
    assert len({result.text for result in results}) == 1


def test_a_second_question_reads_only_what_is_missing(make: Make, engine: CountingEngine) -> None:
    analyzer = make()
    data = png(picture())
    analyzer.analyze(analyzer.open(data), TEXT)
    analyzer.analyze(analyzer.open(data), TABLES)
    analyzer.analyze(analyzer.open(data), Task(kind=TaskKind.FIND, query="nothing"))
    assert engine.reads == [frozenset({Part.TEXT, Part.LAYOUT}), frozenset({Part.TABLES})]


def test_a_question_about_known_parts_decodes_nothing(make: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    analyzer = make()
    data = png(picture())
    analyzer.analyze(analyzer.open(data), TABLES)

    def refuse(*_: object) -> None:
        raise AssertionError("decoded again")

    monkeypatch.setattr(Document, "page", refuse)
    assert analyzer.analyze(analyzer.open(data), TEXT).success


def test_regions_are_known_by_their_own_pixels(make: Make, engine: CountingEngine) -> None:
    analyzer = make()
    data = png(picture(side=200))

    def ask(*box: float) -> list[Box]:
        result = analyzer.analyze(analyzer.open(data), TEXT, regions=[Region(page=1, box=Box(*box))])
        assert (result.analysis.pages[0].width, result.analysis.pages[0].height) == (200, 200)
        return [block.box for block in result.blocks]

    assert ask(0, 0, 100, 100) == [Box(0, 0, 100, 100)]
    assert ask(0, 0, 100, 100) == [Box(0, 0, 100, 100)]
    assert len(engine.reads) == 1
    assert ask(20, 100, 120, 200) == [Box(20, 100, 120, 200)]  # white: other pixels
    assert len(engine.reads) == 2
    assert ask(40, 100, 140, 200) == [Box(40, 100, 140, 200)]  # the same white elsewhere: known, and placed anew
    assert len(engine.reads) == 2
    analyzer.analyze(analyzer.open(data), TEXT)  # the whole page was not read by these
    assert len(engine.reads) == 3


@pytest.mark.parametrize(
    "changed",
    [
        {"pdf": PdfSettings(dpi=75)},
        {"engine": EngineSettings(compress=False)},
    ],
    ids=["other resolution", "other preparation"],
)
def test_another_option_is_never_served_an_old_answer(
    make: Make, engine: CountingEngine, changed: dict[str, object]
) -> None:
    data = text_pdf([PdfPage([PdfText("Page")])])
    with make() as analyzer:
        before = analyzer.analyze(analyzer.open(data))
    with make(**changed) as analyzer:
        after = analyzer.analyze(analyzer.open(data))
        with analyzer.open(data) as document:
            assert after.analysis.pages[0].sha256 == document.page(1).sha256
    assert len(engine.reads) == 2
    assert before.analysis.page_count == after.analysis.page_count


def test_another_model_is_never_served_an_old_answer(make: Make, engine: CountingEngine) -> None:
    analyzer = make()
    for name in ("one", "two"):
        engine.model = name
        assert analyzer.analyze(analyzer.open(png(picture()))).engine == name
    assert len(engine.reads) == 2


def test_a_failed_page_is_tried_again(make: Make, engine: CountingEngine) -> None:
    analyzer = make()
    engine.fail_pages = frozenset({1})
    assert not analyzer.analyze(analyzer.open(png(picture()))).success
    engine.fail_pages = frozenset()
    assert analyzer.analyze(analyzer.open(png(picture()))).success


def test_a_password_is_asked_for_whatever_is_known(make: Make) -> None:
    analyzer = make()
    data = encrypted_pdf("open sesame")
    assert analyzer.analyze(analyzer.open(data, password="open sesame")).success
    with pytest.raises(EncryptedPdf):
        analyzer.open(data)


def test_switched_off_nothing_is_kept(make: Make, engine: CountingEngine, home: Path) -> None:
    analyzer = make(cache=CacheSettings(enabled=False))
    for _ in range(2):
        analyzer.analyze(analyzer.open(png(picture())))
    assert len(engine.reads) == 2
    assert not (home / "cache").exists()


def test_equal_pages_at_once_are_read_once_and_a_leader_that_leaves_takes_nobody_along(home: Path) -> None:
    engine = GatedEngine()
    data = png(picture())
    with (
        Analyzer(Settings(engine=EngineSettings(pages_in_flight=4)), engine) as analyzer,
        ThreadPoolExecutor(3) as pool,
    ):
        leader = RunContext(owner="leader")
        leading = pool.submit(analyzer.analyze, open_document(data), ctx=leader)
        engine.wait_until_entered()
        following = [
            pool.submit(analyzer.analyze, open_document(data), ctx=RunContext(owner=name)) for name in ("a", "b")
        ]
        while analyzer.gate.in_flight < 3:
            threading.Event().wait(0.01)
        leader.cancel()
        assert isinstance(leading.exception(timeout=10), Cancelled)
        engine.wait_until_entered()  # a follower leads now
        engine.gate.set()
        assert all(future.result(timeout=10).success for future in following)
        assert len(engine.seen) == 2


def test_a_page_that_became_known_while_it_waited_is_not_decoded(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    decoded: list[int] = []
    page = Document.page

    def decode(document: Document, number: int) -> Page:
        decoded.append(number)
        return page(document, number)

    monkeypatch.setattr(Document, "page", decode)
    engine = GatedEngine()
    data = png(picture())
    with (
        Analyzer(Settings(engine=EngineSettings(pages_in_flight=1)), engine) as analyzer,
        ThreadPoolExecutor(2) as pool,
    ):
        opened = [analyzer.open(data) for _ in range(2)]
        reading = [pool.submit(analyzer.analyze, opened[0])]
        engine.wait_until_entered()
        reading.append(pool.submit(analyzer.analyze, opened[1]))
        while not analyzer.gate.waiting:  # the timeout of the suite ends it
            threading.Event().wait(0.01)
        engine.gate.set()
        assert all(future.result(timeout=10).success for future in reading)
        assert engine.seen == [1]
        assert decoded == [1]


def test_a_cancel_frees_the_gate(home: Path) -> None:
    engine = GatedEngine()
    ctx = RunContext()
    with Analyzer(Settings(), engine) as analyzer, ThreadPoolExecutor(1) as pool:
        running = pool.submit(analyzer.analyze, open_document(png(picture())), ctx=ctx)
        engine.wait_until_entered()
        ctx.cancel()
        assert isinstance(running.exception(timeout=10), Cancelled)
        while analyzer.gate.in_flight:  # the timeout of the suite ends it
            threading.Event().wait(0.01)
        engine.gate.set()
        assert analyzer.analyze(open_document(png(picture()))).success
