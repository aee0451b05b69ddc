"""From the words a person typed to a ``Task``: by rules, the same each time, without a network."""

from __future__ import annotations

import re
from dataclasses import dataclass

from mineru_core.document.task import FindMode, RowFilter, Task, TaskKind
from mineru_core.instruct import vocabulary as v
from mineru_core.instruct.chart_words import take_named_with_times, take_points, take_series, take_times, take_values_of
from mineru_core.instruct.described import read_description
from mineru_core.instruct.field_list import fields_in_a_table, is_list, list_fields, take_preamble
from mineru_core.instruct.field_names import is_known_field
from mineru_core.instruct.find_words import take_mode, take_query, take_regex
from mineru_core.instruct.frames import take_frames, take_whole
from mineru_core.instruct.normalize import has_han
from mineru_core.instruct.page_words import take_pages
from mineru_core.instruct.question_words import is_about_reasons, question, wants_comparison, wants_summary
from mineru_core.instruct.reader import Reader
from mineru_core.instruct.row_words import take_rows
from mineru_core.instruct.table_words import take_columns, take_merged, take_tables

NOT_UNDERSTOOD = "not-understood"
UNSUPPORTED_REQUEST = "unsupported-request"
UNSUPPORTED_TABLE_REQUEST = "unsupported-table-request"

_ALL_AND_MORE = re.compile(
    r"\b(?:everything|all)\s+(?:on|in|off|from|of)\s+(?:here|it|this|that)\b|\beverything\b.*\bincl|\ball\b.*\bincl(?:ud|\b)|"
    r"(?:全部|所有|全都|统统|一切|整个).*(?:包括|包含|连同|连带)|图文(?:表|并茂|都|全)"
)
_OCR = re.compile(r"(?<![a-z])ocr(?![a-z])(?!.*(?:\b(?:text|words)\b|字|文本))")
_SORTS = (
    (TaskKind.CHARTS, v.CHARTS),
    (TaskKind.TABLES, v.TABLES),
    (TaskKind.FORMULAS, v.FORMULAS),
    (TaskKind.TEXT, v.TEXT),
)
_IN_PASSING = re.compile(
    r"\b(?:from|off|on|in)\s+(?:the|this|that|my|our)\s+(?:\w+\s+)?(?:transcript|spread\s*sheet|table|text|statement|balance\s+sheet)\b|"
    r"(?:成绩单|明细|表格?|表单|报表)(?:上|里|中)面?的?|[到进入](?:表格?|系统|台账)(?:里|中|上)?"
)
_WHAT_IS = re.compile(
    r"^(?:(?:please|can\s+you)\s+)*(?:(?:tell|give)\s+me\s+)?what(?:'s|\s+(?:is|are))\s+(?:the\s+)?(?!.*\b(?:if|when|who|does|do|did|has|have|between)\b)|"
    r"(?:是|分别是?|各是)(?:什么|啥|多少|谁)?(?:呀|啊|呢)?\W*$"
)


@dataclass
class _Draft:
    """What is known so far."""

    kind: TaskKind = TaskKind.EVERYTHING
    pages: tuple[int, ...] = ()
    table_indexes: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    rows: tuple[RowFilter, ...] = ()
    merged: bool = False
    series: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    fields: tuple[str, ...] = ()
    query: str = ""
    find_mode: FindMode = FindMode.AUTO
    notes: tuple[str, ...] = ()


def parse_words(words: str) -> Task:
    """What is asked for, from Chinese or English words; empty words ask for everything.

    A line that ``describe`` wrote gives the task it describes. Never raises: words that say nothing known give a task
    for everything with the note ``not-understood``, wishes this version cannot fulfil (a translation, another wording)
    one with ``unsupported-request``.
    """
    described = read_description(words)
    if described is not None:
        return described
    reader = Reader(words)
    draft = _read(reader) if reader.clean else _Draft()
    if draft.kind is not TaskKind.COMPARE:  # only what is compared is so in the order it is named
        draft.pages = tuple(sorted(draft.pages, key=lambda page: (page < 0, page)))
    return Task(words=words, language=_language(reader, draft.query), **vars(draft))


