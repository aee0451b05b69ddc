"""Parts read apart and put together later are the page that reading all of it at once gives."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from mineru_core.document.analysis import BlockType, Line, PageAnalysis, PageFailure, Part
from mineru_core.document.chart import Chart, ChartKind
from mineru_core.document.geometry import Box
from mineru_core.document.page import Page, Pixels
from mineru_core.document.parts import PageFrame, PartReading
from mineru_core.document.table import Table
from mineru_core.engines.embedded.charts.reading import ChartReading
from mineru_core.engines.embedded.engine import CAPABILITIES, EmbeddedEngine
from mineru_core.engines.embedded.layout import LayoutRegion
from mineru_core.runtime.context import RunContext
from mineru_core.settings import load_settings
from tests.documents import draw_page
from tests.engines.embedded.pages import line

TEXT, LAYOUT, TABLES, CHARTS = (frozenset({part}) for part in (Part.TEXT, Part.LAYOUT, Part.TABLES, Part.CHARTS))
WIDTH, HEIGHT = 400, 300


class Stages:
    """Stands in for the models: finds two lines, one of them in a table, and notes what it was asked for."""

    def __init__(self, degrees: int = 0) -> None:
        self.degrees = degrees
        self.asked: list[str] = []
        self.ocr, self.layout, self.tables = _Ocr(self), _Layout(self), _Tables(self)

    def charts_of_page(self, *_things: object) -> list[ChartReading]:
        self.asked.append("charts")
        chart = Chart(kind=ChartKind.BAR, box=Box(220, 100, 390, 290))
        return [ChartReading(chart, ("A tick was misread.",))]


class _Stage:
    def __init__(self, stages: Stages) -> None:
        self.stages = stages

    def load(self) -> None:
        pass

    def close(self) -> None:
        pass


class _Ocr(_Stage):
    def orientation(self, _pixels: Pixels, _ctx: RunContext, _letters: float | None) -> int:
        self.stages.asked.append("orientation")
        return self.stages.degrees

    def read(self, _pixels: Pixels, _ctx: RunContext, _letters: float | None) -> Sequence[Line]:
        self.stages.asked.append("text")
        return (line("Above the table", 10, 10, 200, 30), line("A", 20, 110, 60, 130))


class _Layout(_Stage):
    def detect(self, _pixels: Pixels, _ctx: RunContext) -> Sequence[LayoutRegion]:
        self.stages.asked.append("layout")
        return (LayoutRegion(BlockType.TABLE, Box(10, 100, 210, 200), 0.9),)


class _Tables(_Stage):
    def table_boxes(
        self, _width: int, _height: int, regions: Sequence[LayoutRegion], _lines: Sequence[Line], _pixels: Pixels
    ) -> list[Box]:
        self.stages.asked.append("tables")
        return [region.box for region in regions]

    def read(self, _pixels: Pixels, _box: Box, lines: Sequence[Line], _ctx: RunContext) -> Table:
        return Table.from_rows([[item.text for item in lines]])


def stub_engine(stages: Stages, folder: Path, monkeypatch: pytest.MonkeyPatch) -> EmbeddedEngine:
    engine = EmbeddedEngine(load_settings(models=folder))
    monkeypatch.setattr(engine, "_ocr", stages.ocr)
    monkeypatch.setattr(engine, "_layout", stages.layout)
    monkeypatch.setattr(engine, "_tables", stages.tables)
    monkeypatch.setattr("mineru_core.engines.embedded.engine.charts_of_page", stages.charts_of_page)
    engine.load()
    return engine


def blank(number: int = 1) -> Page:
    return Page(np.full((HEIGHT, WIDTH, 3), 255, np.uint8), "blank.png", number)


def only(found: list[PageAnalysis | PageFailure]) -> PageAnalysis:
    (analysis,) = found
    assert isinstance(analysis, PageAnalysis), analysis
    return analysis


def kept(analysis: PageAnalysis) -> dict[Part, PartReading]:
    """The readings as they come out of a cache."""
    return {r.part: PartReading.model_validate_json(r.model_dump_json()) for r in analysis.readings}


def timeless(analysis: PageAnalysis) -> PageAnalysis:
    """What was found, without how long it took."""
    readings = tuple(reading.model_copy(update={"seconds": 0.0}) for reading in analysis.readings)
    return analysis.model_copy(update={"timings": {}, "readings": readings})


@pytest.mark.parametrize(
    ("first", "second", "read_anew"),
    [
        (TEXT, TEXT, []),
        (TEXT, LAYOUT, ["layout"]),
        (TEXT, TABLES, ["layout", "tables"]),
        (LAYOUT, TABLES, ["text", "tables"]),
        (TEXT | LAYOUT, TABLES, ["tables"]),
        (TABLES, CAPABILITIES, ["charts"]),
        (CAPABILITIES, TEXT, []),
        (CHARTS, TABLES, []),
        (TEXT, CHARTS, ["layout", "tables", "charts"]),
        (frozenset({Part.FORMULAS}), TEXT, ["orientation", "text"]),
    ],
)
def test_known_parts_are_not_read_again(
    first: frozenset[Part],
    second: frozenset[Part],
    read_anew: list[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    stages = Stages()
    engine = stub_engine(stages, tmp_path, monkeypatch)
    known = kept(only(engine.read([blank()], first, RunContext())))
    assert set(known) == engine.needed(first)
    stages.asked.clear()
    again = only(engine.read([blank()], second, RunContext(), [known]))
    assert stages.asked == read_anew
    assert set(again.timings) == {*read_anew, "order"}
    assert again.parts == second


def test_each_page_of_a_batch_has_its_own_known_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stages = Stages()
    engine = stub_engine(stages, tmp_path, monkeypatch)
    known = kept(only(engine.read([blank()], TEXT, RunContext())))
    stages.asked.clear()
    first, second = engine.read([blank(1), blank(2)], TEXT, RunContext(), [{}, known])
    assert stages.asked == ["orientation", "text"]
    assert isinstance(first, PageAnalysis)
    assert isinstance(second, PageAnalysis)
    assert first.blocks == second.blocks


def test_the_turn_of_a_known_part_is_taken_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stages = Stages(degrees=90)
    engine = stub_engine(stages, tmp_path, monkeypatch)
    known = kept(only(engine.read([blank()], TEXT, RunContext())))
    stages.asked.clear()
    stages.degrees = 270
    again = only(engine.read([blank()], TABLES, RunContext(), [known]))
    assert stages.asked == ["layout", "tables"]
    assert again.rotation == 90
    assert {reading.rotation for reading in again.readings} == {90}


def test_parts_known_of_a_page_turned_in_different_ways_are_read_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stages = Stages()
    engine = stub_engine(stages, tmp_path, monkeypatch)
    known = kept(only(engine.read([blank()], TEXT | LAYOUT, RunContext())))
    known[Part.TEXT] = known[Part.TEXT].model_copy(update={"rotation": 90})
    stages.asked.clear()
    assert only(engine.read([blank()], TEXT, RunContext(), [known])).rotation == 0
    assert stages.asked == ["orientation", "text"]


def test_a_table_carries_the_number_of_the_page_it_is_put_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = stub_engine(Stages(), tmp_path, monkeypatch)
    known = kept(only(engine.read([blank(1)], TABLES, RunContext())))
    page = blank(7)
    composed = engine.compose(PageFrame.of(page), TABLES, known)
    assert composed.timings == {}
    assert timeless(composed) == timeless(only(engine.read([page], TABLES, RunContext(), [known])))
    assert [table.page for table in composed.tables] == [7]
    assert composed.page == 7


def test_a_chart_is_a_block_of_the_page_it_is_put_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = stub_engine(Stages(), tmp_path, monkeypatch)
    analysis = only(engine.read([blank(4)], CHARTS, RunContext()))
    assert [block.type for block in analysis.blocks] == [BlockType.TEXT, BlockType.TABLE, BlockType.CHART]
    assert [block.chart.page for block in analysis.blocks if block.chart is not None] == [4]
    assert analysis.warnings == ("A tick was misread.",)


def test_warnings_of_the_parts_are_those_of_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = stub_engine(Stages(), tmp_path, monkeypatch)
    known = kept(only(engine.read([blank()], TEXT | LAYOUT, RunContext())))
    known = {part: r.model_copy(update={"warnings": ("dim", part.value)}) for part, r in known.items()}
    assert engine.compose(PageFrame.of(blank()), TEXT | LAYOUT, known).warnings == ("dim", "layout", "text")
    assert engine.compose(PageFrame.of(blank()), TEXT, known).warnings == ("dim", "text")


def test_a_page_is_not_put_together_without_a_needed_part(tmp_path: Path) -> None:
    engine = EmbeddedEngine(load_settings(models=tmp_path))
    with pytest.raises(ValueError, match="without its layout, tables"):
        engine.compose(PageFrame.of(blank()), TABLES, {Part.TEXT: PartReading(part=Part.TEXT)})


def test_nothing_is_read_of_a_part_it_cannot_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stages = Stages()
    engine = stub_engine(stages, tmp_path, monkeypatch)
    analysis = only(engine.read([blank()], frozenset({Part.FORMULAS}), RunContext()))
    assert (analysis.parts, analysis.blocks, analysis.readings) == (frozenset(), (), ())
    assert stages.asked == []


def test_only_stages_that_are_run_are_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stages: list[str] = []
    engine = stub_engine(Stages(), tmp_path, monkeypatch)
    known = kept(only(engine.read([blank()], TEXT, RunContext())))
    ctx = RunContext(on_progress=lambda progress: stages.append(progress.stage))
    engine.read([blank()], TABLES, ctx, [known])
    assert stages == ["layout", "tables", "order"]


@pytest.fixture(scope="module")
def engine(models_dir: Path) -> Iterator[EmbeddedEngine]:
    engine = EmbeddedEngine(load_settings(models=models_dir))
    engine.load()
    yield engine
    engine.close()


@pytest.fixture(
    params=[pytest.param(0, marks=pytest.mark.long), 90, pytest.param(180, marks=pytest.mark.long)],
    ids="turned {}".format,
)
def real_page(request: pytest.FixtureRequest, engine: EmbeddedEngine, monkeypatch: pytest.MonkeyPatch) -> Page:
    """A page of text and a table, turned so that ``request.param`` degrees clockwise set it upright."""
    # Whether a page is recognised as turned is the orientation model's business and tested there.
    monkeypatch.setattr(engine._ocr, "orientation", lambda _pixels, _ctx, _letters: request.param)
    pixels = np.ascontiguousarray(np.rot90(np.asarray(draw_page()), k=request.param // 90))
    return Page(pixels, "drawn.png", 3)


@pytest.mark.models
def test_a_page_read_in_two_goes_is_the_page_read_in_one(engine: EmbeddedEngine, real_page: Page) -> None:
    def read(parts: frozenset[Part], known: Mapping[Part, PartReading]) -> PageAnalysis:
        return timeless(only(engine.read([real_page], parts, RunContext(), [known])))

    at_once = cache(lambda parts: read(parts, {}))
    assert at_once(CAPABILITIES).tables, "a page that tests tables has one"
    for first, second in [(TEXT, TABLES), (LAYOUT, TEXT), (LAYOUT, CAPABILITIES), (TEXT | LAYOUT, TABLES)]:
        known = kept(at_once(first))
        assert read(second, known) == at_once(second)
        assert read(first | second, known).blocks == at_once(first | second).blocks


@pytest.mark.models
def test_kept_readings_put_together_are_what_was_read(engine: EmbeddedEngine, real_page: Page) -> None:
    analysis = timeless(only(engine.read([real_page], CAPABILITIES, RunContext())))
    known = kept(analysis)
    assert timeless(engine.compose(PageFrame.of(real_page), CAPABILITIES, known)) == analysis
    for parts in (TEXT, LAYOUT, TABLES):
        read = timeless(only(engine.read([real_page], parts, RunContext())))
        assert timeless(engine.compose(PageFrame.of(real_page), parts, known)) == read
