from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.document.task import Region, Task, TaskKind
from mineru_core.instruct import alternatives, describe, parse_words
from tests.instruct.sentences import CHINESE, ENGLISH


@pytest.mark.parametrize(
    ("words", "english", "chinese"),
    [
        ("", "Everything", "全部内容"),
        ("text of page 2", "All text, page 2", "全部文字，第 2 页"),
        ("extract the tables", "All tables", "全部表格"),
        ("the second table", "Table 2", "第 2 个表格"),
        ("tables 1, 3 and 4", "Tables 1, 3, 4", "第 1、3、4 个表格"),
        ("tables 2-5 on pages 1-3", "Tables 2-5, pages 1-3", "第 2-5 个表格，第 1-3 页"),
        ("last table", "Last table", "最后一个表格"),
        ("最后两张表", "Last 2 tables", "最后 2 个表格"),
        ("倒数第二个表格", "Table 2 from the end", "倒数第 2 个表格"),
        ("最后一页的文字", "All text, last page", "全部文字，最后一页"),
        ("find 'total'", "Find “total”", "查找“total”"),
        ("invoice number, date", "Fields: invoice number, date", "字段：invoice number、date"),
        ("date", "Field: date", "字段：date"),
        ("关键信息", "Key fields", "关键字段"),
        ("提取图表", "Chart data", "图表数据"),
        ("公式", "Formulas", "公式"),
    ],
)
def test_a_task_is_said_in_one_natural_line(words: str, english: str, chinese: str) -> None:
    task = parse_words(words)
    assert describe(task, "en") == english
    assert describe(task, "zh") == chinese


def test_a_region_is_mentioned() -> None:
    task = Task(kind=TaskKind.TABLES, regions=(Region(page=1, box=Box(0, 0, 10, 10)),))
    assert describe(task, "en") == "All tables, selected area"
    assert describe(task, "zh") == "全部表格，所选区域"


@given(st.text(max_size=60), st.sampled_from(["en", "zh"]))
def test_any_words_can_be_described(words: str, language: str) -> None:
    line = describe(parse_words(words), language)
    assert line
    assert "\n" not in line


def choices(task: Task) -> dict[str, object]:
    """What a description tells of a task."""
    return task.model_dump(exclude={"words", "language", "notes", "regions"})


def assert_reads_back(task: Task) -> None:
    for language in ("en", "zh"):
        assert choices(parse_words(describe(task, language))) == choices(task)


@pytest.mark.parametrize("words", [words for words, _, _ in CHINESE + ENGLISH])
def test_a_description_asks_for_the_very_task(words: str) -> None:
    assert_reads_back(parse_words(words))


PIECES = st.lists(st.sampled_from(sorted({p for w, _, _ in CHINESE + ENGLISH for p in [w, *w.split()]})), max_size=4)


@given(st.text(max_size=60) | PIECES.map(" ".join))
def test_any_description_asks_for_the_very_task(words: str) -> None:
    assert_reads_back(parse_words(words))


@pytest.mark.parametrize(
    ("words", "english", "chinese"),
    [
        ("only the columns A and B", "All tables, columns “A”, “B”", "全部表格，只要列“A”、“B”"),
        ("去掉备注列", "All tables, without columns “备注”", "全部表格，不要列“备注”"),
        ("rows where Region is North", "All tables, rows where “Region” is “North”", "全部表格，“Region”为“North”的行"),
        ("rows with x or y", "All tables, rows with “x” or “y”", "全部表格，含“x”或“y”的行"),
        ("merge tables 1 and 2", "Tables 1, 2, as one table", "第 1、2 个表格，合成一个表格"),
        ("blue line in 2015", "Chart data, series “blue”, values for “2015”", "图表数据，系列“blue”，取值“2015”"),
        ("compare page 2 with page 1", "What changed: page 2 → page 1", "比较差异：第 2 页 → 第 1 页"),
        ("when does it end?", "Question: “when does it end”", "问题：“when does it end”"),
        ("summarize page 2", "Summary, page 2", "摘要，第 2 页"),
        ("regex a+", "Find pattern “a+”", "正则查找“a+”"),
    ],
)
def test_what_is_chosen_is_said(words: str, english: str, chinese: str) -> None:
    task = parse_words(words)
    assert (describe(task, "en"), describe(task, "zh")) == (english, chinese)


@given(st.text(max_size=60) | PIECES.map(" ".join))
def test_alternatives_are_others_that_can_be_asked_for_by_their_description(words: str) -> None:
    task = parse_words(words)
    found = alternatives(task, words)
    lines = [describe(task, task.language), *(describe(other, task.language) for other in found)]
    assert len(found) <= 3
    assert len(set(lines)) == len(lines)
    for other, line in zip(found, lines[1:], strict=True):
        assert choices(parse_words(line)) == choices(other)


def test_a_question_may_be_a_phrase_or_a_field() -> None:
    words = "what is the notice period?"
    lines = [describe(task, "en") for task in alternatives(parse_words(words), words)]
    assert lines[:2] == ["Find “notice period”", "Field: notice period"]


def test_no_words_have_no_other_meaning() -> None:
    assert alternatives(parse_words(" "), " ") == ()
