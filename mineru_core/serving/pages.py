"""One page on its way: what is known of it, what is read of it now, and what is kept for the next who asks."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from time import perf_counter
from typing import TYPE_CHECKING

from mineru_core.document.analysis import PageAnalysis, PageFailure
from mineru_core.document.page import Page
from mineru_core.document.parts import PageFrame, Part, PartReading
from mineru_core.document.task import Region
from mineru_core.engines.base import Engine, Readings
from mineru_core.errors import Cancelled, DeadlineExceeded, EngineError, EngineFailed, WorkbenchError
from mineru_core.runtime.context import Progress, RunContext
from mineru_core.runtime.metrics import Metrics
from mineru_core.serving.cache import AnalysisCache, PageFacts, document_key
from mineru_core.serving.edge import Crop, EdgePages, Taken
from mineru_core.serving.gate import Gate
from mineru_core.serving.natives import Native, natives_in, with_natives
from mineru_core.serving.preparation import Preparation
from mineru_core.serving.selection import Placement, crop, place_region
from mineru_core.serving.single_flight import SingleFlight

if TYPE_CHECKING:
    from mineru_core.intake import Document

_LOG = logging.getLogger(__name__)

Reading = PageAnalysis | PageFailure


@dataclass(frozen=True)
class PageRequest:
    """One page of a document that is to be read: all of it, or its ``regions``, for ``parts``.

    ``asked`` are all parts that are wanted, those that the engine cannot read too: a file may store them as data.
    ``timings`` collects seconds by stage of what was done before the engine read; ``taken``, where it is given, what
    the page was put together from.
    """

    document: Document
    number: int
    regions: tuple[Region, ...]
    parts: frozenset[Part]
    ctx: RunContext
    asked: frozenset[Part] = frozenset()
    timings: dict[str, float] = field(default_factory=dict)
    taken: list[Taken] | None = None


@dataclass(frozen=True)
class _Target:
    """What is read as one page: the page, or one of its regions."""

    facts: PageFacts
    placement: Placement
    natives: tuple[Native, ...] = ()

    @property
    def content(self) -> str:
        """What the readings are of: the pixels, and the words that came with them where an engine looks at these."""
        return self.facts.pixel_sha256 + self.facts.words_sha256

    def placed(self, analysis: PageAnalysis, asked: frozenset[Part]) -> PageAnalysis:
        """The analysis of this picture in pixels of its page, with what the file itself stores as data."""
        return with_natives(self.placement.analysis(analysis), self.natives, asked)


class PageReader:
    """Reads pages with one engine; safe to use from many threads.

    Known pages are put together at once. Others wait for a place of the gate, where they are decoded, prepared and
    read, while the pages of others at the gate are somewhere else on the same way: so decoding overlaps reading.
    Pages that became known while they waited are not decoded. Equal pages at the same moment are read once.
    """

    def __init__(
        self,
        *,
        engine: Callable[[], Engine],
        gate: Gate,
        cache: AnalysisCache,
        preparation: Preparation,
        metrics: Metrics,
        edge: EdgePages,
    ) -> None:
        self._engine = engine
        self._edge = edge
        self._gate = gate
        self._cache = cache
        self._preparation = preparation
        self._metrics = metrics
        self._flights: SingleFlight[tuple[str, frozenset[Part]], Readings | PageFailure] = SingleFlight()

    def known(self, request: PageRequest) -> list[Reading] | None:
        """The page's readings, if everything they need is known, without decoding anything."""
        if request.document.edge is not None:
            return self._of_edge(request, self._known_crop)
        targets = self._known_targets(request)
        if targets is None:
            return None
        needed = self._engine().needed(request.parts)
        parts = [self._known_parts(target, needed) for target in targets]
        if any(needed - readings.keys() for readings in parts):
            return None
        return [self._composed(target, request, known) for target, known in zip(targets, parts, strict=True)]

    def start(self, request: PageRequest) -> Future[list[Reading]]:
        """Read the page when its turn comes. A page that cannot be decoded or read becomes a ``PageFailure``.

        The future raises ``Cancelled``, ``DeadlineExceeded``, ``EngineError`` for an engine that cannot work at all,
        and ``InvalidRequest`` for a region that the page does not have.
        """
        asked = perf_counter()

        def work() -> list[Reading]:
            request.timings["wait"] = perf_counter() - asked
            request.ctx.report(Progress(stage="read"))
            found = self.known(request)  # others may have read it while this one waited
            return self._read(request) if found is None else found

        return self._gate.submit(request.ctx.owner, request.ctx, work)

    def _read(self, request: PageRequest) -> list[Reading]:
        with self._metrics.reading_page():
            try:
                if request.document.edge is not None:
                    return self._of_edge(request, self._read_crop) or []
                page = self._decoded(request)
                if isinstance(page, PageFailure):
                    return [page]
                return [self._read_target(request, *part) for part in self._targets(request, page)]
            except WorkbenchError:  # of a region, or of what no page can be read with
                raise
            except Exception:  # noqa: BLE001  no memory for this page, or a fault of ours; the others go on
                _LOG.exception("page %d broke off", request.number, extra={"code": WorkbenchError.code})
                error = WorkbenchError("Reading the page broke off.", "Report it with the request id.")
                return [PageFailure.from_error(request.number, "serving", error)]

    def _decoded(self, request: PageRequest) -> Page | PageFailure:
        try:
            with self._metrics.timed("render", request.timings):
                return request.document.page(request.number)
        except WorkbenchError as error:
            return PageFailure.from_error(request.number, "intake", error)

    def _targets(self, request: PageRequest, page: Page) -> list[tuple[Page, _Target]]:
        """The pictures to read with what is known of each; all regions are checked before one is read."""
        frame = PageFrame.of(page)
        if not request.regions:
            return [(page, self._target(request, page, Placement.whole(frame), None))]
        if request.document.decoding is not None:
            self._target(request, page, Placement.whole(frame), None)
        cuts = [crop(page, region.box) for region in request.regions]
        targets = [self._target(request, part, placement, placement) for part, placement in cuts]
        return [
            (part, replace(target, natives=natives_in(page.natives, region.box)))
            for (part, _), target, region in zip(cuts, targets, request.regions, strict=True)
        ]

    def _target(self, request: PageRequest, part: Page, placement: Placement, region: Placement | None) -> _Target:
        known = self._known_facts(request, region)  # of a page that was read before, for other parts or in regions
        if known is not None:
            return _Target(known, placement, known.natives)
        with self._metrics.timed("measure", request.timings):
            letters = self._preparation.letters(part)
        facts = PageFacts(
            pixel_sha256=part.sha256,
            words_sha256=_words_hash(part) if self._engine().reads_text_layer else "",
            width=part.width,
            height=part.height,
            letters=letters,
            natives=part.natives,
        )
        key = self._facts_key(request.document, region)
        if key is not None:
            self._cache.keep_page_facts(key, request.number, facts)
        return _Target(facts, placement, facts.natives)

    def _read_target(self, request: PageRequest, part: Page, target: _Target) -> Reading:
        """One picture, by this caller or by whoever reads the same at this moment."""
        engine = self._engine()
        needed = engine.needed(request.parts)
        mine: list[PageAnalysis] = []

        def compute(ctx: RunContext) -> Readings | PageFailure:
            known = self._known_parts(target, needed)
            if not needed - known.keys():
                return known
            with self._metrics.timed("prepare", request.timings):
                prepared = self._preparation.prepare(part, target.facts.letters)
            found = self._engine_read(engine, prepared, request.parts, ctx, known)
            if isinstance(found, PageFailure):
                return found
            mine.append(found)
            readings = {reading.part: reading for reading in found.readings}
            for name in readings.keys() - known.keys():
                self._cache.keep_part(target.content, engine.fingerprint, self._preparation.fingerprint, readings[name])
            return readings

        outcome, _ = self._flights.run((target.content, needed), request.ctx, compute)
        if isinstance(outcome, PageFailure):
            return outcome.model_copy(update={"page": request.number})
        if mine:
            self._take(target, request, {reading.part: reading for reading in mine[0].readings})
            return target.placed(mine[0], request.asked)
        return self._composed(target, request, outcome)

    def _engine_read(
        self, engine: Engine, page: Page, parts: frozenset[Part], ctx: RunContext, known: Readings
    ) -> Reading:
        try:
            (reading,) = engine.read([page], parts, ctx, [known])
        except (Cancelled, DeadlineExceeded, EngineError):
            raise
        except WorkbenchError as error:
            return PageFailure.from_error(page.number, engine.name, error)
        except Exception:  # noqa: BLE001  an engine's own fault becomes this page's failure; the others go on
            _LOG.exception("engine broke on page %d", page.number, extra={"code": EngineFailed.code})
            broken = EngineFailed("The engine broke on this page.")  # no number: equal pages share it
            return PageFailure.from_error(page.number, engine.name, broken)
        return reading

    def _composed(self, target: _Target, request: PageRequest, readings: Readings) -> PageAnalysis:
        """The picture put together from its readings, in pixels of its page."""
        self._take(target, request, readings)
        frame = PageFrame(request.number, *self._seen(target), target.facts.pixel_sha256)
        return target.placed(self._engine().compose(frame, request.parts, readings), request.asked)

    def _take(self, target: _Target, request: PageRequest, readings: Readings) -> None:
        if request.taken is not None:
            needed = self._engine().needed(request.parts)
            chosen = {part: reading for part, reading in readings.items() if part in needed}
            request.taken.append(Taken(target.placement, self._seen(target), chosen, target.natives))

    def _seen(self, target: _Target) -> tuple[int, int]:
        """The size of the picture as the engine gets it."""
        facts = target.facts
        return self._preparation.size(facts.width, facts.height, facts.letters)

    def _of_edge(
        self, request: PageRequest, read: Callable[[PageRequest, Crop], Reading | None]
    ) -> list[Reading] | None:
        """A page that was read at the edge, with what ``read`` gives of its crops; None where that is None of one."""
        assert request.document.edge is not None
        edge, regions, asked = request.document.edge.document, request.regions, request.asked
        found: list[tuple[Crop, Reading]] = []
        for block in self._edge.crops(edge, request.number, regions, asked):
            part = frozenset({block.part})
            reading = read(replace(request, parts=part, asked=part), block)
            if reading is None:
                return None
            found.append((block, reading))
        return self._edge.readings(edge, request.number, regions, asked, found)

    def _known_crop(self, request: PageRequest, crop: Crop) -> Reading | None:
        facts = self._known_facts(request, crop.placement)
        if facts is None:
            return None
        target = _Target(facts, crop.placement)
        needed = self._engine().needed(request.parts)
        readings = self._known_parts(target, needed)
        return None if needed - readings.keys() else self._composed(target, request, readings)

    def _read_crop(self, request: PageRequest, crop: Crop) -> Reading:
        known = self._known_crop(request, crop)
        if known is not None:
            return known
        assert request.document.edge is not None
        try:
            page = request.document.edge.picture_page(crop.index)
        except WorkbenchError as error:
            return PageFailure.from_error(request.number, "intake", error)
        return self._read_target(request, page, self._target(request, page, crop.placement, crop.placement))

    def _known_parts(self, target: _Target, needed: frozenset[Part]) -> dict[Part, PartReading]:
        fingerprint, preparation = self._engine().fingerprint, self._preparation.fingerprint
        found = {part: self._cache.part(target.content, fingerprint, preparation, part) for part in sorted(needed)}
        return {part: reading for part, reading in found.items() if reading is not None}

    def _known_targets(self, request: PageRequest) -> Sequence[_Target] | None:
        """What is to be read, where its pixels are known by the document's bytes."""
        whole = self._known_facts(request, None)
        if whole is None:
            return None
        frame = PageFrame(request.number, whole.width, whole.height, whole.pixel_sha256)
        if not request.regions:
            return [_Target(whole, Placement.whole(frame), whole.natives)]
        targets: list[_Target] = []
        for region in request.regions:
            placement = place_region(frame, region.box)
            facts = self._known_facts(request, placement)
            if facts is None:
                return None
            targets.append(_Target(facts, placement, natives_in(whole.natives, region.box)))
        return targets

    def _known_facts(self, request: PageRequest, region: Placement | None) -> PageFacts | None:
        key = self._facts_key(request.document, region)
        return None if key is None else self._cache.page_facts(key, request.number)

    def _facts_key(self, document: Document, region: Placement | None) -> str | None:
        """Under which facts of the document's pages, or of a region of them, are kept; None: they are not."""
        if document.decoding is None:
            return None
        of = "page" if region is None else f"region {region.dx} {region.dy} {region.width} {region.height}"
        reads = "words" if self._engine().reads_text_layer else "pixels"
        return document_key(document.sha256, f"{document.decoding} {self._preparation.fingerprint} {reads} {of}")


def _words_hash(page: Page) -> str:
    """sha256 of the page's own words and their places, hex; empty where it has none."""
    if page.text_layer is None:
        return ""
    return hashlib.sha256(repr(page.text_layer).encode()).hexdigest()
