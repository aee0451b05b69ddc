"""What was asked for, and what is answered."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from mineru_core.document.analysis import Block, Part
from mineru_core.document.chart import Chart
from mineru_core.document.geometry import Box
from mineru_core.document.model import Confidence, Model
from mineru_core.document.table import Table


class TaskKind(StrEnum):
    """What sort of answer is wanted."""

    EVERYTHING = "everything"
    TEXT = "text"
    TABLES = "tables"
    CHARTS = "charts"
    FORMULAS = "formulas"
    FIELDS = "fields"
    FIND = "find"
    SUMMARY = "summary"
    QUESTION = "question"
    COMPARE = "compare"


class FindMode(StrEnum):
    """How a phrase is looked for: as written and else nearly; as written only; nearly too; as a regular expression."""

    AUTO = "auto"
    EXACT = "exact"
    FUZZY = "fuzzy"
    REGEX = "regex"


class RowTest(StrEnum):
    """What a row of a table is chosen by."""

    CONTAINS = "contains"
    LACKS = "lacks"
    IS = "is"
    IS_NOT = "is-not"
    MORE = "more"
    LESS = "less"
    AT_LEAST = "at-least"
    AT_MOST = "at-most"


class RowFilter(Model):
    """A condition on rows: one of ``values`` (for LACKS and IS_NOT none of them) passes the test.

    ``column`` is the header of the column that is looked at, as the user wrote it; "" is any.
    """

    values: tuple[str, ...]
    test: RowTest = RowTest.CONTAINS
    column: str = ""


class Region(Model):
    """A rectangle of one page that limits the question. ``box`` is in pixels of that page."""

    page: int = Field(ge=1)
    box: Box


class Task(Model):
    """What was asked, derived from words by ``instruct`` (or made directly).

    ``table_indexes`` chooses tables: 0 is the first, -1 the last; empty means all. ``columns`` are the headers of the
    columns that are kept, or ``left_out`` of those that are not; ``rows`` is what the kept rows fulfil, all of it;
    empty means all. ``merged`` makes tables of equal headers one. ``series`` and ``points`` choose of charts: names or
    colours of series, categories or x values; beside ``fields`` they say that a chart's values may be meant. ``pages``
    limits to page numbers from 1 (-1 is the last); empty means all; a comparison is in their order. ``fields`` are
    the wanted labels as the user wrote them, ``query`` what to find (in the way of ``find_mode``), or the question.
    ``notes`` are codes of what was asked but cannot be done. ``language`` is "zh" or "en", that of the words.
    """

    kind: TaskKind = TaskKind.EVERYTHING
    words: str = ""
    language: str = "en"
    table_indexes: tuple[int, ...] = ()
    columns: tuple[str, ...] = ()
    left_out: tuple[str, ...] = ()
    rows: tuple[RowFilter, ...] = ()
    merged: bool = False
    series: tuple[str, ...] = ()
    points: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    fields: tuple[str, ...] = ()
    query: str = ""
    find_mode: FindMode = FindMode.AUTO
    regions: tuple[Region, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def parts(self) -> frozenset[Part]:
        """What an engine has to read to answer."""
        base = {Part.TEXT, Part.LAYOUT}
        extra = {
            TaskKind.EVERYTHING: {Part.TABLES, Part.CHARTS, Part.FORMULAS},
            TaskKind.TABLES: {Part.TABLES},
            TaskKind.CHARTS: {Part.CHARTS},
            TaskKind.FORMULAS: {Part.FORMULAS},
            TaskKind.FIELDS: {Part.TABLES},
            TaskKind.QUESTION: {Part.TABLES},
            TaskKind.COMPARE: {Part.TABLES},
        }
        named = {Part.CHARTS} if self.kind is TaskKind.FIELDS and self.points else set()
        return frozenset(base | extra.get(self.kind, set()) | named)


class FieldValue(Model):
    """A field that was asked for: ``label`` as printed, ``value`` "" and confidence 0 where it was not found."""

    name: str
    label: str = ""
    value: str = ""
    page: int | None = None
    box: Box | None = None
    confidence: Confidence = 0.0

    @property
    def found(self) -> bool:
        """Whether a value was found."""
        return self.page is not None


class Match(Model):
    """A place where the query was found; ``text`` is the line, with what stands beside it on its row, ``start`` and
    ``end`` the hit within it, ``box`` that of the hit in page pixels."""

    text: str
    start: int
    end: int
    page: int
    box: Box
    confidence: Confidence = 1.0


class Quote(Model):
    """Words of the document that answer a question or sum it up, as they were read. ``box`` is in page pixels."""

    text: str
    page: int = Field(ge=1)
    box: Box
    confidence: Confidence = 1.0


class ChangeKind(StrEnum):
    """What became of a line or cell."""

    ADDED = "added"
    REMOVED = "removed"
    CHANGED = "changed"


class Change(Model):
    """One difference: a line, or the cell of a table at ``row`` and ``col`` (from 0, of the side that has it).

    ``before`` is "" for what was added, ``after`` "" for what was removed. Boxes are in pixels of ``before_page`` and
    ``after_page``; both None on the side where nothing stands.
    """

    kind: ChangeKind
    before: str = ""
    after: str = ""
    before_page: int | None = None
    after_page: int | None = None
    before_box: Box | None = None
    after_box: Box | None = None
    row: int | None = None
    col: int | None = None
    confidence: Confidence = 1.0


class Note(Model):
    """Something the reader should know about the answer: a stable code, and an English sentence."""

    code: str
    message: str


class Answer(Model):
    """The answer to a task; only what the kind calls for is filled.

    All of it was read, but for ``text`` where ``text_model`` names the model that wrote it from ``quotes``.
    """

    kind: TaskKind
    text: str = ""
    text_model: str = ""
    blocks: tuple[Block, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    fields: tuple[FieldValue, ...] = ()
    matches: tuple[Match, ...] = ()
    quotes: tuple[Quote, ...] = ()
    changes: tuple[Change, ...] = ()
    notes: tuple[Note, ...] = ()
