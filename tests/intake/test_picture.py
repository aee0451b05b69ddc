from __future__ import annotations

import base64
import io
import struct
import zlib

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from PIL import Image, ImageCms, ImageOps, TiffImagePlugin

from mineru_core.document.geometry import Box
from mineru_core.errors import TooManyPages, TooManyPixels, TruncatedImage, UnsupportedType
from mineru_core.intake import JPEG, PNG, sniff
from mineru_core.intake import picture as picture_module
from mineru_core.intake.picture import Picture, PictureFile
from mineru_core.intake.sniffing import TIFF
from tests.documents import draw_lines, draw_page, jpeg_bytes, picture_bytes, png_bytes

# Pillow warns about some kinds of damage before it refuses them.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:PIL")

LIMIT = 10_000_000

# 64 × 48, white with a red top left and a blue bottom right corner; the package that decodes cannot make one.
HEIC_CORNERS = base64.b64decode(
    "AAAAHGZ0eXBoZWljAAAAAG1pZjFoZWljbWlhZgAAAX1tZXRhAAAAAAAAACFoZGxyAAAAAAAAAABwaWN0AAAAAAAAAAAAAAAAAAAA"
    "ACJpbG9jAAAAAERAAAEAAQAAAAABoQABAAAAAAAAAJ4AAAAjaWluZgAAAAAAAQAAABVpbmZlAgAAAAABAABodmMxAAAAAA5waXRt"
    "AAAAAAABAAAA/WlwcnAAAADdaXBjbwAAAHZodmNDAQNwAAAAkAAAAAAAHvAA/P34+AAADwNgAAEAGEABDAH//wNwAAADAJAAAAMA"
    "AAMAHroCQGEAAQAqQgEBA3AAAAMAkAAAAwAAAwAeoCCBBZbq5Ka5uAhoMCAAAAMDIAAAAwAhYgABAAZEAcFzwIkAAAATY29scm5j"
    "bHgAAQANAAaAAAAAFGlzcGUAAAAAAAAAQAAAAEAAAAAoY2xhcAAAAEAAAAABAAAAMAAAAAEAAAAAAAAAAv////AAAAACAAAAEHBp"
    "eGkAAAAAAwgICAAAABhpcG1hAAAAAAAAAAEAAQWBAgMFhAAAAKZtZGF0AAAAmigBrwY4Wve238zgf//5Wm+h/euKUv3+fD25H5Wm"
    "//9yYxz+fxHixG9NJH/917K70kYcUqCk8uCtT/3dmLD+QIn/1u/vG+ZPzlnECtrylNJDomV8KUdRX9VR+VXLf75r/mHIml4FRykT"
    "eRF/dEZVsQ45/NKxAS4cOluBsFEj2WS8+6FyKBPO5YIGVdRhNH5EuM3uodt+bzd1EcA="
)


def decode(data: bytes, limit: int = LIMIT) -> Picture:
    return PictureFile(data, sniff(data), limit, max_pages=1_000_000).picture(1)


def corners() -> Image.Image:
    """40 × 20 white with a red top left and a blue bottom right corner."""
    image = Image.new("RGB", (40, 20), "white")
    image.paste((255, 0, 0), (0, 0, 8, 8))
    image.paste((0, 0, 255), (32, 12, 40, 20))
    return image


def raw_png(width: int, height: int, bit_depth: int, colour: int, rows: bytes, *chunks: tuple[bytes, bytes]) -> bytes:
    """A PNG from unfiltered rows (each with its filter byte 0 in front)."""
    header = struct.pack(">IIBBBBB", width, height, bit_depth, colour, 0, 0, 0)
    out = b"\x89PNG\r\n\x1a\n"
    for name, body in ((b"IHDR", header), *chunks, (b"IDAT", zlib.compress(rows)), (b"IEND", b"")):
        out += struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return out


@pytest.mark.parametrize(("pixels", "alone"), [(800, False), (799, True)])
def test_a_large_picture_is_decoded_alone(monkeypatch: pytest.MonkeyPatch, pixels: int, alone: bool) -> None:
    entered: list[bool] = []

    class Lock:
        def __enter__(self) -> None:
            entered.append(True)

        def __exit__(self, *error: object) -> None:
            entered.append(False)

    monkeypatch.setattr(picture_module, "LARGE_PIXELS", pixels)
    monkeypatch.setattr(picture_module, "LARGE_LOCK", Lock())
    assert decode(png_bytes(corners())).pixels.shape == (20, 40, 3)
    assert entered == ([True, False] if alone else [])


def test_rgb_pixels_come_through_unchanged() -> None:
    picture = decode(png_bytes(corners()))
    assert np.array_equal(picture.pixels, np.asarray(corners()))
    assert picture.transform.to_source(Box(1, 2, 3, 4)) == Box(1, 2, 3, 4)


