from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.analysis import Line, LineWord
from mineru_core.document.geometry import Box, Quad
from mineru_core.engines.embedded.tables.words import text_of, words_of
from tests.engines.embedded.tables.drawing import line_at

TEXTS = st.text(alphabet="ab 1.中文（", min_size=1, max_size=12).filter(lambda text: text.strip() == text)


@given(st.lists(TEXTS, min_size=1, max_size=5))
def test_every_character_is_in_exactly_one_word(texts: list[str]) -> None:
    lines = [line_at(text, 10, 20 * n, 10 + 9 * len(text), 20 * n + 15) for n, text in enumerate(texts)]
    words = words_of(lines)
    for index, text in enumerate(texts):
        covered = [at for word in words if word.line == index for at in range(word.start, word.end)]
        assert covered == [at for at, character in enumerate(text) if not character.isspace()]


@given(TEXTS)
def test_the_words_of_a_line_make_up_its_text(text: str) -> None:
    lines = [line_at(text, 0, 0, 100, 10)]
    assert text_of(words_of(lines), lines) == text


def test_a_run_without_spaces_is_cut_to_characters_that_share_its_width() -> None:
    words = words_of([line_at("总计表", 0, 0, 60, 20)])
    assert [(w.box.x0, w.box.x1) for w in words] == [(0, 20), (20, 40), (40, 60)]


def test_latin_words_within_such_a_run_stay_whole() -> None:
    box = Box(0, 0, 100, 20)
    line = Line(text="用Word写", box=box, quad=Quad.from_box(box), words=(LineWord(text="用Word写", box=box),))
    assert [line.text[w.start : w.end] for w in words_of([line])] == ["用", "Word", "写"]


def test_words_that_do_not_make_up_the_text_leave_the_line_whole() -> None:
    box = Box(0, 0, 100, 20)
    line = Line(text="a b", box=box, quad=Quad.from_box(box), words=(LineWord(text="x", box=box),))
    assert [(w.start, w.end, w.box) for w in words_of([line])] == [(0, 3, box)]


def test_a_line_written_downwards_is_not_cut() -> None:
    assert len(words_of([line_at("a b c d", 0, 0, 15, 90)])) == 1


def test_lines_of_a_cell_are_joined_with_a_space_but_not_beside_cjk() -> None:
    latin = [line_at("net", 0, 0, 30, 10), line_at("income", 0, 12, 60, 22)]
    assert text_of(words_of(latin), latin) == "net income"
    chinese = [line_at("营业", 0, 0, 30, 10), line_at("收入", 0, 12, 30, 22)]
    assert text_of(words_of(chinese), chinese) == "营业收入"
