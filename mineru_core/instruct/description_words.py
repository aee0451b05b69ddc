"""What the descriptions of tasks are made of, in both languages."""

from __future__ import annotations

from dataclasses import dataclass

from mineru_core.document.task import FindMode, RowTest, TaskKind


@dataclass(frozen=True)
class Words:
    """What a description is made of in one language. ``rows`` are the forms without and with a column."""

    kinds: dict[TaskKind, str]
    find: dict[FindMode, str]
    question: str
    compare: str
    merged: str
    columns: str
    left_out: str
    series: str
    points: str
    rows: dict[RowTest, tuple[str, str]]
    area: str


WORDS = {
    "en": Words(
        kinds={
            TaskKind.EVERYTHING: "Everything",
            TaskKind.TEXT: "All text",
            TaskKind.TABLES: "All tables",
            TaskKind.CHARTS: "Chart data",
            TaskKind.FORMULAS: "Formulas",
            TaskKind.FIELDS: "Key fields",
            TaskKind.SUMMARY: "Summary",
        },
        find={
            FindMode.EXACT: "Find exactly ",
            FindMode.FUZZY: "Find nearly ",
            FindMode.REGEX: "Find pattern ",
            FindMode.AUTO: "Find ",
        },
        question="Question: ",
        compare="What changed",
        merged="as one table",
        columns="columns ",
        left_out="without columns ",
        series="series ",
        points="values for ",
        rows={
            RowTest.CONTAINS: ("rows with VALUES", "rows where COLUMN contains VALUES"),
            RowTest.LACKS: ("rows without VALUES", "rows where COLUMN lacks VALUES"),
            RowTest.IS: ("rows where a cell is VALUES", "rows where COLUMN is VALUES"),
            RowTest.IS_NOT: ("rows where no cell is VALUES", "rows where COLUMN is not VALUES"),
            RowTest.MORE: ("rows where a cell is more than VALUES", "rows where COLUMN is more than VALUES"),
            RowTest.LESS: ("rows where a cell is less than VALUES", "rows where COLUMN is less than VALUES"),
            RowTest.AT_LEAST: ("rows where a cell is at least VALUES", "rows where COLUMN is at least VALUES"),
            RowTest.AT_MOST: ("rows where a cell is at most VALUES", "rows where COLUMN is at most VALUES"),
        },
        area=", selected area",
    ),
    "zh": Words(
        kinds={
            TaskKind.EVERYTHING: "全部内容",
            TaskKind.TEXT: "全部文字",
            TaskKind.TABLES: "全部表格",
            TaskKind.CHARTS: "图表数据",
            TaskKind.FORMULAS: "公式",
            TaskKind.FIELDS: "关键字段",
            TaskKind.SUMMARY: "摘要",
        },
        find={
            FindMode.EXACT: "精确查找",
            FindMode.FUZZY: "模糊查找",
            FindMode.REGEX: "正则查找",
            FindMode.AUTO: "查找",
        },
        question="问题：",
        compare="比较差异",
        merged="合成一个表格",
        columns="只要列",
        left_out="不要列",
        series="系列",
        points="取值",
        rows={
            RowTest.CONTAINS: ("含VALUES的行", "COLUMN含VALUES的行"),
            RowTest.LACKS: ("不含VALUES的行", "COLUMN不含VALUES的行"),
            RowTest.IS: ("有一格为VALUES的行", "COLUMN为VALUES的行"),
            RowTest.IS_NOT: ("没有一格为VALUES的行", "COLUMN不为VALUES的行"),
            RowTest.MORE: ("有一格大于VALUES的行", "COLUMN大于VALUES的行"),
            RowTest.LESS: ("有一格小于VALUES的行", "COLUMN小于VALUES的行"),
            RowTest.AT_LEAST: ("有一格不小于VALUES的行", "COLUMN不小于VALUES的行"),
            RowTest.AT_MOST: ("有一格不大于VALUES的行", "COLUMN不大于VALUES的行"),
        },
        area="，所选区域",
    ),
}
