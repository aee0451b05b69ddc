from __future__ import annotations

import os
import subprocess
import sys

from hypothesis import given

from mineru_core.document.analysis import BlockType, Part
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
