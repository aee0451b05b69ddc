"""Documents that were read at the edge: taking apart what was read there, and putting it together here.

Who reads at the edge calls ``edge_document`` and sends what it gives. Here it is a document like any other, of which
all is known but what stands in the pictures of single blocks: those the engine here reads, where it is another one.
What came from outside stays with its document: nothing of it is kept under the hash of pixels nobody here has seen.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mineru_core.document.analysis import Block, BlockType, PageAnalysis, PageFailure
from mineru_core.document.edge import EdgeDocument, EdgePage, EdgePicture, EdgeReading
from mineru_core.document.geometry import Box
from mineru_core.document.parts import PageFrame, Part, PartReading
from mineru_core.document.table import Table
from mineru_core.document.task import Region
from mineru_core.engines.base import Engine, Readings
from mineru_core.engines.registry import create_engine
from mineru_core.errors import InvalidRequest, WorkbenchError
from mineru_core.serving.natives import Native, with_natives
from mineru_core.serving.selection import Placement, place_region
from mineru_core.settings import Settings

if TYPE_CHECKING:
    from mineru_core.intake import Document

EDGE_ENGINE = "embedded"
"""The engine that reads at the edge; every server can put together what it has read."""

PART_OF_BLOCK = {
    BlockType.TABLE: Part.TABLES,
    BlockType.CHART: Part.CHARTS,
    BlockType.IMAGE: Part.CHARTS,
    BlockType.EQUATION: Part.FORMULAS,
}
"""Blocks whose pictures another engine is given, with what it reads of them."""

_MOSTLY = 0.5
_LOG = logging.getLogger(__name__)

Reading = PageAnalysis | PageFailure


@dataclass(frozen=True)
class Taken:
    """What was read of one picture, on its way to somebody else: where it lies, as how large a picture the engine saw
    it, and the readings. ``natives`` are what the file stores as data there."""

    placement: Placement
    seen: tuple[int, int]
    readings: Readings
    natives: tuple[Native, ...] = ()


@dataclass(frozen=True)
class Crop:
    """A picture of one block that the engine here is to read: its place in the document's list, where it lies, and the
    part that is wanted of it."""

    index: int
    placement: Placement
    block: BlockType
    part: Part

    @property
    def box(self) -> Box:
        """What it shows, in page pixels."""
        place = self.placement
        return Box(place.dx, place.dy, place.dx + place.width, place.dy + place.height)


def edge_document(
    document: Document,
    engine: Engine,
    taken: Iterable[Taken],
    failures: Sequence[PageFailure],
    pictures: Sequence[EdgePicture] = (),
) -> EdgeDocument:
    """What was read of a document, ready to be sent. The time it took is left out, so that the same is always equal."""
    pages: dict[int, list[Taken]] = {}
    for one in taken:
        pages.setdefault(one.placement.frame.number, []).append(one)
    return EdgeDocument(
        engine=engine.name,
        fingerprint=engine.fingerprint,
        capabilities=engine.capabilities,
        sha256=document.sha256,
        media_type=document.media_type,
        page_count=document.page_count,
        pages=tuple(_edge_page(pages[number]) for number in sorted(pages)),
        failures=tuple(failures),
        pictures=tuple(pictures),
    )


def _edge_page(taken: Sequence[Taken]) -> EdgePage:
    frame = taken[0].placement.frame
    return EdgePage(
        number=frame.number,
        width=frame.width,
        height=frame.height,
        sha256=frame.sha256,
        read=tuple(
            EdgeReading(
                x=one.placement.dx,
                y=one.placement.dy,
                width=one.placement.width,
                height=one.placement.height,
                seen_width=one.seen[0],
                seen_height=one.seen[1],
                readings=tuple(_timeless(one.readings[part]) for part in sorted(one.readings)),
                natives=one.natives,
            )
            for one in taken
        ),
    )


def _timeless(reading: PartReading) -> PartReading:
    return reading.model_copy(update={"seconds": 0.0})


def fingerprint_of(document: Document, engine: Engine) -> str:
    """What a document was read with: the engine here, or the one at the edge, or both."""
    if document.edge is None:
        return engine.fingerprint
    edge = document.edge.document
    shared = edge.engine != engine.name and any(picture.block is not None for picture in edge.pictures)
    return f"{edge.fingerprint} + {engine.fingerprint}" if shared else edge.fingerprint


def capabilities_of(document: Document, engine: Engine) -> frozenset[Part]:
    """The parts that can be read of a document: by the engine here, and by the one at the edge."""
    edge = frozenset() if document.edge is None else document.edge.document.capabilities
    return engine.capabilities | edge


class EdgePages:
    """Puts pages together that were read at the edge. Safe to use from many threads."""

    def __init__(self, engine: Callable[[], Engine], settings: Settings) -> None:
        self._engine, self._settings = engine, settings
        self._lock = threading.Lock()
        self._edge_engine: Engine | None = None

    def composer(self, name: str) -> Engine:
        """The engine that puts together what one of that name has read; not loaded, and never to be. Raises
        ``InvalidRequest`` where there is none."""
        own = self._engine()
        if name == own.name:
            return own
        if name != EDGE_ENGINE:
            raise InvalidRequest(f"What {name!r} has read cannot be put together here.", f"Read it with {EDGE_ENGINE}.")
        with self._lock:
            if self._edge_engine is None:
                self._edge_engine = create_engine(EDGE_ENGINE, self._settings)
            return self._edge_engine

    def crops(self, edge: EdgeDocument, number: int, regions: Sequence[Region], asked: frozenset[Part]) -> list[Crop]:
        """The pictures of a page's blocks that the engine here is to read for the parts that are asked for."""
        engine, page = self._engine(), edge.page(number)
        if page is None or edge.engine == engine.name:
            return []
        parts = asked & engine.capabilities
        found: list[Crop] = []
        for index, picture in enumerate(edge.pictures):
            part = None if picture.block is None else PART_OF_BLOCK.get(picture.block)
            if picture.page != number or picture.block is None or part not in parts:
                continue
            if regions and not any(picture.box.covered_by(region.box) >= _MOSTLY for region in regions):
                continue
            box = picture.box
            size = max(1, round(box.width)), max(1, round(box.height))
            found.append(Crop(index, Placement(_frame(page), box.x0, box.y0, *size), picture.block, part))
        return found

    def readings(
        self,
        edge: EdgeDocument,
        number: int,
        regions: Sequence[Region],
        asked: frozenset[Part],
        crops: Sequence[tuple[Crop, Reading]] = (),
    ) -> list[Reading]:
        """A page, or its regions, as if it had been read here, with what was read of its crops."""
        failed: list[Reading] = [failure for failure in edge.failures if failure.page == number]
        page = edge.page(number)
        if page is None:
            return failed or [_unsent(number, "without this page")]
        found: list[Reading] = []
        boxes: list[Box | None] = [region.box for region in regions]
        for box in boxes or [None]:
            read = _read_there(page, box)
            if read is not None:
                found.append(self._composed(edge, page, read, box, asked, crops))
            elif not failed:
                found.append(_unsent(number, "without this page whole" if box is None else "without this region"))
        return [*found, *failed]

    def _composed(
        self,
        edge: EdgeDocument,
        page: EdgePage,
        read: EdgeReading,
        region: Box | None,
        asked: frozenset[Part],
        crops: Sequence[tuple[Crop, Reading]],
    ) -> Reading:
        engine = self.composer(edge.engine)
        wanted = asked & edge.capabilities & engine.capabilities
        there = frozenset(part for part in wanted if engine.needed(frozenset({part})) <= read.by_part.keys())
        frame = PageFrame(page.number, read.seen_width, read.seen_height, page.sha256)
        placement = Placement(_frame(page), read.x, read.y, read.width, read.height)
        try:
            analysis = placement.analysis(engine.compose(frame, there, read.by_part))
            inside = [(crop, one) for crop, one in crops if region is None or crop.box.covered_by(region) >= _MOSTLY]
            analysis = with_crops(analysis, inside, asked)
            analysis = with_natives(analysis, read.natives, asked)
        except Exception:  # noqa: BLE001  what came from outside may be of a shape that no engine ever reads
            _LOG.exception("page %d cannot be put together", page.number)
            return _unsent(page.number, "in a shape that cannot be put together")
        missing = sorted(wanted - there)
        if not missing:
            return analysis
        unsent = _unsent(page.number, f"without {', '.join(missing)} of this page")
        return analysis.model_copy(update={"failures": (*analysis.failures, unsent)})


