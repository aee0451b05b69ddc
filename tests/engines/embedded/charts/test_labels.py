from __future__ import annotations

from mineru_core.document.geometry import Box, Quad
from mineru_core.document.parts import Line
from mineru_core.engines.embedded.charts.labels import labels_of, without_samples
from mineru_core.engines.embedded.charts.scene import Label


def _line(text: str, box: Box) -> Line:
    return Line(text=text, box=box, quad=Quad.from_box(box))


def test_markers_that_are_read_as_dots_are_no_labels() -> None:
    lines = [_line("\u25cf", Box(10, 10, 20, 20)), _line("--", Box(40, 10, 60, 20)), _line("A 1", Box(80, 10, 99, 20))]
    assert [label.text for label in labels_of(lines)] == ["A 1"]


def test_a_bar_is_no_digit() -> None:
    lines = [_line(str(n), Box(10, 40 * n, 20, 40 * n + 14)) for n in range(1, 5)]
    assert len(labels_of([*lines, _line("1", Box(60, 20, 120, 160))])) == 4


def test_a_sign_before_a_name_is_the_sample_of_its_line() -> None:
    name, other = Label("Exports", Box(60, 10, 110, 24)), Label("Imports", Box(160, 10, 210, 24))
    sign, alone = Label("中", Box(40, 10, 58, 24)), Label("日", Box(300, 10, 314, 24))
    assert without_samples([sign, name, other, alone]) == (name, other, alone)
