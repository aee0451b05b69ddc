"""Names at the ends of lines that others run into are read again, each by itself."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from matplotlib import rc_context
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.figure import Figure

from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Pixels
from mineru_core.document.parts import Line
from mineru_core.engines.embedded.charts.end_names import with_end_names
from mineru_core.engines.embedded.charts.lines import traced_lines
from mineru_core.engines.embedded.charts.lines_names import names_of
from mineru_core.engines.embedded.charts.scene import Label, Scene
from tests.engines.embedded.charts import drawn_scene
from tests.engines.embedded.charts.drawn_kinds import Plotted

BLUE, RED = "#1f77b4", "#d62728"


def _scene(ends: Sequence[float], colors: Sequence[str], frame: bool, read_as: Sequence[str]) -> Scene:
    """Two lines from 2000 to 2004 with names at their ends, which were read as ``read_as``."""
    with rc_context({"font.family": "DejaVu Sans", "font.size": 10}):
        figure = Figure(figsize=(6, 4), dpi=110, layout="tight")
        canvas = FigureCanvasAgg(figure)
        ax = figure.add_subplot()
        for name, start, end, line, color in zip(("Energy", "Farming"), (2, 7), ends, (BLUE, RED), colors, strict=True):
            ax.plot([2000, 2004], [start, end], color=line, linewidth=2)
            ax.annotate(name, (2004, end), (5, 0), textcoords="offset points", va="center", color=color)
        ax.set_xticks([2000, 2002, 2004])
        ax.set_ylim(0, 10)
        ax.spines[["top", "right"]].set_visible(frame)
        canvas.draw()
        pixels = np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
        scene = drawn_scene.scene_of(figure, Plotted({}, x_numbers=(2000, 2002, 2004), kind="line"), pixels)
    texts = dict(zip(("Energy", "Farming"), read_as, strict=True))
    labels = [Label(texts.get(la.text, la.text), la.box, 0.9 if la.text in texts else 1.0) for la in scene.labels]
    labels = [label for label in labels if label.text]
    free = tuple(label for label in labels if label.text in read_as)
    return Scene(**{**_fields(scene), "labels": tuple(labels), "free": free})


def _fields(scene: Scene) -> dict[str, object]:
    return {name: getattr(scene, name) for name in scene.__dataclass_fields__}


class _Reader:
    """Tells of each piece of a row what it is given, the narrowest first, and keeps the row."""

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        self.rows: list[Pixels] = []

    def __call__(self, pixels: Pixels) -> list[Line]:
        self.rows.append(pixels)
        inked = np.flatnonzero((pixels < 128).any(axis=(0, 2)))
        runs = np.split(inked, np.flatnonzero(np.diff(inked) > 12) + 1)
        boxes = [Box(float(run[0]), 2.0, float(run[-1]), float(len(pixels) - 2)) for run in runs]
        assert len(boxes) == len(self.texts)
        boxes.sort(key=lambda box: box.width)
        return [
            Line(text=text, box=box, quad=Quad.from_box(box), confidence=0.99)
            for text, box in zip(self.texts, boxes, strict=True)
        ]


@pytest.mark.parametrize("read_as", [("Exergy", ""), ("Farergy", ""), ("Energy", "Farming")])
def test_of_names_upon_each_other_each_is_read_by_its_colour(read_as: Sequence[str]) -> None:
    scene = _scene((5.0, 5.2), (BLUE, RED), False, read_as)
    found = with_end_names(scene, _Reader("Energy", "Farming"))
    assert found is not None
    names = {label.text: label.tint for label in found if label.text in ("Energy", "Farming")}
    assert names == {"Energy": (31, 119, 180), "Farming": (214, 39, 40)}
    assert not {label.text for label in found} & ({*read_as} - {"Energy", "Farming", ""})


def test_the_frame_is_no_part_of_a_name_in_black() -> None:
    scene = _scene((3.0, 8.0), ("black", "black"), True, ("Enrgy", "Fąrming"))
    # Each is asked about twice, the frame taken away in two ways.
    reader = _Reader("Energy", "Energy", "Farming", "Farming")
    found = with_end_names(scene, reader)
    assert found is not None
    assert {"Energy", "Farming"} <= {label.text for label in found}
    # No column is black from the top to the foot of the letters.
    (row,) = reader.rows
    assert (row[:, :, 0] < 128).mean(axis=0).max() < 0.45


def test_names_that_stand_alone_are_not_read_again() -> None:
    scene = _scene((3.0, 8.0), (BLUE, RED), False, ("Energy", "Farming"))
    sure = tuple(Label(la.text, la.box, 1.0) for la in scene.labels)
    free = tuple(la for la in sure if la.text in ("Energy", "Farming"))
    assert with_end_names(Scene(**{**_fields(scene), "labels": sure, "free": free}), _Reader()) is None


def test_a_name_goes_to_the_line_of_the_colour_it_was_read_in() -> None:
    scene = _scene((5.0, 5.2), (BLUE, RED), False, ("Exergy", ""))
    found = with_end_names(scene, _Reader("Energy", "Farming"))
    assert found is not None
    free = tuple(la for la in found if la.text in ("Energy", "Farming"))
    scene = Scene(**{**_fields(scene), "labels": found, "free": free})
    lines = traced_lines(scene)
    colors = [line.color for line in lines]
    named = names_of(scene, [line.trace for line in lines], colors)
    assert dict(zip(colors, named, strict=True)) == {(31, 119, 180): "Energy", (214, 39, 40): "Farming"}
