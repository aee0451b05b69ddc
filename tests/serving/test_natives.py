"""Tables and charts that a file stores as data, from the page to the answer."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pptx.enum.chart import XL_CHART_TYPE
from pptx.util import Inches

from mineru_core.document.analysis import Block, BlockType, Line, LineWord, PageAnalysis, PageFailure
from mineru_core.document.chart import Chart, ChartKind, Point, Series
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Page, pixel_hash
from mineru_core.document.parts import Part
from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Region, Task, TaskKind
from mineru_core.engines.echo import EchoEngine
from mineru_core.intake.document import Document
from mineru_core.serving.analyzer import Analyzer
from mineru_core.serving.cache import AnalysisCache
from mineru_core.serving.natives import natives_in, with_natives
from mineru_core.settings import Settings
from tests.intake.office.decks import add_slide, category_data, new_deck, saved

ASKED = frozenset({Part.TEXT, Part.LAYOUT, Part.TABLES, Part.CHARTS})
TABLES, CHARTS = Task(kind=TaskKind.TABLES), Task(kind=TaskKind.CHARTS)


def block(order: int, box: Box, kind: BlockType = BlockType.TEXT) -> Block:
    return Block(type=kind, box=box, order=order, text=f"block {order}")


def page_of(*blocks: Block, failures: Sequence[PageFailure] = ()) -> PageAnalysis:
    parts = frozenset({Part.TEXT, Part.LAYOUT})
    return PageAnalysis(
        page=1, width=1000, height=1000, sha256="0", parts=parts, blocks=blocks, failures=tuple(failures)
    )


def chart_in(box: Box, value: float = 1.0) -> Chart:
    series = (Series(name="s", points=(Point(x="a", y=value),)),)
    return Chart(kind=ChartKind.BAR, series=series, box=box)


def table_in(box: Box, rows: int = 2, cols: int = 2) -> Table:
    wide, high = box.width / cols, box.height / rows
    cells = tuple(
        Cell(
            row=r,
            col=c,
            text=f"{r}{c}",
            box=Box(box.x0 + c * wide, box.y0 + r * high, box.x0 + (c + 1) * wide, box.y0 + (r + 1) * high),
        )
        for r in range(rows)
        for c in range(cols)
    )
    return Table(n_rows=rows, n_cols=cols, cells=cells, box=box)


def kinds(analysis: PageAnalysis) -> list[str]:
    return [found.type.value if found.chart or found.table else found.text for found in analysis.blocks]


class TestInPlace:
    def test_blocks_mostly_inside_go_and_the_first_gives_the_place(self) -> None:
        analysis = page_of(
            block(0, Box(0, 0, 1000, 100)),
            block(1, Box(100, 220, 300, 260)),
            block(2, Box(100, 300, 400, 480), BlockType.CHART),
            block(3, Box(0, 900, 1000, 950)),
        )
        found = with_natives(analysis, [chart_in(Box(100, 200, 500, 500))], ASKED)
        assert kinds(found) == ["block 0", "chart", "block 3"]
        assert [b.order for b in found.blocks] == [0, 1, 2]
        assert found.blocks[1].confidence == 1.0
        assert Part.CHARTS in found.parts

    def test_without_a_block_there_its_place_follows_from_where_it_is(self) -> None:
        analysis = page_of(block(0, Box(0, 0, 1000, 100)), block(1, Box(0, 600, 1000, 700)))
        natives = [
            chart_in(Box(600, 200, 900, 500)),
            table_in(Box(100, 210, 500, 500)),
            chart_in(Box(0, 800, 100, 900)),
        ]
        assert kinds(with_natives(analysis, natives, ASKED)) == ["block 0", "table", "chart", "block 1", "chart"]

    def test_a_page_without_blocks_has_its_natives_alone(self) -> None:
        assert kinds(with_natives(page_of(), [table_in(Box(0, 0, 10, 10))], ASKED)) == ["table"]

    def test_only_parts_that_are_asked_for_are_put_in(self) -> None:
        analysis = page_of(block(0, Box(0, 0, 100, 100)))
        natives = [table_in(Box(0, 0, 100, 100)), chart_in(Box(200, 200, 300, 300))]
        assert with_natives(analysis, natives, frozenset({Part.TEXT})) == analysis
        assert kinds(with_natives(analysis, natives, frozenset({Part.CHARTS}))) == ["block 0", "chart"]

    def test_failures_follow_their_blocks(self) -> None:
        failures = [
            PageFailure(page=1, block=n, component="x", code="engine-failed", message=str(n)) for n in (0, 1, 2)
        ]
        blocks = [block(0, Box(0, 0, 1000, 100)), block(1, Box(0, 200, 10, 300)), block(2, Box(0, 600, 1000, 700))]
        natives = [chart_in(Box(0, 200, 300, 300)), chart_in(Box(500, 200, 800, 300))]
        found = with_natives(page_of(*blocks, failures=failures), natives, ASKED)
        assert [(f.block, f.message) for f in found.failures] == [(0, "0"), (3, "2")]

    def test_words_inside_go_though_their_block_is_larger(self) -> None:
        words = [("Alpha", 110), ("Beta", 210), ("beside", 510), ("it", 610)]
        placed = tuple(LineWord(text=text, box=Box(x, 220, x + 80, 240)) for text, x in words)
        box = Box(110, 220, 690, 240)
        mixed = Line(text="Alpha Beta  beside it", box=box, quad=Quad.from_box(box), words=placed)
        title = Line(text="Title", box=(top := Box(110, 20, 300, 60)), quad=Quad.from_box(top))
        image = block(0, Box(100, 10, 900, 500), BlockType.IMAGE).model_copy(update={"lines": (title, mixed)})
        found = with_natives(page_of(image), [chart_in(Box(100, 200, 400, 480))], ASKED)
        assert kinds(found) == ["Title\nbeside it", "chart"]
        left = found.blocks[0]
        assert [line.text for line in left.lines] == ["Title", "beside it"]
        assert left.box == Box(110, 20, 690, 240)
        # The chart's own labels can be found in it.
        assert [line.text for line in found.blocks[1].lines] == ["Alpha Beta"]

    def test_an_area_over_several_goes_once_nothing_else_is_in_it(self) -> None:
        boxes = [Box(100, 100, 200, 130), Box(600, 100, 700, 130)]
        lines = tuple(Line(text="x", box=box, quad=Quad.from_box(box)) for box in boxes)
        image = block(0, Box(0, 0, 1000, 500), BlockType.IMAGE).model_copy(update={"lines": lines})
        natives = [chart_in(Box(520, 20, 980, 480)), chart_in(Box(20, 20, 480, 480))]
        after = block(1, Box(0, 600, 1000, 700))
        found = with_natives(page_of(image, after), natives, ASKED)
        assert kinds(found) == ["chart", "chart", "block 1"]
        assert found.blocks[0].box.x0 < found.blocks[1].box.x0

    @given(
        st.lists(
            st.tuples(*[st.integers(0, 900)] * 2, *[st.integers(1, 300)] * 2).map(
                lambda t: Box(t[0], t[1], t[0] + t[2], t[1] + t[3])
            ),
            max_size=6,
        ),
        st.integers(1, 4),
    )
    def test_orders_are_dense_and_nothing_outside_is_lost(self, boxes: list[Box], count: int) -> None:
        blocks = [block(n, box) for n, box in enumerate(boxes)]
        natives = [chart_in(Box(250.0 * n, 100, 250.0 * n + 200, 400), n) for n in range(count)]
        found = with_natives(page_of(*blocks), natives, ASKED)
        assert [b.order for b in found.blocks] == list(range(len(found.blocks)))
        assert {b.chart.series[0].points[0].y for b in found.blocks if b.chart} == set(range(count))
        left = [b.text for b in found.blocks if b.chart is None]
        inside = [sum(b.box.intersection(n.box).area for n in natives if n.box) >= 0.5 * b.box.area for b in blocks]
        assert left == [b.text for b, gone in zip(blocks, inside, strict=True) if not gone]


class TestRegions:
    def test_a_table_is_cut_to_the_rows_and_columns_inside(self) -> None:
        table = table_in(Box(0, 0, 300, 300), 3, 3)
        (cut,) = natives_in([table], Box(100, 90, 300, 210))
        assert isinstance(cut, Table)
        assert cut.rows() == [["11", "12"]]
        assert natives_in([table], Box(-10, -10, 310, 310)) == (table,)
        assert natives_in([table], Box(400, 0, 500, 100)) == ()

    def test_a_merged_cell_is_cut_with_its_table(self) -> None:
        wide = Cell(row=0, col=0, colspan=3, text="head", box=Box(0, 0, 300, 100))
        cells = (wide, *(c for c in table_in(Box(0, 0, 300, 300), 3, 3).cells if c.row > 0))
        table = Table(n_rows=3, n_cols=3, cells=cells, box=Box(0, 0, 300, 300))
        (cut,) = natives_in([table], Box(100, 0, 300, 300))
        assert isinstance(cut, Table)
        assert Table.model_validate(cut.model_dump()) == cut
        assert "head" in {cell.text for cell in cut.cells}

    def test_a_chart_counts_where_most_of_it_lies_inside(self) -> None:
        chart = chart_in(Box(0, 0, 100, 100))
        assert natives_in([chart], Box(0, 0, 60, 100)) == (chart,)
        assert natives_in([chart], Box(0, 0, 40, 100)) == ()


class Pages:
    """A reader of one page with given natives."""

    page_count = 1

    def __init__(self, page: Page) -> None:
        self._page = page

    def page(self, _number: int) -> Page:
        return self._page

    def close(self) -> None:
        pass


Make = Callable[[], Analyzer]


@pytest.fixture
def make(home: Path) -> Iterator[Make]:
    made: list[Analyzer] = []

    def analyzer() -> Analyzer:
        made.append(Analyzer(Settings(), EchoEngine(capabilities=(Part.TEXT, Part.LAYOUT, Part.TABLES))))
        return made[-1]

    yield analyzer
    for one in made:
        one.close()


def deck(*values: float, cell: str = "A") -> bytes:
    made = new_deck()
    slide = add_slide(made)
    names = [chr(ord("a") + n) for n in range(len(values))]
    data = category_data(names, [("One", values)])
    slide.shapes.add_chart(XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1), Inches(5), Inches(4), data)
    table = slide.shapes.add_table(1, 1, Inches(7), Inches(1), Inches(3), Inches(1)).table
    table.cell(0, 0).text = cell
    return saved(made)


def chart_values(analyzer: Analyzer, data: bytes, task: Task = CHARTS) -> list[float | None]:
    result = analyzer.analyze(analyzer.open(data), task)
    return [point.y for chart in result.answer.charts for point in chart.series[0].points]


class TestAnswers:
    def test_charts_are_answered_though_the_engine_reads_none(self, make: Make) -> None:
        analyzer = make()
        result = analyzer.analyze(analyzer.open(deck(1.5, 2.25)), CHARTS)
        assert [p.y for p in result.answer.charts[0].series[0].points] == [1.5, 2.25]
        assert "charts-unsupported" not in {note.code for note in result.answer.notes}
        assert result.answer.charts[0].confidence == 1.0
        assert result.answer.charts[0].page == 1

    def test_what_was_read_before_has_them_too(self, make: Make) -> None:
        for _ in range(2):
            analyzer = make()
            assert chart_values(analyzer, deck(1.0, 2.0)) == [1.0, 2.0]
            assert chart_values(analyzer, deck(1.0, 2.0), Task(words="again", kind=TaskKind.CHARTS)) == [1.0, 2.0]
            analyzer.close()

    def test_tables_are_answered_from_the_file(self, make: Make) -> None:
        analyzer = make()
        result = analyzer.analyze(analyzer.open(deck(1.0, cell="墨盒 12")), TABLES)
        assert [table.rows() for table in result.tables] == [[["墨盒 12"]]]

    def test_a_region_has_what_lies_in_it(self, make: Make) -> None:
        analyzer = make()
        data = deck(1.0, cell="inside")
        region = Region(page=1, box=Box(1000, 100, 1600, 400))
        for _ in range(2):  # decoded, then known
            result = analyzer.analyze(analyzer.open(data), TABLES, regions=[region])
            assert [table.rows() for table in result.tables] == [[["inside"]]]
            assert chart_values(analyzer, data) == [1.0]
            chart_region = analyzer.analyze(analyzer.open(data), CHARTS, regions=[region])
            assert chart_region.answer.charts == ()


LOOKS = np.full((64, 64, 3), 255, np.uint8)


def document_with(value: float) -> Document:
    """A document whose page looks like all others of these and stores its own value."""
    page = Page(pixels=LOOKS, source="d", natives=(chart_in(Box(10, 10, 50, 50), value),))
    digest = hashlib.sha256(repr(value).encode()).hexdigest()
    return Document(name="d", sha256=digest, media_type="application/x", reader=Pages(page), decoding="same")


@given(st.lists(st.integers(0, 3).map(float), min_size=1, max_size=8))
def test_pages_of_the_same_pixels_keep_their_own_data(values: list[float]) -> None:
    engine, cache = EchoEngine(capabilities=(Part.TEXT, Part.LAYOUT)), AnalysisCache(memory_bytes=10_000_000)
    with Analyzer(Settings(), engine, cache=cache) as analyzer:
        for number, value in enumerate(values):
            # Other words each time: the answer is not kept, what was read of the pixels is.
            result = analyzer.analyze(document_with(value), Task(kind=TaskKind.CHARTS, words=str(number)))
            assert [p.y for chart in result.answer.charts for p in chart.series[0].points] == [value]
            assert result.analysis.pages[0].sha256 == pixel_hash(LOOKS)