def test_pixels_cannot_be_written_to() -> None:
    with pytest.raises(ValueError, match="read-only"):
        decode(png_bytes(corners())).pixels[0, 0, 0] = 1


@pytest.mark.parametrize("mode", ["L", "1", "P", "LA", "RGBA", "CMYK"])
def test_grey_palette_bilevel_and_cmyk_become_the_same_picture(mode: str) -> None:
    flat = Image.new("RGB", (16, 16), "white")
    flat.paste((0, 0, 0), (0, 0, 8, 16))
    converted = flat.convert(mode)
    data = jpeg_bytes(converted, quality=100) if mode == "CMYK" else png_bytes(converted)
    assert np.abs(decode(data).pixels.astype(int) - np.asarray(flat).astype(int)).max() <= 2


def test_cmyk_keeps_its_colours() -> None:
    inks = Image.new("CMYK", (8, 8), (0, 255, 255, 0))
    assert np.allclose(decode(jpeg_bytes(inks, quality=100)).pixels, (255, 0, 0), atol=3)


def test_alpha_is_laid_over_white() -> None:
    image = Image.new("RGBA", (2, 1), (0, 0, 0, 0))
    image.putpixel((1, 0), (200, 0, 0, 128))
    assert decode(png_bytes(image)).pixels.tolist() == [[[255, 255, 255], [227, 127, 127]]]


def test_a_transparent_palette_colour_and_a_transparent_rgb_colour_are_white() -> None:
    palette = Image.new("P", (2, 1), 0)
    palette.putpalette([10, 20, 30, 200, 100, 50])
    palette.putpixel((1, 0), 1)
    assert decode(png_bytes(palette, transparency=0)).pixels.tolist() == [[[255, 255, 255], [200, 100, 50]]]
    rgb = raw_png(2, 1, 8, 2, b"\0" + bytes([9, 9, 9, 1, 2, 3]), (b"tRNS", struct.pack(">HHH", 9, 9, 9)))
    assert decode(rgb).pixels.tolist() == [[[255, 255, 255], [1, 2, 3]]]


def test_16_bits_become_8() -> None:
    grey = raw_png(3, 1, 16, 0, b"\0" + struct.pack(">HHH", 0, 0x8000, 0xFFFF))
    assert decode(grey).pixels[0, :, 0].tolist() == [0, 128, 255]
    colour = raw_png(1, 1, 16, 2, b"\0" + struct.pack(">HHH", 0xFFFF, 0x8000, 0))
    assert decode(colour).pixels.tolist() == [[[255, 128, 0]]]


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("form", [PNG, JPEG])
def test_exif_orientation_is_applied_and_leads_back(orientation: int, form: str) -> None:
    exif = Image.Exif()
    exif[0x0112] = orientation
    save = png_bytes if form == PNG else jpeg_bytes
    data = save(corners(), exif=exif.tobytes())
    picture = decode(data)
    with Image.open(io.BytesIO(data)) as image:
        expected = np.asarray(ImageOps.exif_transpose(image))
    assert np.array_equal(picture.pixels, expected)
    for colour, corner in (((255, 0, 0), Box(0, 0, 8, 8)), ((0, 0, 255), Box(32, 12, 40, 20))):
        box = picture.transform.from_source(corner)
        assert np.allclose(picture.pixels[int(box.y0) : int(box.y1), int(box.x0) : int(box.x1)], colour, atol=120)
        assert picture.transform.to_source(box) == corner


@pytest.mark.parametrize("value", [0, 9, 65535])
def test_an_impossible_orientation_is_left_alone(value: int) -> None:
    assert decode(jpeg_bytes(corners(), orientation=value)).transform.quarter_turns == 0


def test_damaged_exif_does_not_cost_the_picture() -> None:
    data = jpeg_bytes(corners(), exif=b"Exif\0\0II*\0\xff\xff\xff\xff garbage")
    assert decode(data).pixels.shape == (20, 40, 3)


def test_resolution_is_kept_where_it_is_said() -> None:
    assert decode(jpeg_bytes(corners(), dpi=(300, 300))).dpi == pytest.approx(300)
    assert decode(png_bytes(corners())).dpi is None


def test_a_colour_profile_does_no_harm() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    assert np.array_equal(decode(png_bytes(corners(), icc_profile=profile)).pixels, np.asarray(corners()))


def test_a_png_bomb_is_refused_by_its_header() -> None:
    # 60 000 × 60 000 in a file of a few bytes: there is nothing behind the header to decode.
    with pytest.raises(TooManyPixels, match="60000 × 60000"):
        decode(raw_png(60_000, 60_000, 8, 2, b""))


