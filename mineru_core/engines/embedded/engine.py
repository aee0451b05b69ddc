"""The embedded engine: text, layout, tables and charts read on this machine's CPU, without network.

The way of one page: set upright, read the text lines, find the areas, read the tables and the charts, put lines and
areas together to blocks in reading order, turn every box back to the page as given. All but the last two steps are
readings of parts, which are skipped where they are known. A PDF's own words are taken for the text where they say what
the page shows.
"""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Sequence
from functools import partial

import cv2
import onnxruntime as ort
import openvino as ov

from mineru_core.document.analysis import Block, BlockType, Line, PageAnalysis, PageFailure, Part, TextSource
from mineru_core.document.chart import Chart
from mineru_core.document.page import Page, Pixels
from mineru_core.document.parts import LayoutArea, PageFrame, PartReading
from mineru_core.document.table import Table
from mineru_core.engines.base import BatchListener, LoadListener, Readings, chosen_readings, known_of_each
from mineru_core.engines.embedded import weights
from mineru_core.engines.embedded.blocks import TableArea, blocks_of_regions, build_blocks, lines_in
from mineru_core.engines.embedded.charts.page import charts_of_page
from mineru_core.engines.embedded.layout import LayoutDetector, LayoutRegion
from mineru_core.engines.embedded.ocr import OcrReader
from mineru_core.engines.embedded.tables import TableReader
from mineru_core.engines.embedded.text_layer import layer_of, says_what_is_shown
from mineru_core.engines.embedded.turning import TurnBack, turned
from mineru_core.engines.page_run import PageRun
from mineru_core.errors import EngineUnavailable
from mineru_core.runtime.context import RunContext
from mineru_core.settings import Settings

# Raised whenever the same pixels could be read differently than before.
REVISION = 7
CAPABILITIES = frozenset({Part.TEXT, Part.LAYOUT, Part.TABLES, Part.CHARTS})
# In the order of reading: each is read from those before it.
# A table that the layout model does not name is one where it is read as surely as this.
MIN_UNNAMED = 0.6
READING_ORDER = (Part.TEXT, Part.LAYOUT, Part.TABLES, Part.CHARTS)


