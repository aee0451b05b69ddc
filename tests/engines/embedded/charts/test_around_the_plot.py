"""What stands around the plot area of small charts: ticks, titles of one letter, rows of a legend."""

from __future__ import annotations

import cv2
import numpy as np
import pytest

from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Pixels
from mineru_core.document.parts import Line
from mineru_core.engines.embedded.charts.bars import read_bars
from mineru_core.engines.embedded.charts.build import scene_of
from mineru_core.engines.embedded.charts.glued import parted_ticks
from mineru_core.engines.embedded.charts.legend import find_legend
from mineru_core.engines.embedded.charts.scene import CategoryAxis, Label, NumberAxis, Scene
from mineru_core.engines.embedded.charts.tick_marks import at_tick_marks
from mineru_core.engines.embedded.charts.turned import turned_labels

WHITE, BLACK, BLUE = (255, 255, 255), (40, 40, 40), (76, 120, 168)
PLOT = Box(80, 20, 380, 220)


def _picture(width: int = 420, height: int = 300) -> Pixels:
    return np.full((height, width, 3), 255, np.uint8)


def _scaled(pixels: Pixels, axes: bool = True) -> list[Label]:
    """A grid with ticks that reach into the boxes of the labels at its left and below it; the labels are returned."""
    labels = []
    for i in range(5):
        y, x = 220 - 50 * i, 80 + 75 * i
        if axes or i:
            cv2.line(pixels, (72, y), (380, y), (200, 200, 200), 1)
            cv2.line(pixels, (x, 20), (x, 228), (200, 200, 200), 1)
        labels.append(Label(str(10 * i), Box(44, y - 7, 75, y + 7)))
        labels.append(Label(str(i), Box(x - 6, 225, x + 6, 241)))
        for label in labels[-2:]:
            _write(pixels, label)
    return labels


def _write(pixels: Pixels, label: Label) -> None:
    at = (round(label.box.x0) + 2, round(label.box.y1) - 3)
    cv2.putText(pixels, label.text, at, cv2.FONT_HERSHEY_SIMPLEX, 0.35, BLACK, 1, cv2.LINE_AA)


def test_marks_of_ticks_are_no_part_of_the_plot_area() -> None:
    pixels = _picture()
    scene = scene_of(pixels, _scaled(pixels))
    assert isinstance(scene.y, NumberAxis)
    assert scene.plot == pytest.approx(PLOT, abs=1)


def test_marks_of_ticks_do_not_draw_the_plot_area_over_the_labels() -> None:
    """Where no line of an axis tells where they begin."""
    pixels = _picture()
    scene = scene_of(pixels, _scaled(pixels, axes=False))
    assert isinstance(scene.y, NumberAxis)
    assert scene.plot.x0 == pytest.approx(75, abs=1)
    assert scene.plot.y1 == pytest.approx(225, abs=1)
    assert scene.plot.x1 == pytest.approx(380, abs=2)


@pytest.mark.parametrize("misread", [">", "<", "^"])
def test_a_turned_letter_that_was_read_as_a_sign_is_read_again(misread: str) -> None:
    pixels = _picture()
    labels = _scaled(pixels)
    cv2.putText(pixels, ">", (14, 130), cv2.FONT_HERSHEY_SIMPLEX, 0.6, BLACK, 2, cv2.LINE_AA)
    labels.append(Label(misread, Box(12, 114, 32, 134), 0.7))
    asked: list[tuple[int, ...]] = []

    def read(part: Pixels) -> list[Line]:
        asked.append(part.shape)
        box = Box(0, 0, part.shape[1], 14)
        return [Line(text="v", box=box, quad=Quad.from_box(box), confidence=0.9)]

    more = turned_labels(scene_of(pixels, labels), read)
    assert more is not None
    assert scene_of(pixels, more).y_title == "v"
    assert [la.text for la in more if la.box.x1 < 40] == ["v"]
    # The strip is cut off close about the letter.
    assert len(asked) == 1
    assert asked[0][1] < 60


def test_a_title_that_is_a_word_is_not_read_again() -> None:
    pixels = _picture()
    labels = [*_scaled(pixels), Label("b", Box(12, 114, 32, 134))]
    scene = scene_of(pixels, labels)
    assert scene.y_title == "b"
    assert turned_labels(scene, lambda _part: []) is None


def test_names_stand_at_their_ticks() -> None:
    pixels = _picture()
    cv2.line(pixels, (80, 220), (380, 220), BLACK, 1)
    for x in (120, 220, 320):
        cv2.line(pixels, (x, 220), (x, 228), BLACK, 1)
    off = CategoryAxis(False, (("A", 117.0), ("B", 223.5), ("C", 321.0)))
    found = at_tick_marks(off, pixels, PLOT, WHITE)
    assert [name for name, _ in found.categories] == ["A", "B", "C"]
    assert [at for _, at in found.categories] == pytest.approx([120.5, 220.5, 320.5], abs=0.2)