def test_a_jpeg_bomb_is_refused_by_its_header() -> None:
    data = bytearray(jpeg_bytes(corners()))
    start_of_frame = data.index(b"\xff\xc0")
    data[start_of_frame + 5 : start_of_frame + 9] = struct.pack(">HH", 65_500, 65_500)
    with pytest.raises(TooManyPixels, match="65500 × 65500"):
        decode(bytes(data))


def test_the_limit_itself_is_allowed() -> None:
    assert decode(png_bytes(corners()), limit=800).pixels.shape == (20, 40, 3)
    with pytest.raises(TooManyPixels):
        decode(png_bytes(corners()), limit=799)


PAGE = draw_page(width=500)
WHOLE = {
    "png": png_bytes(PAGE),
    "jpeg": jpeg_bytes(PAGE),
    "progressive jpeg": jpeg_bytes(PAGE, progressive=True),
    "grey png": png_bytes(PAGE.convert("L")),
    "webp": picture_bytes(PAGE, "WEBP", quality=80),
    "lossless webp": picture_bytes(PAGE, "WEBP", lossless=True),
    "gif": picture_bytes(PAGE, "GIF"),
    "bmp": picture_bytes(PAGE.convert("L"), "BMP"),
    "tiff": picture_bytes(PAGE.convert("L"), "TIFF"),
    "lzw tiff": picture_bytes(PAGE, "TIFF", compression="tiff_lzw"),
    "jpeg tiff": picture_bytes(PAGE, "TIFF", compression="jpeg"),
    "fax tiff": picture_bytes(PAGE.convert("1"), "TIFF", compression="group4"),
    "avif": picture_bytes(PAGE, "AVIF"),
    "jpeg 2000": picture_bytes(PAGE, "JPEG2000"),
    "heic": HEIC_CORNERS,
}
TAIL = 512
TOLD_BY_THEIR_END = {"webp", "lossless webp", "gif", "avif", "heic", "jpeg 2000"}
"""Forms whose filled-up files are known by their zeros; a whole one with as many zeros behind it is refused as well."""
NO_CHECKSUM = {"bmp", "tiff", "lzw tiff", "jpeg tiff", "fax tiff"}
"""Forms in which zeros at the end may be pixels as well as what a broken download left."""
PIXELS = {name: decode(data).pixels for name, data in WHOLE.items()}


@given(name=st.sampled_from(sorted(WHOLE)), share=st.floats(0.0, 1.0), padding=st.sampled_from([0, 1, 5000]))
def test_a_cut_picture_is_refused_or_whole_but_never_half_read(name: str, share: float, padding: int) -> None:
    data = WHOLE[name]
    if name in NO_CHECKSUM:
        padding = 0
    cut = data[: max(8, int(len(data) * share))] + bytes(padding)
    # A last byte that became a zero: without a checksum nothing tells it from the one that belongs there.
    assume(name not in TOLD_BY_THEIR_END or padding >= TAIL or not padding or len(cut) < len(data) or share == 1)
    try:
        picture = decode(cut)
    except (TruncatedImage, UnsupportedType):  # of a few bytes alone not even the type can be told
        assert len(cut) - padding < len(data) or (padding >= TAIL and name in TOLD_BY_THEIR_END)
    else:
        assert np.array_equal(picture.pixels, PIXELS[name])


def test_a_jpeg_filled_up_with_zeros_is_refused() -> None:
    # What an interrupted download leaves in a file that was given its full size at the start.
    data = WHOLE["jpeg"]
    for share in (0.5, 0.9, 0.99):
        cut = int(len(data) * share)
        with pytest.raises(TruncatedImage):
            decode(data[:cut] + bytes(len(data) - cut))


def test_the_end_marker_of_a_thumbnail_is_not_the_end_of_the_picture() -> None:
    thumbnail = b"Exif\0\0" + jpeg_bytes(draw_lines(("T",), width=60, size=12, margin=4))
    data = WHOLE["jpeg"][:2] + b"\xff\xe1" + struct.pack(">H", len(thumbnail) + 2) + thumbnail + WHOLE["jpeg"][2:]
    assert np.array_equal(decode(data).pixels, PIXELS["jpeg"])
    with pytest.raises(TruncatedImage):
        decode(data[:-2])


def corner_colours(picture: Picture) -> list[tuple[int, ...]]:
    return [tuple(int(v) for v in picture.pixels[place]) for place in ((4, 4), (-4, -4))]


