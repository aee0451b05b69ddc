"""What changed, told in groups; and when two pages are told to have almost nothing in common."""

from __future__ import annotations

import re

import pytest

from mineru_core.document.analysis import Block, BlockType, PageAnalysis
from mineru_core.document.geometry import Box
from mineru_core.document.task import Change, ChangeKind
from mineru_core.export.result import DocumentResult
from mineru_core.instruct import answer, parse_words
from mineru_core.ui.analyse.changes import LEAST_SHARED, SHOWN, change_html, group_html, shared_lines
from mineru_core.ui.i18n import Translator
from tests.export import strategies

EN = Translator("en")
PLAN = ["alpha", "beta", "gamma", "delta", "epsilon", "zeta"]
OTHER = ["kilo", "lima", "mike", "november", "oscar", "papa"]


def words_of(markup: str) -> str:
    return re.sub(r"<br>", " / ", re.sub(r"<(?!br)[^>]*>", "", markup))


def page(number: int, lines: list[str]) -> PageAnalysis:
    blocks = tuple(
        Block(type=BlockType.TITLE, box=Box(0, 12 * n, 90, 12 * n + 10), order=n, text=text)
        for n, text in enumerate(lines)
    )
    return strategies.page(number, *blocks)


def compared(before: list[str], after: list[str]) -> DocumentResult:
    task = parse_words("what changed between page 1 and page 2")
    found = strategies.result(page(1, before), page(2, after))
    return found.model_copy(update={"task": task, "answer": answer(found.analysis, task)})


def test_short_texts_stand_in_one_line_and_the_words_that_differ_are_marked() -> None:
    change = Change(kind=ChangeKind.CHANGED, before="Total 10", after="Total 12", before_page=1, after_page=2)
    markup = change_html(change, EN)
    assert words_of(markup) == "Total 10 → Total 12Page 1 · Page 2"
    assert re.findall(r"<mark>(.*?)</mark>", markup) == ["10", "12"]


def test_long_texts_stand_below_each_other() -> None:
    before = "The delivery takes place within twelve days of the order."
    after = before.replace("twelve", "nine")
    change = Change(kind=ChangeKind.CHANGED, before=before, after=after, before_page=1, after_page=1)
    assert words_of(change_html(change, EN)) == f"{before} / {after}Page 1"


def test_a_row_that_came_tells_its_cells_and_where_it_stands() -> None:
    change = Change(kind=ChangeKind.ADDED, after="Stapler\t3\t12.50", after_page=2, row=4)
    assert words_of(change_html(change, EN)) == "Stapler | 3 | 12.50Page 2 · table row 5"
    cell = Change(kind=ChangeKind.CHANGED, before="3", after="4", before_page=2, after_page=2, row=4, col=1)
    assert words_of(change_html(cell, EN)).endswith("Page 2 · table row 5, column 2")


def test_what_is_left_out_is_said() -> None:
    changes = [Change(kind=ChangeKind.ADDED, after=f"line {n}", after_page=1) for n in range(SHOWN + 1)]
    assert EN("result.first_shown", count=SHOWN) in group_html(ChangeKind.ADDED, changes, EN).replace("&quot;", '"')
    assert "wb-quiet" not in group_html(ChangeKind.ADDED, changes[:SHOWN], EN)


@pytest.mark.parametrize(
    ("before", "after", "unlike"),
    [
        (PLAN, OTHER, True),
        (PLAN, [*PLAN[:5], "eta"], False),
        (PLAN, PLAN[:4], False),
        (PLAN[:4], [*PLAN, *OTHER], False),
        (PLAN[:2], OTHER[:2], False),  # too few lines to say so
        ([*PLAN, *PLAN[:1]], [*OTHER, *PLAN[:1]], True),
    ],
)
def test_pages_that_have_almost_nothing_in_common(before: list[str], after: list[str], unlike: bool) -> None:
    assert (shared_lines(compared(before, after)) < LEAST_SHARED) == unlike