def _read(reader: Reader) -> _Draft:
    draft = _Draft(query=take_regex(reader))
    draft.pages = take_pages(reader, in_order=wants_comparison(reader))
    if draft.query:
        draft.kind, draft.find_mode = TaskKind.FIND, FindMode.REGEX
        return draft
    if reader.has(v.UNSUPPORTED) and not reader.has(v.SEARCHES):
        draft.notes = (UNSUPPORTED_REQUEST,)
        return draft
    take_frames(reader)
    for step in (
        _parts_of_tables,
        _comparison,
        _parts_of_charts,
        _known_fields,
        _phrase,
        _summary,
        _sorts_of_things,
        _question,
    ):
        if step(reader, draft):
            break
    return draft


def _parts_of_tables(reader: Reader, draft: _Draft) -> bool:
    """Rows, columns, one table of several."""
    whole = reader.text
    merged, tables = take_merged(reader), take_tables(reader)
    reader.take(v.OUTPUTS)
    rows = take_rows(reader)
    columns, ruled_out = take_columns(reader)
    if reader.take(v.TABLE_UNSUPPORTED):
        draft.kind, draft.notes = TaskKind.TABLES, (UNSUPPORTED_TABLE_REQUEST,)
    if not (merged or rows or columns):
        draft.table_indexes = tables if draft.notes else ()
        reader.text = whole
        return bool(draft.notes)
    draft.kind, draft.table_indexes, draft.merged, draft.rows = TaskKind.TABLES, tables, merged, rows
    draft.columns, draft.left_out = ((), columns) if ruled_out else (columns, ())
    return True


def _comparison(reader: Reader, draft: _Draft) -> bool:
    if not wants_comparison(reader):
        return False
    draft.kind = TaskKind.COMPARE
    if len(draft.pages) == 1:  # what changed on a page did so from the page before it
        (page,) = draft.pages
        draft.pages = (1, 2) if page == 1 else (page - 1, page)
    return True


def _summary(reader: Reader, draft: _Draft) -> bool:
    if not wants_summary(reader):
        return False
    draft.kind = TaskKind.SUMMARY
    return True


def _parts_of_charts(reader: Reader, draft: _Draft) -> bool:
    """Series and points."""
    if is_about_reasons(reader):
        return False
    charts, whole = reader.has(v.CHARTS), reader.text
    times = take_times(reader)
    draft.series = take_series(reader, of_a_chart=bool(times))
    draft.points = times or take_times(reader) if draft.series else times
    if times and not draft.series:
        draft.series = take_named_with_times(reader)
    draft.points = draft.points or take_points(reader, charts or bool(draft.series))
    if not (draft.series or draft.points):
        reader.text = whole
        return False
    draft.kind = TaskKind.CHARTS
    return True


def _phrase(reader: Reader, draft: _Draft) -> bool:
    whole = reader.text
    mode = take_mode(reader)
    draft.query = take_query(reader, mode)
    if not draft.query:
        reader.text = whole
        return False
    draft.kind, draft.find_mode = TaskKind.FIND, mode
    return True


def _known_fields(reader: Reader, draft: _Draft) -> bool:
    """Several fields of the lexicon side by side ask for their values, whatever verb stands with them."""
    whole = reader.text
    reader.take(v.OUTPUTS)
    take_preamble(reader)
    fields = list_fields(reader)
    known = [is_known_field(field) for field in fields]
    likely = (
        (any(known) or _is_named_in_passing(reader))
        and not any(_names_a_sort(field.lower()) for field in fields)
        and not question(reader, strong=True)
    )
    listed = is_list(reader, fields) and (all(known) or likely)
    reader.text = whole
    if listed:
        draft.kind, draft.fields = TaskKind.FIELDS, fields
    return listed