class EmbeddedEngine:
    """Reads pages with the installed weights. ``read`` may be called from several threads at once."""

    def __init__(self, settings: Settings, on_batch: BatchListener | None = None) -> None:
        self._compress = settings.engine.compress
        self._own_words = settings.pdf.text_layer
        calls = settings.engine_calls
        self._ocr = OcrReader(
            settings.models_dir,
            engine_calls=calls,
            batch_items=settings.engine.batch_items,
            shared=settings.engine.share_calls,
            compress=self._compress,
            on_batch=None if on_batch is None else partial(on_batch, "lines"),
        )
        self._layout = LayoutDetector(settings.models_dir, engine_calls=calls)
        self._tables = TableReader(settings.models_dir, engine_calls=calls)
        self._lock = threading.Lock()
        self._loaded = False

    @property
    def name(self) -> str:
        """``embedded``."""
        return "embedded"

    @property
    def capabilities(self) -> frozenset[Part]:
        """Text, layout, tables and charts."""
        return CAPABILITIES

    @property
    def reads_text_layer(self) -> bool:
        """Whether the settings let it: a PDF's own words are then its text where they agree with what is seen."""
        return self._own_words

    @property
    def fingerprint(self) -> str:
        """Name, revision of this code, a digest of the weights and of the runtimes' versions, and the options."""
        origins = [*(weight.sha256 for weight in weights.MANIFEST), ov.__version__, ort.__version__, cv2.__version__]
        digest = hashlib.sha256("/".join(origins).encode()).hexdigest()
        options = ("/compress" if self._compress else "") + ("" if self._own_words else "/pixels-only")
        return f"{self.name}/{REVISION}/{digest[:12]}{options}"

    def load(self, progress: LoadListener | None = None) -> None:
        """Compile the models; calling it again does nothing. Raises ``ModelMissing``."""
        tell: LoadListener = progress if progress is not None else lambda _stage, _share: None
        with self._lock:
            if self._loaded:
                return
            tell("layout", 0.0)
            self._layout.load()
            tell("text", 0.2)
            self._ocr.load()
            tell("tables", 0.8)
            self._tables.load()
            tell("ready", 1.0)
            self._loaded = True

    def close(self) -> None:
        """Free the models; calling it again does nothing."""
        with self._lock:
            self._loaded = False
            for stage in (self._ocr, self._layout, self._tables):
                stage.close()

    def needed(self, parts: frozenset[Part]) -> frozenset[Part]:
        """The parts it can read of these, and those before the last of tables and charts in the order of reading."""
        for last in (Part.CHARTS, Part.TABLES):
            if last in parts:
                return frozenset(READING_ORDER[: READING_ORDER.index(last) + 1])
        return parts & CAPABILITIES

    def read(
        self, pages: Sequence[Page], parts: frozenset[Part], ctx: RunContext, known: Sequence[Readings] = ()
    ) -> list[PageAnalysis | PageFailure]:
        """Read what is not known yet of the wanted parts; a page that cannot be read becomes a ``PageFailure``.

        Raises what ``Engine.read`` does, and ``EngineUnavailable`` before ``load()``.
        """
        if not self._loaded:
            raise EngineUnavailable("The embedded engine is not loaded.", "Call load() first.")
        return [
            PageRun(page, parts & CAPABILITIES, ctx, readings).outcome(self._read)
            for page, readings in known_of_each(pages, known)
        ]

    def compose(self, frame: PageFrame, parts: frozenset[Part], readings: Readings) -> PageAnalysis:
        """Blocks in reading order from all that was read. Raises ValueError as ``Engine.compose`` does."""
        chosen = chosen_readings(self.needed(parts), readings)
        degrees = chosen[0].rotation if chosen else 0
        back = TurnBack(degrees, frame.width, frame.height)
        width, height = (frame.width, frame.height) if degrees % 180 == 0 else (frame.height, frame.width)
        blocks = _upright_blocks(frame.number, width, height, {reading.part: reading for reading in chosen})
        return PageAnalysis(
            page=frame.number,
            width=frame.width,
            height=frame.height,
            sha256=frame.sha256,
            parts=parts & CAPABILITIES,
            blocks=tuple(back.block(block) for block in blocks),
            rotation=degrees,
            text_source=next((r.text_source for r in chosen if r.part is Part.TEXT), TextSource.PIXELS),
            warnings=tuple(dict.fromkeys(warning for reading in chosen for warning in reading.warnings)),
            readings=chosen,
        )

    def _read(self, run: PageRun) -> PageAnalysis:
        readings = dict(run.known)
        missing = [part for part in READING_ORDER if part in self.needed(run.parts) - readings.keys()]
        if missing:
            degrees, pixels = self._upright(run)
            for part in missing:
                with run.stage(part.value):
                    reading = self._read_part(part, pixels, degrees, readings, run)
                changes = {"rotation": degrees, "seconds": run.timings[part.value]}
                readings[part] = reading.model_copy(update=changes)
        with run.stage("order"):
            analysis = self.compose(PageFrame.of(run.page), run.parts, readings)
        return analysis.model_copy(update={"timings": run.timings})

    def _upright(self, run: PageRun) -> tuple[int, Pixels]:
        """The clockwise degrees the page is turned upright by, as it was before where that is known, and the pixels."""
        pixels = run.page.pixels
        for reading in run.known.values():
            return reading.rotation, turned(pixels, reading.rotation)
        with run.stage("orientation"):
            degrees = self._ocr.orientation(pixels, run.ctx, run.page.letters) % 360
            return degrees, turned(pixels, degrees)

    def _read_part(self, part: Part, pixels: Pixels, degrees: int, readings: Readings, run: PageRun) -> PartReading:
        """One part of a page set upright by ``degrees``; ``readings`` holds those before it in the order of reading."""
        if part is Part.TEXT:
            return self._read_text(pixels, degrees, run)
        if part is Part.LAYOUT:
            regions = self._layout.detect(pixels, run.ctx)
            areas = tuple(LayoutArea(type=r.type, box=r.box, confidence=r.confidence) for r in regions)
            return PartReading(part=part, areas=areas)
        if part is Part.TABLES:
            return PartReading(part=part, tables=self._read_tables(pixels, readings, run.ctx))
        return self._read_charts(pixels, readings, run.ctx)

    def _read_text(self, pixels: Pixels, degrees: int, run: PageRun) -> PartReading:
        """The text: a PDF's own words where they are good, and from the pixels what these leave out."""
        words = run.page.text_layer if self._own_words else None
        layer = layer_of(words, pixels, degrees) if words else None
        if layer is None or not self._is_shown(layer.lines, pixels, run.ctx):
            return PartReading(part=Part.TEXT, lines=self._ocr.read(pixels, run.ctx, run.page.letters))
        if layer.is_whole:
            return PartReading(part=Part.TEXT, lines=layer.lines, text_source=TextSource.TEXT_LAYER)
        more = self._ocr.read(pixels, run.ctx, run.page.letters, known=layer.lines)
        source = TextSource.BOTH if more else TextSource.TEXT_LAYER
        return PartReading(part=Part.TEXT, lines=(*layer.lines, *more), text_source=source)

    def _is_shown(self, lines: Sequence[Line], pixels: Pixels, ctx: RunContext) -> bool:
        return says_what_is_shown(lines, lambda boxes: self._ocr.texts_at(pixels, boxes, ctx), self._ocr.alphabet)

    def _read_tables(self, pixels: Pixels, readings: Readings, ctx: RunContext) -> tuple[Table, ...]:
        """The page's tables with their cells; an area in which no table could be read is not one."""
        height, width = pixels.shape[:2]
        lines, regions = readings[Part.TEXT].lines, _regions(readings)
        is_named = any(region.type is BlockType.TABLE for region in regions)
        tables: list[Table] = []
        for box in self._tables.table_boxes(width, height, regions, lines, pixels):
            ctx.check()
            table = self._tables.read(pixels, box, lines_in(box, lines), ctx)
            is_believed = is_named or box.area >= width * height  # a picture that is a table's crop
            if table is not None and (is_believed or table.confidence >= MIN_UNNAMED):
                tables.append(_inside(table.model_copy(update={"box": box}), width, height))
        return tuple(tables)

    def _read_charts(self, pixels: Pixels, readings: Readings, ctx: RunContext) -> PartReading:
        """The page's charts, and what is to be told of them."""
        tables = [table.box for table in readings[Part.TABLES].tables if table.box is not None]
        found = charts_of_page(
            pixels, _regions(readings), readings[Part.TEXT].lines, tables, ctx, lambda part: self._ocr.read(part, ctx)
        )
        warnings = tuple(dict.fromkeys(warning for one in found for warning in one.warnings))
        return PartReading(part=Part.CHARTS, charts=tuple(one.chart for one in found), warnings=warnings)


