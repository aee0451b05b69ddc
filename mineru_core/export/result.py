"""The finished result of one document: what was found, what was asked, what is answered, what went wrong."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from pydantic import Field

from mineru_core.document.analysis import Block, DocumentAnalysis, PageFailure
from mineru_core.document.chart import Chart
from mineru_core.document.model import Model
from mineru_core.document.page import Page
from mineru_core.document.table import Table
from mineru_core.document.task import Answer, Task, TaskKind

SCHEMA_VERSION = "1.0"

_COUNTED = ("tables", "charts", "blocks", "fields", "matches", "quotes", "changes", "notes")
"""What of an answer a result's short form counts."""

PageSource = Callable[[int], Page]
"""Gives a page by its number, as it was when the document was read: ``Document.page``."""


class DocumentResult(Model):
    """Everything about one document read for one task. ``engine`` is the fingerprint of what read it.

    ``before`` is there where the document was compared with another one, the earlier: its analysis. Pages and boxes of
    the earlier side of a change are then those of that document.
    """

    schema_version: str = SCHEMA_VERSION
    task: Task
    answer: Answer
    analysis: DocumentAnalysis
    before: DocumentAnalysis | None = None
    engine: str
    timings: dict[str, float] = Field(default_factory=dict, description="seconds by stage")
    warnings: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Name of the document as it was handed in."""
        return self.analysis.source

    @property
    def failures(self) -> tuple[PageFailure, ...]:
        """Pages that could not be read; those of the document it was compared with come first."""
        earlier = () if self.before is None else self.before.failures
        return (*earlier, *self.analysis.failures)

    @property
    def is_unread(self) -> bool:
        """Whether nothing could be read of the document, or of the one it was compared with."""
        sides = (self.analysis,) if self.before is None else (self.before, self.analysis)
        return any(side.failures and not side.pages for side in sides)

    @property
    def success(self) -> bool:
        """Whether every page was read; never true while a failure exists."""
        return not self.failures

    def __repr__(self) -> str:
        """One line: what was read, and how much is answered; all of it is in ``model_dump_json()``."""
        pages, failed = len(self.analysis.pages), len(self.failures)
        of = self.source if self.before is None else f"{self.before.source} → {self.source}"
        counts = {name: len(getattr(self.answer, name)) for name in _COUNTED}
        said = {"pages": pages, "failures": failed, **counts}
        told = ", ".join(f"{name}={count}" for name, count in said.items() if count)
        return f"<{type(self).__name__} {of!r} {self.answer.kind.value}{': ' if told else ''}{told}>"

    __str__ = __repr__

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Blocks of all pages in reading order."""
        return tuple(b for p in self.analysis.pages for b in p.blocks)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The answer's tables where tables were asked for (none, if none was found), else every table read."""
        chosen = self.answer.kind is TaskKind.TABLES
        return self.answer.tables if chosen else self.answer.tables or self.analysis.tables

    @property
    def charts(self) -> tuple[Chart, ...]:
        """The answer's charts where charts were asked for (none, if none was found), else every chart read."""
        chosen = self.answer.kind is TaskKind.CHARTS
        return self.answer.charts if chosen else self.answer.charts or self.analysis.charts

    @property
    def text(self) -> str:
        """The answer's text."""
        return self.answer.text

    def save(
        self,
        folder: str | Path,
        formats: Sequence[str] = ("csv", "xlsx", "md", "json", "html"),
        *,
        guard: bool = True,
        pages: PageSource | None = None,
    ) -> list[Path]:
        """Write NAME.md, NAME.tableK.csv … into ``folder`` (made if missing) and return what was written.

        A NAME that has files there already becomes NAME-2; nothing is overwritten. ``guard`` keeps CSV cells from being
        run as formulas. The format "pdf", a searchable PDF, is made of the pages that were read: hand in the open
        document's ``page`` as ``pages``. Raises ``InvalidRequest`` for an unknown format, or a PDF without ``pages``.
        """
        from mineru_core.export.files import write_files

        return write_files(self, Path(folder), formats, guard=guard, pages=pages)