def _is_named_in_passing(reader: Reader) -> bool:
    """Whether a sort of thing only says where to look: "from the transcript", "成绩单上的"."""
    elsewhere = _IN_PASSING.sub(" ", reader.text)
    return elsewhere != reader.text and not (
        (question(reader) and not _WHAT_IS.search(reader.text.strip()))
        or wants_summary(reader)
        or _names_a_sort(elsewhere)
    )


def _sorts_of_things(reader: Reader, draft: _Draft) -> bool:
    """Tables by number, charts, formulas, text, fields: what is named."""
    draft.table_indexes = take_tables(reader)
    asked = question(reader, strong=True)
    reader.negated = bool(reader.take(v.NEGATED)) or reader.negated
    reader.outputs = reader.take(v.OUTPUTS)
    if draft.table_indexes:
        draft.kind = TaskKind.TABLES
        return True
    if reader.has(v.KEY_FIELDS):
        draft.kind, draft.fields = TaskKind.FIELDS, _introduced(reader)
        return True
    draft.fields = fields_in_a_table(reader)
    if draft.fields:
        draft.kind = TaskKind.FIELDS
        return True
    kinds = _kinds(reader)
    if not kinds:
        return False
    if asked and TaskKind.CHARTS not in kinds:
        draft.kind, draft.query = TaskKind.QUESTION, asked
        return True
    draft.kind = kinds[0] if len(kinds) == 1 else TaskKind.EVERYTHING
    if (
        kinds == [TaskKind.TEXT]
        and _OCR.search(reader.clean.lower())
        and (take_whole(reader) or reader.has(v.EVERYTHING))
    ):
        draft.kind = TaskKind.EVERYTHING
    if _ALL_AND_MORE.search(reader.clean.lower()):
        draft.kind = TaskKind.EVERYTHING
    return True


def _question(reader: Reader, draft: _Draft) -> bool:
    """What is left: names of fields, a question, or no wish that is understood."""
    take_preamble(reader)
    whole = take_whole(reader)
    fields = list_fields(reader)
    known = [is_known_field(field) for field in fields]
    named = fields and (all(known) or (any(known) and len(known) > 1) or _asks_for_a_list(reader, fields))
    asked = "" if named else question(reader)
    sheet = any(v.SHEET_FORMATS.search(output) for output in reader.outputs)
    if asked:
        draft.kind, draft.query = TaskKind.QUESTION, asked
    elif len(fields) == 1 and not any(known) and fields[0] in reader.quotes:
        draft.kind, draft.query = TaskKind.FIND, fields[0]
    elif fields and (named or not sheet):
        draft.kind = TaskKind.FIELDS
        draft.points = take_values_of(reader) if len(fields) == 1 and not any(known) else ()
        draft.fields = draft.points or fields
    elif sheet:
        draft.kind = TaskKind.TABLES
    elif reader.has(v.TYPED) and not whole:
        draft.kind = TaskKind.TEXT
    elif reader.has(v.HOW_MUCH):
        draft.kind, draft.fields = TaskKind.FIELDS, ("总金额" if has_han(reader.clean) else "total",)
    elif not (whole or draft.pages or reader.negated or reader.outputs or _is_a_wish(reader)):
        draft.notes = (NOT_UNDERSTOOD,)
    return True


def _introduced(reader: Reader) -> tuple[str, ...]:
    """The fields that follow "these fields:", () where the key fields are asked for without naming any."""
    before = reader.text
    take_preamble(reader)
    return list_fields(reader) if reader.text != before else ()


def _asks_for_a_list(reader: Reader, fields: tuple[str, ...]) -> bool:
    """Whether "what is the … and the …" names two things or more, rather than asking something about them."""
    return is_list(reader, fields) and _WHAT_IS.search(reader.text.strip()) is not None


def _kinds(reader: Reader) -> list[TaskKind]:
    """The sorts of things that are named, most telling first; each one's words are blanked before the next is tried."""
    return [kind for kind, pattern in _SORTS if reader.take(pattern)]


def _names_a_sort(text: str) -> bool:
    return any(pattern.search(text) for _, pattern in _SORTS)


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