def _upright_blocks(number: int, width: int, height: int, readings: Readings) -> tuple[Block, ...]:
    """Blocks of the upright page. Table areas of the layout stand in for tables that were not asked for."""
    regions = _regions(readings)
    if Part.TEXT not in readings:
        return blocks_of_regions(regions, width, height)
    tables = [TableArea(region.box) for region in regions if region.type is BlockType.TABLE]
    if Part.TABLES in readings:
        found = [table.model_copy(update={"page": number}) for table in readings[Part.TABLES].tables]
        tables = [TableArea(table.box, table) for table in found if table.box is not None]
    charts: list[Chart] = []
    if Part.CHARTS in readings:
        charts = [chart.model_copy(update={"page": number}) for chart in readings[Part.CHARTS].charts]
    return build_blocks(readings[Part.TEXT].lines, regions, tables, width, height, charts)


def _inside(table: Table, width: int, height: int) -> Table:
    """The table with its cells clipped to the page: the structure model places some beyond the edge of its picture."""
    cells = tuple(
        cell if cell.box is None else cell.model_copy(update={"box": cell.box.clipped(width, height)})
        for cell in table.cells
    )
    return table.model_copy(update={"cells": cells})


def _regions(readings: Readings) -> list[LayoutRegion]:
    """The layout's areas, none where it was not read."""
    layout = readings.get(Part.LAYOUT)
    return [] if layout is None else [LayoutRegion(a.type, a.box, a.confidence) for a in layout.areas]
