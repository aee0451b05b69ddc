"""The searchable PDF, read back by pdfium."""

from __future__ import annotations

import math

import numpy as np
import pypdfium2 as pdfium
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.document.analysis import BlockType, PageAnalysis, PageFailure
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Page
from mineru_core.document.parts import Line, LineWord
from mineru_core.document.table import Cell, Table
from mineru_core.errors import InvalidRequest
from mineru_core.export.searchable_pdf import to_searchable_pdf
from tests.export.strategies import block, page, result

WIDTH, HEIGHT = 300, 200


def blank(number: int = 1, dpi: float | None = 150) -> Page:
    return Page(np.full((HEIGHT, WIDTH, 3), 255, np.uint8), source="scan.png", number=number, dpi=dpi)


def of_lines(*lines: Line) -> PageAnalysis:
    around = Box.around(line.box for line in lines)
    text = block(BlockType.TEXT).model_copy(update={"lines": lines, "box": around})
    return page(1, text).model_copy(update={"width": WIDTH, "height": HEIGHT})


def level(text: str, box: Box, words: tuple[LineWord, ...] = ()) -> Line:
    return Line(text=text, box=box, quad=Quad.from_box(box), words=words)


def read(analysis: PageAnalysis) -> str:
    with pdfium.PdfDocument(to_searchable_pdf(result(analysis), lambda _n: blank())) as pdf:
        return str(pdf[0].get_textpage().get_text_range()).replace("\r\n", "\n")


# What a script's shaping or a reader's own order of characters would change is left to the tests of whole lines.
PLAIN = st.text(
    st.characters(categories=["Lu", "Ll", "Nd"], max_codepoint=0x24F) | st.sampled_from("中文表格日本語한국어𠮷𝟙€£✓😀"),
    min_size=2,
    max_size=20,
)


@given(PLAIN)
@settings(max_examples=60)
def test_what_is_written_is_found_again(text: str) -> None:
    assert read(of_lines(level(text, Box(10, 20, 250, 40)))).strip() == text


def test_a_piece_of_text_lies_over_its_picture() -> None:
    boxes = [Box(20, 50, 90, 70), Box(110, 50, 180, 70)]
    words = tuple(LineWord(text=t, box=b) for t, b in zip(("Grand", "total"), boxes, strict=True))
    line = level("Grand total", Box(20, 50, 180, 70), words)
    with pdfium.PdfDocument(to_searchable_pdf(result(of_lines(line)), lambda _n: blank())) as pdf:
        sheet = pdf[0]
        assert sheet.get_size() == pytest.approx((WIDTH * 72 / 150, HEIGHT * 72 / 150))
        text = sheet.get_textpage()
        start, count = text.search("total").get_next()
        left, bottom, right, top = text.get_charbox(start, loose=True)
        right = text.get_charbox(start + count - 1, loose=True)[2]
        scale = 72 / 150
        assert left == pytest.approx(110 * scale, abs=1)
        assert right == pytest.approx(180 * scale, abs=1)
        assert sheet.get_height() - 70 * scale - 1 <= bottom < top <= sheet.get_height() - 50 * scale + 1


@pytest.mark.parametrize("degrees", [90, 180, 270, 12])
def test_turned_text_is_turned(degrees: int) -> None:
    angle = math.radians(degrees)

    def corner(along: float, down: float) -> tuple[float, float]:
        return (
            150 + along * math.cos(angle) - down * math.sin(angle),
            100 + along * math.sin(angle) + down * math.cos(angle),
        )

    quad = Quad(corner(-60, -8), corner(60, -8), corner(60, 8), corner(-60, 8))
    line = Line(text="Sideways", box=quad.box, quad=quad)
    with pdfium.PdfDocument(to_searchable_pdf(result(of_lines(line)), lambda _n: blank())) as pdf:
        sheet = pdf[0]
        text = sheet.get_textpage()
        assert str(text.get_text_range()).strip() == "Sideways"
        scale = 72 / 150
        for index, along in ((0, -60.0), (7, 45.0)):
            box = text.get_charbox(index, loose=True)
            middle = ((box[0] + box[2]) / 2 / scale, HEIGHT - (box[1] + box[3]) / 2 / scale)
            assert math.dist(middle, corner(along + 7.5, 0)) < 6


