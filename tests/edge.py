"""Documents as they are read at the edge, for tests."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw

from mineru_core.client.edge import EdgeSide, Terms
from mineru_core.document.analysis import Block, PageAnalysis, PageFailure
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Page
from mineru_core.document.parts import AreaContent, BlockType, LayoutArea, Line, PageFrame, Part, PartReading
from mineru_core.document.table import Table
from mineru_core.document.task import Region
from mineru_core.engines.base import Engine, Readings
from mineru_core.engines.echo import EchoEngine
from mineru_core.engines.embedded.engine import EmbeddedEngine
from mineru_core.errors import EngineFailed
from mineru_core.runtime.context import RunContext
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import Settings


def edge_file(
    data: bytes,
    words: str = "",
    *,
    engine: Engine | None = None,
    regions: Sequence[Region] = (),
    pictures: bool = False,
    terms: Terms | None = None,
) -> bytes:
    """The file that a client sends of the document, read with ``engine`` (the echo engine if left out)."""
    with tempfile.TemporaryDirectory() as home:
        settings = Settings(home=Path(home), cache={"enabled": False})  # type: ignore[arg-type]
        with Analyzer(settings, engine or EchoEngine()) as analyzer:
            side = EdgeSide(analyzer, pictures=pictures)
            return side.parcel(
                data,
                words,
                name="a",
                regions=regions,
                password=None,
                terms=terms or Terms(version=1, engine=analyzer.name),
                ctx=RunContext(),
            ).data


TABLE_BOX, FORMULA_BOX, TEXT_BOX = Box(40, 100, 360, 220), Box(40, 240, 360, 290), Box(40, 20, 360, 60)


def page_with_blocks() -> Image.Image:
    """A page of 400 × 300 pixels with something in each of the boxes."""
    image = Image.new("RGB", (400, 300), "white")
    draw = ImageDraw.Draw(image)
    for box, color in ((TABLE_BOX, "red"), (FORMULA_BOX, "green"), (TEXT_BOX, "blue")):
        draw.rectangle((box.x0, box.y0, box.x1 - 1, box.y1 - 1), fill=color)
    return image


class EdgeEngine(EchoEngine):
    """Stands for the embedded engine: sees a text, a table that it reads badly and a formula that it cannot read."""

    name = "embedded"
    fingerprint = "embedded/stand-in"  # type: ignore[assignment]

    def __init__(self) -> None:
        super().__init__(capabilities=(Part.TEXT, Part.LAYOUT, Part.TABLES, Part.CHARTS))
        self._real = EmbeddedEngine(Settings())

    def needed(self, parts: frozenset[Part]) -> frozenset[Part]:
        return self._real.needed(parts)

    def compose(self, frame: PageFrame, parts: frozenset[Part], readings: Readings) -> PageAnalysis:
        return self._real.compose(frame, parts, readings)

    def read(
        self, pages: Sequence[Page], parts: frozenset[Part], ctx: RunContext, known: Sequence[Readings] = ()
    ) -> list[PageAnalysis | PageFailure]:
        del ctx, known
        line = Line(text="Heading", box=TEXT_BOX, quad=Quad.from_box(TEXT_BOX))
        sorts = ((BlockType.TEXT, TEXT_BOX), (BlockType.TABLE, TABLE_BOX), (BlockType.EQUATION, FORMULA_BOX))
        areas = tuple(LayoutArea(type=sort, box=box) for sort, box in sorts)
        table = Table.from_rows([["edge"]], box=TABLE_BOX, caption="Table 1")
        found = {
            Part.TEXT: PartReading(part=Part.TEXT, lines=(line,), seconds=0.5),
            Part.LAYOUT: PartReading(part=Part.LAYOUT, areas=areas),
            Part.TABLES: PartReading(part=Part.TABLES, tables=(table,)),
            Part.CHARTS: PartReading(part=Part.CHARTS),
        }
        return [self.compose(PageFrame.of(page), parts, found) for page in pages]


class BlockEngine(EchoEngine):
    """Stands for a large model on the server: of any picture it reads a table that names its size, or a formula.

    ``seen`` are the sizes of the pictures it was given, ``refuses`` the parts it breaks at.
    """

    name = "mineru-server"
    fingerprint = "mineru-server/stand-in"  # type: ignore[assignment]
    reads_text_layer = False

    def __init__(self, refuses: frozenset[Part] = frozenset()) -> None:
        super().__init__(capabilities=(Part.TEXT, Part.LAYOUT, Part.TABLES, Part.FORMULAS))
        self.seen: list[tuple[int, int]] = []
        self.refuses = refuses

    def needed(self, parts: frozenset[Part]) -> frozenset[Part]:
        return parts & self.capabilities

    def compose(self, frame: PageFrame, parts: frozenset[Part], readings: Readings) -> PageAnalysis:
        blocks: list[Block] = []
        if Part.TABLES in parts:
            (table,) = readings[Part.TABLES].tables
            blocks.append(Block(type=BlockType.TABLE, box=table.box or TABLE_BOX, order=0, table=table))
        if Part.FORMULAS in parts:
            (content,) = readings[Part.FORMULAS].contents
            box = Box(0, 0, frame.width, frame.height)
            blocks.append(Block(type=BlockType.EQUATION, box=box, order=1, text=content.text, confidence=0.9))
        return PageAnalysis(
            page=frame.number,
            width=frame.width,
            height=frame.height,
            sha256=frame.sha256,
            parts=parts & self.capabilities,
            blocks=tuple(blocks),
            readings=tuple(readings.values()),
        )

    def read(
        self, pages: Sequence[Page], parts: frozenset[Part], ctx: RunContext, known: Sequence[Readings] = ()
    ) -> list[PageAnalysis | PageFailure]:
        del ctx, known
        (page,) = pages
        self.seen.append((page.width, page.height))
        if parts & self.refuses:
            return [PageFailure.from_error(page.number, self.name, EngineFailed("It broke."))]
        table = Table.from_rows([["server", f"{page.width}x{page.height}"]], box=page.box)
        found = {
            Part.TABLES: PartReading(part=Part.TABLES, tables=(table,)),
            Part.FORMULAS: PartReading(part=Part.FORMULAS, contents=(AreaContent(area=0, text="E = mc^2"),)),
            Part.TEXT: PartReading(part=Part.TEXT),
            Part.LAYOUT: PartReading(part=Part.LAYOUT),
        }
        return [self.compose(PageFrame.of(page), parts, {part: found[part] for part in self.needed(parts)})]
