from __future__ import annotations

import os
import subprocess
import sys

from hypothesis import given

from mineru_core.document.analysis import BlockType, PageFailure, Part
from mineru_core.document.table import Table
from mineru_core.document.task import Answer, TaskKind
from mineru_core.export import DocumentResult, to_json
from tests.export.strategies import block, page, result, sales_chart, tables


@given(tables())
def test_json_comes_back_equal(table: Table) -> None:
    blocks = (block(BlockType.TABLE, table=table), block(BlockType.CHART, chart=sales_chart()))
    before = result(page(1, *blocks), answer=Answer(kind=TaskKind.TABLES, tables=(table,)), language="zh")
    assert DocumentResult.model_validate_json(to_json(before)) == before


def test_json_is_the_same_in_every_process() -> None:
    # Sets of texts have another order in each process.
    code = (
        "from tests.export.strategies import page, result\n"
        "from mineru_core.export import to_json\n"
        "from mineru_core.document.analysis import Part\n"
        "print(to_json(result(page(1).model_copy(update={'parts': frozenset(Part)}))))"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={**os.environ, "PYTHONHASHSEED": seed},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    }
    assert len(outputs) == 1
    assert DocumentResult.model_validate_json(outputs.pop()).analysis.pages[0].parts == frozenset(Part)


def test_tables_that_were_asked_for_and_not_found_are_none() -> None:
    pages = page(1, block(BlockType.TABLE, table=Table.from_rows([["a"]])))
    assert len(result(pages).tables) == 1
    assert len(result(pages, answer=Answer(kind=TaskKind.TEXT)).tables) == 1
    assert result(pages, answer=Answer(kind=TaskKind.TABLES)).tables == ()


def test_importing_the_exports_does_not_load_a_spreadsheet_library() -> None:
    code = "import sys, mineru_core.export; print('openpyxl' in sys.modules, 'pandas' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]


def test_the_short_form_is_one_line_and_counts() -> None:
    pages = page(1, block(BlockType.TABLE, table=Table.from_rows([["a"]])))
    asked = result(pages, answer=Answer(kind=TaskKind.TABLES, tables=pages.tables))
    assert repr(asked) == str(asked) == "<DocumentResult 'scan.png' tables: pages=1, tables=1>"
    failed = result(failures=(PageFailure(page=1, component="x", code="x", message="x"),))
    assert repr(failed) == "<DocumentResult 'scan.png' everything: failures=1>"
    both = asked.model_copy(update={"before": failed.analysis})
    assert repr(both) == "<DocumentResult 'scan.png → scan.png' tables: pages=1, failures=1, tables=1>"


def test_what_failed_before_counts_too() -> None:
    failure = PageFailure(page=1, component="x", code="x", message="x")
    good, bad = result(page(1)), result(failures=(failure,))
    both = good.model_copy(update={"before": bad.analysis})
    assert (both.failures, both.success, both.is_unread) == ((failure,), False, True)
    assert (good.is_unread, bad.is_unread, result().is_unread) == (False, True, False)
