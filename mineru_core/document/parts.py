"""The parts of a page, and one part as it was read: apart from the others, to be kept and put together with them."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Self

from pydantic import Field, model_validator

from mineru_core.document.chart import Chart
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.model import Confidence, Model
from mineru_core.document.page import Page
from mineru_core.document.table import Table
from mineru_core.errors import WorkbenchError


class Part(StrEnum):
    """A part of a page that an engine can read; the cache keeps each apart."""

    TEXT = "text"
    LAYOUT = "layout"
    TABLES = "tables"
    CHARTS = "charts"
    FORMULAS = "formulas"


class BlockType(StrEnum):
    """Sorts of blocks, by MinerU's names."""

    TEXT = "text"
    TITLE = "title"
    TABLE = "table"
    EQUATION = "equation"
    IMAGE = "image"
    CHART = "chart"
    HEADER = "header"
    FOOTER = "footer"
    PAGE_NUMBER = "page_number"
    LIST = "list"
    CODE = "code"
    IMAGE_CAPTION = "image_caption"
    TABLE_CAPTION = "table_caption"
    PAGE_FOOTNOTE = "page_footnote"
    REFERENCE = "ref_text"

    @property
    def is_furniture(self) -> bool:
        """Whether the block repeats from page to page and is no part of the running text."""
        return self in (BlockType.HEADER, BlockType.FOOTER, BlockType.PAGE_NUMBER)


class TextSource(StrEnum):
    """Where the text of a page was taken from."""

    PIXELS = "pixels"
    TEXT_LAYER = "text-layer"
    BOTH = "both"
    """A PDF's own words, and what is shown beside them."""


class LineWord(Model):
    """A word (or one CJK character run) of a line, with its place in page pixels."""

    text: str
    box: Box
    confidence: Confidence = 1.0


class Line(Model):
    """One line of text as it was read. ``quad`` gives its corners in page pixels, ``box`` the box around them."""

    text: str
    box: Box
    quad: Quad
    confidence: Confidence = 1.0
    words: tuple[LineWord, ...] = ()


class LayoutArea(Model):
    """An area of one kind on the upright page, ``box`` in its pixels.

    ``angle`` is the clockwise quarter turn in degrees of what stands in it. ``label`` is the name the model gave it,
    where that tells more than ``type``. ``continues`` says that its text goes on from the text area before it.
    """

    type: BlockType
    box: Box
    confidence: Confidence = 1.0
    angle: int = Field(default=0, ge=0, lt=360, multiple_of=90)
    label: str = ""
    continues: bool = False


class ReadFailure(Model):
    """Why an area could not be read: a code of the error tree, with its message and hint."""

    code: str
    message: str
    hint: str = ""

    @classmethod
    def from_error(cls, error: WorkbenchError) -> Self:
        """The failure as data."""
        return cls(code=error.code, message=error.message, hint=error.hint)


class AreaContent(Model):
    """What was read in one area of the layout, by an engine that reads area by area.

    ``area`` counts the areas of the layout's reading from 0. ``type`` is set where reading showed the area to be of
    another sort. ``text`` is running text, LaTeX for an equation. ``whole`` is False where the text was cut off before
    its end. With a ``failure`` there is nothing else.
    """

    area: int = Field(ge=0)
    type: BlockType | None = None
    text: str = ""
    table: Table | None = None
    chart: Chart | None = None
    confidence: Confidence = 1.0
    whole: bool = True
    failure: ReadFailure | None = None


class PartReading(Model):
    """What an engine read of one part of one page.

    ``rotation`` is the clockwise quarter turn in degrees the page was set upright by before it was read. All places
    are in pixels of the upright page, as the engine saw it: the parts of a page are put together there, and turned
    back only then. Nothing here depends on the page's number or name: ``page`` of the tables says nothing, and the
    same pixels elsewhere have the same reading.

    Only the field of the part is filled: ``lines`` of the text, ``areas`` of the layout, ``tables`` and ``charts``
    (each with its box) of these; an engine that reads area by area fills ``contents`` of every part but the layout. A
    part read later gets a field of its own with a default, so readings kept before stay valid.
    ``seconds`` is the time it took. JSON and back gives an equal reading, numbers to the last bit.

    Raises pydantic's ValidationError (a ValueError) for a table or a chart without a box.
    """

    part: Part
    rotation: int = Field(default=0, ge=0, lt=360, multiple_of=90)
    lines: tuple[Line, ...] = ()
    areas: tuple[LayoutArea, ...] = ()
    tables: tuple[Table, ...] = ()
    charts: tuple[Chart, ...] = ()
    contents: tuple[AreaContent, ...] = ()
    text_source: TextSource = TextSource.PIXELS
    warnings: tuple[str, ...] = ()
    seconds: float = Field(default=0.0, ge=0.0, allow_inf_nan=False)

    @property
    def failed(self) -> bool:
        """Whether some area of it could not be read: worth trying again, not worth keeping."""
        return any(content.failure is not None for content in self.contents)

    @model_validator(mode="after")
    def _check_places(self) -> Self:
        if any(table.box is None for table in self.tables):
            raise ValueError("a table of a reading has no box")
        if any(chart.box is None for chart in self.charts):
            raise ValueError("a chart of a reading has no box")
        return self


@dataclass(frozen=True, slots=True)
class PageFrame:
    """What is known of a page without its pixels: number from 1, size in pixels as given, and sha256 of the pixels."""

    number: int
    width: int
    height: int
    sha256: str

    @classmethod
    def of(cls, page: Page) -> Self:
        """The frame of a page."""
        return cls(page.number, page.width, page.height, page.sha256)
