"""Pictures to RGB pixels: limits checked on the header, nothing read by half, EXIF rotation applied."""

from __future__ import annotations

import io
import math
import struct
import threading
import zlib
from collections.abc import Callable
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from PIL import (
    AvifImagePlugin,
    BmpImagePlugin,
    GifImagePlugin,
    Image,
    Jpeg2KImagePlugin,
    JpegImagePlugin,
    PngImagePlugin,
    TiffImagePlugin,
    WebPImagePlugin,
)

from mineru_core.document.page import PageTransform, Pixels
from mineru_core.errors import TooManyPages, TooManyPixels, TruncatedImage, UnsupportedType
from mineru_core.intake.sniffing import AVIF, BMP, GIF, HEIC, JPEG, JPEG2000, PNG, TIFF, WEBP

_T = TypeVar("_T")

# What Pillow's decoders raise on damaged bytes; anything else is a fault of ours and must be seen.
_DAMAGE = (
    OSError,
    SyntaxError,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
    EOFError,
    OverflowError,
    ZeroDivisionError,
    RuntimeError,
    struct.error,
    zlib.error,
)

LARGE_PIXELS = 24_000_000
LARGE_LOCK = threading.Lock()

_ORIENTATION_TAG = 0x0112
# EXIF orientation to (mirrored left-right first, then quarter turns clockwise).
_ORIENTATIONS = {
    1: (False, 0),
    2: (True, 0),
    3: (False, 2),
    4: (True, 2),
    5: (True, 3),
    6: (False, 1),
    7: (True, 1),
    8: (False, 3),
}
_WITH_ALPHA = frozenset({"RGBA", "LA", "PA", "RGBa", "La"})
_SUBFILE_TAG = 254
_NO_PAGE = 0b101
"""Bits of a TIFF frame's sort: a reduced picture of another frame, a mask."""
_ENDS_EARLY = "The picture ends early or its data is damaged."
_TAIL = 512
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_START_OF_SCAN = 0xDA
_END_OF_IMAGE = b"\xff\xd9"


@dataclass(frozen=True)
class Picture:
    """A decoded picture: ``pixels`` (height, width, 3) uint8 RGB, read-only; ``dpi`` None where it is not said."""

    pixels: Pixels
    transform: PageTransform
    dpi: float | None


class PictureFile:
    """A file of ``page_count`` pictures: several for a TIFF, else one (the first of an animation). Safe to use from
    several threads.

    The first is decoded at once. Raises ``TooManyPixels`` from the header alone, before any pixel is allocated,
    ``TruncatedImage`` for a picture that ends early or is damaged, ``TooManyPages`` and ``UnsupportedType``.
    """

    def __init__(self, data: bytes, media_type: str, max_pixels: int, max_pages: int) -> None:
        self._data, self._media_type, self._max_pixels = data, media_type, max_pixels
        self._frames = _tiff_frames(data, max_pages) if media_type == TIFF else [0]
        self._latest = (1, _decoded(data, media_type, max_pixels, self._frames[0]))
        self._lock = threading.Lock()

    @property
    def page_count(self) -> int:
        """Pictures in the file."""
        return len(self._frames)

    def picture(self, number: int) -> Picture:
        """Picture ``number`` (from 1). The latest one is kept. Raises what the constructor does."""
        with self._lock:
            if self._latest[0] != number:
                frame = self._frames[number - 1]
                self._latest = (number, _decoded(self._data, self._media_type, self._max_pixels, frame))
            return self._latest[1]


def decode_with_opacity(data: bytes, media_type: str, max_pixels: int) -> Image.Image:
    """The first picture of a file as RGB, or as RGBA where the ground shows through; for pictures that stand on a page.

    Raises what ``PictureFile`` does.
    """
    return _decode(data, media_type, max_pixels, 0, _with_opacity)


def _decoded(data: bytes, media_type: str, max_pixels: int, frame: int) -> Picture:
    return _decode(data, media_type, max_pixels, frame, picture_of)


def _decode(data: bytes, media_type: str, max_pixels: int, frame: int, finish: Callable[[Image.Image], _T]) -> _T:
    with _opened(data, media_type, max_pixels, frame) as image:
        check_pixels(image.size, max_pixels)
        if 0 in image.size:
            raise TruncatedImage("The picture has no pixels.")
        if not _WHOLE.get(media_type, _unknown)(data):
            raise TruncatedImage(_ENDS_EARLY)
        with _large_one_by_one(image.size):
            return finish(load_image(image))


