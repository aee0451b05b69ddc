from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from pptx.dml.color import RGBColor
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_SHAPE
from pptx.util import Emu, Inches, Pt

from mineru_core.document.geometry import Box
from mineru_core.document.page import Page
from mineru_core.errors import CorruptOffice, FileTooLarge, InvalidRequest, NoPages, UnsupportedType
from mineru_core.intake.office import canvas as canvas_module
from mineru_core.intake.office.slides import PptxFile
from tests.documents import has_cjk_font, png_bytes
from tests.intake.office.decks import (
    TITLE_ONLY,
    add_slide,
    category_data,
    first_page,
    new_deck,
    replaced,
    saved,
    with_parts,
)

RED = (255, 0, 0)


def words(page: Page) -> dict[str, Box]:
    return {word.text: word.box for word in page.text_layer or ()}


def text_box(slide: Any, text: str, left: float, top: float, width: float = 4, height: float = 0.6) -> Any:
    shape = slide.shapes.add_textbox(Inches(left), Inches(top), Inches(width), Inches(height))
    shape.text_frame.word_wrap = True
    shape.text_frame.text = text
    return shape


def ink(page: Page, box: Box) -> float:
    """The share of pixels in a box that are not white."""
    x0, y0, x1, y1 = (round(value) for value in box)
    return float(np.mean(np.any(page.pixels[y0:y1, x0:x1] < 200, axis=2)))


@pytest.mark.parametrize(
    ("width", "height", "size"),
    [(13.333, 7.5, (2000, 1125)), (10, 7.5, (1500, 1125)), (33.1, 46.8, (1415, 2000)), (7.5, 13.333, (1125, 2000))],
)
def test_a_slide_has_150_pixels_an_inch_and_2000_at_most(width: float, height: float, size: tuple[int, int]) -> None:
    deck = new_deck(width, height)
    add_slide(deck)
    page = first_page(deck)
    assert abs(page.width - size[0]) <= 1
    assert abs(page.height - size[1]) <= 1
    assert page.dpi is not None
    assert abs(page.dpi * width - page.width) < 1


@pytest.mark.parametrize("limit", [500_000, 10_000, 7])
def test_a_page_has_no_more_pixels_than_the_limit(limit: int) -> None:
    deck = new_deck()
    slide = add_slide(deck, TITLE_ONLY)
    slide.shapes.title.text = "Title"
    slide.shapes.add_table(3, 3, Inches(1), Inches(1), Inches(8), Inches(3))
    page = first_page(deck, limit)
    assert 0 < page.width * page.height <= limit


def test_words_lie_where_they_are_drawn() -> None:
    deck = new_deck()
    slide = add_slide(deck)
    text_box(slide, "Sales grew quickly", 1, 2)
    page = first_page(deck)
    found = words(page)
    assert list(found) == ["Sales", "grew", "quickly"]
    for box in found.values():
        assert Box(1 * 150, 2 * 150, 5 * 150, 2.6 * 150).contains(*box.center)
        assert ink(page, box) > 0.15
    assert found["Sales"].x1 < found["grew"].x0
    # 18 points are 37.5 pixels; an x-height of about half of that.
    assert 20 < found["Sales"].height < 40
    blank = page.pixels.copy()
    for box in found.values():
        x0, y0, x1, y1 = (int(value) for value in box.expanded(2))
        blank[y0:y1, x0:x1] = 255
    assert (blank == 255).all()


@pytest.mark.skipif(not has_cjk_font(), reason="needs a Chinese font")
def test_chinese_breaks_anywhere_and_is_drawn() -> None:
    deck = new_deck()
    text_box(add_slide(deck), "第一季度销售额增长百分之十二其他地区没有变化", 1, 1, width=2)
    page = first_page(deck)
    assert len(page.text_layer or ()) > 2
    assert "".join(word.text for word in page.text_layer or ()) == "第一季度销售额增长百分之十二其他地区没有变化"
    assert all(ink(page, word.box) > 0.1 for word in page.text_layer or ())


@settings(max_examples=15, deadline=None)
@given(text=st.text(st.characters(blacklist_categories=("Cs", "Cc", "Cn", "Co")), min_size=1, max_size=60))
def test_no_character_is_lost(text: str) -> None:
    deck = new_deck()
    text_box(add_slide(deck), text, 1, 1, width=10, height=5)
    page = first_page(deck)
    visible = {word.text for word in page.text_layer or ()}
    # Characters without ink (joiners, fillers) have no place; those of scripts written in one line here have.
    letters = [c for c in "".join(text.split()) if c.isascii()]
    drawn = "".join(visible)
    assert all(c in drawn for c in letters)


def test_a_placeholder_inherits_place_and_size() -> None:
    deck = new_deck(10, 7.5)
    slide = add_slide(deck, TITLE_ONLY)
    slide.shapes.title.text = "Results"
    layout = deck.slide_layouts[TITLE_ONLY].placeholders[0]
    scale = 150 / 914_400
    place = Box(layout.left, layout.top, layout.left + layout.width, layout.top + layout.height).scaled(scale, scale)
    box = words(first_page(deck))["Results"]
    assert box.covered_by(place) > 0.99
    # 44 points of the master's title: a capital is some 0.7 of that.
    assert 50 < box.height < 80
    # Centred, as the master says.
    assert abs(box.center[0] - place.center[0]) < 3