def test_the_text_is_invisible_and_the_picture_stays() -> None:
    pixels = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
    pixels[50:70, 20:180] = 0
    shown = Page(pixels, source="scan.png", dpi=72)
    data = to_searchable_pdf(result(of_lines(level("HIDDEN", Box(20, 120, 180, 150)))), lambda _n: shown)
    with pdfium.PdfDocument(data) as pdf:
        drawn = np.asarray(pdf[0].render(scale=1).to_pil().convert("L"))
    assert drawn[125:145, 25:175].min() > 240
    assert drawn[55:65, 30:170].max() < 40


def test_cells_and_blocks_without_lines_are_found_too() -> None:
    cells = (Cell(row=0, col=0, text="Region", box=Box(10, 10, 90, 30)), Cell(row=0, col=1, text="no place"))
    table = Table(n_rows=1, n_cols=2, cells=cells)
    blocks = (block(BlockType.TABLE, table=table), block(BlockType.TEXT, "first row\nsecond row"))
    text = read(page(1, *blocks).model_copy(update={"width": WIDTH, "height": HEIGHT}))
    assert "Region" in text
    assert "first row" in text
    assert "second row" in text


def test_failed_pages_are_there_as_pictures_and_unread_ones_are_not() -> None:
    failure = PageFailure(page=3, component="engine", code="engine-failed", message="It failed.")
    found = result(of_lines(level("one", Box(10, 10, 60, 30))))
    analysis = found.analysis.model_copy(update={"failures": (failure,), "page_count": 4})
    data = to_searchable_pdf(found.model_copy(update={"analysis": analysis}), blank)
    with pdfium.PdfDocument(data) as pdf:
        assert len(pdf) == 2
        assert not str(pdf[1].get_textpage().get_text_range()).strip()


def test_a_document_without_pages_is_refused() -> None:
    with pytest.raises(InvalidRequest):
        to_searchable_pdf(result(), blank)


def test_lone_surrogates_and_controls_do_no_harm() -> None:
    assert "end" in read(of_lines(level("\ud800\x00\x1b end", Box(10, 10, 90, 30))))


def test_a_corrected_cell_stands_in_the_place_of_what_was_read() -> None:
    words = tuple(LineWord(text=t, box=Box(x, 20, x + 60, 40)) for t, x in (("Pen", 10), ("1O", 110), ("red", 210)))
    line = level("Pen 1O red", Box(10, 20, 270, 40), words)
    cells = tuple(
        Cell(row=0, col=col, text=text, box=Box(100.0 * col, 10, 100.0 * col + 95, 50), edited=text == "10")
        for col, text in enumerate(("Pen", "10", "red"))
    )
    table = Table(n_rows=1, n_cols=3, cells=cells)
    analysis = of_lines(line)
    corrected = analysis.blocks[0].model_copy(update={"table": table, "type": BlockType.TABLE})
    read_back = read(analysis.model_copy(update={"blocks": (corrected,)}))
    assert "1O" not in read_back
    assert sorted(read_back.split()) == ["10", "Pen", "red"]


def test_a_cell_whose_text_was_deleted_is_not_found() -> None:
    line = level("gone", Box(10, 20, 90, 40))
    table = Table(n_rows=1, n_cols=1, cells=(Cell(row=0, col=0, text="", box=Box(0, 10, 100, 50), edited=True),))
    analysis = of_lines(line, level("stays", Box(10, 100, 90, 120)))
    block_of_it = analysis.blocks[0].model_copy(update={"table": table})
    assert read(analysis.model_copy(update={"blocks": (block_of_it,)})).split() == ["stays"]
