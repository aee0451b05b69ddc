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


class Region(Model):
    """A rectangle of one page that limits the question. ``box`` is in pixels of that page."""

    page: int = Field(ge=1)
    box: Box


class Task(Model):
    """What was asked, derived from words by ``instruct`` (or made directly).

    ``table_indexes`` chooses tables: 0 is the first, -1 the last; empty means all. ``pages`` limits to page numbers
    from 1 (-1 is the last); empty means all. ``fields`` are the wanted labels as the user wrote them, ``query`` what
    to find. ``notes`` are codes of what was asked but cannot be done. ``language`` is "zh" or "en", that of the words.
    """

    kind: TaskKind = TaskKind.EVERYTHING
    words: str = ""
    language: str = "en"
    table_indexes: tuple[int, ...] = ()
    pages: tuple[int, ...] = ()
    fields: tuple[str, ...] = ()
    query: str = ""
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
        }
        return frozenset(base | extra.get(self.kind, set()))


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
    """A place where the query was found; ``text`` is the line, ``start`` and ``end`` the hit within it."""

    text: str
    start: int
    end: int
    page: int
    box: Box
    confidence: Confidence = 1.0


class Note(Model):
    """Something the reader should know about the answer: a stable code, and an English sentence."""

    code: str
    message: str


class Answer(Model):
    """The answer to a task; only what the kind calls for is filled."""

    kind: TaskKind
    text: str = ""
    blocks: tuple[Block, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    fields: tuple[FieldValue, ...] = ()
    matches: tuple[Match, ...] = ()
    notes: tuple[Note, ...] = ()
