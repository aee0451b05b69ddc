"""The published schema is that of the code, and results follow it."""

from __future__ import annotations

import json
import os
from pathlib import Path

import jsonschema
from hypothesis import given

from mineru_core.document.analysis import BlockType
from mineru_core.document.table import Table
from mineru_core.export import result_schema, to_json
from tests.export.strategies import block, page, result, sales_chart, tables

PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "schema.json"


def test_the_published_schema_is_the_one_of_the_code() -> None:
    if os.environ.get("REGENERATE"):
        PUBLISHED.write_text(result_schema(), "utf-8")
    assert not os.environ.get("CI") or not os.environ.get("REGENERATE")
    assert PUBLISHED.read_text("utf-8") == result_schema(), "REGENERATE=1 writes it anew"


@given(tables())
def test_results_follow_it(table: Table) -> None:
    found = result(page(1, block(BlockType.TABLE, table=table), block(BlockType.CHART, chart=sales_chart())))
    jsonschema.Draft202012Validator(json.loads(result_schema())).validate(json.loads(to_json(found)))
