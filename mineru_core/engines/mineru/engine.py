"""The MinerU2.5 model as an engine: the layout of a page first, then what stands in its areas.

The way of one page: the whole page, small, to the model for the layout; the areas that the wanted parts need cut out,
set upright and read, each with the prompt of its sort; the texts mended and put together in the order of the layout.
The layout is a reading of its own, so what is asked for later reads its own areas only. The requests of all pages and
users meet in the backend, in calls they share.
"""

from __future__ import annotations

import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor

from mineru_vl_utils.mineru_client import DEFAULT_PROMPTS, DEFAULT_SAMPLING_PARAMS, MinerUClientHelper
from mineru_vl_utils.version import __version__ as mineru_version
from PIL import Image

from mineru_core.document.analysis import PageAnalysis, PageFailure, Part
from mineru_core.document.page import Page
from mineru_core.document.parts import PageFrame, PartReading
from mineru_core.engines.base import BatchListener, LoadListener, Readings, chosen_readings, known_of_each
from mineru_core.engines.mineru.composing import blocks_of
from mineru_core.engines.mineru.reading import contents_by_part, layout_reading, prepare
from mineru_core.engines.mineru.requests import Backend, BlockScore
from mineru_core.engines.page_run import PageRun
from mineru_core.errors import EngineFailed, EngineUnavailable
from mineru_core.runtime.context import RunContext

# Raised whenever the same answers of the model could become other blocks than before.
REVISION = 1
CAPABILITIES = frozenset({Part.TEXT, Part.LAYOUT, Part.TABLES, Part.FORMULAS})
PAGES_AT_ONCE = 8
"""Pages of one batch that are on their way at the same time."""

_MIN_EDGE, _MAX_EDGE_RATIO = 28, 50
"""Pixels of a picture's short edge at least, and how many times the long one may be that: upstream's numbers."""