@pytest.mark.parametrize("places", [(117.0, 223.5), (117.0, 250.0, 321.0), (117.0, 170.0, 223.5, 321.0)])
def test_ticks_that_are_not_those_of_the_names_move_none(places: tuple[float, ...]) -> None:
    pixels = _picture()
    for x in (120, 220, 320):
        cv2.line(pixels, (x, 220), (x, 228), BLACK, 1)
    axis = CategoryAxis(False, tuple((str(i), at) for i, at in enumerate(places)))
    assert at_tick_marks(axis, pixels, PLOT, WHITE) == axis


def test_a_legend_is_told_from_the_top_though_the_boxes_of_its_names_overlap() -> None:
    pixels = _picture()
    labels = []
    for i, name in enumerate("xyzw"):
        y = 38 + 22 * i
        cv2.rectangle(pixels, (300, y), (311, y + 11), (BLUE, (245, 133, 24), (228, 87, 86), (84, 162, 75))[i], -1)
        labels.append(Label(name, Box(318 - i, y - 7, 330, y + 19)))
        cv2.putText(pixels, name, (320, y + 10), cv2.FONT_HERSHEY_SIMPLEX, 0.4, BLACK, 1, cv2.LINE_AA)
    assert [found.entry.name for found in find_legend(pixels, labels)] == ["x", "y", "z", "w"]


def test_level_bars_of_a_wide_picture_stand_farther_right_than_it_is_high() -> None:
    """All values are below zero, which is on the right."""
    pixels = _picture(900, 200)
    names, labels = ("Oak", "Ash", "Elm"), []
    axis = NumberAxis(False, 1 / 7.6, -105.3, ticks=tuple((-20.0 * i, 800 - 152.0 * i) for i in range(5)))
    for i, value in enumerate((-30, -60, -90)):
        y = 30 + 50 * i
        cv2.rectangle(pixels, (round(axis.pixel_at(value)), y), (799, y + 24), BLUE, -1)
        labels.append(Label(names[i], Box(20, y + 4, 60, y + 20)))
    scene = Scene(
        pixels,
        Box(80, 10, 860, 180),
        labels=tuple(labels),
        x=axis,
        y=CategoryAxis(True, tuple((la.text, la.box.center[1]) for la in labels)),
        y_labels=tuple(labels),
    )
    series = read_bars(scene)
    assert series is not None
    assert {p.x: p.y for p in series[0].points} == pytest.approx({"Oak": -30, "Ash": -60, "Elm": -90}, abs=0.5)


@pytest.mark.parametrize("text", ["y20", "b 20", "y2O"])
def test_a_title_that_was_read_with_a_tick_is_parted_from_it(text: str) -> None:
    pixels = _picture()
    labels = [la for la in _scaled(pixels) if la.text != "20"]
    cv2.putText(pixels, "y", (14, 124), cv2.FONT_HERSHEY_SIMPLEX, 0.5, BLACK, 1, cv2.LINE_AA)
    parted = parted_ticks(scene_of(pixels, [*labels, Label(text, Box(10, 113, 75, 127))]))
    if text == "y2O":
        assert parted is None
        return
    assert parted is not None
    scene = scene_of(pixels, parted)
    assert scene.y_title == text[0]
    assert isinstance(scene.y, NumberAxis)
    assert len(scene.y.ticks) == 5


def test_a_name_with_a_number_that_is_not_the_axis_stays_whole() -> None:
    pixels = _picture()
    labels = [la for la in _scaled(pixels) if la.text != "20"]
    assert parted_ticks(scene_of(pixels, [*labels, Label("b70", Box(10, 113, 75, 127))])) is None


def test_digits_of_an_axis_are_no_legend() -> None:
    """A tick that was not read looks like a sample before the next one."""
    pixels = _picture()
    labels = [la for la in _scaled(pixels) if not (la.text == "0" and la.box.y0 > 222)]
    cv2.ellipse(pixels, (200, 233), (4, 6), 0, 0, 360, BLACK, -1)
    labels.append(Label("7", Box(212, 225, 224, 241)))
    cv2.putText(pixels, "7", (214, 238), cv2.FONT_HERSHEY_SIMPLEX, 0.4, BLACK, 1, cv2.LINE_AA)
    assert find_legend(pixels, labels)
    assert scene_of(pixels, labels).legend == ()


