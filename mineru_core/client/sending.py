"""From what a caller hands over to what travels: pictures are reduced and re-encoded as far as their text allows."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from PIL import Image

from mineru_core.document.analysis import PageAnalysis
from mineru_core.document.chart import Point
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.model import Model
from mineru_core.document.task import Region
from mineru_core.errors import WorkbenchError
from mineru_core.export.result import DocumentResult
from mineru_core.intake.compression import POLICY, compress
from mineru_core.intake.document import Source, read_upload
from mineru_core.intake.picture import PictureFile
from mineru_core.intake.sniffing import PICTURES
from mineru_core.settings import LimitSettings, Settings

_MOST_PIXELS = LimitSettings().max_page_pixels
"""Pixels of a picture that is reduced here; a larger one travels as it is."""


@dataclass(frozen=True, slots=True)
class Parcel:
    """A document ready to travel. ``scale`` is (across, down) by how much its picture was reduced; ``saved`` how many
    bytes fewer travel."""

    name: str
    data: bytes
    scale: tuple[float, float] = (1.0, 1.0)
    saved: int = 0

    def regions(self, regions: Sequence[Region]) -> list[str]:
        """Regions of the picture as it is here, as the server wants to be told those of what is sent."""
        boxes = [(region.box.scaled(*self.scale), region.page) for region in regions]
        return [f"{box.x0},{box.y0},{box.x1},{box.y1},{page}" for box, page in boxes]


def packed(source: Source, name: str | None = None, *, smaller: bool = True) -> Parcel:
    """The document of a path, of bytes or of a PIL image, made ``smaller`` where the compression policy gains by it: a
    file of one picture that has more bytes than the policy wants. Others, PDF and Office files travel as they are.

    Raises ``EmptyFile``, ``UnsupportedType``, ``NotFound`` and ``InvalidRequest``, as opening it would.
    """
    if isinstance(source, Image.Image):
        out = io.BytesIO()
        source.save(out, "PNG", compress_level=1)
        source, name = out.getvalue(), name or "picture.png"
    upload = read_upload(source, name, _settings_for(source))
    parcel = Parcel(upload.name, upload.data)
    if not smaller or upload.media_type not in PICTURES or len(upload.data) <= POLICY.max_bytes:
        return parcel
    try:
        file = PictureFile(upload.data, upload.media_type, _MOST_PIXELS, max_pages=2)
        if file.page_count > 1:
            return parcel
        pixels = file.picture(1).pixels
    except WorkbenchError:
        return parcel  # the server says what is wrong with it
    small = compress(pixels)
    if len(small.data) >= len(upload.data):
        return parcel
    scale = (small.width / pixels.shape[1], small.height / pixels.shape[0])
    return Parcel(upload.name, small.data, scale, len(upload.data) - len(small.data))


def _settings_for(source: str | Path | bytes | bytearray | memoryview) -> Settings:
    """Settings that take the source whatever its size: the server has the limits, and this machine's say nothing."""
    path = Path(source) if isinstance(source, str | Path) else None
    size = path.stat().st_size if path is not None and path.is_file() else 2**62
    return Settings.model_construct(limits=LimitSettings(max_file_bytes=max(1, size)))


def in_pixels_of_the_original(result: DocumentResult, scale: tuple[float, float]) -> DocumentResult:
    """The result of a picture that was reduced by ``scale``, with every place in pixels of the picture before that."""
    if scale == (1.0, 1.0):
        return result
    moved: DocumentResult = _moved(result, 1 / scale[0], 1 / scale[1])
    return moved


def _moved(value: Any, sx: float, sy: float) -> Any:
    if isinstance(value, Box):
        return value.scaled(sx, sy)
    if isinstance(value, Quad):
        return Quad(*((x * sx, y * sy) for x, y in value))
    if isinstance(value, tuple):
        return tuple(_moved(one, sx, sy) for one in value)
    if not isinstance(value, Model):
        return value
    update = {name: _moved(getattr(value, name), sx, sy) for name in type(value).model_fields}
    if isinstance(value, PageAnalysis):
        update |= {"width": round(value.width * sx), "height": round(value.height * sy)}
    if isinstance(value, Point) and value.place is not None:
        update["place"] = (value.place[0] * sx, value.place[1] * sy)
    return value.model_copy(update=update)
