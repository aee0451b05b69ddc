from __future__ import annotations

from itertools import combinations

import pytest

from mineru_core.document.analysis import BlockType
from mineru_core.document.table import DOUBTFUL_BELOW
from mineru_core.ui.palette import HEAT, LOOKS

Channels = tuple[float, float, float]

# Machado, Oliveira and Fernandes 2009, severity 1, for linear RGB.
SIGHTS: dict[str, tuple[Channels, Channels, Channels]] = {
    "full": ((1, 0, 0), (0, 1, 0), (0, 0, 1)),
    "protanopia": (
        (0.152286, 1.052583, -0.204868),
        (0.114503, 0.786281, 0.099216),
        (-0.003882, -0.048116, 1.051998),
    ),
    "deuteranopia": (
        (0.367322, 0.860646, -0.227968),
        (0.280085, 0.672501, 0.047413),
        (-0.011820, 0.042940, 0.968881),
    ),
    "tritanopia": (
        (1.255528, -0.076749, -0.178779),
        (-0.078411, 0.930809, 0.147602),
        (0.004733, 0.691367, 0.303900),
    ),
}
LEAST_APART = 18.0
"""Distance in CIE L*a*b*; about 2.3 is the least that can be seen side by side."""


def linear(colour: str) -> list[float]:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    return [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]


def luminance(colour: str) -> float:
    red, green, blue = linear(colour)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def lab(colour: str, sight: str) -> Channels:
    light = linear(colour)
    red, green, blue = (
        min(1.0, max(0.0, sum(a * b for a, b in zip(row, light, strict=True)))) for row in SIGHTS[sight]
    )
    x = (0.4124 * red + 0.3576 * green + 0.1805 * blue) / 0.9505
    y = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    z = (0.0193 * red + 0.1192 * green + 0.9505 * blue) / 1.089
    fx, fy, fz = (v ** (1 / 3) if v > 0.008856 else 7.787 * v + 16 / 116 for v in (x, y, z))
    return 116 * fy - 16, 500 * (fx - fy), 200 * (fy - fz)


def apart(one: str, other: str, sight: str) -> float:
    squares = ((a - b) ** 2 for a, b in zip(lab(one, sight), lab(other, sight), strict=True))
    return float(sum(squares) ** 0.5)


@pytest.mark.parametrize("kind", list(BlockType))
def test_every_outline_stands_out_on_white_paper(kind: BlockType) -> None:
    # 3:1 is what WCAG asks of graphics, 4.5:1 of text: the white number stands on it.
    assert 1.05 / (luminance(LOOKS[kind].colour) + 0.05) >= 4.5


@pytest.mark.parametrize("sight", SIGHTS)
def test_looks_are_told_apart_by_line_or_by_a_colour_that_everybody_sees(sight: str) -> None:
    for one, other in combinations(sorted(set(LOOKS.values())), 2):
        assert one.line != other.line or apart(one.colour, other.colour, sight) >= LEAST_APART, (one, other)


def test_only_what_repeats_from_page_to_page_shares_a_look() -> None:
    furniture = {kind for kind in BlockType if kind.is_furniture}
    looks = [look for kind, look in LOOKS.items() if kind not in furniture]
    assert len(set(looks)) == len(looks)


@pytest.mark.parametrize("sight", SIGHTS)
def test_steps_of_confidence_are_told_apart(sight: str) -> None:
    for (_, one), (_, other) in combinations(HEAT, 2):
        assert apart(one, other, sight) >= LEAST_APART, (one, other)


def test_the_last_step_is_what_is_doubtful() -> None:
    assert [least for least, _ in HEAT] == sorted((least for least, _ in HEAT), reverse=True)
    assert HEAT[-1][0] == 0
    assert HEAT[-2][0] == 100 * DOUBTFUL_BELOW
