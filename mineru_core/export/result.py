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

PageSource = Callable[[int], Page]
"""Gives a page by its number, as it was when the document was read: ``Document.page``."""


class DocumentResult(Model):
    """Everything about one document read for one task. ``engine`` is the fingerprint of what read it."""

    schema_version: str = SCHEMA_VERSION
    task: Task
    answer: Answer
    analysis: DocumentAnalysis
    engine: str
    timings: dict[str, float] = Field(default_factory=dict, description="seconds by stage")
    warnings: tuple[str, ...] = ()

    @property
    def source(self) -> str:
        """Name of the document as it was handed in."""
        return self.analysis.source

    @property
    def failures(self) -> tuple[PageFailure, ...]:
        """Pages that could not be read."""
        return self.analysis.failures

    @property
    def success(self) -> bool:
        """Whether every page was read; never true while a failure exists."""
        return not self.failures

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
