from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.analysis import Block, BlockType, DocumentAnalysis, PageAnalysis, Part
from mineru_core.document.geometry import Box
from mineru_core.document.table import Table
from mineru_core.document.task import Answer, FieldValue, Match, Region, Task, TaskKind
from mineru_core.export.result import DocumentResult
from mineru_core.ui.components.page_view import TOOLTIP_CHARS, block_boxes, marks_of, percent
from mineru_core.ui.i18n import Translator

EN = Translator("en")
NUMBERS = st.floats(min_value=-5000, max_value=5000)


def page_of(*blocks: Block, number: int = 1) -> PageAnalysis:
    return PageAnalysis(page=number, width=200, height=400, sha256="0", parts=frozenset({Part.TEXT}), blocks=blocks)


def result_of(page: PageAnalysis, task: Task, answer: Answer) -> DocumentResult:
    analysis = DocumentAnalysis(source="a.png", sha256="0", media_type="image/png", page_count=2, pages=(page,))
    return DocumentResult(task=task, answer=answer, analysis=analysis, engine="echo-1")


@given(NUMBERS, NUMBERS, NUMBERS, NUMBERS)
def test_places_stay_on_the_page(x0: float, y0: float, x1: float, y1: float) -> None:
    left, top, width, height = percent(Box(min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)), 200, 400)
    assert 0 <= left <= 100
    assert 0 <= top <= 100
    assert width >= 0
    assert left + width <= 100.001
    assert top + height <= 100.001


def test_a_block_is_numbered_named_and_placed() -> None:
    block = Block(type=BlockType.TITLE, box=Box(20, 40, 120, 80), order=2, text="a  b\nc", confidence=0.913)
    (shown,) = block_boxes(page_of(block), EN)
    assert shown.place == (10.0, 10.0, 50.0, 10.0)
    assert (shown.number, shown.label, shown.sure, shown.text) == (3, "Title", "91%", "a b c")


def test_long_text_is_cut_and_a_table_is_told_by_its_size() -> None:
    long = Block(type=BlockType.TEXT, box=Box(0, 0, 9, 9), order=0, text="x" * 1000)
    table = Block(type=BlockType.TABLE, box=Box(0, 0, 9, 9), order=1, table=Table.from_rows([["a", "b"], ["c", "d"]]))
    text, grid = block_boxes(page_of(long, table), EN)
    assert len(text.text) == TOOLTIP_CHARS
    assert grid.text == "2 × 2"


def test_hits_fields_and_regions_of_this_page_are_marked() -> None:
    box = Box(0, 0, 20, 40)
    answer = Answer(
        kind=TaskKind.FIND,
        matches=(
            Match(text="the total", start=4, end=9, page=1, box=box),
            Match(text="x", start=0, end=1, page=2, box=box),
        ),
        fields=(FieldValue(name="date", value="today", page=1, box=box), FieldValue(name="tax")),
    )
    task = Task(kind=TaskKind.FIND, regions=(Region(page=1, box=box), Region(page=2, box=box)))
    marks = marks_of(result_of(page_of(), task, answer), page_of(), EN)
    assert [(m.kind, m.label) for m in marks] == [
        ("hit", "the total"),
        ("hit", "date: today"),
        ("region", EN("picture.region_asked")),
    ]
    assert all(m.place == (0.0, 0.0, 10.0, 10.0) for m in marks)
