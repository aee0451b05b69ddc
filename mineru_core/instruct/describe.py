"""A task in one line, as it is shown back to the person who asked."""

from __future__ import annotations

from collections.abc import Sequence

from mineru_core.document.task import Task, TaskKind

_KINDS = {
    "en": {
        TaskKind.EVERYTHING: "Everything",
        TaskKind.TEXT: "All text",
        TaskKind.TABLES: "All tables",
        TaskKind.CHARTS: "Chart data",
        TaskKind.FORMULAS: "Formulas",
        TaskKind.FIELDS: "Key fields",
    },
    "zh": {
        TaskKind.EVERYTHING: "全部内容",
        TaskKind.TEXT: "全部文字",
        TaskKind.TABLES: "全部表格",
        TaskKind.CHARTS: "图表数据",
        TaskKind.FORMULAS: "公式",
        TaskKind.FIELDS: "关键字段",
    },
}


def describe(task: Task, language: str) -> str:
    """One short line in ``language`` ("zh", anything else is English): "Table 2, page 3", "查找“合计”"."""
    if language == "zh":
        parts = [_what_zh(task), _pages_zh(task.pages), "所选区域" if task.regions else ""]
        return "，".join(p for p in parts if p)
    parts = [_what_en(task), _pages_en(task.pages), "selected area" if task.regions else ""]
    return ", ".join(p for p in parts if p)


def _what_en(task: Task) -> str:
    if task.kind is TaskKind.FIND:
        return f"Find “{task.query}”"
    if task.kind is TaskKind.FIELDS and task.fields:
        return ("Field: " if len(task.fields) == 1 else "Fields: ") + ", ".join(task.fields)
    if task.kind is TaskKind.TABLES and task.table_indexes:
        numbers = [n + 1 for n in task.table_indexes if n >= 0]
        last = [n for n in task.table_indexes if n < 0]
        named = [f"{'table' if len(numbers) == 1 else 'tables'} {_ranges(numbers)}"] if numbers else []
        text = " and ".join(named + _from_end_en(last, "table"))
        return text[0].upper() + text[1:]
    return _KINDS["en"][task.kind]


def _what_zh(task: Task) -> str:
    if task.kind is TaskKind.FIND:
        return f"查找“{task.query}”"
    if task.kind is TaskKind.FIELDS and task.fields:
        return "字段：" + "、".join(task.fields)
    if task.kind is TaskKind.TABLES and task.table_indexes:
        numbers = [n + 1 for n in task.table_indexes if n >= 0]
        last = [n for n in task.table_indexes if n < 0]
        named = [f"第 {_ranges(numbers, '、')} 个表格"] if numbers else []
        return "和".join(named + _from_end_zh(last, "个表格"))
    return _KINDS["zh"][task.kind]


def _pages_en(pages: Sequence[int]) -> str:
    numbers = [n for n in pages if n > 0]
    named = [f"{'page' if len(numbers) == 1 else 'pages'} {_ranges(numbers)}"] if numbers else []
    return " and ".join(named + _from_end_en([n for n in pages if n < 0], "page"))


def _pages_zh(pages: Sequence[int]) -> str:
    numbers = [n for n in pages if n > 0]
    named = [f"第 {_ranges(numbers, '、')} 页"] if numbers else []
    return "和".join(named + _from_end_zh([n for n in pages if n < 0], "页"))


def _from_end_en(indexes: Sequence[int], noun: str) -> list[str]:
    """Words for -1 (the last), -2 (the one before it), and for a run that ends with the last."""
    if not indexes:
        return []
    if len(indexes) > 1 and sorted(indexes) == list(range(-len(indexes), 0)):
        return [f"last {len(indexes)} {noun}s"]
    return [f"last {noun}" if n == -1 else f"{noun} {-n} from the end" for n in sorted(indexes)]


def _from_end_zh(indexes: Sequence[int], noun: str) -> list[str]:
    if not indexes:
        return []
    if len(indexes) > 1 and sorted(indexes) == list(range(-len(indexes), 0)):
        return [f"最后 {len(indexes)} {noun}"]
    return [f"最后一{noun}" if n == -1 else f"倒数第 {-n} {noun}" for n in sorted(indexes)]


def _ranges(numbers: Sequence[int], comma: str = ", ") -> str:
    """ "1, 3-5" for 1, 3, 4, 5."""
    runs: list[list[int]] = []
    for number in sorted(set(numbers)):
        if runs and number == runs[-1][1] + 1:
            runs[-1][1] = number
        else:
            runs.append([number, number])
    return comma.join(str(a) if a == b else f"{a}-{b}" if b - a > 1 else f"{a}{comma}{b}" for a, b in runs)
