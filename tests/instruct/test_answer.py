from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.analysis import Block, BlockType, DocumentAnalysis
from mineru_core.document.chart import Chart, ChartKind
from mineru_core.document.geometry import Box
from mineru_core.document.task import Answer, Task, TaskKind
from mineru_core.instruct import answer, parse_words
from tests.instruct.pages import block, document, line, page, table_block

FIRST = page(
    block(line("Running head", 0, 0), kind=BlockType.HEADER),
    block(line("Report", 0, 40), kind=BlockType.TITLE),
    table_block([["a", "b"], ["1", ""]]),
    block(line("1", 0, 1300), kind=BlockType.PAGE_NUMBER),
)
SECOND = page(table_block([["c"]]), table_block([["d"]]), number=2)
DOCUMENT = document(FIRST, SECOND)


def ask(words: str, analysis: DocumentAnalysis = DOCUMENT) -> Answer:
    return answer(analysis, parse_words(words))


def grids(given_answer: Answer) -> list[list[list[str]]]:
    return [table.rows() for table in given_answer.tables]


def codes(given_answer: Answer) -> list[str]:
    return [note.code for note in given_answer.notes]


def test_text_is_all_that_is_on_the_pages_in_reading_order() -> None:
    assert ask("extract the text").text == "Running head\n\nReport\n\na\tb\n1\n\n1\n\nc\n\nd"


def test_everything_is_text_and_tables_and_charts() -> None:
    chart = Block(type=BlockType.CHART, box=Box(0, 0, 9, 9), order=0, chart=Chart(kind=ChartKind.BAR))
    everything = ask("", document(page(chart, table_block([["x"]]))))
    assert (everything.text, grids(everything), len(everything.charts)) == ("x", [[["x"]]], 1)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("tables", [[["a", "b"], ["1", ""]], [["c"]], [["d"]]]),
        ("table 2", [[["c"]]]),
        ("last table", [[["d"]]]),
        ("first two tables", [[["a", "b"], ["1", ""]], [["c"]]]),
        ("the second table on page 2", [[["d"]]]),
        ("tables on the last page", [[["c"]], [["d"]]]),
    ],
)
def test_the_chosen_tables_are_given(words: str, expected: list[list[list[str]]]) -> None:
    given_answer = ask(words)
    assert grids(given_answer) == expected
    assert codes(given_answer) == []


def test_a_table_that_does_not_exist_is_said_with_how_many_there_are() -> None:
    given_answer = ask("tables 3 and 7")
    assert grids(given_answer) == [[["d"]]]
    assert codes(given_answer) == ["no-such-table"]
    assert "3 tables" in given_answer.notes[0].message


def test_no_table_at_all_is_said() -> None:
    assert codes(ask("table 2", document(page(block(line("x", 0, 0)))))) == ["no-tables"]


def test_a_page_that_does_not_exist_is_said() -> None:
    given_answer = ask("text of pages 2 and 9")
    assert given_answer.text == "c\n\nd"
    assert codes(given_answer) == ["no-such-page"]


def test_the_last_page_is_the_last_of_the_document_though_it_was_not_read() -> None:
    assert ask("text of the last page", document(FIRST, page_count=5)).text == ""


def test_a_find_gives_its_places() -> None:
    given_answer = ask("find report")
    assert [(m.text, m.page) for m in given_answer.matches] == [("Report", 1)]


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("find 'zebra'", "not-found"),
        ("find 'Rep0rt'", "near-hits-only"),
        ("charts", "tables-instead"),
        ("formulas", "no-formulas"),
        ("passport number", "fields-not-found"),
        ("key fields", "fields-not-found"),
        ("translate this", "unsupported-request"),
        ("???", "not-understood"),
    ],
)
def test_what_is_missing_is_said_with_a_stable_code(words: str, code: str) -> None:
    assert codes(ask(words)) == [code]


def test_what_the_engine_cannot_read_is_said_once() -> None:
    task = Task(kind=TaskKind.CHARTS, notes=("charts-unsupported",))
    assert codes(answer(DOCUMENT, task)) == ["charts-unsupported"]


def test_a_table_that_was_taken_for_a_chart_is_given_as_a_table() -> None:
    given_answer = ask("extract the chart data", DOCUMENT)
    assert (codes(given_answer), given_answer.charts) == (["tables-instead"], ())
    assert given_answer.tables == DOCUMENT.tables
    assert codes(ask("charts", document(page(Block(type=BlockType.TEXT, box=Box(0, 0, 9, 9), order=0, text="x"))))) == [
        "no-charts"
    ]


def test_formulas_give_their_blocks_and_latex() -> None:
    formula = Block(type=BlockType.EQUATION, box=Box(0, 0, 9, 9), order=0, text="a^2")
    given_answer = ask("formulas", document(page(formula)))
    assert (given_answer.text, len(given_answer.blocks), codes(given_answer)) == ("a^2", 1, [])


def test_an_empty_document_answers_every_kind() -> None:
    for kind in TaskKind:
        given_answer = answer(document(page_count=1), Task(kind=kind, query="x", fields=("total",)))
        assert given_answer.kind is kind


@given(st.lists(st.integers(-6, 6), max_size=4))
def test_chosen_tables_are_always_tables_of_the_document_in_order(indexes: list[int]) -> None:
    given_answer = answer(DOCUMENT, Task(kind=TaskKind.TABLES, table_indexes=tuple(indexes)))
    places = [DOCUMENT.tables.index(table) for table in given_answer.tables]
    assert places == sorted(set(places))
    has = {i if i >= 0 else i + 3 for i in indexes}
    assert ("no-such-table" in codes(given_answer)) == any(not 0 <= i < 3 for i in has)
