from __future__ import annotations

import pytest
from pydantic import ValidationError

from mineru_core.document.analysis import Block, BlockType, DocumentAnalysis, Line, PageAnalysis, PageFailure, Part
from mineru_core.document.chart import Chart, ChartKind
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.parts import PartReading
from mineru_core.document.table import Table
from mineru_core.errors import EncryptedPdf

BOX = Box(0, 0, 10, 10)
LINE = Line(text="a", box=BOX, quad=Quad.from_box(BOX))
BLOCKS = (
    Block(type=BlockType.TEXT, box=BOX, order=0, text="a", lines=(LINE,)),
    Block(type=BlockType.TABLE, box=BOX, order=1, table=Table.from_rows([["x"]])),
    Block(type=BlockType.CHART, box=BOX, order=2, chart=Chart(kind=ChartKind.PIE)),
)
PAGE = PageAnalysis(page=1, width=10, height=10, sha256="0", parts=frozenset({Part.TEXT}), blocks=BLOCKS)


def test_a_page_gives_its_tables_and_lines() -> None:
    assert PAGE.tables == (BLOCKS[1].table,)
    assert PAGE.lines == (LINE,)


def test_a_document_gives_tables_and_charts_over_its_pages() -> None:
    document = DocumentAnalysis(source="s", sha256="0", media_type="image/png", page_count=2, pages=(PAGE, PAGE))
    assert document.tables == (BLOCKS[1].table,) * 2
    assert document.charts == (BLOCKS[2].chart,) * 2


def test_an_analysis_survives_json() -> None:
    assert PageAnalysis.model_validate_json(PAGE.model_dump_json()) == PAGE


def test_the_parts_are_written_in_a_fixed_order() -> None:
    page = PAGE.model_copy(update={"parts": frozenset(Part)})
    assert '"parts":["charts","formulas","layout","tables","text"]' in page.model_dump_json()


def test_what_a_page_was_put_together_from_is_not_written() -> None:
    page = PAGE.model_copy(update={"readings": (PartReading(part=Part.TEXT, lines=(LINE,)),)})
    assert page.model_dump_json() == PAGE.model_dump_json()


def test_a_failure_takes_over_the_error() -> None:
    failure = PageFailure.from_error(3, "intake", EncryptedPdf("The PDF is locked."))
    assert failure == PageFailure(
        page=3, component="intake", code="encrypted-pdf", message="The PDF is locked.", hint=EncryptedPdf.default_hint
    )


@pytest.mark.parametrize("values", [{"page": 0}, {"width": 0}, {"height": 0}, {"extra": 1}])
def test_a_page_refuses_what_cannot_be(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        PageAnalysis.model_validate({**PAGE.model_dump(), **values})


def test_only_what_repeats_from_page_to_page_is_furniture() -> None:
    assert {kind for kind in BlockType if kind.is_furniture} == {
        BlockType.HEADER,
        BlockType.FOOTER,
        BlockType.PAGE_NUMBER,
    }
