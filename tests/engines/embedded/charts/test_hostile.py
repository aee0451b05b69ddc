"""What cannot be read is refused or said to be unsure, and is never confident nonsense."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from mineru_core.document.geometry import Box
from mineru_core.engines.embedded.charts.areas import read_areas
from mineru_core.engines.embedded.charts.boxes import read_boxes
from mineru_core.engines.embedded.charts.lines import read_lines
from mineru_core.engines.embedded.charts.pie import read_pie
from mineru_core.engines.embedded.charts.scatter import read_scatter
from mineru_core.engines.embedded.charts.scene import LegendEntry, NumberAxis, Scene
from tests.engines.embedded.charts.drawn import draw

AXIS_READERS = [("lines", read_lines), ("areas_stacked", read_areas), ("scatter", read_scatter), ("boxes", read_boxes)]


@pytest.mark.parametrize(("kind", "reader"), AXIS_READERS)
def test_without_axis_labels_there_are_no_values(kind: str, reader: object) -> None:
    scene = replace(draw(kind, 2).scene, x=None, y=None)
    assert callable(reader)
    assert reader(scene) is None


@pytest.mark.parametrize(("kind", "reader"), AXIS_READERS)
def test_noise_is_no_chart(kind: str, reader: object) -> None:
    rng = np.random.default_rng(1)
    scene = draw(kind, 2).scene
    scene = replace(scene, pixels=rng.integers(0, 256, scene.pixels.shape).astype(np.uint8), legend=())
    assert callable(reader)
    read = reader(scene)
    assert read is None or max(p.confidence for s in read for p in s.points) < 0.9


@pytest.mark.parametrize(("kind", "reader"), AXIS_READERS)
def test_an_empty_plot_is_no_chart(kind: str, reader: object) -> None:
    scene = draw(kind, 2).scene
    assert callable(reader)
    assert reader(replace(scene, pixels=np.full_like(scene.pixels, 255))) is None


def test_noise_and_one_colour_are_no_pie() -> None:
    rng = np.random.default_rng(1)
    assert read_pie(rng.integers(0, 256, (300, 400, 3)).astype(np.uint8), []) is None
    assert read_pie(np.full((300, 400, 3), 40, np.uint8), []) is None


@pytest.mark.long  # forty lines of ten colours are among the drawings
def test_forty_lines_of_like_colours_are_not_sure() -> None:
    """Each has a colour that others nearly have as well."""
    rng = np.random.default_rng(3)
    pixels = np.full((400, 600, 3), 255, np.uint8)
    legend = []
    for index in range(40):
        color = (40 + 4 * (index % 10), 80 + 5 * (index // 10), 160 + 2 * index)
        heights = np.cumsum(rng.normal(0, 2, 600)) + rng.uniform(50, 350)
        for x, y in enumerate(np.clip(heights, 2, 397).astype(int)):
            pixels[y : y + 2, x] = color
        legend.append(LegendEntry(f"series {index}", color, None, "line"))
    x = NumberAxis(False, 0.1, 0.0, ticks=((0.0, 0.0), (20.0, 200.0), (40.0, 400.0), (60.0, 600.0)))
    y = NumberAxis(True, -1.0, 400.0, ticks=((0.0, 400.0), (400.0, 0.0)))
    read = read_lines(Scene(pixels, Box(0, 0, 600, 400), x=x, y=y, legend=tuple(legend)))
    assert read is None or max(p.confidence for s in read for p in s.points) < 0.6


def test_of_two_scales_nobody_knows_which_the_line_belongs_to() -> None:
    scene = draw("line", 4).scene
    assert isinstance(scene.y, NumberAxis)
    second = replace(scene.y, slope=scene.y.slope * 3)
    read = read_lines(replace(scene, second_y=second))
    assert read is not None
    assert max(p.confidence for s in read for p in s.points) < 0.5


def test_a_name_says_which_scale_the_line_belongs_to() -> None:
    scene = draw("lines", 4).scene
    assert isinstance(scene.y, NumberAxis)
    first = read_lines(scene)
    name = scene.legend[0].name
    legend = (replace(scene.legend[0], name=f"{name} (right)"), *scene.legend[1:])
    second = replace(scene.y, slope=scene.y.slope * 3, intercept=scene.y.intercept * 3)
    told = read_lines(replace(scene, legend=legend, second_y=second))
    assert first is not None
    assert told is not None
    before = {s.name: s.points[0].y or 0.0 for s in first}
    after = {s.name: s.points[0].y or 0.0 for s in told}
    assert [s.name for s in told if s.on_second_axis] == [f"{name} (right)"]
    assert after[f"{name} (right)"] == pytest.approx(3 * before[name], rel=0.01)
