"""From a decoded page to the page an engine reads: reduced as far as its letters allow."""

from __future__ import annotations

from dataclasses import dataclass, replace

from mineru_core.document.page import Page
from mineru_core.intake.compression import POLICY, CompressionPolicy, letter_height, shrink, shrink_factor


@dataclass(frozen=True, slots=True)
class Preparation:
    """How pages are prepared. ``policy`` None hands them on as they are decoded."""

    policy: CompressionPolicy | None = POLICY

    @property
    def fingerprint(self) -> str:
        """Changes whenever an engine could be handed another picture of the same page."""
        return "as-is" if self.policy is None else self.policy.fingerprint

    def letters(self, page: Page) -> int | None:
        """The height of the page's small letters, pixels; None where it does not matter or cannot be told."""
        return None if self.policy is None else letter_height(page.pixels, self.policy)

    def size(self, width: int, height: int, letters: float | None) -> tuple[int, int]:
        """Width and height of the prepared page, pixels."""
        factor = self._factor(width, height, letters)
        return max(1, round(width * factor)), max(1, round(height * factor))

    def prepare(self, page: Page, letters: float | None) -> Page:
        """The page for the engine. It keeps the sha256 of the page as decoded: that is what names what is read."""
        if self.policy is None:
            return page
        factor = self._factor(page.width, page.height, letters)
        if factor >= 1:
            return replace(page, letters=letters)
        pixels = shrink(page.pixels, factor)
        sx, sy = pixels.shape[1] / page.width, pixels.shape[0] / page.height
        words = page.text_layer
        if words is not None:
            words = tuple(replace(word, box=word.box.scaled(sx, sy)) for word in words)
        return replace(
            page,
            pixels=pixels,
            dpi=None if page.dpi is None else page.dpi * sx,
            text_layer=words,
            letters=None if letters is None else letters * sy,
        )

    def _factor(self, width: int, height: int, letters: float | None) -> float:
        return 1.0 if self.policy is None else shrink_factor(width, height, letters, self.policy)
