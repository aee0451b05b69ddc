"""What the grid editor shows at once is what the server then makes: the same operations, done in both places."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from mineru_core.api.grid_data import flags_of, table_columns
from mineru_core.document.table import Cell, Table
from mineru_core.document.table_edits import SetText, TableOperation, parse_operation
from mineru_core.errors import InvalidRequest
from mineru_core.export.numbers import parse_number
from mineru_core.ui.setup import asset

pytestmark = pytest.mark.browser

DO_ALL = """([table, changes]) => {
  const grid = new Grid(table);
  for (const change of changes) grid.apply(change);
  return {
    caption: grid.caption,
    size: [grid.rows, grid.cols],
    cells: grid.cells.map(({ r, c, h, w, text, flags, sure }) => [r, c, h, w, text, flags, sure]),
  };
}"""


def described(table: Table) -> dict[str, object]:
    """The table as ``DO_ALL`` gives it."""
    cells = [[c.row, c.col, c.rowspan, c.colspan, c.text, flags_of(c), int(100 * c.confidence)] for c in table.cells]
    return {"caption": table.caption, "size": [table.n_rows, table.n_cols], "cells": cells}


SMALL = st.integers(0, 4)
COUNT = st.integers(1, 3)
TEXTS = st.sampled_from(["", "a", "表", "one\ntwo", "<b>"])
CHANGES = st.one_of(
    st.fixed_dictionaries({"op": st.just("set-text"), "row": SMALL, "col": SMALL, "text": TEXTS}),
    st.fixed_dictionaries(
        {"op": st.just("merge-cells"), "row": SMALL, "col": SMALL, "rowspan": COUNT, "colspan": COUNT}
    ),
    st.fixed_dictionaries({"op": st.just("split-cell"), "row": SMALL, "col": SMALL}),
    st.fixed_dictionaries(
        {
            "op": st.sampled_from(["insert-rows", "insert-columns", "delete-rows", "delete-columns"]),
            "at": SMALL,
            "count": COUNT,
        }
    ),
    st.fixed_dictionaries({"op": st.just("set-header-rows"), "count": SMALL}),
    st.fixed_dictionaries({"op": st.just("set-caption"), "text": TEXTS}),
)


@st.composite
def tables(draw: st.DrawFn) -> Table:
    n_rows, n_cols = draw(st.integers(1, 5)), draw(st.integers(1, 5))
    cells = [
        Cell(row=row, col=col, text=draw(TEXTS), header=draw(st.booleans()), confidence=draw(st.sampled_from([0.5, 1])))
        for row in range(n_rows)
        for col in range(n_cols)
        if draw(st.integers(0, 5))  # in some places there is no cell
    ]
    return Table(n_rows=n_rows, n_cols=n_cols, cells=tuple(cells))


@pytest.fixture(scope="module")
def blank(browser: Browser) -> Iterator[Page]:
    """A page that has the model and the sizes alone."""
    page = browser.new_page()
    for part in ("model", "sizes"):
        page.add_script_tag(content=asset(f"grid_{part}.js"))
    yield page
    page.close()


@given(table=tables(), changes=st.lists(CHANGES.map(parse_operation), max_size=8))
def test_the_browser_does_what_the_server_does(blank: Page, table: Table, changes: list[TableOperation]) -> None:
    after, done = table, []
    for change in changes:
        try:
            after = change.apply(after)
        except InvalidRequest:  # the editor offers none that do not fit
            continue
        done.append(change.model_dump(mode="json"))
    assert blank.evaluate(DO_ALL, [table_columns(table, 0), done]) == described(after)


@given(text=st.text(st.sampled_from("0123456789.,-+−()%$¥eE ٣"), max_size=18))
@example("(1,204.50)")
@example("1.50E+03")
@example("-0")
@example("00012")
@example(" 12 %")
def test_the_browser_takes_the_same_texts_for_numbers(blank: Page, text: str) -> None:
    assert blank.evaluate("(text) => isNumber(text)", text) == (parse_number(text) is not None)


@given(text=st.text(st.sampled_from("a国😀\x00\x07\t\n\r\x7f\ufffe"), max_size=12))
@example("one\r\ntwo\rthree")
def test_the_browser_cleans_what_is_typed_as_the_server_does(blank: Page, text: str) -> None:
    assert blank.evaluate("(text) => cleaned(text)", text) == SetText(row=0, col=0, text=text).text
