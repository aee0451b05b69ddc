"""Other things a person may have meant, to be clicked where the first reading is wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mineru_core.document.task import FindMode, Task, TaskKind
from mineru_core.instruct.describe import describe
from mineru_core.instruct.normalize import fold
from mineru_core.instruct.tokens import tokens

MOST = 3
_LONGEST = 80
"""Characters of a phrase that is still looked for as it stands."""

_ASKING = re.compile(
    r"^(?:please\s+|can\s+you\s+|could\s+you\s+|tell\s+me\s+)*(?:what|who|when|where|which|how\s+much|how\s+many|how\s+long|find|search(?:\s+for)?|"
    r"extract|show(?:\s+me)?|get|give\s+me|list)?\s*(?:(?:is|are|was|were|does|do|did)\s+)?(?:the\s+|all\s+)?|"
    r"^(?:请问?|帮我|查找|搜索|提取|找出|给我|识别|谁|什么|哪[里儿家个些]?|为什么|为何|怎么|如何)+",
    re.IGNORECASE,
)
_ASKED = re.compile(
    r"(?:是|为|有)?(?:多少钱?|什么时候|什么|谁|哪[里儿家个些]|几[个年月天]|多[长久大]|吗|呢)?[\s?？。.!！]*$"
)


def alternatives(task: Task, words: str) -> tuple[Task, ...]:
    """Up to ``MOST`` other tasks that ``words`` may mean, the likeliest first; () for no words.

    Each reads otherwise than ``task`` when described, and its description, asked as words, gives that very task. They
    are of the same pages and regions.
    """
    if not words.strip():
        return ()
    line = describe(task, task.language)
    found: dict[str, Task] = {}
    for other in _others(task, words):
        kept = other.model_copy(update={"words": words, "language": task.language, "regions": task.regions})
        found.setdefault(describe(kept, task.language), kept)
    found.pop(line, None)
    return tuple(found.values())[:MOST]


def _others(task: Task, words: str) -> Iterator[Task]:
    pages = task.pages if task.kind is not TaskKind.COMPARE else ()
    subject = _subject(task, words)
    question = Task(kind=TaskKind.QUESTION, query=task.query or fold(words)[:_LONGEST].strip(" ?"), pages=pages)
    find = Task(kind=TaskKind.FIND, query=subject, pages=pages)
    fields = Task(kind=TaskKind.FIELDS, fields=(subject,), pages=pages)
    sorts = {kind: Task(kind=kind, pages=pages) for kind in _SORTS}
    spoken = [find, fields] if subject else []
    match task.kind:
        case TaskKind.FIND:
            if task.find_mode is not FindMode.REGEX:
                yield from (fields, question)
            yield task.model_copy(update={"find_mode": _OTHER_MODE[task.find_mode]})
        case TaskKind.FIELDS:
            yield from (find, question) if task.fields else ()
        case TaskKind.QUESTION:
            yield from (*spoken, sorts[TaskKind.SUMMARY])
        case TaskKind.TABLES:
            yield from _of_tables(task, pages)
        case TaskKind.CHARTS:
            yield sorts[TaskKind.CHARTS]
            yield from (Task(kind=TaskKind.FIND, query=name, pages=pages) for name in (*task.points, *task.series)[:1])
        case TaskKind.EVERYTHING if task.notes:
            yield from (*spoken[:1], question)
        case TaskKind.COMPARE:
            yield from (question, sorts[TaskKind.SUMMARY])
    yield from sorts.values()


_SORTS = (TaskKind.TABLES, TaskKind.TEXT, TaskKind.SUMMARY, TaskKind.CHARTS, TaskKind.EVERYTHING)
_OTHER_MODE = {
    FindMode.AUTO: FindMode.FUZZY,
    FindMode.FUZZY: FindMode.EXACT,
    FindMode.EXACT: FindMode.AUTO,
    FindMode.REGEX: FindMode.AUTO,
}


def _of_tables(task: Task, pages: tuple[int, ...]) -> Iterator[Task]:
    """The tables whole, what is chosen of them as fields or as a phrase, and all tables."""
    yield Task(kind=TaskKind.TABLES, table_indexes=task.table_indexes, pages=pages)
    if task.columns:
        yield Task(kind=TaskKind.FIELDS, fields=task.columns, pages=pages)
    if task.rows:
        yield Task(kind=TaskKind.FIND, query=task.rows[0].values[0], pages=pages)
    yield Task(kind=TaskKind.TABLES, pages=pages)
    yield Task(kind=TaskKind.CHARTS, pages=pages)


def _subject(task: Task, words: str) -> str:
    """What the words are about, to be looked for as a phrase or a field."""
    if task.kind is TaskKind.FIND:
        return task.query
    if task.fields:
        return task.fields[0]
    asked = fold(task.query or words)[:_LONGEST]
    bare = _ASKED.sub("", _ASKING.sub("", asked, count=1)).strip(" ?.,:;\"'“”")
    return bare if tokens(bare) else asked.strip(" ?\"'")
