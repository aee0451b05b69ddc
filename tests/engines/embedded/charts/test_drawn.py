from __future__ import annotations

import numpy as np
import pytest

from mineru_core.engines.embedded.charts.scene import CategoryAxis, NumberAxis
from tests.engines.embedded.charts.drawn import KINDS, draw


@pytest.mark.parametrize("kind", KINDS)
def test_a_chart_is_the_same_each_time_it_is_drawn(kind: str) -> None:
    first, again = draw(kind, 7), draw(kind, 7)
    assert np.array_equal(first.pixels, again.pixels)
    assert (first.values, first.scene.labels, first.scene.x, first.scene.y) == (
        again.values,
        again.scene.labels,
        again.scene.x,
        again.scene.y,
    )


def test_the_scene_is_where_the_renderer_put_it() -> None:
    """The bars' tops are where the axis says their values are."""
    drawn = draw("bars", 1)
    x, y = drawn.scene.x, drawn.scene.y
    assert isinstance(x, CategoryAxis)
    assert isinstance(y, NumberAxis)
    (points,) = drawn.values.values()
    at = dict(x.categories)
    for name, value in points:
        row, foot = y.pixel_at(value), y.pixel_at(0)
        column = int(at[name])
        inside = drawn.pixels[round((row + foot) / 2), column]
        beyond = drawn.pixels[round(row + (3 if row > foot else -3)), column]
        just_in = drawn.pixels[round(row + (-3 if row > foot else 2)), column]
        assert np.array_equal(inside, just_in)
        assert not np.array_equal(inside, beyond)


def test_tick_labels_stand_at_their_ticks() -> None:
    drawn = draw("lines", 3)
    x, y = drawn.scene.x, drawn.scene.y
    assert isinstance(x, NumberAxis)
    assert isinstance(y, NumberAxis)
    texts = {label.text: label.box.center for label in drawn.scene.labels}
    for value, pixel in x.ticks:
        assert texts[f"{value:.0f}"][0] == pytest.approx(pixel, abs=1.5)
    assert len(y.ticks) >= 3
    assert {entry.name for entry in drawn.scene.legend} == set(drawn.values)
    assert drawn.scene.title in texts


def test_what_is_not_clean_may_be_a_jpeg() -> None:
    assert {draw("line", seed, clean=False).quality is None for seed in range(6)} == {True, False}
    assert all(draw("line", seed).quality is None for seed in range(3))
