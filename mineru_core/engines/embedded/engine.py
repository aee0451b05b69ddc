"""The embedded engine: text, layout and tables read on this machine's CPU, without network.

The way of one page: set upright, read the text lines, find the areas, read the tables, put lines and areas together
to blocks in reading order, turn every box back to the page as given. A PDF's own text layer is kept on the page but
not used for reading in this version: what is read is what can be seen.
"""

from __future__ import annotations

import hashlib
import logging
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from time import perf_counter

from mineru_core.document.analysis import Block, BlockType, Line, PageAnalysis, PageFailure, Part
from mineru_core.document.page import Page, Pixels
from mineru_core.engines.base import LoadListener
from mineru_core.engines.embedded import weights
from mineru_core.engines.embedded.blocks import TableArea, blocks_of_regions, build_blocks, lines_in
from mineru_core.engines.embedded.layout import LayoutDetector, LayoutRegion
from mineru_core.engines.embedded.ocr import OcrReader
from mineru_core.engines.embedded.tables import TableReader
from mineru_core.engines.embedded.turning import TurnBack, turned
from mineru_core.errors import Cancelled, DeadlineExceeded, EngineFailed, EngineUnavailable, WorkbenchError
from mineru_core.runtime.context import Progress, RunContext
from mineru_core.runtime.heap import trim_heap
from mineru_core.settings import Settings

_log = logging.getLogger(__name__)

# Raised whenever the same pixels could be read differently than before.
REVISION = 1
CAPABILITIES = frozenset({Part.TEXT, Part.LAYOUT, Part.TABLES})


class EmbeddedEngine:
    """Reads pages with the installed weights. ``read`` may be called from several threads at once."""

    def __init__(self, settings: Settings) -> None:
        calls = settings.engine_calls
        self._ocr = OcrReader(settings.models_dir, engine_calls=calls, batch_items=settings.engine.batch_items)
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
        """Text, layout and tables."""
        return CAPABILITIES

    @property
    def fingerprint(self) -> str:
        """Name, revision of this code, and a digest of the weights."""
        digest = hashlib.sha256("".join(weight.sha256 for weight in weights.MANIFEST).encode()).hexdigest()
        return f"{self.name}/{REVISION}/{digest[:12]}"

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

    def read(self, pages: Sequence[Page], parts: frozenset[Part], ctx: RunContext) -> list[PageAnalysis | PageFailure]:
        """Read each page for the wanted parts; a page that cannot be read becomes a ``PageFailure``.

        Raises ``Cancelled`` and ``DeadlineExceeded``, and ``EngineUnavailable`` before ``load()``.
        """
        if not self._loaded:
            raise EngineUnavailable("The embedded engine is not loaded.", "Call load() first.")
        return [self._read_or_fail(page, parts & CAPABILITIES, ctx) for page in pages]

    def _read_or_fail(self, page: Page, parts: frozenset[Part], ctx: RunContext) -> PageAnalysis | PageFailure:
        run = _Run(page, parts, ctx)
        try:
            return self._read(run)
        except (Cancelled, DeadlineExceeded):
            raise
        except WorkbenchError as error:
            return PageFailure.from_error(page.number, run.at, error)
        except Exception:  # noqa: BLE001  whatever breaks in a model or a library fails this page, not its neighbours
            _log.exception("page %d failed in stage %s, request %s", page.number, run.at, ctx.request_id)
            failed = EngineFailed(f"The engine broke on page {page.number} while reading ({run.at}).")
            return PageFailure.from_error(page.number, run.at, failed)
        finally:
            trim_heap()

    def _read(self, run: _Run) -> PageAnalysis:
        page, parts, ctx = run.page, run.parts, run.ctx
        with run.stage("orientation"):
            degrees = self._ocr.orientation(page.pixels, ctx)
            pixels = turned(page.pixels, degrees)
        lines: Sequence[Line] = ()
        if parts & {Part.TEXT, Part.TABLES}:
            with run.stage("text"):
                lines = self._ocr.read(pixels, ctx)
        regions: Sequence[LayoutRegion] = ()
        if parts & {Part.LAYOUT, Part.TABLES}:
            with run.stage("layout"):
                regions = self._layout.detect(pixels, ctx)
        tables: Sequence[TableArea] = ()
        if Part.TABLES in parts:
            with run.stage("tables"):
                tables = self._read_tables(page.number, pixels, regions, lines, ctx)
        with run.stage("order"):
            blocks = _compose(pixels, parts, regions, lines, tables)
            back = TurnBack(degrees, page.width, page.height)
            blocks = tuple(back.block(block) for block in blocks)
        return PageAnalysis(
            page=page.number,
            width=page.width,
            height=page.height,
            sha256=page.sha256,
            parts=parts,
            blocks=blocks,
            rotation=back.degrees,
            timings=run.timings,
        )

    def _read_tables(
        self,
        number: int,
        pixels: Pixels,
        regions: Sequence[LayoutRegion],
        lines: Sequence[Line],
        ctx: RunContext,
    ) -> list[TableArea]:
        """The page's tables with their cells; an area in which no table could be read is not one."""
        height, width = pixels.shape[:2]
        areas: list[TableArea] = []
        for box in self._tables.table_boxes(width, height, regions, lines, pixels):
            ctx.check()
            table = self._tables.read(pixels, box, lines_in(box, lines), ctx)
            if table is not None:
                areas.append(TableArea(box, table.model_copy(update={"page": number, "box": box})))
        return areas


@dataclass
class _Run:
    """One page on its way through the stages."""

    page: Page
    parts: frozenset[Part]
    ctx: RunContext
    at: str = "start"
    timings: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a stage, and tell who waits that it began; not begun where the work is no longer wanted."""
        self.ctx.check()
        self.at = name
        self.ctx.report(Progress(stage=name, page=self.page.number))
        start = perf_counter()
        yield
        self.timings[name] = perf_counter() - start


def _compose(
    pixels: Pixels,
    parts: frozenset[Part],
    regions: Sequence[LayoutRegion],
    lines: Sequence[Line],
    tables: Sequence[TableArea],
) -> tuple[Block, ...]:
    """Blocks of the upright page. Table areas of the layout stand in for tables that were not asked for."""
    height, width = pixels.shape[:2]
    if not parts & {Part.TEXT, Part.TABLES}:
        return blocks_of_regions(regions, width, height)
    if Part.TABLES not in parts:
        tables = [TableArea(region.box) for region in regions if region.type is BlockType.TABLE]
    return build_blocks(lines, regions, tables, width, height)