def test_a_small_letter_has_its_sample_though_that_is_higher() -> None:
    pixels = _picture()
    labels = []
    for i, (name, color) in enumerate(zip("abc", (BLUE, (245, 133, 24), (228, 87, 86)), strict=True)):
        y = 40 + 26 * i
        cv2.circle(pixels, (300, y), 9, color, -1, cv2.LINE_AA)
        cv2.putText(pixels, name, (318, y + 6), cv2.FONT_HERSHEY_SIMPLEX, 0.6, BLACK, 1, cv2.LINE_AA)
        low = 7 if name in "ac" else 12
        labels.append(Label(name, Box(316, y - low, 332, y + 8)))
    labels += [Label("group", Box(290, 2, 340, 24)), Label("word", Box(20, 200, 70, 222))]
    labels += [Label("more", Box(20, 230, 70, 252)), Label("text", Box(20, 260, 70, 282))]
    assert [found.entry.name for found in find_legend(pixels, labels)] == ["a", "b", "c"]


def _dashed_legend(pixels: Pixels, column: int = 240) -> list[Label]:
    """Samples whole, dashed and dotted, each before its name."""
    labels = []
    for i, (name, dash) in enumerate((("Exports", 40), ("Imports", 11), ("Energy", 4))):
        y = 40 + 26 * i
        for x in range(column, column + 38, dash + max(4, dash // 2)):
            cv2.rectangle(
                pixels, (x, y - 1), (min(x + dash, column + 38) - 1, y + 1), (BLUE, BLACK, (186, 186, 186))[i], -1
            )
        cv2.putText(pixels, name, (column + 54, y + 6), cv2.FONT_HERSHEY_SIMPLEX, 0.5, BLACK, 1, cv2.LINE_AA)
        labels.append(Label(name, Box(column + 50, y - 11, column + 120, y + 11)))
    return labels


def test_dashes_and_dots_before_names_are_samples_of_a_legend() -> None:
    pixels = _picture()
    found = find_legend(pixels, _dashed_legend(pixels))
    assert [one.entry.name for one in found] == ["Exports", "Imports", "Energy"]
    assert [one.entry.color for one in found] == [BLUE, BLACK, (186, 186, 186)]
    for one in found:
        assert one.entry.box is not None
        assert one.entry.box.x0 == 240
        assert one.entry.box.width >= 30


def test_a_dashed_line_that_comes_from_afar_is_no_sample() -> None:
    pixels = _picture()
    labels = [Label(name, Box(300, y - 11, 370, y + 11)) for name, y in (("Exports", 40), ("Imports", 110))]
    for label in labels:
        for x in range(20, 286, 9):
            y = round(label.box.center[1])
            cv2.rectangle(pixels, (x, y), (x + 5, y + 1), (208, 208, 208), -1)
    assert find_legend(pixels, labels) == []


@pytest.mark.parametrize("thick", [1, 2])
def test_jumps_at_ticks_are_no_grid(thick: int) -> None:
    """The plot area goes on below and above them."""
    pixels = np.full((300, 420, 3), 255, np.uint8)
    cv2.rectangle(pixels, (80, 20), (400, 220), BLACK, 1)
    labels = [Label(str(10 * i), Box(44, 193 - 50 * i, 75, 207 - 50 * i)) for i in range(4)]
    labels += [Label(str(i), Box(89 + 70 * i, 226, 101 + 70 * i, 242)) for i in range(5)]
    for label in labels:
        _write(pixels, label)
    at = np.array([[95, 190], [165, 190], [165, 40], [235, 40], [235, 185], [305, 185], [305, 30], [370, 30]], np.int32)
    cv2.polylines(pixels, [at], False, BLUE, thick)
    plot = scene_of(pixels, labels).plot
    assert plot.y1 == pytest.approx(220, abs=2)
    assert plot.y0 <= 27


def test_the_sample_of_a_thin_dotted_line_has_the_colour_of_its_dots() -> None:
    pixels = _picture()
    labels = [Label(name, Box(290, y - 8, 350, y + 8)) for name, y in (("Exports", 40), ("Imports", 66))]
    for label, color in zip(labels, (np.array(BLUE), np.array((188, 80, 144))), strict=True):
        y = round(label.box.center[1])
        for x in range(255, 281, 6):
            # Two whole pixels amid their blurred rim.
            pixels[y - 1 : y + 1, x - 1 : x + 3] = (0.2 * color + 0.8 * 255).round()
            pixels[y, x : x + 2] = color
    found = find_legend(pixels, labels)
    assert [one.entry.color for one in found] == [BLUE, (188, 80, 144)]


def test_a_letter_in_a_name_of_one_colour_is_no_sample() -> None:
    pixels = _picture()
    cv2.putText(pixels, "S", (302, 46), cv2.FONT_HERSHEY_SIMPLEX, 0.6, BLUE, 2, cv2.LINE_AA)
    cv2.circle(pixels, (321, 41), 5, BLUE, -1, cv2.LINE_AA)
    cv2.rectangle(pixels, (329, 0), (340, 100), BLACK, -1)
    assert find_legend(pixels, [Label("Se", Box(300, 28, 338, 52))]) == []


def test_the_sides_of_a_frame_tell_where_the_plot_area_is() -> None:
    """There is no grid, and the title is no wider than a fifth of the chart."""
    pixels = np.full((300, 480, 3), 255, np.uint8)
    cv2.rectangle(pixels, (80, 40), (420, 230), BLACK, 1)
    labels = [Label(str(10 * i), Box(44, 193 - 60 * i, 75, 207 - 60 * i)) for i in range(3)]
    labels += [Label(str(i), Box(94 + 60 * i, 236, 106 + 60 * i, 252)) for i in range(6)]
    for label in labels:
        _write(pixels, label)
    title = Label("Of all", Box(220, 6, 280, 26))
    scene = scene_of(pixels, [*labels, title, Label("Energy", Box(405, 60, 460, 80))])
    assert scene.plot == pytest.approx(Box(80, 40, 420, 230), abs=2)
    assert scene.title == "Of all"


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Example.org/rights/ • CC BY", ""),
        ("www.example.org", ""),
        ("https://example.org", ""),
        ("Sales of Example.com", "Sales of Example.com"),
    ],
)
def test_an_address_below_a_chart_is_not_its_axis_title(text: str, title: str) -> None:
    pixels = _picture()
    assert scene_of(pixels, [*_scaled(pixels), Label(text, Box(160, 262, 320, 276))]).x_title == title


