"""From the words a person typed to a ``Task``: by rules, the same each time, without a network."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from mineru_core.document.task import Task, TaskKind
from mineru_core.instruct import vocabulary as v
from mineru_core.instruct.field_names import is_known_field
from mineru_core.instruct.normalize import has_han
from mineru_core.instruct.numbers import HAN, MOST, ORDINAL, expand, number
from mineru_core.instruct.reader import QUOTE, Reader

NOT_UNDERSTOOD = "not-understood"
UNSUPPORTED_REQUEST = "unsupported-request"

_MOST_WORDS, _MOST_HAN = 5, 14  # a longer phrase is a sentence, not the name of a field


@dataclass
class _Draft:
    """What is known so far."""

    kind: TaskKind = TaskKind.EVERYTHING
    pages: tuple[int, ...] = ()
    table_indexes: tuple[int, ...] = ()
    fields: tuple[str, ...] = ()
    query: str = ""
    notes: tuple[str, ...] = field(default=())


def parse_words(words: str) -> Task:
    """What is asked for, from Chinese or English words; empty words ask for everything.

    Never raises: words that say nothing known give a task for everything with the note ``not-understood``, wishes this
    version cannot fulfil (a summary, a translation) one with ``unsupported-request``.
    """
    reader = Reader(words)
    draft = _read(reader) if reader.clean else _Draft()
    return Task(
        kind=draft.kind,
        words=words,
        language=_language(reader, draft.query),
        table_indexes=draft.table_indexes,
        pages=draft.pages,
        fields=draft.fields,
        query=draft.query,
        notes=draft.notes,
    )


def _read(reader: Reader) -> _Draft:
    draft = _Draft(pages=_take_pages(reader))
    if reader.has(v.UNSUPPORTED):
        draft.notes = (UNSUPPORTED_REQUEST,)
        return draft
    draft.query = _query(reader)
    if draft.query:
        draft.kind = TaskKind.FIND
        return draft
    draft.table_indexes = _take_tables(reader)
    negated = bool(reader.take(v.NEGATED))
    outputs = reader.take(v.OUTPUTS)
    sheet = any(v.SHEET_FORMATS.search(o) for o in outputs)
    if draft.table_indexes:
        draft.kind = TaskKind.TABLES
        return draft
    if reader.has(v.KEY_FIELDS):
        draft.kind = TaskKind.FIELDS
        return draft
    fields = _fields_in_a_table(reader)
    kinds = [] if fields else _kinds(reader)
    if kinds:
        draft.kind = kinds[0] if len(kinds) == 1 else TaskKind.EVERYTHING
        return draft
    draft.fields = fields or _fields(reader)
    if draft.fields:
        draft.kind = TaskKind.FIELDS
    elif sheet:
        draft.kind = TaskKind.TABLES
    elif reader.has(v.HOW_MUCH):
        draft.kind, draft.fields = TaskKind.FIELDS, ("总金额" if has_han(reader.clean) else "total",)
    elif not (draft.pages or negated or outputs or _is_a_wish(reader)):
        draft.notes = (NOT_UNDERSTOOD,)
    return draft


def _take_pages(reader: Reader) -> tuple[int, ...]:
    """Page numbers that the words limit the question to, and their words blanked out."""
    found: list[int] = []
    for pattern in (v.PAGES_FIRST, v.HAN_PAGES_FIRST):
        for count in reader.take(pattern):
            found.extend(range(1, min(number(count), MOST) + 1))
    for pattern in (v.PAGES_LAST, v.HAN_PAGES_LAST):
        for count in reader.take(pattern, where=lambda m: m["it"] not in "一1"):
            found.extend(range(-min(number(count), MOST), 0))
    found.extend(-number(count) for count in reader.take(v.HAN_PAGES_BACK))
    for pattern in (v.HAN_PAGES, v.PAGE_LISTS, v.PAGE_ORDINALS, v.HAN_PAGE_RANGES):
        for numbers in reader.take(pattern):
            found.extend(expand(numbers))
    if reader.take(v.PAGE_FRONT):
        found.append(1)
    if reader.take(v.PAGE_FINAL):
        found.append(-1)
    reader.take(v.PAGES_ALL)
    return tuple(dict.fromkeys(n for n in found if n))


def _take_tables(reader: Reader) -> tuple[int, ...]:
    """Which tables are meant, 0 the first and -1 the last, and their words blanked out."""
    found: list[int] = []
    for pattern in (v.TABLES_BACK, v.HAN_TABLES_BACK):
        found.extend(-number(n) for n in reader.take(pattern))
    for pattern in (v.TABLES_FIRST, v.HAN_TABLES_FIRST):
        for count in reader.take(pattern):
            found.extend(range(min(number(count), MOST)))
    for pattern in (v.TABLES_LAST, v.HAN_TABLES_LAST):
        for count in reader.take(pattern, where=lambda m: m["it"] not in "一1"):
            found.extend(range(-min(number(count), MOST), 0))
    for pattern in (v.HAN_TABLES, v.TABLE_ORDINALS, v.TABLE_LISTS, v.HAN_TABLE_NUMBERS):
        for numbers in reader.take(pattern):
            found.extend(n - 1 if n > 0 else n for n in expand(numbers))
    if reader.take(v.TABLE_FINAL):
        found.append(-1)
    return tuple(dict.fromkeys(n for n in found if abs(n) < 10_000))


def _kinds(reader: Reader) -> list[TaskKind]:
    """The sorts of things that are named, most telling first; each one's words are blanked before the next is tried."""
    found: list[TaskKind] = []
    for kind, pattern in (
        (TaskKind.CHARTS, v.CHARTS),
        (TaskKind.TABLES, v.TABLES),
        (TaskKind.FORMULAS, v.FORMULAS),
        (TaskKind.TEXT, v.TEXT),
    ):
        if reader.take(pattern):
            found.append(kind)
    return found


