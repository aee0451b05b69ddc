from __future__ import annotations

import io
from typing import Any

import pytest
from docx import Document as NewDocument
from docx.shared import Inches, Pt
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image

from mineru_core.document.page import Page
from mineru_core.document.table import Table
from mineru_core.errors import InvalidRequest, LimitError, UnsupportedType
from mineru_core.intake import open_document
from mineru_core.intake.office.word import DocxFile
from mineru_core.intake.sniffing import DOCX
from mineru_core.settings import LimitSettings, Settings
from tests.documents import png_bytes
from tests.intake.office.decks import replaced, saved

texts = st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cn", "Co")), max_size=12)


def pages(document: Any) -> list[Page]:
    file = DocxFile(saved(document), 10_000_000)
    return [file.page(number, "d") for number in range(1, file.page_count + 1)]


def words(page: Page) -> list[str]:
    return [word.text for word in page.text_layer or ()]


def first_table(document: Any) -> Table:
    table = pages(document)[0].natives[0]
    assert isinstance(table, Table)
    return table


def test_paragraphs_tables_and_headings_in_their_order() -> None:
    document = NewDocument()
    document.add_heading("Title", 1)
    document.add_paragraph("Before")
    document.add_table(1, 1).cell(0, 0).text = "cell"
    document.add_paragraph("After")
    (page,) = pages(document)
    assert words(page) == ["Title", "Before", "cell", "After"]
    boxes = {word.text: word.box for word in page.text_layer or ()}
    assert boxes["Title"].height > 1.1 * boxes["Before"].height
    (table,) = page.natives
    assert table.box is not None
    assert boxes["cell"].covered_by(table.box) > 0.99


@settings(max_examples=20, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data(), rows=st.integers(1, 4), cols=st.integers(1, 4))
def test_cells_come_back_exactly(data: st.DataObject, rows: int, cols: int) -> None:
    document = NewDocument()
    table = document.add_table(rows, cols)
    wanted = [[data.draw(texts) for _ in range(cols)] for _ in range(rows)]
    for r, line in enumerate(wanted):
        for c, text in enumerate(line):
            table.cell(r, c).text = text
    assert first_table(document).rows() == wanted


def test_merged_cells_span() -> None:
    document = NewDocument()
    table = document.add_table(3, 3)
    table.cell(0, 0).merge(table.cell(0, 2)).text = "wide"
    table.cell(1, 1).merge(table.cell(2, 2)).text = "block"
    found = first_table(document)
    spans = {(c.row, c.col): (c.rowspan, c.colspan, c.text) for c in found.cells if c.text}
    assert spans == {(0, 0): (1, 3, "wide"), (1, 1): (2, 2, "block")}


def test_a_table_within_a_cell_is_a_line_a_row() -> None:
    document = NewDocument()
    cell = document.add_table(1, 1).cell(0, 0)
    cell.text = "outer"
    inner = cell.add_table(2, 2)
    for r in range(2):
        for c in range(2):
            inner.cell(r, c).text = f"{r}{c}"
    assert first_table(document).cells[0].text == "outer\n00 01\n10 11"


def test_lists_have_their_marks() -> None:
    document = NewDocument()
    for text in ("one", "two"):
        document.add_paragraph(text, style="List Number")
    document.add_paragraph("dot", style="List Bullet")
    assert words(pages(document)[0]) == ["1.", "one", "2.", "two", "•", "dot"]


def test_deleted_and_hidden_text_is_left_out_inserted_is_in() -> None:
    document = NewDocument()
    document.add_paragraph("keep MARK")
    changes = b"<w:ins><w:r><w:t> new</w:t></w:r></w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del>"
    hidden = b"<w:r><w:rPr><w:vanish/></w:rPr><w:t>hidden</w:t></w:r>"
    data = replaced(saved(document), "word/document.xml", b"MARK</w:t></w:r>", b"</w:t></w:r>" + changes + hidden)
    assert words(DocxFile(data, 10_000_000).page(1, "d")) == ["keep", "new"]


def test_a_long_text_runs_over_pages() -> None:
    document = NewDocument()
    for number in range(120):
        document.add_paragraph(f"paragraph{number}")
    found = pages(document)
    assert len(found) > 2
    assert [word for page in found for word in words(page)] == [f"paragraph{n}" for n in range(120)]
    assert [page.number for page in found] == list(range(1, len(found) + 1))


def test_pictures_stand_in_their_place() -> None:
    document = NewDocument()
    picture = io.BytesIO(png_bytes(Image.new("RGB", (50, 50), (255, 0, 0))))
    document.add_picture(picture, width=Inches(2))
    (page,) = pages(document)
    red = (page.pixels == (255, 0, 0)).all(axis=2).sum()
    assert abs(red - 300 * 300) < 3000


def test_sizes_of_runs_are_kept() -> None:
    document = NewDocument()
    paragraph = document.add_paragraph()
    for text, size in (("Hall ", 8), ("Hill", 32)):
        paragraph.add_run(text).font.size = Pt(size)
    small, large = (word.box.height for word in pages(document)[0].text_layer or ())
    assert 3 < large / small < 5


def test_an_empty_document_is_an_empty_page() -> None:
    (page,) = pages(NewDocument())
    assert page.text_layer is None


def test_a_document_is_opened_by_its_content() -> None:
    document = NewDocument()
    for _ in range(200):
        document.add_paragraph("text")
    data = saved(document)
    with open_document(data) as opened:
        assert opened.media_type == DOCX
        assert opened.page_count > 1
    with pytest.raises(LimitError):
        open_document(data, settings=Settings(limits=LimitSettings(max_pages=1)))


def test_another_sort_of_office_file_is_no_document() -> None:
    data = replaced(saved(NewDocument()), "word/document.xml", b"w:body", b"w:other")
    with pytest.raises(UnsupportedType):
        DocxFile(data, 10_000_000)


def test_a_closed_document_gives_no_page() -> None:
    file = DocxFile(saved(NewDocument()), 10_000_000)
    file.close()
    with pytest.raises(InvalidRequest):
        file.page(1, "d")
