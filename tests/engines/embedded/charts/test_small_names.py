"""Names that were missed are read again in one row; what is drawn says what must be asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import cv2
import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Pixels
from mineru_core.document.parts import Line, LineWord
from mineru_core.engines.embedded.charts.build import scene_of
from mineru_core.engines.embedded.charts.scene import CategoryAxis, Label, Scene
from mineru_core.engines.embedded.charts.small_names import read_in_row, with_small_names
from tests.engines.embedded.charts import drawn_scene
from tests.engines.embedded.charts.drawn_kinds import Plotted


def _scene(figure: Figure, without: Sequence[str] = ()) -> tuple[Scene, dict[str, Label]]:
    """The scene of a figure in which some texts were not read, and all of its texts."""
    FigureCanvasAgg(figure).draw()
    pixels = np.asarray(figure.canvas.buffer_rgba())[:, :, :3].copy()  # type: ignore[attr-defined]
    labels = drawn_scene.scene_of(figure, Plotted({}), pixels).labels
    labels = tuple(replace(label, box=label.box.expanded(2.0)) for label in labels)
    scene = scene_of(pixels, [label for label in labels if label.text not in without])
    return scene, {label.text: label for label in labels}


def _bars(names: Sequence[str], rotation: float = 90.0) -> Figure:
    figure = Figure(figsize=(4, 4), dpi=110, layout="tight")
    ax = figure.add_subplot()
    ax.bar(list(names), range(3, 3 + len(names)), color="#4c78a8")
    ax.tick_params(axis="x", rotation=rotation)
    ax.set_xlabel("name of it")
    return figure


class _Reader:
    """Reads rows: as many words as there are runs of ink with wide gaps, which are the given ones."""

    def __init__(self, words: Sequence[str], confidence: float = 0.9, *, spaced: bool = True) -> None:
        self.words, self.confidence, self.spaced = words, confidence, spaced
        self.asked: list[tuple[int, ...]] = []

    def __call__(self, pixels: Pixels) -> list[Line]:
        self.asked.append(pixels.shape)
        dark = (pixels.min(axis=2) < 128).any(axis=0).astype(np.uint8)
        joined = cv2.morphologyEx(dark[None], cv2.MORPH_CLOSE, np.ones((1, 7), np.uint8))[0]
        edges = np.diff(np.concatenate([[0], joined.astype(np.int8), [0]]))
        spans = list(zip(np.flatnonzero(edges == 1).tolist(), np.flatnonzero(edges == -1).tolist(), strict=True))
        assert len(spans) == len(self.words)
        boxes = [Box(a, 0, b, pixels.shape[0]) for a, b in spans]
        whole = Box.around(boxes)
        words = tuple(LineWord(text=t, box=b) for t, b in zip(self.words, boxes, strict=True)) if self.spaced else ()
        text = (" " if self.spaced else "").join(self.words)
        return [Line(text=text, box=whole, quad=Quad.from_box(whole), confidence=self.confidence, words=words)]


def _never(_pixels: Pixels) -> list[Line]:
    raise AssertionError("nothing was missed")


def test_where_every_name_was_read_nothing_is_asked() -> None:
    for figure in (_bars("ABCD"), _bars(["Peter", "Mary", "Paul"]), _bars(["Anna Lee", "Bo Ek"], 0.0)):
        assert with_small_names(_scene(figure)[0], _never) is None


@pytest.mark.parametrize("spaced", [True, False])
def test_a_letter_below_a_bar_that_was_missed_is_read_with_the_others(spaced: bool) -> None:
    scene, every = _scene(_bars("ABCDFH"), without=["C", "H"])
    reader = _Reader("ABCDFH", spaced=spaced)
    labels = with_small_names(scene, reader)
    assert labels is not None
    again = scene_of(scene.pixels, labels)
    assert isinstance(again.x, CategoryAxis)
    assert [name for name, _ in again.x.categories] == list("ABCDFH")
    for name, at in again.x.categories:
        assert at == pytest.approx(every[name].box.center[0], abs=2.0)
    assert len(reader.asked) == 2  # letters may run upwards, or be level


def test_a_part_of_a_turned_name_gives_way_to_the_whole() -> None:
    scene, every = _scene(_bars(["Peter", "Mary", "Paul"]), without=["Paul"])
    box = every["Paul"].box
    part = Label("u", Box(box.x0, box.y0, box.x1, box.y0 + 0.45 * box.height), 0.7)
    scene = scene_of(scene.pixels, [*scene.labels, part])
    labels = with_small_names(scene, _Reader(["Peter", "Mary", "Paul"]))
    assert labels is not None
    texts = [label.text for label in labels]
    assert "u" not in texts
    assert {"Peter", "Mary", "Paul", "name of it"} <= set(texts)


def test_names_that_cannot_be_read_leave_all_as_it_was() -> None:
    scene, _ = _scene(_bars("ABCD"), without=["B"])
    assert with_small_names(scene, lambda _pixels: []) is None
    assert with_small_names(scene, _Reader("ABCD", confidence=0.2)) is None


@pytest.mark.parametrize("hole", [0.0, 0.4])
def test_digits_beside_the_samples_of_a_pie_are_its_names(hole: float) -> None:
    figure = Figure(figsize=(4, 3), dpi=110)
    ax = figure.add_subplot()
    colors = ["#4c78a8", "#f58518", "#e45756", "#72b7b2"]
    ax.pie([4, 6, 10, 3], colors=colors, wedgeprops={"width": 1 - hole})
    for i, color in enumerate(colors):
        figure.text(0.86, 0.8 - 0.07 * i, "●", color=color, fontsize=13, va="center")
        figure.text(0.91, 0.8 - 0.07 * i, str(i + 1), fontsize=10, va="center")
    figure.text(0.82, 0.88, "category", fontsize=9, fontweight="bold")
    scene, _ = _scene(figure, without=["●", *"1234"])
    assert scene.legend == ()
    labels = with_small_names(scene, _Reader("1234"))
    assert labels is not None
    legend = scene_of(scene.pixels, labels).legend
    assert [entry.name for entry in legend] == list("1234")
    for entry, color in zip(legend, colors, strict=True):
        told = tuple(int(color[i : i + 2], 16) for i in (1, 3, 5))
        assert entry.color is not None
        assert np.abs(np.subtract(entry.color, told)).max() <= 8


def test_a_row_tells_its_texts_apart() -> None:
    pixels = np.full((60, 300, 3), 255, np.uint8)
    boxes = []
    for i, text in enumerate(["A", "Be", "C"]):
        cv2.putText(pixels, text, (20 + 90 * i, 40), cv2.FONT_HERSHEY_SIMPLEX, 0.8, (0, 0, 0), 2)
        boxes.append(Box(18 + 90 * i, 18, 24 + 90 * i + 16 * len(text), 44))
    assert read_in_row(pixels, boxes, _Reader(["A", "Be", "C"]), turned=False) == [("A", 0.9), ("Be", 0.9), ("C", 0.9)]
    assert read_in_row(pixels, boxes, lambda _pixels: [], turned=False) == [None, None, None]


def test_what_was_read_as_one_over_several_names_is_read_again() -> None:
    scene, every = _scene(_bars("ABCD"), without=["B", "C"])
    one = Label("C", every["B"].box.union(every["C"].box), 0.6)
    labels = with_small_names(scene_of(scene.pixels, [*scene.labels, one]), _Reader("ABCD"))
    assert labels is not None
    assert sorted(label.text for label in labels if len(label.text) == 1 and label.text.isalpha()) == list("ABCD")


def test_letters_that_are_not_sure_are_read_again() -> None:
    scene, _ = _scene(_bars("ABCH"), without=["H"])
    misread = [replace(la, text="工", confidence=0.9, turned=False) if la.text == "B" else la for la in scene.labels]
    labels = with_small_names(scene_of(scene.pixels, misread), _Reader("ABCH"))
    assert labels is not None
    assert {"A", "B", "C", "H"} <= {label.text for label in labels}
    assert "工" not in {label.text for label in labels}
