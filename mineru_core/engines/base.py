"""What every engine is: pages and wanted parts in, one analysis or failure a page out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, runtime_checkable

from mineru_core.document.analysis import PageAnalysis, PageFailure, Part
from mineru_core.document.page import Page
from mineru_core.document.parts import PageFrame, PartReading
from mineru_core.runtime.batcher import BatchReport
from mineru_core.runtime.circuit_breaker import BreakerState
from mineru_core.runtime.context import RunContext

LoadListener = Callable[[str, float], None]
"""Called with a stable stage name and the share of loading done, 0..1."""

BatchListener = Callable[[str, BatchReport], None]
"""Called with the name of what is batched, for each call made for the items of several callers."""

BreakerListener = Callable[[str, BreakerState], None]
"""Told ``host:port`` of a server of an engine's model, and the new state of its breaker."""

Readings = Mapping[Part, PartReading]
"""What was read of one page, each part under its own name."""


@runtime_checkable
class Engine(Protocol):
    """A reader of pages. ``read`` may be called from several threads at once; ``load`` and ``close`` from one.

    ``fingerprint`` changes whenever the same page could be read differently (name, model revision, options): caches
    are keyed by it.
    """

    @property
    def name(self) -> str:
        """Short name, as chosen in the settings."""

    @property
    def capabilities(self) -> frozenset[Part]:
        """Parts it can read; others are left out of its analyses."""

    @property
    def reads_text_layer(self) -> bool:
        """Whether its readings depend on a page's own words, too; else they follow from the pixels alone."""

    @property
    def fingerprint(self) -> str:
        """Name, model revision and options in one string."""

    def load(self, progress: LoadListener | None = None) -> None:
        """Get ready; calling it again does nothing. Raises ``ModelMissing`` or ``EngineUnavailable``."""

    def close(self) -> None:
        """Free what it holds; calling it again does nothing."""

    def needed(self, parts: frozenset[Part]) -> frozenset[Part]:
        """The parts whose readings ``compose`` puts these parts together from; none for parts it cannot read."""

    def read(
        self, pages: Sequence[Page], parts: frozenset[Part], ctx: RunContext, known: Sequence[Readings] = ()
    ) -> list[PageAnalysis | PageFailure]:
        """Read a batch: same length and order out, one bad page fails alone.

        ``known`` holds what was read of each page before, by an engine with this fingerprint and of the same pixels;
        left out, nothing is known of any. Only what of ``needed(parts)`` is missing there is read, and the outcome is
        what reading all of it would give. ``readings`` of an analysis are all those it was put together from.

        Raises ``Cancelled`` or ``DeadlineExceeded`` for the batch as a whole, and ValueError where ``known`` is not of
        the length of ``pages``; nothing else.
        """

    def compose(self, frame: PageFrame, parts: frozenset[Part], readings: Readings) -> PageAnalysis:
        """Put a page together from its readings, without its pixels; the same readings always give the same analysis.

        ``readings`` may hold more than is needed. ``read`` returns the same, with its timings. Raises ValueError where
        one of ``needed(parts)`` is absent, or where they were read with the page turned in different ways.
        """


def chosen_readings(needed: frozenset[Part], readings: Readings) -> tuple[PartReading, ...]:
    """The needed readings by name of part, for ``compose``. Raises ValueError as ``compose`` does."""
    absent = sorted(needed - readings.keys())
    if absent:
        raise ValueError(f"the page cannot be put together without its {', '.join(absent)}")
    chosen = tuple(readings[part] for part in sorted(needed))
    turns = sorted({reading.rotation for reading in chosen})
    if len(turns) > 1:
        raise ValueError(f"the parts of the page were read with it turned in different ways: {turns}")
    return chosen


def known_of_each(pages: Sequence[Page], known: Sequence[Readings]) -> list[tuple[Page, Readings]]:
    """Each page with what is known of it, for ``read``. Raises ValueError as ``read`` does.

    Where parts of a page were read with it turned in different ways, nothing is taken as known: all is read anew.
    """
    if known and len(known) != len(pages):
        raise ValueError(f"{len(pages)} pages, and what is known of {len(known)}")
    return [
        (page, readings if len({reading.rotation for reading in readings.values()}) <= 1 else {})
        for page, readings in zip(pages, known or [{}] * len(pages), strict=True)
    ]