@pytest.mark.parametrize("footer", ["Source: World Bank", "资料来源：世界银行", "Notes: of all"])
def test_a_footer_below_the_first_tick_is_no_part_of_its_name(footer: str) -> None:
    pixels = _picture()
    labels = [*_scaled(pixels), Label(footer, Box(30, 243, 132, 259))]
    scene = scene_of(pixels, labels)
    assert isinstance(scene.x, NumberAxis)
    assert [label.text for label in scene.x_labels] == ["0", "1", "2", "3", "4"]


@pytest.mark.parametrize("names", [("A", "B", "C"), ("Alpha", "Bravo", "Charly")])
def test_the_plot_area_goes_on_to_zero_below_the_last_tick_that_was_read(names: tuple[str, ...]) -> None:
    pixels = np.full((320, 420, 3), 255, np.uint8)
    labels = []
    for i in range(1, 6):
        y = 270 - 45 * i
        cv2.line(pixels, (80, y), (400, y), (205, 205, 205), 1)
        labels.append(Label(f"0.{i}", Box(44, y - 7, 75, y + 7)))
    labels += [Label(name, Box(120 + 90 * i, 280, 164 + 90 * i, 296)) for i, name in enumerate(names)]
    for label in labels:
        _write(pixels, label)
    assert scene_of(pixels, labels).plot.y1 == pytest.approx(270, abs=2)


def _with_bars(names: dict[str, int], width: int = 420) -> tuple[Pixels, list[Label]]:
    """Bars from the row 270 on with their tops, and names below; they hide a grid, of which ten units are 50 pixels."""
    pixels = np.full((340, width, 3), 255, np.uint8)
    labels = []
    for i in range(5):
        y = 270 - 50 * i
        cv2.line(pixels, (60, y), (width - 20, y), (205, 205, 205), 1)
        labels.append(Label(str(10 * i), Box(34, y - 7, 55, y + 7)))
    step = (width - 90) // len(names)
    for i, (name, top) in enumerate(names.items()):
        cv2.rectangle(pixels, (80 + step * i, top), (50 + step * (i + 1), 271), BLUE, -1)
        middle, half = 65 + step * (2 * i + 1) / 2, 3.5 * len(name)
        labels.append(Label(name, Box(middle - half, 280, middle + half, 294)))
    for label in labels:
        _write(pixels, label)
    return pixels, labels


def test_the_plot_area_holds_a_bar_that_ends_all_lines_of_the_grid() -> None:
    scene = scene_of(*_with_bars({"Alpha": 240, "Bravo": 200, "Charly": 30}))
    assert scene.plot.x1 >= 380
    series = read_bars(scene)
    assert series is not None
    assert {p.x: round(p.y or 0) for p in series[0].points} == {"Alpha": 6, "Bravo": 14, "Charly": 48}


def test_the_second_line_of_a_name_is_no_title_above_the_title() -> None:
    """It stands aside of the label that two names were read as."""
    pixels, labels = _with_bars({"Alpha": 240, "Bravo": 200, "Charly": 140, "Less than": 180, "Never": 100}, 640)
    labels[-2:] = [Label("Less than Never", Box(420, 280, 590, 294))]
    labels.append(Label("others", Box(425, 294, 465, 306)))
    scene = scene_of(pixels, [*labels, Label("Frequency", Box(312, 318, 368, 332))])
    assert scene.x_title == "Frequency"
