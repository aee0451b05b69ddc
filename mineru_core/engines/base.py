"""What every engine is: pages and wanted parts in, one analysis or failure a page out."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, runtime_checkable

from mineru_core.document.analysis import PageAnalysis, PageFailure, Part
from mineru_core.document.page import Page
from mineru_core.runtime.context import RunContext

LoadListener = Callable[[str, float], None]
"""Called with a stable stage name and the share of loading done, 0..1."""


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
    def fingerprint(self) -> str:
        """Name, model revision and options in one string."""

    def load(self, progress: LoadListener | None = None) -> None:
        """Get ready; calling it again does nothing. Raises ``ModelMissing`` or ``EngineUnavailable``."""

    def close(self) -> None:
        """Free what it holds; calling it again does nothing."""

    def read(self, pages: Sequence[Page], parts: frozenset[Part], ctx: RunContext) -> list[PageAnalysis | PageFailure]:
        """Read a batch: same length and order out, one bad page fails alone.

        Raises ``Cancelled`` or ``DeadlineExceeded`` for the batch as a whole, nothing else.
        """
