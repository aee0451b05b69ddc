from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.task import Task, TaskKind
from mineru_core.instruct import parse_words
from tests.instruct.sentences import CHINESE, ENGLISH, Sentence

WIDE = {code: code + 0xFEE0 for code in range(0x21, 0x7F)} | {0x20: 0x3000}
SENTENCES: list[tuple[Sentence, str]] = [(s, "zh") for s in CHINESE] + [(s, "en") for s in ENGLISH]


def chosen(task: Task) -> dict[str, Any]:
    """What was derived, without the words themselves."""
    return task.model_dump(exclude={"words"})


@pytest.mark.parametrize(("sentence", "language"), SENTENCES, ids=[s[0] for s, _ in SENTENCES])
def test_a_sentence_means_what_a_native_speaker_means(sentence: Sentence, language: str) -> None:
    words, kind, further = sentence
    assert parse_words(words) == Task(kind=kind, words=words, language=language, **further)


def test_there_are_enough_sentences_of_each_language() -> None:
    assert len(CHINESE) >= 120
    assert len(ENGLISH) >= 120


@pytest.mark.parametrize("words", ["", " ", "\n\t", "　"])
def test_no_words_ask_for_everything(words: str) -> None:
    assert parse_words(words).kind is TaskKind.EVERYTHING
    assert parse_words(words).notes == ()


@pytest.mark.parametrize(
    "words", ["???", "!!", "。。。", "1234567", "😀", "the quick brown fox jumps over the lazy dog"]
)
def test_words_without_a_wish_give_everything_and_say_so(words: str) -> None:
    task = parse_words(words)
    assert (task.kind, task.notes) == (TaskKind.EVERYTHING, ("not-understood",))


@pytest.mark.parametrize("words", [s[0][0] for s in SENTENCES])
def test_full_width_reads_like_half_width(words: str) -> None:
    assert chosen(parse_words(words.translate(WIDE))) == chosen(parse_words(words))


@pytest.mark.parametrize("words", [s[0][0] for s in SENTENCES])
def test_case_of_the_key_words_is_free(words: str) -> None:
    upper, plain = parse_words(words.upper()), parse_words(words)
    assert (upper.kind, upper.pages, upper.table_indexes) == (plain.kind, plain.pages, plain.table_indexes)
    assert [f.lower() for f in upper.fields] == [f.lower() for f in plain.fields]


@given(st.text(max_size=80))
def test_any_text_gives_a_task(words: str) -> None:
    task = parse_words(words)
    assert task.words == words
    assert task.language in ("zh", "en")
    assert (task.kind in (TaskKind.FIND, TaskKind.QUESTION)) == bool(task.query)
    assert 0 not in task.pages


VOCABULARY = sorted({piece for (s, _, _), _ in SENTENCES for piece in s.split()})


@given(st.lists(st.sampled_from([*VOCABULARY, "-", "9999999999", "第", "页", "“", "to", "and", "第0页"]), max_size=8))
def test_any_jumble_of_key_words_gives_a_task(pieces: list[str]) -> None:
    task = parse_words(" ".join(pieces))
    assert len(task.pages) <= 10_000
    assert all(-10_000 <= index < 10_000 for index in task.table_indexes)


@given(st.text(alphabet=st.characters(min_codepoint=0x20, max_codepoint=0x7E), max_size=40))
def test_full_width_letters_of_any_text_read_like_half_width(words: str) -> None:
    assert chosen(parse_words(words.translate(WIDE))) == chosen(parse_words(words))


@given(st.integers(1, 500), st.integers(0, 20))
def test_page_ranges_of_both_languages_agree(first: int, more: int) -> None:
    expected = tuple(range(first, first + more + 1))
    for words in (f"tables on pages {first}-{first + more}", f"第{first}-{first + more}页的表格"):
        assert parse_words(words).pages == expected


@given(st.integers(1, 99))
def test_table_numbers_of_both_languages_agree(number: int) -> None:
    for words in (f"table {number}", f"第{number}个表格", f"表{number}", f"table no. {number}"):
        assert parse_words(words).table_indexes == (number - 1,)


# A pasted letter must not hold a worker: before the length was limited, some of these took minutes and ran into the
# suite's time limit.
@pytest.mark.parametrize(
    "piece", ["a ", "第1页到", "and ", " ", "1-", "找 在", "'", "表", "rows where page 1 ", "列 ", "的", "列"]
)
def test_long_words_are_read_as_far_as_a_wish_goes(piece: str) -> None:
    words = "extract the tables " + piece * 20_000
    task = parse_words(words)
    assert task.words == words
    assert task == parse_words(words + "and find 'total'").model_copy(update={"words": words})
