"""Pictures inside an Office file, decoded within the limits of a page."""

from __future__ import annotations

from xml.etree.ElementTree import Element

from PIL import Image, ImageOps

from mineru_core.document.geometry import Box
from mineru_core.errors import InputError, LimitError
from mineru_core.intake.office.frames import whole
from mineru_core.intake.office.package import OfficePackage
from mineru_core.intake.picture import decode_with_opacity
from mineru_core.intake.sniffing import PICTURES, sniff

_LONGEST = 2500
"""Pixels of a side that is kept: more cannot be seen on a page."""
_MOST_BYTES = 100_000_000
_MOST_PIXELS = 50_000_000
"""Pixels of one picture; a phone's have 12 to 50 million."""
_MOST_DECODED = 400_000_000
"""Pixels decoded for one page, some seconds."""
_MOST_KEPT = 40_000_000
"""Pixels kept while a page is drawn, for pictures that stand on it several times."""


class PictureShelf:
    """The pictures of one page, within bounds of time and memory."""

    def __init__(self, package: OfficePackage, max_pixels: int) -> None:
        self._package = package
        self._most = min(_MOST_PIXELS, max(max_pixels, 1_000_000))
        self._left, self._room = _MOST_DECODED, _MOST_KEPT
        self._known: dict[str, Image.Image | None] = {}

    def picture(self, name: str) -> Image.Image | None:
        """The picture of a part, RGB or RGBA; None where it is missing, damaged, too large or of a sort that cannot be
        drawn (EMF, SVG): the page shows a frame in its place."""
        if name in self._known:
            return self._known[name]
        image = self._decoded(name)
        if image is None or image.width * image.height <= self._room:
            self._known[name] = image
            self._room -= 0 if image is None else image.width * image.height
        return image

    def _decoded(self, name: str) -> Image.Image | None:
        if self._left <= 0:
            return None
        try:
            data = self._package.blob(name, _MOST_BYTES)
            media_type = sniff(data)
            if media_type not in PICTURES:
                return None
            image = decode_with_opacity(data, media_type, self._most)
        except (InputError, LimitError):
            return None
        self._left -= image.width * image.height
        image.thumbnail((_LONGEST, _LONGEST), Image.Resampling.BOX)
        return image


def cropped(image: Image.Image, source: Element | None, mirrored: bool, upside_down: bool) -> Image.Image:
    """The part of a picture that is shown (``srcRect``: thousandths of a percent cut from each side), flipped."""
    if source is not None:
        left, top, right, bottom = (
            min(max(whole(source.get(k), 0), 0), 99_000) / 100_000 for k in ("l", "t", "r", "b")
        )
        box = Box(image.width * left, image.height * top, image.width * (1 - right), image.height * (1 - bottom))
        if box.width >= 1 and box.height >= 1:
            image = image.crop((round(box.x0), round(box.y0), round(box.x1), round(box.y1)))
    if mirrored:
        image = ImageOps.mirror(image)
    return ImageOps.flip(image) if upside_down else image