def test_what_the_layout_prompts_for_is_not_drawn() -> None:
    deck = new_deck()
    add_slide(deck, TITLE_ONLY)
    page = first_page(deck)
    assert page.text_layer is None
    assert (page.pixels == 255).all()


def test_notes_are_left_out() -> None:
    deck = new_deck()
    slide = add_slide(deck)
    slide.notes_slide.notes_text_frame.text = "secret"
    text_box(slide, "public", 1, 1)
    assert list(words(first_page(deck))) == ["public"]


def test_sizes_and_bold_of_runs_are_drawn() -> None:
    deck = new_deck()
    shape = text_box(add_slide(deck), "", 1, 1, width=8)
    paragraph = shape.text_frame.paragraphs[0]
    for text, size in (("Hall ", 10), ("Hill", 40)):
        run = paragraph.add_run()
        run.text, run.font.size = text, Pt(size)
    found = words(first_page(deck))
    assert 3 < found["Hill"].height / found["Hall"].height < 5


def test_a_turned_box_has_its_words_turned() -> None:
    deck = new_deck()
    text_box(add_slide(deck), "sideways", 3, 3, width=4, height=1).rotation = 90
    page = first_page(deck)
    box = words(page)["sideways"]
    assert box.height > 2 * box.width
    assert Box(4.5 * 150, 1.5 * 150, 5.5 * 150, 5.5 * 150).contains(*box.center)
    assert ink(page, box) > 0.1


def test_groups_move_and_scale_what_is_in_them() -> None:
    deck = new_deck()
    slide = add_slide(deck)
    group = slide.shapes.add_group_shape()
    shape = group.shapes.add_shape(MSO_SHAPE.RECTANGLE, Inches(1), Inches(1), Inches(2), Inches(2))
    shape.fill.solid()
    shape.fill.fore_color.rgb = RGBColor(*RED)
    shape.line.fill.background()
    group.left, group.top, group.width, group.height = Inches(6), Inches(3), Inches(4), Inches(1)
    page = first_page(deck)
    red = np.argwhere((page.pixels == RED).all(axis=2))
    (y0, x0), (y1, x1) = red.min(axis=0), red.max(axis=0)
    assert np.allclose([x0, y0, x1, y1], [900, 450, 1500, 600], atol=2)


def test_a_picture_stands_in_its_place_and_lets_the_ground_through() -> None:
    deck = new_deck()
    slide = add_slide(deck)
    slide.background.fill.solid()
    slide.background.fill.fore_color.rgb = RGBColor(0, 0, 255)
    image = Image.new("RGBA", (40, 40), (255, 0, 0, 0))
    image.paste((*RED, 255), (0, 0, 20, 40))
    slide.shapes.add_picture(io.BytesIO(png_bytes(image)), Inches(2), Inches(2), Inches(2), Inches(2))
    page = first_page(deck)
    assert tuple(page.pixels[450, 350]) == RED
    assert tuple(page.pixels[450, 550]) == (0, 0, 255)
    assert tuple(page.pixels[10, 10]) == (0, 0, 255)


def test_a_damaged_picture_leaves_a_frame() -> None:
    deck = new_deck()
    slide = add_slide(deck)
    data = png_bytes(Image.new("RGB", (40, 40), RED))
    slide.shapes.add_picture(io.BytesIO(data), Inches(2), Inches(2), Inches(2), Inches(2))
    text_box(slide, "still", 6, 2)
    broken = with_parts(saved(deck), lambda name, content: content[:60] if "media/" in name else content)
    page = PptxFile(broken, 10_000_000).page(1, "d")
    assert list(words(page)) == ["still"]
    assert ink(page, Box(298, 298, 602, 602)) > 0


def test_hidden_shapes_are_not_drawn() -> None:
    deck = new_deck()
    text_box(add_slide(deck), "visible", 1, 1)
    data = replaced(saved(deck), "slides/slide", b'name="TextBox 1"', b'name="TextBox 1" hidden="1"')
    assert PptxFile(data, 10_000_000).page(1, "d").text_layer is None


def test_tables_and_charts_lie_in_their_boxes() -> None:
    deck = new_deck()
    slide = add_slide(deck)
    slide.shapes.add_table(2, 2, Inches(1), Inches(1), Inches(4), Inches(2))
    data = category_data(["a"], [("One", [1])])
    slide.shapes.add_chart(XL_CHART_TYPE.PIE, Inches(7), Inches(2), Inches(4), Inches(4), data)
    table, chart = first_page(deck).natives
    for native, wanted in ((table, (150, 150, 750, 450)), (chart, (1050, 300, 1650, 900))):
        assert native.box is not None
        assert np.allclose(native.box, wanted, atol=2)


