"""One part of a page as it was read, apart from the others, so that it can be kept and put together with them later."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from pydantic import Field, model_validator

from mineru_core.document.analysis import BlockType, Line, Part
from mineru_core.document.geometry import Box
from mineru_core.document.model import Confidence, Model
from mineru_core.document.page import Page
from mineru_core.document.table import Table


class LayoutArea(Model):
    """An area of one kind on the upright page, ``box`` in its pixels."""

    type: BlockType
    box: Box
    confidence: Confidence = 1.0


class PartReading(Model):
    """What an engine read of one part of one page.

    ``rotation`` is the clockwise quarter turn in degrees the page was set upright by before it was read. All places
    are in pixels of the upright page, as the engine saw it: the parts of a page are put together there, and turned
    back only then. Nothing here depends on the page's number or name: ``page`` of the tables says nothing, and the
    same pixels elsewhere have the same reading.

    Only the field of the part is filled: ``lines`` of the text, ``areas`` of the layout, ``tables`` (each with its
    box) of the tables. A part read later gets a field of its own with a default, so readings kept before stay valid.
    ``seconds`` is the time it took. JSON and back gives an equal reading, numbers to the last bit.

    Raises pydantic's ValidationError (a ValueError) for a table without a box.
    """

    part: Part
    rotation: int = Field(default=0, ge=0, lt=360, multiple_of=90)
    lines: tuple[Line, ...] = ()
    areas: tuple[LayoutArea, ...] = ()
    tables: tuple[Table, ...] = ()
    warnings: tuple[str, ...] = ()
    seconds: float = Field(default=0.0, ge=0.0, allow_inf_nan=False)

    @model_validator(mode="after")
    def _check_places(self) -> Self:
        if any(table.box is None for table in self.tables):
            raise ValueError("a table of a reading has no box")
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
