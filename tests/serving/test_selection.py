import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.analysis import Block, BlockType, Line, LineWord, PageAnalysis, Part
from mineru_core.document.chart import Chart, ChartKind, Point, Series
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Page, Word
from mineru_core.document.parts import PageFrame
from mineru_core.document.table import Cell, Table
from mineru_core.document.task import Region, Task
from mineru_core.errors import InvalidRequest, NoPages
from mineru_core.serving.selection import MIN_REGION_PIXELS, Placement, choose_pages, crop, place_region

WIDTH, HEIGHT = 90, 70


def page(words: tuple[Word, ...] | None = None) -> Page:
    """A page whose every pixel says where it is: (x, y, 0)."""
    pixels = np.zeros((HEIGHT, WIDTH, 3), dtype=np.uint8)
    pixels[..., 0] = np.arange(WIDTH)[None, :]
    pixels[..., 1] = np.arange(HEIGHT)[:, None]
    return Page(pixels=pixels, source="x", number=3, dpi=150, text_layer=words)


@pytest.mark.parametrize(
    ("wanted", "chosen", "noted"),
    [
        ((), [1, 2, 3, 4], False),
        ((2,), [2], False),
        ((-1,), [4], False),
        ((4, -1, 1), [1, 4], False),
        ((2, 9), [2], True),
    ],
)
def test_pages(wanted: tuple[int, ...], chosen: list[int], noted: bool) -> None:
    numbers, notes = choose_pages(Task(pages=wanted), 4, ())
    assert numbers == chosen
    assert [note.code for note in notes] == (["no-such-page"] if noted else [])


@pytest.mark.parametrize("wanted", [(9,), (-5,), (0,)])
def test_pages_of_which_none_exists(wanted: tuple[int, ...]) -> None:
    with pytest.raises(NoPages, match="has 4"):
        choose_pages(Task(pages=wanted), 4, ())


def test_regions_choose_their_pages() -> None:
    regions = [Region(page=p, box=Box(0, 0, 9, 9)) for p in (3, 1, 3)]
    assert choose_pages(Task(pages=(2,)), 4, regions) == ([1, 3], [])
    with pytest.raises(InvalidRequest, match="page 3 of 2"):
        choose_pages(Task(), 2, regions)


sides = st.floats(-20, 120, allow_nan=False)


@given(x0=sides, y0=sides, x1=sides, y1=sides)
def test_a_crop_shows_its_rectangle_and_shifts_back(x0: float, y0: float, x1: float, y1: float) -> None:
    box, whole = Box(x0, y0, x1, y1), page()
    clipped = box.clipped(WIDTH, HEIGHT)
    try:
        part, placement = crop(whole, box)
    except InvalidRequest:
        assert min(clipped.x1 - clipped.x0, clipped.y1 - clipped.y0) < MIN_REGION_PIXELS
        return
    dx, dy = placement.dx, placement.dy
    assert min(part.width, part.height) >= 32
    for x, y in [(clipped.x0, clipped.y0), (clipped.x1 - 1, clipped.y1 - 1), clipped.center]:
        column, row = int(x), int(y)
        assert tuple(part.pixels[row - int(dy), column - int(dx)]) == (column, row, 0)
    assert part.box.shifted(dx, dy).intersection(clipped) == clipped


@pytest.mark.parametrize(
    ("box", "says"),
    [
        (Box(200, 10, 300, 50), "outside page 3, which is 90 × 70"),
        (Box(50, 10, 20, 50), "outside"),
        (Box(10, 10, 12, 50), "too small"),
        (Box(float("nan"), 0, 9, 9), "no number"),
    ],
)
def test_rectangles_that_hold_nothing_are_refused(box: Box, says: str) -> None:
    with pytest.raises(InvalidRequest, match=says):
        crop(page(), box)


