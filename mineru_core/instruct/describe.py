"""A task in one line, as it is shown back to the person who asked. ``described`` reads such a line back."""

from __future__ import annotations

import re
from collections.abc import Sequence

from mineru_core.document.task import RowFilter, Task, TaskKind
from mineru_core.instruct import vocabulary as v
from mineru_core.instruct.description_words import WORDS, Words

# A name that needs no quotes to be told from what stands around it.
_PLAIN = re.compile(r"[\w#%./&'() -]*\w[\w#%./&'() -]*")
_LIKE_A_PLACE = re.compile(r"(?:last|pages?|selected)\b|第|最后|倒数|所选", re.IGNORECASE)


def describe(task: Task, language: str) -> str:
    """One short line in ``language`` ("zh", anything else is English): "Table 2, page 3", "查找“合计”"."""
    zh = language == "zh"
    words = WORDS["zh" if zh else "en"]
    parts = [_what_zh(task, words) if zh else _what_en(task, words), *_choices(task, words, zh)]
    if task.kind is TaskKind.COMPARE:
        if task.pages:
            one_by_one = [_pages_zh([n]) if zh else _pages_en([n]) for n in task.pages]
            parts[0] += ("：" if zh else ": ") + " → ".join(one_by_one)
    else:
        parts.append(_pages_zh(task.pages) if zh else _pages_en(task.pages))
    return ("，" if zh else ", ").join(part for part in parts if part) + (words.area if task.regions else "")


def _what_en(task: Task, words: Words) -> str:
    if task.kind is TaskKind.FIELDS and task.fields:
        return ("Field: " if len(task.fields) == 1 else "Fields: ") + ", ".join(map(_name, task.fields))
    if task.kind is TaskKind.TABLES and task.table_indexes:
        numbers = [n + 1 for n in task.table_indexes if n >= 0]
        last = [n for n in task.table_indexes if n < 0]
        named = [f"{'table' if len(numbers) == 1 else 'tables'} {_ranges(numbers)}"] if numbers else []
        text = " and ".join(named + _from_end_en(last, "table"))
        return text[0].upper() + text[1:]
    return _what(task, words)


def _what_zh(task: Task, words: Words) -> str:
    if task.kind is TaskKind.FIELDS and task.fields:
        return "字段：" + "、".join(map(_name, task.fields))
    if task.kind is TaskKind.TABLES and task.table_indexes:
        numbers = [n + 1 for n in task.table_indexes if n >= 0]
        last = [n for n in task.table_indexes if n < 0]
        named = [f"第 {_ranges(numbers, '、')} 个表格"] if numbers else []
        return "和".join(named + _from_end_zh(last, "个表格"))
    return _what(task, words)


def _what(task: Task, words: Words) -> str:
    if task.kind is TaskKind.FIND:
        return f"{words.find[task.find_mode]}“{task.query}”"
    if task.kind is TaskKind.QUESTION:
        return f"{words.question}“{task.query}”"
    return words.compare if task.kind is TaskKind.COMPARE else words.kinds[task.kind]


def _name(name: str) -> str:
    """A field's name, in quotes where it could be taken for something else."""
    plain = _PLAIN.fullmatch(name) and not _LIKE_A_PLACE.match(name) and not v.FIELD_SPLIT.search(name)
    return name if plain and name == name.strip() else f"“{name}”"


def _choices(task: Task, words: Words, zh: bool) -> list[str]:
    """What is chosen of tables and charts."""
    comma, either = ("、", "或") if zh else (", ", " or ")

    def named(head: str, names: Sequence[str]) -> str:
        return head + _quoted(names, comma) if names else ""

    return [
        words.merged if task.merged else "",
        named(words.columns, task.columns),
        named(words.left_out, task.left_out),
        *(_row(row, words, either) for row in task.rows),
        named(words.series, task.series),
        named(words.points, task.points),
    ]


def _quoted(names: Sequence[str], between: str) -> str:
    return between.join(f"“{name}”" for name in names)


def _row(row: RowFilter, words: Words, either: str) -> str:
    form = words.rows[row.test][1 if row.column else 0]
    before, after = form.split("VALUES")
    return before.replace("COLUMN", f"“{row.column}”") + _quoted(row.values, either) + after


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
