from __future__ import annotations

import pytest

from mineru_core.document.analysis import BlockType
from mineru_core.ui.palette import LOOKS


def luminance(colour: str) -> float:
    channels = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    red, green, blue = (c / 12.92 if c <= 0.03928 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@pytest.mark.parametrize("kind", list(BlockType))
def test_every_outline_stands_out_on_white_paper(kind: BlockType) -> None:
    # 3:1 is what WCAG asks of graphics; the white number on it needs as much.
    assert 1.05 / (luminance(LOOKS[kind].colour) + 0.05) >= 3.0


def test_looks_that_share_a_colour_differ_in_their_line() -> None:
    furniture = {kind for kind in BlockType if kind.is_furniture}
    looks = [look for kind, look in LOOKS.items() if kind not in furniture]
    assert len(set(looks)) == len(looks)