def test_shapes_of_any_size_and_place_are_borne() -> None:
    deck = new_deck()
    slide = add_slide(deck)
    shape = text_box(slide, "far", 1, 1)
    shape.left, shape.top, shape.width, shape.height = Emu(-(2**31)), Emu(2**31 - 1), Emu(2**31 - 1), Emu(2**31 - 1)
    shape.rotation = 45
    slide.shapes.add_shape(MSO_SHAPE.OVAL, Emu(-(2**31)), Emu(0), Emu(2**32), Emu(2**32))
    assert first_page(deck).width == 2000


def test_each_slide_is_a_page_hidden_ones_too() -> None:
    deck = new_deck()
    for text in ("first", "second", "third"):
        text_box(add_slide(deck), text, 1, 1)
    data = replaced(saved(deck), "slides/slide2.xml", b"<p:sld ", b'<p:sld show="0" ')
    file = PptxFile(data, 1_000_000)
    assert file.page_count == 3
    assert [next(iter(words(file.page(n, "d")))) for n in (1, 2, 3)] == ["first", "second", "third"]
    assert [file.page(n, "d").number for n in (1, 2, 3)] == [1, 2, 3]


def test_the_same_slide_is_drawn_alike_from_many_threads() -> None:
    deck = new_deck()
    for n in range(3):
        text_box(add_slide(deck), f"slide {n}", 1, 1).rotation = 10
    file = PptxFile(saved(deck), 1_000_000)
    with ThreadPoolExecutor(4) as pool:
        pages = list(pool.map(lambda n: file.page(n % 3 + 1, "d"), range(9)))
    for n, page in enumerate(pages):
        assert page.sha256 == pages[n % 3].sha256


def test_shows_templates_and_decks_with_macros_are_decks() -> None:
    deck = new_deck()
    text_box(add_slide(deck), "words", 1, 1)
    usual = b"presentationml.presentation.main+xml"
    for other in (b"presentationml.slideshow.main+xml", b"presentationml.template.main+xml"):
        data = replaced(saved(deck), "[Content_Types].xml", usual, other)
        assert list(words(PptxFile(data, 1_000_000).page(1, "d"))) == ["words"]


def test_a_deck_in_the_strict_form_is_read() -> None:
    deck = new_deck()
    slide = add_slide(deck)
    text_box(slide, "strict", 1, 1)
    slide.shapes.add_table(1, 1, Inches(1), Inches(3), Inches(4), Inches(1)).table.cell(0, 0).text = "cell"

    def strict(name: str, content: bytes) -> bytes:
        for old, new in (
            (
                b"schemas.openxmlformats.org/officeDocument/2006/relationships",
                b"purl.oclc.org/ooxml/officeDocument/relationships",
            ),
            (b"schemas.openxmlformats.org/presentationml/2006/main", b"purl.oclc.org/ooxml/presentationml/main"),
            (b"schemas.openxmlformats.org/drawingml/2006", b"purl.oclc.org/ooxml/drawingml"),
        ):
            content = content.replace(old, new) if name.endswith((".xml", ".rels")) else content
        return content

    page = PptxFile(with_parts(saved(deck), strict), 1_000_000).page(1, "d")
    assert list(words(page)) == ["strict", "cell"]
    assert len(page.natives) == 1


def test_a_slide_that_is_missing_fails_alone() -> None:
    deck = new_deck()
    for text in ("first", "second"):
        text_box(add_slide(deck), text, 1, 1)
    data = with_parts(saved(deck), lambda name, content: None if name.endswith("slides/slide1.xml") else content)
    file = PptxFile(data, 1_000_000)
    with pytest.raises(CorruptOffice, match="slide 1"):
        file.page(1, "d")
    assert list(words(file.page(2, "d"))) == ["second"]


def test_a_deck_without_slides_is_refused() -> None:
    with pytest.raises(NoPages):
        PptxFile(saved(new_deck()), 1_000_000)


def test_another_sort_of_office_file_is_no_deck() -> None:
    deck = new_deck()
    add_slide(deck)
    data = with_parts(saved(deck), lambda name, content: b"<workbook/>" if name == "ppt/presentation.xml" else content)
    with pytest.raises(UnsupportedType):
        PptxFile(data, 1_000_000)


def test_a_closed_deck_gives_no_page() -> None:
    deck = new_deck()
    add_slide(deck)
    file = PptxFile(saved(deck), 1_000_000)
    file.close()
    file.close()
    with pytest.raises(InvalidRequest):
        file.page(1, "d")


def test_what_takes_too_long_to_draw_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    deck = new_deck()
    slide = add_slide(deck)
    picture = png_bytes(Image.new("RGB", (10, 10), RED))
    for _ in range(5):
        slide.shapes.add_picture(io.BytesIO(picture), 0, 0, deck.slide_width, deck.slide_height)
    assert first_page(deck).width == 2000
    monkeypatch.setattr(canvas_module, "MAX_PAINTED", 4 * 10 * 2000 * 1125)
    with pytest.raises(FileTooLarge):
        first_page(deck)


def test_too_many_characters_are_refused_before_they_are_set() -> None:
    deck = new_deck()
    text_box(add_slide(deck), "x" * 300_000, 1, 1)
    with pytest.raises(FileTooLarge):
        first_page(deck)
