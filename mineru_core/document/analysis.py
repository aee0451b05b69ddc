"""What an engine found on a page, free of what was asked; and what went wrong, as data."""

from __future__ import annotations

from typing import Self

from pydantic import Field, field_serializer

from mineru_core.document.chart import Chart
from mineru_core.document.geometry import Box
from mineru_core.document.model import Confidence, Model
from mineru_core.document.parts import BlockType, Line, LineWord, Part, PartReading, TextSource
from mineru_core.document.table import Table
from mineru_core.errors import WorkbenchError

__all__ = [
    "Block",
    "BlockType",
    "DocumentAnalysis",
    "Line",
    "LineWord",
    "PageAnalysis",
    "PageFailure",
    "Part",
    "TextSource",
]


class Block(Model):
    """One block of a page.

    ``box`` is in page pixels; ``angle`` the clockwise degrees (0, 90, 180, 270) its text is turned by on the page;
    ``order`` its place in reading order, from 0. ``text`` is the running text (for an equation: LaTeX).
    ``continues`` says that the text goes on from the text block before it.
    """

    type: BlockType
    box: Box
    order: int = Field(ge=0)
    angle: int = 0
    text: str = ""
    lines: tuple[Line, ...] = ()
    table: Table | None = None
    chart: Chart | None = None
    confidence: Confidence = 1.0
    continues: bool = False

    @property
    def plain_text(self) -> str:
        """The running text; that of the lines, one under the other, where there is none."""
        return self.text or "\n".join(line.text for line in self.lines)

    def with_table(self, table: Table) -> Self:
        """The block after its table was corrected: it says what the table says, a line a row with a tab between cells,
        and no longer has the lines that were read there."""
        rows = ("\t".join(" ".join(cell.split()) for cell in row) for row in table.rows())
        text = "\n".join(row.rstrip("\t") for row in rows)
        return self.model_copy(update={"table": table, "text": text, "lines": ()})


class PageFailure(Model):
    """A page that could not be read, and why. ``component`` names the stage, ``code`` is a code of the error tree.

    Where ``block`` is set (by order on the page, from 0) it is that block alone, and the rest of the page was read.
    """

    page: int = Field(ge=1)
    block: int | None = Field(default=None, ge=0)
    component: str
    code: str
    message: str
    hint: str = ""

    @classmethod
    def from_error(cls, page: int, component: str, error: WorkbenchError) -> Self:
        """The failure as data."""
        return cls(page=page, component=component, code=error.code, message=error.message, hint=error.hint)


class PageAnalysis(Model):
    """What was found on one page. ``blocks`` are in reading order; ``parts`` says what was looked for.

    ``rotation`` is the clockwise quarter turn in degrees the page was set upright by before it was read; all boxes are
    in pixels of the page as given, before that turn. ``text_source`` says whether a PDF's own words were used.
    ``timings`` are seconds by stage, of what was done this time.

    ``readings`` are what it was put together from, for a cache to keep. They are not written to JSON, and ``assemble``
    drops them: a document need not carry its pages twice. ``failures`` are those of single blocks; ``assemble`` hands
    them to the document.
    """

    page: int = Field(ge=1)
    width: int = Field(ge=1)
    height: int = Field(ge=1)
    sha256: str
    parts: frozenset[Part]
    blocks: tuple[Block, ...] = ()
    rotation: int = 0
    text_source: TextSource = TextSource.PIXELS
    warnings: tuple[str, ...] = ()
    failures: tuple[PageFailure, ...] = ()
    timings: dict[str, float] = Field(default_factory=dict)
    readings: tuple[PartReading, ...] = Field(default=(), exclude=True, repr=False)

    @field_serializer("parts", when_used="json")
    def _parts_in_order(self, parts: frozenset[Part]) -> list[Part]:
        # A set has another order in each process; the same result must give the same JSON.
        return sorted(parts)

    @property
    def tables(self) -> tuple[Table, ...]:
        """Tables in reading order."""
        return tuple(b.table for b in self.blocks if b.table is not None)

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Charts in reading order."""
        return tuple(b.chart for b in self.blocks if b.chart is not None)

    @property
    def lines(self) -> tuple[Line, ...]:
        """Every line in reading order."""
        return tuple(line for b in self.blocks for line in b.lines)


class DocumentAnalysis(Model):
    """Every page's analysis of one document, in page order, and the pages and blocks that failed."""

    source: str
    sha256: str = Field(description="of the uploaded bytes, hex")
    media_type: str
    page_count: int = Field(ge=0)
    pages: tuple[PageAnalysis, ...] = ()
    failures: tuple[PageFailure, ...] = ()

    @property
    def tables(self) -> tuple[Table, ...]:
        """Tables in reading order over the document."""
        return tuple(t for p in self.pages for t in p.tables)

    @property
    def charts(self) -> tuple[Chart, ...]:
        """Charts in reading order over the document."""
        return tuple(c for p in self.pages for c in p.charts)
