"""MinerU's flat list of blocks."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given

from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box
from mineru_core.document.table import Table
from mineru_core.export.content_list import to_content_list
from tests.export.strategies import block, page, result, sales_chart, tables


def entries(*blocks: Any) -> list[dict[str, Any]]:
    return json.loads(to_content_list(result(page(1, *blocks))))


def test_each_sort_of_block_has_its_fields() -> None:
    found = entries(
        block(BlockType.HEADER, "Report"),
        block(BlockType.TITLE, "One"),
        block(BlockType.TEXT, "words"),
        block(BlockType.LIST, "- a\n- b"),
        block(BlockType.CODE, "x = 1"),
        block(BlockType.EQUATION, "$$E = mc^2$$"),
        block(BlockType.IMAGE),
        block(BlockType.CHART, chart=sales_chart()),
        block(BlockType.PAGE_NUMBER, "7"),
    )
    assert [e["type"] for e in found] == [
        "header", "text", "text", "list", "code", "equation", "image", "chart", "page_number",
    ]  # fmt: skip
    assert found[1]["text_level"] == 1
    assert "text_level" not in found[2]
    assert found[3]["list_items"] == ["- a", "- b"]
    assert found[4]["code_body"] == "x = 1"
    assert found[5]["text"] == "$$\nE = mc^2\n$$"
    assert found[5]["text_format"] == "latex"
    assert "<table>" in found[7]["content"]
    assert all(e["page_idx"] == 0 and len(e["bbox"]) == 4 for e in found)


def test_a_caption_is_told_with_its_table_once() -> None:
    table = block(BlockType.TABLE, table=Table.from_rows([["a"]]))
    over = entries(block(BlockType.TABLE_CAPTION, "Table 1"), table)
    assert [(e["type"], e["table_caption"]) for e in over] == [("table", ["Table 1"])]
    under = entries(block(BlockType.IMAGE), block(BlockType.IMAGE_CAPTION, "Fig. 1"), block(BlockType.TEXT, "x"))
    assert [(e["type"], e.get("image_caption")) for e in under] == [("image", ["Fig. 1"]), ("text", None)]
    alone = entries(block(BlockType.IMAGE_CAPTION, "Fig. 2"), block(BlockType.TEXT, "x"))
    assert [e["text"] for e in alone] == ["Fig. 2", "x"]


def test_a_caption_between_two_belongs_to_the_one_it_stands_over() -> None:
    found = entries(block(BlockType.IMAGE), block(BlockType.IMAGE_CAPTION, "Fig. 1"), block(BlockType.IMAGE))
    assert [e["image_caption"] for e in found] == [[], ["Fig. 1"]]


def test_places_are_thousandths_of_the_page() -> None:
    whole = page(1, block(BlockType.TEXT, "x"))
    half = whole.model_copy(
        update={
            "blocks": (
                whole.blocks[0].model_copy(update={"box": Box(0, 0, whole.width / 2, whole.height)}),
                whole.blocks[0].model_copy(update={"box": Box(-5, -5, 2 * whole.width, 1)}),
            )
        }
    )
    found = json.loads(to_content_list(result(half)))
    assert found[0]["bbox"] == [0, 0, 500, 1000]
    assert found[1]["bbox"][:3] == [0, 0, 1000]


@given(tables())
def test_every_table_keeps_its_spans(table: Table) -> None:
    (entry,) = entries(block(BlockType.TABLE, table=table))
    for attribute in ("rowspan", "colspan"):
        spans = sum(getattr(cell, attribute) > 1 for cell in table.cells)
        assert entry["table_body"].count(f"{attribute}=") == spans
