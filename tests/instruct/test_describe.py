from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.document.task import Region, Task, TaskKind
from mineru_core.instruct import describe, parse_words


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
