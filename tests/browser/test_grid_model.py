"""What the grid editor shows at once is what the server then makes: the same operations, done in both places."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st
from playwright.sync_api import Browser, Page

from mineru_core.document.table import Cell, Table
from mineru_core.document.table_edits import TableOperation, parse_operation
from mineru_core.errors import InvalidRequest
from mineru_core.ui.components.grid_editor import grid_table
from mineru_core.ui.setup import asset

pytestmark = pytest.mark.browser

DO_ALL = """([table, changes]) => {
  const grid = new Grid(table);
  for (const change of changes) grid.apply(change);
  return {
    rows: grid.rows,
    cols: grid.cols,
    cells: grid.cells.map(({ r, c, h, w, text, flags, sure }) => [r, c, h, w, text, flags, sure]),
  };
}"""

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
    """A page that has the model alone."""
    page = browser.new_page()
    page.add_script_tag(content=asset("grid_model.js"))
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
    assert blank.evaluate(DO_ALL, [grid_table(table), done]) == grid_table(after)