def with_crops(analysis: PageAnalysis, crops: Sequence[tuple[Crop, Reading]], asked: frozenset[Part]) -> PageAnalysis:
    """The page with what was read of its blocks' pictures in place of what had been read there. All places are in page
    pixels. A picture that could not be read leaves its block as it was, and its failure."""
    natives: list[Native] = []
    failures = list(analysis.failures)
    parts = set(analysis.parts)
    for crop, reading in crops:
        if isinstance(reading, PageFailure):
            failures.append(reading)
            continue
        failures += [failure.model_copy(update={"block": None}) for failure in reading.failures]
        parts.add(crop.part)
        if crop.part is Part.FORMULAS:
            analysis = _with_formula(analysis, crop.box, reading)
        else:
            natives += [_captioned(table, analysis) for table in reading.tables]
            natives += reading.charts
    analysis = with_natives(analysis, natives, asked | {Part.TABLES, Part.CHARTS})
    return analysis.model_copy(update={"failures": tuple(failures), "parts": frozenset(parts)})


def _with_formula(analysis: PageAnalysis, box: Box, reading: PageAnalysis) -> PageAnalysis:
    formula = "\n".join(block.text for block in reading.blocks if block.type is BlockType.EQUATION and block.text)
    if not formula:
        return analysis
    confidence = min(block.confidence for block in reading.blocks if block.type is BlockType.EQUATION)

    def read(block: Block) -> Block:
        if block.type is not BlockType.EQUATION or block.box.iou(box) < _MOSTLY:
            return block
        return block.model_copy(update={"text": formula, "lines": (), "confidence": confidence})

    return analysis.model_copy(update={"blocks": tuple(read(block) for block in analysis.blocks)})


def _captioned(table: Table, analysis: PageAnalysis) -> Table:
    """The table with the caption that the one read in its place had, which no picture of it alone shows."""
    if table.caption or table.box is None:
        return table
    box = table.box
    before = [one for one in analysis.tables if one.box is not None and one.box.iou(box) >= _MOSTLY]
    return table.model_copy(update={"caption": before[0].caption}) if before else table


def _read_there(page: EdgePage, box: Box | None) -> EdgeReading | None:
    """What was read of the page, or of a region of it. Raises ``InvalidRequest`` for a region it does not have."""
    frame = _frame(page)
    place = Placement.whole(frame) if box is None else place_region(frame, box)
    wanted = (place.dx, place.dy, place.width, place.height)
    return next((read for read in page.read if (read.x, read.y, read.width, read.height) == wanted), None)


def _frame(page: EdgePage) -> PageFrame:
    return PageFrame(page.number, page.width, page.height, page.sha256)


def _unsent(number: int, how: str) -> PageFailure:
    error: WorkbenchError = InvalidRequest(
        f"What was read at the edge came {how}.", "Send the document again with what is asked now."
    )
    return PageFailure.from_error(number, "edge", error)