def test_words_of_the_text_layer_go_with_the_crop() -> None:
    words = (Word("in", Box(40, 30, 50, 36)), Word("out", Box(0, 0, 10, 6)))
    part, placement = crop(page(words), Box(35, 25, 75, 65))
    assert part.text_layer == (Word("in", Box(5, 5, 15, 11)),)
    assert (part.number, part.dpi, placement.dx, placement.dy) == (3, 150, 35, 25)
    assert crop(page(), Box(35, 25, 75, 65))[0].text_layer is None


def test_everything_with_a_place_is_shifted_back() -> None:
    box, whole = Box(1, 2, 11, 12), page()
    line = Line(text="a", box=box, quad=Quad.from_box(box), words=(LineWord(text="a", box=box),))
    table = Table(n_rows=1, n_cols=2, cells=(Cell(row=0, col=0, box=box), Cell(row=0, col=1)), box=box)
    points = (Point(x="a", y=1.0, place=(1, 2)), Point(x="b", y=None))
    chart = Chart(kind=ChartKind.BAR, series=(Series(points=points),), box=box)
    block = Block(type=BlockType.TABLE, box=box, order=0, lines=(line,), table=table, chart=chart)
    analysis = PageAnalysis(page=1, width=40, height=40, sha256="crop", parts=frozenset({Part.TEXT}), blocks=(block,))

    shifted = Placement(PageFrame.of(whole), 30, 20, 40, 40).analysis(analysis)

    moved = Box(31, 22, 41, 32)
    assert (shifted.page, shifted.width, shifted.height, shifted.sha256) == (3, WIDTH, HEIGHT, whole.sha256)
    (out,) = shifted.blocks
    assert out.table is not None
    assert out.chart is not None
    assert out.lines[0].quad == Quad.from_box(moved)
    assert {out.box, out.lines[0].box, out.lines[0].words[0].box, out.table.box, out.chart.box} == {moved}
    assert [cell.box for cell in out.table.cells] == [moved, None]
    assert (out.table.page, out.chart.page) == (3, 3)
    assert [point.place for point in out.chart.series[0].points] == [(31, 22), None]


def test_what_lay_in_the_padding_is_clipped_to_the_page() -> None:
    box = Box(0, 0, 32, 32)
    line = Line(text="a", box=box, quad=Quad.from_box(box))
    block = Block(type=BlockType.TEXT, box=box, order=0, lines=(line,))
    analysis = PageAnalysis(page=1, width=32, height=32, sha256="s", parts=frozenset(), blocks=(block,))
    placed = Placement(PageFrame.of(page()), -5, -5, 32, 32).analysis(analysis)
    (out,) = placed.blocks
    assert out.box == out.lines[0].box == out.lines[0].quad.box == Box(0, 0, 27, 27)


def test_what_was_read_of_a_reduced_copy_lies_on_the_page() -> None:
    whole = page()
    line = Line(text="a", box=Box(9, 7, 18, 14), quad=Quad.from_box(Box(9, 7, 18, 14)))
    block = Block(type=BlockType.TEXT, box=Box(9, 7, 45, 35), order=0, lines=(line,))
    small = PageAnalysis(page=1, width=45, height=35, sha256="s", parts=frozenset(), blocks=(block,))
    placed = Placement.whole(PageFrame.of(whole)).analysis(small)
    assert (placed.width, placed.height) == (WIDTH, HEIGHT)
    assert placed.blocks[0].box == Box(18, 14, 90, 70)
    assert placed.blocks[0].lines[0].quad == Quad.from_box(Box(18, 14, 36, 28))


@given(x0=sides, y0=sides, x1=sides, y1=sides)
def test_a_region_is_placed_without_pixels_where_its_crop_lies(x0: float, y0: float, x1: float, y1: float) -> None:
    whole, box = page(), Box(x0, y0, x1, y1)
    try:
        placement = place_region(PageFrame.of(whole), box)
    except InvalidRequest:
        with pytest.raises(InvalidRequest):
            crop(whole, box)
        return
    part, cropped = crop(whole, box)
    assert cropped == placement
    assert (part.width, part.height) == (placement.width, placement.height)