def _query(reader: Reader) -> str:
    """The phrase to look for, "" where the words ask for something else."""
    for pattern in v.FIND:
        match = pattern.search(reader.text)
        if match is None:
            continue
        start, end = _trim(reader.text, *match.span("it"), v.QUERY_HEAD, v.QUERY_TAIL)
        wanted = reader.text[start:end]
        if QUOTE in wanted and reader.quotes:
            return reader.quotes[reader.text[:start].count(QUOTE)]
        if not wanted or _names_a_kind(wanted) or _asks_for_a_value(reader, match, wanted):
            continue
        return reader.original(start, end)
    only_quotes = reader.text.replace(QUOTE, "").strip(" ,.?!")
    return reader.quotes[0] if reader.quotes and not only_quotes else ""


def _names_a_kind(wanted: str) -> bool:
    """Whether the object of "find …" is only a sort of thing ("all tables")."""
    rest = wanted
    for pattern in (v.TABLES, v.CHARTS, v.FORMULAS, v.TEXT, v.EVERYTHING):
        rest = pattern.sub(" ", rest)
    rest = v.OUTPUTS.sub(" ", rest)
    rest = re.sub(
        r"\b(?:the|all|and|of|in|on|this|any|\d+|" + ORDINAL + r"|last)\b|[的和与,第\d个张]|" + HAN, " ", rest
    )
    return rest != wanted and not rest.strip()


def _asks_for_a_value(reader: Reader, match: re.Match[str], wanted: str) -> bool:
    """Whether "find the invoice number" wants the number rather than the words."""
    if v.ASKS_PLACE.search(reader.text):
        return False
    parts = [p.strip() for p in v.FIELD_SPLIT.split(wanted) if p.strip()]
    known = all(is_known_field(p) for p in parts)
    return known and (len(parts) > 1 or v.PICK_OUT.search(match.group()) is not None)


def _trim(text: str, start: int, end: int, head: re.Pattern[str], tail: re.Pattern[str]) -> tuple[int, int]:
    """Take what ``head`` and ``tail`` match off the ends of ``text[start:end]`` until nothing more comes off."""
    while start < end:
        piece = text[start:end]
        bare = piece.strip()  # first, since the patterns below are slow on long runs of blanks
        start += len(piece) - len(piece.lstrip())
        end, piece = start + len(bare), bare
        front, back = head.search(piece), tail.search(piece)
        if front is not None and front.end() > 0:
            start += front.end()
        elif back is not None and back.end() > back.start():
            end = start + back.start()
        else:
            break
    return start, end


def _fields_in_a_table(reader: Reader) -> tuple[str, ...]:
    """Fields of "the total in the table": the table only says where, if all that is left are known fields."""
    context = v.IN_A_TABLE.search(reader.text)
    if context is None:
        return ()
    kept = reader.text
    reader.text = kept[: context.start()] + " " * len(context.group()) + kept[context.end() :]
    fields = _fields(reader)
    if fields and all(is_known_field(f) for f in fields):
        return fields
    reader.text = kept
    return ()


def _fields(reader: Reader) -> tuple[str, ...]:
    """The names of fields in what is left, as the user wrote them; () where it does not look like names."""
    found: list[str] = []
    start = 0
    for end in [*(m.span() for m in v.FIELD_SPLIT.finditer(reader.text)), (len(reader.text), len(reader.text))]:
        first, last = _trim(reader.text, start, end[0], v.FIELD_HEAD, v.FIELD_TAIL)
        start = end[1]
        if first >= last or v.EVERYTHING.fullmatch(reader.text[first:last]):
            continue
        name = reader.original(first, last)
        if not _may_be_a_name(name):
            return ()
        found.append(name)
    return tuple(dict.fromkeys(found))


def _may_be_a_name(name: str) -> bool:
    if not re.search(r"[^\W\d_]", name):
        return False
    return len(name) <= _MOST_HAN if has_han(name) else len(name.split()) <= _MOST_WORDS and len(name) <= 60


def _is_a_wish(reader: Reader) -> bool:
    return reader.has(v.WISH) or reader.has(v.EVERYTHING)


def _language(reader: Reader, query: str) -> str:
    """The language the question is put in; quotes and what is looked for count only where nothing else is written."""
    own = reader.clean
    for quoted in [*reader.quotes, query]:
        own = own.replace(quoted, " ") if quoted else own
    if has_han(own):
        return "zh"
    return "en" if re.search(r"[A-Za-z]", own) or not has_han(reader.clean) else "zh"
