from __future__ import annotations

import math

import pytest

from mineru_core.engines.embedded.levelling import level_box, page_skew, text_angle
from tests.engines.embedded.pages import column, line, rotated


@pytest.mark.parametrize("degrees", [-8.0, -1.0, 0.0, 0.5, 5.0])
def test_skew_is_measured_and_taken_back(degrees: float) -> None:
    level = column("a", 100, 700, 100, 6)
    turned = rotated(level, degrees)
    skew = page_skew(turned)
    assert math.degrees(skew) == pytest.approx(degrees, abs=0.01)
    for before, after in zip(level, turned, strict=True):
        assert level_box(after.quad, skew) == pytest.approx(before.box, abs=0.1)


def test_too_little_text_tells_nothing() -> None:
    assert page_skew([]) == 0.0
    assert page_skew(rotated(column("a", 100, 700, 100, 2), 5)) == 0.0
    assert page_skew(rotated([line("a", 0, n * 30, 40, n * 30 + 20) for n in range(9)], 5)) == 0.0


def test_upright_lines_do_not_count() -> None:
    assert page_skew(rotated(column("a", 100, 700, 100, 5), 90)) == 0.0


@pytest.mark.parametrize(("degrees", "angle"), [(0, 0), (4, 0), (90, 90), (176, 180), (270, 270), (-90, 270)])
def test_text_angle_is_the_nearest_quarter_turn(degrees: float, angle: int) -> None:
    assert text_angle(rotated(column("a", 100, 700, 100, 3), degrees)) == angle


def test_cjk_text_that_runs_down_is_upright() -> None:
    assert text_angle(rotated([line("金农工程", 100, 100, 300, 140)], 90)) == 0


def test_no_text_has_no_angle() -> None:
    assert text_angle([]) == 0
