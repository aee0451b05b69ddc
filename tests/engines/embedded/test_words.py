from __future__ import annotations

from itertools import pairwise

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.recognition import Glyph
from mineru_core.engines.embedded.words import is_unspaced, text_of, words_of

HEIGHT = 40


def _line(places: list[tuple[int, int]], width: int) -> Pixels:
    """A white line with a black bar for each character (start, end)."""
    picture = np.full((HEIGHT, width, 3), 255, dtype=np.uint8)
    for start, end in places:
        picture[10:30, start:end] = 0
    return picture


def _glyphs(text: str, places: list[tuple[int, int]], width: int) -> list[Glyph]:
    return [Glyph(c, (start + end) / 2 / width, 0.9) for c, (start, end) in zip(text, places, strict=True)]


def test_the_edges_of_words_lie_at_the_ink() -> None:
    places = [(10, 20), (24, 34), (38, 44), (50, 60), (64, 74)]
    line = _line([p for i, p in enumerate(places) if i != 2], 100)
    first, second = words_of(line, _glyphs("ab cd", places, 100))
    assert (first.text, second.text) == ("ab", "cd")
    assert np.allclose([first.start, first.end, second.start, second.end], [0.10, 0.34, 0.50, 0.74], atol=0.011)


def test_letters_far_apart_are_two_words_though_no_space_was_read() -> None:
    places = [(10, 20), (24, 34), (90, 100), (104, 114)]
    words = words_of(_line(places, 130), _glyphs("abcd", places, 130))
    assert [w.text for w in words] == ["ab", "cd"]
    assert text_of(words) == "ab cd"


def test_chinese_is_parted_by_character_and_joined_without_spaces() -> None:
    places = [(10, 34), (40, 64), (70, 80), (84, 94)]
    words = words_of(_line(places, 100), _glyphs("金额12", places, 100))
    assert [w.text for w in words] == ["金", "额", "12"]
    assert text_of(words) == "金额12"


def test_an_underline_hides_no_gap() -> None:
    places = [(10, 30), (60, 80)]
    line = _line(places, 100)
    line[29:31] = 0
    first, second = words_of(line, _glyphs("ab", places, 100))
    assert abs(first.end - 0.30) < 0.02
    assert abs(second.start - 0.60) < 0.02


def test_white_on_black_is_the_same() -> None:
    places = [(10, 30), (60, 80)]
    glyphs = _glyphs("ab", places, 100)
    line = _line(places, 100)
    assert words_of(line, glyphs) == words_of(255 - line, glyphs)


def test_the_scripts_without_spaces() -> None:
    assert all(is_unspaced(c) for c in "金のア（。ㄅ")
    assert not any(is_unspaced(c) for c in "aÉ1.(-π 한")


@given(st.text(alphabet="ab1金。 ", max_size=12))
def test_words_keep_every_character_in_order(text: str) -> None:
    places = [(10 + 14 * i, 20 + 14 * i) for i in range(len(text))]
    width = 30 + 14 * len(text)
    words = words_of(
        _line([p for c, p in zip(text, places, strict=True) if c != " "], width), _glyphs(text, places, width)
    )
    assert "".join(w.text for w in words) == text.replace(" ", "")
    assert text_of(words) == " ".join(text.split())
    assert all(0 <= w.start <= w.end <= 1 for w in words)
    assert all(a.end <= b.start + 1e-9 for a, b in pairwise(words))