def _with_opacity(image: Image.Image) -> Image.Image:
    if image.mode in _WITH_ALPHA or "transparency" in image.info:
        return image.convert("RGBA")
    return Image.fromarray(picture_of(image).pixels)


def _opened(data: bytes, media_type: str, max_pixels: int, frame: int = 0) -> Image.Image:
    """The picture with its header read."""
    if media_type == HEIC:
        return _open_heic(data, max_pixels)
    # The plugin classes are called directly: Image.open guesses among formats and warns at a limit of its own.
    try:
        image: Image.Image = _OPENERS[media_type](io.BytesIO(data))
        if frame:
            image.seek(frame)
    except _DAMAGE as error:
        raise TruncatedImage("The picture ends early or its header is damaged.") from error
    return image


def _open_heic(data: bytes, max_pixels: int) -> Image.Image:
    """The primary picture, which the decoder has set upright already."""
    import pi_heif

    try:
        file = pi_heif.open_heif(io.BytesIO(data), convert_hdr_to_8bit=True)
        check_pixels(file.size, max_pixels)
        image: Image.Image = file.to_pillow()
    except _DAMAGE as error:
        raise TruncatedImage(
            "The picture ends early, is damaged, or is packed in a way that cannot be read."
        ) from error
    return image


def _tiff_frames(data: bytes, max_pages: int) -> list[int]:
    """The frames of a TIFF that are pages: no thumbnails or masks. Raises ``TooManyPages`` before counting further."""
    frames: list[int] = []
    seen = 0
    with _opened(data, TIFF, 0) as image:
        assert isinstance(image, TiffImagePlugin.TiffImageFile)
        try:
            while True:
                if not int(image.tag_v2.get(_SUBFILE_TAG, 0)) & _NO_PAGE:
                    frames.append(seen)
                seen += 1
                # Thumbnails are counted as well: they take their time, too.
                if len(frames) > max_pages or seen > 4 * max_pages:
                    raise TooManyPages(f"The picture has more than {max_pages} pages; at most {max_pages} are read.")
                image.seek(seen)
        except EOFError:
            pass
        except _DAMAGE as error:
            raise TruncatedImage("The picture ends early: a later page of it is damaged.") from error
    return frames or [0]


def _large_one_by_one(size: tuple[int, int]) -> AbstractContextManager[object]:
    """Held while a large picture is decoded, which takes some ten bytes a pixel: a few kilobytes of PNG hold a hundred
    million white pixels, and several such uploads at the same moment would take all the memory there is."""
    return LARGE_LOCK if size[0] * size[1] > LARGE_PIXELS else nullcontext()


def load_image(image: Image.Image) -> Image.Image:
    """The image with all its pixels decoded. Raises ``TruncatedImage`` where that fails."""
    try:
        image.load()
    except _DAMAGE as error:
        raise TruncatedImage(_ENDS_EARLY) from error
    return image


def check_pixels(size: tuple[int, int], max_pixels: int) -> None:
    """Raise ``TooManyPixels`` where width × height is above the limit."""
    width, height = size
    if width * height > max_pixels:
        raise TooManyPixels(f"The picture has {width} × {height} pixels; at most {max_pixels} are read.")


def picture_of(image: Image.Image) -> Picture:
    """RGB pixels of a picture that Pillow holds, set upright by its EXIF orientation.

    Alpha is laid over white, 16 bits become 8, CMYK, palette and grey become RGB. Raises ``UnsupportedType`` for a
    mode without a colour meaning.
    """
    width, height = image.size
    mirrored, turns = _orientation(image)
    pixels = np.asarray(_to_rgb(image))
    if mirrored:
        pixels = np.fliplr(pixels)
    if turns:
        pixels = np.rot90(pixels, k=-turns)
    pixels = np.ascontiguousarray(pixels)
    pixels.flags.writeable = False
    transform = PageTransform(
        quarter_turns=turns, source_width=float(width), source_height=float(height), mirrored=mirrored
    )
    return Picture(pixels, transform, _dpi(image))


def _to_rgb(image: Image.Image) -> Image.Image:
    if image.mode == "RGB" and "transparency" not in image.info:
        return image
    if image.mode.startswith(("I", "F")):
        return Image.fromarray(_to_8_bit(np.asarray(image))).convert("RGB")
    try:
        if image.mode in _WITH_ALPHA or "transparency" in image.info:
            rgba = image.convert("RGBA")
            white = Image.new("RGBA", image.size, (255, 255, 255, 255))
            return Image.alpha_composite(white, rgba).convert("RGB")
        return image.convert("RGB")
    except _DAMAGE as error:
        raise UnsupportedType(f"Pictures of the mode {image.mode} cannot be read.", "Save it as an RGB PNG.") from error


