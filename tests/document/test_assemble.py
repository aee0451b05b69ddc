from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.analysis import Block, BlockType, DocumentAnalysis, PageAnalysis, PageFailure, Part
from mineru_core.document.assemble import assemble
from mineru_core.document.chart import Chart, ChartKind
from mineru_core.document.geometry import Box
from mineru_core.document.parts import PartReading
from mineru_core.document.table import Table

BOX = Box(0, 0, 10, 10)


def text_block(text: str, order: int = 0) -> Block:
    """A block of text."""
    return Block(type=BlockType.TEXT, box=BOX, order=order, text=text)


def table_block(text: str, page: int = 1) -> Block:
    """A block with a table of one cell, which says it is of ``page``."""
    return Block(type=BlockType.TABLE, box=BOX, order=0, table=Table.from_rows([[text]], page=page))


def analysis(
    number: int, *blocks: Block, parts: frozenset[Part] = frozenset(Part), seconds: float = 1.0
) -> PageAnalysis:
    """A page of blocks."""
    return PageAnalysis(
        page=number,
        width=10,
        height=10,
        sha256="0",
        parts=parts,
        blocks=blocks,
        timings={"ocr": seconds},
        warnings=("w",),
    )


def failure(number: int) -> PageFailure:
    """A page that could not be read."""
    return PageFailure(page=number, component="engine", code="engine-failed", message="broke")


def put(*pages: PageAnalysis | PageFailure, count: int = 9) -> DocumentAnalysis:
    """Assemble."""
    return assemble(pages, source="a.pdf", sha256="1", media_type="application/pdf", page_count=count)


@given(st.permutations(range(1, 8)), st.sets(st.integers(1, 7)))
def test_pages_come_in_page_order_and_failures_are_kept(order: list[int], failed: set[int]) -> None:
    document = put(*(failure(n) if n in failed else analysis(n, text_block(str(n))) for n in order))
    assert [p.page for p in document.pages] == sorted(set(order) - failed)
    assert [f.page for f in document.failures] == sorted(failed)


def test_what_is_known_of_the_document_is_carried() -> None:
    document = put(count=4)
    assert (document.source, document.sha256, document.media_type, document.page_count) == (
        "a.pdf",
        "1",
        "application/pdf",
        4,
    )


@given(st.permutations(range(5)))
def test_blocks_come_in_reading_order_numbered_from_zero(order: list[int]) -> None:
    (page,) = put(analysis(1, *(text_block(f"t{n}", order=n * 2) for n in order))).pages
    assert [b.text for b in page.blocks] == ["t0", "t1", "t2", "t3", "t4"]
    assert [b.order for b in page.blocks] == [0, 1, 2, 3, 4]


def test_tables_and_charts_carry_the_number_of_their_page() -> None:
    chart = Block(type=BlockType.CHART, box=BOX, order=1, chart=Chart(kind=ChartKind.BAR))
    document = put(analysis(3, table_block("x"), chart))
    assert [t.page for t in document.tables] == [3]
    assert [c.page for c in document.charts] == [3]


def test_regions_of_one_page_become_one_page_in_the_order_given() -> None:
    document = put(
        analysis(2, text_block("first"), parts=frozenset({Part.TEXT, Part.TABLES})),
        analysis(2, text_block("second"), table_block("x"), parts=frozenset({Part.TEXT})),
    )
    (page,) = document.pages
    assert [b.text for b in page.blocks] == ["first", "second", ""]
    assert [b.order for b in page.blocks] == [0, 1, 2]
    assert page.parts == frozenset({Part.TEXT})
    assert page.timings == {"ocr": 2.0}
    assert page.warnings == ("w",)


def test_what_pages_were_put_together_from_is_dropped() -> None:
    page = analysis(1, text_block("a")).model_copy(update={"readings": (PartReading(part=Part.TEXT),)})
    assert put(page).pages[0].readings == ()


def test_tables_of_two_pages_stay_two_tables() -> None:
    assert [t.rows() for t in put(analysis(2, table_block("b")), analysis(1, table_block("a"))).tables] == [
        [["a"]],
        [["b"]],
    ]


@pytest.mark.parametrize("page", [analysis(3), failure(3)])
def test_a_page_that_the_document_does_not_have_is_refused(page: PageAnalysis | PageFailure) -> None:
    with pytest.raises(ValueError, match="page 3 of a document of 2 pages"):
        put(page, count=2)


def test_failures_of_blocks_become_the_documents_with_the_places_the_blocks_have_there() -> None:
    bad = failure(1).model_copy(update={"block": 0})
    first = analysis(2, text_block("a"), text_block("b", 1))
    second = analysis(2, text_block("c", 0), text_block("d", 1)).model_copy(update={"failures": (bad,)})
    document = put(first, second, failure(1))
    assert [(f.page, f.block) for f in document.failures] == [(1, None), (2, 2)]
    assert document.pages[0].blocks[2].text == "c"
    assert document.pages[0].failures == ()