class MineruEngine:
    """Reads pages with the model of ``backend``. ``read`` may be called from several threads at once."""

    def __init__(self, backend: Backend, name: str = "mineru", on_batch: BatchListener | None = None) -> None:
        self._backend = backend
        self._name = name
        self._lock = threading.Lock()
        self._loaded = False
        backend.listen(on_batch)

    @property
    def name(self) -> str:
        """The name it has in the settings."""
        return self._name

    @property
    def capabilities(self) -> frozenset[Part]:
        """Text, layout, tables and formulas; charts where the model knows their prompt."""
        return CAPABILITIES | {Part.CHARTS} if self._backend.analyses_images else CAPABILITIES

    @property
    def reads_text_layer(self) -> bool:
        """No: what is read is what can be seen."""
        return False

    @property
    def fingerprint(self) -> str:
        """Name, revision of this code, version of MinerU's steps, and what the backend says of the model."""
        return f"{self._name}/{REVISION}/{mineru_version}/{self._backend.fingerprint}"

    def load(self, progress: LoadListener | None = None) -> None:
        """Load the model, or reach its servers; calling it again does nothing. Raises what ``Backend.load`` does."""
        with self._lock:
            if not self._loaded:
                self._backend.load(progress)
                self._loaded = True

    def close(self) -> None:
        """Free the model; calling it again does nothing."""
        with self._lock:
            self._loaded = False
            self._backend.close()

    def needed(self, parts: frozenset[Part]) -> frozenset[Part]:
        """The layout and the parts. For the text also tables and formulas: what stands in them is text of the page,
        and the model reads it in no other way."""
        wanted = parts & self.capabilities
        if Part.TEXT in wanted:
            wanted |= {Part.TABLES, Part.FORMULAS}
        return wanted | {Part.LAYOUT} if wanted else wanted

    def read(
        self, pages: Sequence[Page], parts: frozenset[Part], ctx: RunContext, known: Sequence[Readings] = ()
    ) -> list[PageAnalysis | PageFailure]:
        """Read what is not known yet of the wanted parts; a page that cannot be read becomes a ``PageFailure``, a
        block that cannot be read one of the page's ``failures``.

        Raises what ``Engine.read`` does, and ``EngineUnavailable`` before ``load()``.
        """
        if not self._loaded:
            raise EngineUnavailable(f"The engine {self._name} is not loaded.", "Call load() first.")
        runs = [
            PageRun(page, parts & self.capabilities, ctx, readings) for page, readings in known_of_each(pages, known)
        ]
        if len(runs) < 2:
            return [run.outcome(self._read) for run in runs]
        with ThreadPoolExecutor(min(len(runs), PAGES_AT_ONCE), thread_name_prefix="mineru-page") as pool:
            return list(pool.map(lambda run: run.outcome(self._read), runs))

    def compose(self, frame: PageFrame, parts: frozenset[Part], readings: Readings) -> PageAnalysis:
        """Blocks in the order of the layout. Raises ValueError as ``Engine.compose`` does."""
        chosen = chosen_readings(self.needed(parts), readings)
        blocks, failures = blocks_of({reading.part: reading for reading in chosen}, frame.number)
        return PageAnalysis(
            page=frame.number,
            width=frame.width,
            height=frame.height,
            sha256=frame.sha256,
            parts=parts & self.capabilities,
            blocks=blocks,
            failures=failures,
            warnings=tuple(dict.fromkeys(warning for reading in chosen for warning in reading.warnings)),
            readings=chosen,
        )

    def _read(self, run: PageRun) -> PageAnalysis:
        readings = dict(run.known)
        missing = self.needed(run.parts) - readings.keys()
        if missing:
            helper, image = self._helper(), Image.fromarray(run.page.pixels)
            if Part.LAYOUT in missing:
                with run.stage("layout"):
                    reading = self._read_layout(helper, image, run.ctx)
                readings[Part.LAYOUT] = reading.model_copy(update={"seconds": run.timings["layout"]})
            if missing - {Part.LAYOUT}:
                with run.stage("blocks"):
                    found = self._read_areas(helper, image, missing - {Part.LAYOUT}, readings[Part.LAYOUT], run.ctx)
                readings |= _timed(found, run.timings["blocks"])
        with run.stage("order"):
            analysis = self.compose(PageFrame.of(run.page), run.parts, readings)
        return analysis.model_copy(update={"timings": run.timings})

    def _read_layout(self, helper: MinerUClientHelper, image: Image.Image, ctx: RunContext) -> PartReading:
        score = self._backend.client(ctx).predict_scored(
            helper.prepare_for_layout(image), DEFAULT_PROMPTS["[layout]"], DEFAULT_SAMPLING_PARAMS["[layout]"]
        )
        return layout_reading(helper, _block_score(score), image.width, image.height)

    def _read_areas(
        self,
        helper: MinerUClientHelper,
        image: Image.Image,
        parts: frozenset[Part],
        layout: PartReading,
        ctx: RunContext,
    ) -> dict[Part, PartReading]:
        prepared = prepare(helper, image, layout.areas, parts)
        scores: list[BlockScore] = []
        if prepared.images:
            client = self._backend.client(ctx)
            answers = client.batch_predict_scored(prepared.images, prepared.prompts, prepared.params)
            scores = [_block_score(answer) for answer in answers]
        return contents_by_part(helper, prepared, scores, layout.areas, parts)

    def _helper(self) -> MinerUClientHelper:
        """MinerU's own steps between page and model, with its defaults."""
        return MinerUClientHelper(
            # The form pictures are handed over in: as they are. How they travel is the client's business.
            backend="transformers",
            prompts=DEFAULT_PROMPTS,
            sampling_params=DEFAULT_SAMPLING_PARAMS,
            layout_image_size=self._backend.layout_size,
            min_image_edge=_MIN_EDGE,
            max_image_edge_ratio=_MAX_EDGE_RATIO,
            simple_post_process=False,
            handle_equation_block=True,
            abandon_list=False,
            abandon_paratext=False,
            image_analysis=False,
            debug=False,
        )


def _block_score(score: object) -> BlockScore:
    """The answer of a backend's client, which is typed as mineru-vl-utils types it."""
    if not isinstance(score, BlockScore):
        raise EngineFailed(f"The client answered with {type(score).__name__}, not with a BlockScore.")
    return score


def _timed(found: dict[Part, PartReading], seconds: float) -> dict[Part, PartReading]:
    """The readings with their share of the time, by the areas they have."""
    areas = sum(len(reading.contents) for reading in found.values())
    return {
        part: reading.model_copy(update={"seconds": seconds * len(reading.contents) / max(1, areas)})
        for part, reading in found.items()
    }