def _to_8_bit(values: np.ndarray[tuple[int, ...], np.dtype[np.generic]]) -> Pixels:
    """Grey values of any number type to 8 bits; integers above 255 are taken as 16 bits."""
    numbers = np.nan_to_num(values.astype(np.float32))
    if numbers.size and values.dtype.kind in "iu" and (values.dtype.itemsize == 2 or numbers.max() > 255):
        numbers = numbers / 257.0
    rounded: Pixels = np.clip(numbers + 0.5, 0, 255).astype(np.uint8)
    return rounded


def _orientation(image: Image.Image) -> tuple[bool, int]:
    try:
        return _ORIENTATIONS.get(image.getexif().get(_ORIENTATION_TAG, 1), (False, 0))
    except _DAMAGE:
        # Damaged EXIF says nothing about the pixels, which are whole.
        return False, 0


def _dpi(image: Image.Image) -> float | None:
    """Dots per inch across, where the picture says something believable."""
    try:
        value = float(image.info["dpi"][0])
    except _DAMAGE:
        return None
    return value if math.isfinite(value) and 1 < value < 10_000 else None


def _is_whole_png(data: bytes) -> bool:
    """Whether every chunk that holds the picture has its checksum, up to the end chunk. Pillow decodes a cut file that
    is filled up with zeros, as an interrupted download leaves it, to a picture that is half noise."""
    view = memoryview(data)
    place = len(_PNG_SIGNATURE)
    while place + 12 <= len(data):
        length = int.from_bytes(view[place : place + 4], "big")
        end = place + 8 + length
        name = bytes(view[place + 4 : place + 8])
        # An upper-case first letter marks the chunks without which there is no picture.
        if name[:1].isupper() and zlib.crc32(view[place + 4 : end]).to_bytes(4, "big") != view[end : end + 4]:
            return False
        if name == b"IEND":
            return True
        place = end + 4
    return False


def _has_end_marker(data: bytes) -> bool:
    """Whether an end marker follows the JPEG's scan. A decoder fills up what a cut or zero-padded file lacks in its
    last rows; the marker tells that nothing is lacking. Thumbnails in the header carry end markers of their own."""
    place = 2
    while place + 4 <= len(data):
        if data[place] != 0xFF:
            place = data.find(b"\xff", place)
            if place < 0:
                return False
            continue
        marker = data[place + 1]
        if marker == _START_OF_SCAN:
            return data.find(_END_OF_IMAGE, place) >= 0
        if marker in (0x00, 0x01, 0xFF) or 0xD0 <= marker <= 0xD9:
            # Fill bytes and markers that carry no length.
            place += 1 if marker == 0xFF else 2
            continue
        place += 2 + int.from_bytes(data[place + 2 : place + 4], "big")
    return False


def _is_whole_webp(data: bytes) -> bool:
    """Whether the file is as long as it says: a decoder fills up the rows that are lacking."""
    return len(data) >= 8 + int.from_bytes(data[4:8], "little") and _ends_in_data(data)


def _ends_in_data(data: bytes) -> bool:
    """Whether something stands at the end: packed pixels never end in so many zeros, but a file that was given its
    full size at the start of a download that broke off does. These forms have no checksum that would tell."""
    tail = data[-_TAIL:]
    return len(tail) < _TAIL or any(tail)


def _unknown(_data: bytes) -> bool:
    """Nothing to tell by beforehand: the decoder complains about what is lacking."""
    return True


_WHOLE: dict[str, Callable[[bytes], bool]] = {
    PNG: _is_whole_png,
    JPEG: _has_end_marker,
    WEBP: _is_whole_webp,
    HEIC: _ends_in_data,
    AVIF: _ends_in_data,
    JPEG2000: _ends_in_data,
    GIF: _ends_in_data,
}
_OPENERS: dict[str, Callable[[io.BytesIO], Image.Image]] = {
    PNG: PngImagePlugin.PngImageFile,
    JPEG: JpegImagePlugin.JpegImageFile,
    WEBP: WebPImagePlugin.WebPImageFile,
    GIF: GifImagePlugin.GifImageFile,
    BMP: BmpImagePlugin.BmpImageFile,
    TIFF: TiffImagePlugin.TiffImageFile,
    AVIF: AvifImagePlugin.AvifImageFile,
    JPEG2000: Jpeg2KImagePlugin.Jpeg2KImageFile,
}