@pytest.mark.parametrize("name", ["WEBP", "GIF", "BMP", "TIFF", "AVIF", "JPEG2000"])
def test_further_forms_are_read(name: str) -> None:
    picture = decode(picture_bytes(corners(), name))
    assert picture.pixels.shape == (20, 40, 3)
    assert np.allclose(corner_colours(picture), [(255, 0, 0), (0, 0, 255)], atol=90)


def test_a_picture_of_a_telephone_is_read() -> None:
    picture = decode(HEIC_CORNERS)
    assert picture.pixels.shape == (48, 64, 3)
    assert np.allclose(corner_colours(picture), [(255, 0, 0), (0, 0, 255)], atol=40)
    with pytest.raises(TooManyPixels):
        decode(HEIC_CORNERS, limit=64 * 48 - 1)


@pytest.mark.parametrize("form", ["WEBP", "GIF", "TIFF", "AVIF"])
def test_alpha_lies_over_white(form: str) -> None:
    clear = Image.new("RGBA", (32, 32), (0, 0, 0, 0))
    clear.paste((0, 0, 0, 255), (0, 0, 16, 32))
    pixels = decode(picture_bytes(clear, form)).pixels
    assert pixels[16, 4].max() < 40
    assert pixels[16, 28].min() > 215


@pytest.mark.parametrize("mode", ["1", "L", "P", "RGB", "RGBA", "CMYK", "I;16", "LAB", "F", "YCbCr"])
def test_every_mode_of_a_tiff_becomes_rgb(mode: str) -> None:
    if mode == "I;16":
        image = Image.fromarray(np.full((8, 8), 0x8000, np.uint16))
    elif mode in ("LAB", "YCbCr"):
        image = Image.new("RGB", (8, 8), (255, 255, 255)).convert(mode) if mode == "YCbCr" else Image.new(mode, (8, 8))
    else:
        image = Image.new("L", (8, 8), 200).convert(mode)
    picture = decode(picture_bytes(image, "TIFF"))
    assert picture.pixels.shape == (8, 8, 3)
    if mode == "I;16":
        assert int(picture.pixels[0, 0, 0]) == 128


def many_pages(count: int, **options: object) -> bytes:
    pages = [Image.new("RGB", (40, 20), (10 * n, 0, 0)) for n in range(count)]
    return picture_bytes(pages[0], "TIFF", save_all=True, append_images=pages[1:], **options)


def test_a_tiff_has_pages() -> None:
    file = PictureFile(many_pages(5), TIFF, LIMIT, max_pages=5)
    assert file.page_count == 5
    assert [int(file.picture(n).pixels[0, 0, 0]) for n in (3, 1, 5, 3)] == [20, 0, 40, 20]
    with pytest.raises(TooManyPages):
        PictureFile(many_pages(5), TIFF, LIMIT, max_pages=4)


def test_a_damaged_later_page_costs_that_page_alone() -> None:
    data = bytearray(many_pages(3, compression="tiff_deflate"))
    second = data.index(b"\x78\x9c", data.index(b"\x78\x9c") + 2)
    data[second : second + 12] = b"\xff" * 12
    file = PictureFile(bytes(data), TIFF, LIMIT, max_pages=10)
    assert int(file.picture(1).pixels[0, 0, 0]) == 0
    with pytest.raises(TruncatedImage):
        file.picture(2)
    assert int(file.picture(3).pixels[0, 0, 0]) == 20


def test_thumbnails_in_a_tiff_are_no_pages() -> None:
    page, thumbnail = Image.new("RGB", (40, 20), (7, 7, 7)), Image.new("RGB", (4, 2))
    first, second = (TiffImagePlugin.ImageFileDirectory_v2() for _ in range(2))
    second[254] = 1
    out = io.BytesIO()
    with TiffImagePlugin.AppendingTiffWriter(out) as writer:
        page.save(writer, "TIFF", tiffinfo=first)
        writer.newFrame()
        thumbnail.save(writer, "TIFF", tiffinfo=second)
    assert PictureFile(out.getvalue(), TIFF, LIMIT, max_pages=1).page_count == 1


def test_an_animation_is_its_first_picture() -> None:
    frames = [Image.new("P", (16, 16), n) for n in (1, 2, 3)]
    for frame in frames:
        frame.putpalette([0, 0, 0, 255, 0, 0, 0, 255, 0, 0, 0, 255])
    picture = decode(picture_bytes(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    assert picture.pixels[0, 0].tolist() == [255, 0, 0]


@pytest.mark.parametrize("form", ["WEBP", "GIF", "BMP", "TIFF", "AVIF", "JPEG2000"])
def test_every_form_has_its_limit(form: str) -> None:
    data = picture_bytes(corners(), form)
    assert decode(data, limit=800).pixels.shape == (20, 40, 3)
    with pytest.raises(TooManyPixels):
        decode(data, limit=799)
