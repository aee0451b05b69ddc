from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.intake.office.canvas import Canvas, TextStyle
from mineru_core.intake.office.fonts import text_width
from mineru_core.intake.office.text import Paragraph, Run, set_text

STYLE = TextStyle(20)


def paragraph(text: str, **fields: object) -> Paragraph:
    return Paragraph((Run(text, STYLE),), size=20, **fields)  # type: ignore[arg-type]


def written(paragraphs: list[Paragraph], box: Box, anchor: str = "t") -> list[tuple[str, Box]]:
    canvas = Canvas(1000, 1000)
    set_text(paragraphs, box.width).write(canvas, box, anchor)
    return [(word.text, word.box) for word in canvas.words]


@settings(max_examples=30, deadline=None)
@given(st.lists(st.text("abcdefgh中文字符，", min_size=1, max_size=30), min_size=1, max_size=12), st.integers(60, 400))
def test_every_character_is_written_once_within_the_width(tokens: list[str], width: int) -> None:
    box = Box(100, 50, 100 + width, 900)
    found = written([paragraph(" ".join(tokens))], box)
    assert "".join(text for text, _ in found) == "".join(tokens)
    assert all(place.x1 <= box.x1 + 3 for _, place in found)
    lines = sorted({round(place.center[1] / 24) for _, place in found})
    assert lines[0] >= 0


def test_lines_follow_each_other_downwards() -> None:
    found = written([paragraph("one\ntwo"), paragraph("three", before=30.0)], Box(0, 0, 500, 500))
    tops = [place.y1 for _, place in found]
    assert [text for text, _ in found] == ["one", "two", "three"]
    assert 20 < tops[1] - tops[0] < 30
    assert 50 < tops[2] - tops[1] < 60


def test_text_stands_where_its_box_says() -> None:
    box = Box(0, 0, 800, 600)
    for align, anchor, x, y in (("l", "t", 0.0, 0.0), ("ctr", "ctr", 0.5, 0.5), ("r", "b", 1.0, 1.0)):
        ((_, place),) = written([paragraph("word", align=align)], box, anchor)
        assert abs(place.x0 - x * (box.width - text_width("word", 20, False))) < 4
        assert abs(place.center[1] - (12 + y * (box.height - 24))) < 8


def test_a_word_in_two_fonts_is_one_word() -> None:
    assert [text for text, _ in written([paragraph("PM2.5浓度 next")], Box(0, 0, 900, 100))] == ["PM2.5浓度", "next"]


def test_an_empty_paragraph_takes_a_line() -> None:
    one, two = (set_text([paragraph("a"), *middle, paragraph("b")], 100).height for middle in ([], [paragraph("")]))
    assert two == one * 1.5


def test_what_runs_off_the_page_has_no_words_there() -> None:
    canvas = Canvas(300, 100)
    canvas.write(0, 50, "word " * 5000, STYLE)
    assert 4 <= len(canvas.words) <= 8
    assert all(word.box.x1 <= 300 for word in canvas.words)
