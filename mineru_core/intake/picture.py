"""PNG and JPEG to RGB pixels: limits checked on the header, nothing read by half, EXIF rotation applied."""

from __future__ import annotations

import io
import math
import struct
import threading
import zlib
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass

import numpy as np
from PIL import Image, JpegImagePlugin, PngImagePlugin

from mineru_core.document.page import PageTransform, Pixels
from mineru_core.errors import TooManyPixels, TruncatedImage, UnsupportedType
from mineru_core.intake.sniffing import PNG

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
    NotImplementedError,
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
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_START_OF_SCAN = 0xDA
_END_OF_IMAGE = b"\xff\xd9"


@dataclass(frozen=True)
class Picture:
    """A decoded picture: ``pixels`` (height, width, 3) uint8 RGB, read-only; ``dpi`` None where it is not said."""

    pixels: Pixels
    transform: PageTransform
    dpi: float | None


def decode_picture(data: bytes, media_type: str, max_pixels: int) -> Picture:
    """Decode a PNG or JPEG.

    Raises ``TooManyPixels`` from the header alone, before any pixel is allocated, and ``TruncatedImage`` for a
    picture that ends early or is damaged.
    """
    # The plugin classes are called directly: Image.open guesses among formats and warns at a limit of its own.
    opener = PngImagePlugin.PngImageFile if media_type == PNG else JpegImagePlugin.JpegImageFile
    try:
        image = opener(io.BytesIO(data))
    except _DAMAGE as error:
        raise TruncatedImage("The picture ends early or its header is damaged.") from error
    with image:
        check_pixels(image.size, max_pixels)
        if not (_is_whole_png(data) if media_type == PNG else _has_end_marker(data)):
            raise TruncatedImage("The picture ends early or its data is damaged.")
        with _large_one_by_one(image.size):
            return picture_of(load_image(image))


def _large_one_by_one(size: tuple[int, int]) -> AbstractContextManager[object]:
    """Held while a large picture is decoded, which takes some ten bytes a pixel: a few kilobytes of PNG hold a hundred
    million white pixels, and several such uploads at the same moment would take all the memory there is."""
    return LARGE_LOCK if size[0] * size[1] > LARGE_PIXELS else nullcontext()


def load_image(image: Image.Image) -> Image.Image:
    """The image with all its pixels decoded. Raises ``TruncatedImage`` where that fails."""
    try:
        image.load()
    except _DAMAGE as error:
        raise TruncatedImage("The picture ends early or its data is damaged.") from error
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
