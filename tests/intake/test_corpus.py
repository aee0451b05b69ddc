"""Files as people have them: forty odd ones that open, and broken ones that are each refused under their own code."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable

import numpy as np
import pikepdf
import pytest
from PIL import Image

from mineru_core.errors import WorkbenchError
from mineru_core.intake import open_document
from mineru_core.settings import load_settings
from tests.documents import (
    TABLE_ROWS,
    PdfPage,
    PdfText,
    draw_lines,
    draw_table,
    encrypted_pdf,
    jpeg_bytes,
    picture_bytes,
    png_bytes,
    scanned_pdf,
    table_pdf,
    text_pdf,
)
from tests.intake.test_picture import HEIC_CORNERS, many_pages, raw_png

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:PIL")

PICTURE = draw_lines(("Total 12.50",))
SMALL = load_settings(limits={"max_file_bytes": 3_000_000, "max_page_pixels": 4_000_000, "max_pages": 6})


def _pdf(change: Callable[[pikepdf.Pdf], object], **save: object) -> bytes:
    """A PDF of two pages, changed and written again."""
    out = io.BytesIO()
    with pikepdf.open(io.BytesIO(text_pdf([PdfPage([PdfText("One")]), PdfPage([PdfText("Two")])]))) as pdf:
        change(pdf)
        pdf.save(out, **save)
    return out.getvalue()


def _form(pdf: pikepdf.Pdf) -> None:
    field = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.Widget, FT=pikepdf.Name.Tx, T="name", V="Filled in",
        DA="/Helv 12 Tf 0 g", Rect=[72, 600, 300, 620], F=4,
    )  # fmt: skip
    pdf.pages[0].obj.Annots = pikepdf.Array([pdf.make_indirect(field)])
    pdf.Root.AcroForm = pikepdf.Dictionary(Fields=pdf.pages[0].obj.Annots, NeedAppearances=True)


def _note(pdf: pikepdf.Pdf) -> None:
    note = pikepdf.Dictionary(
        Type=pikepdf.Name.Annot, Subtype=pikepdf.Name.FreeText, Contents="A remark", DA="/Helv 10 Tf 0 g",
        Rect=[72, 500, 300, 520],
    )  # fmt: skip
    pdf.pages[0].obj.Annots = pikepdf.Array([pdf.make_indirect(note)])


def _shifted_table(data: bytes) -> bytes:
    """The offset of the cross-reference table is wrong, as after a transfer that changed line ends."""
    return data[: data.rindex(b"startxref")] + b"startxref\n7\n%%EOF\n"


def _grey16() -> Image.Image:
    return Image.fromarray(np.linspace(0, 65535, 64 * 64).reshape(64, 64).astype(np.uint16))


_NO_PRINTING = pikepdf.Encryption(owner="o", user="", R=6, allow=pikepdf.Permissions(print_highres=False))

ODD: dict[str, bytes] = {
    "a picture of one pixel": png_bytes(Image.new("RGB", (1, 1))),
    "a strip of one row": png_bytes(Image.new("L", (3000, 1), 255)),
    "black and white": png_bytes(PICTURE.convert("1")),
    "grey with alpha": png_bytes(PICTURE.convert("LA")),
    "colour with alpha": png_bytes(PICTURE.convert("RGBA")),
    "a palette with a clear colour": png_bytes(PICTURE.convert("P"), transparency=0),
    "16-bit grey png": png_bytes(_grey16()),
    "16-bit colour png": raw_png(1, 1, 16, 2, b"\0" + struct.pack(">HHH", 0xFFFF, 0x8000, 0)),
    "png that says its resolution": png_bytes(PICTURE, dpi=(300, 300)),
    "png with rubbish behind it": png_bytes(PICTURE) + b"rubbish" * 50,
    "cmyk jpeg": jpeg_bytes(PICTURE.convert("CMYK")),
    "grey jpeg": jpeg_bytes(PICTURE.convert("L")),
    "progressive jpeg": jpeg_bytes(PICTURE, progressive=True),
    "jpeg upside down": jpeg_bytes(PICTURE, orientation=3),
    "jpeg on its side and mirrored": jpeg_bytes(PICTURE, orientation=5),
    "jpeg with rubbish behind it": jpeg_bytes(PICTURE) + bytes(3000),
    "jpeg of the lowest quality": jpeg_bytes(PICTURE, quality=1),
    "webp": picture_bytes(PICTURE, "WEBP"),
    "lossless webp with alpha": picture_bytes(PICTURE.convert("RGBA"), "WEBP", lossless=True),
    "gif": picture_bytes(PICTURE, "GIF"),
    "animated gif": picture_bytes(PICTURE, "GIF", save_all=True, append_images=[PICTURE.rotate(90)]),
    "bmp": picture_bytes(PICTURE, "BMP"),
    "bmp of one bit": picture_bytes(PICTURE.convert("1"), "BMP"),
    "tiff": picture_bytes(PICTURE, "TIFF"),
    "tiff of a fax": picture_bytes(PICTURE.convert("1"), "TIFF", compression="group4"),
    "tiff in jpeg": picture_bytes(PICTURE, "TIFF", compression="jpeg"),
    "tiff of 16 bits": picture_bytes(_grey16(), "TIFF"),
    "tiff of five pages": many_pages(5),
    "tiff of a scan in packed bits": picture_bytes(PICTURE.convert("1"), "TIFF", compression="packbits"),
    "heic": HEIC_CORNERS,
    "avif": picture_bytes(PICTURE, "AVIF"),
    "jpeg 2000": picture_bytes(PICTURE, "JPEG2000"),
    "jpeg 2000 without a container": picture_bytes(PICTURE, "JPEG2000", no_jp2=True),
    "pdf of a scan": scanned_pdf([PICTURE]),
    "pdf of text": table_pdf(),
    "pdf with lines in front of its header": b"Received: from mail\r\n\r\n" + table_pdf(),
    "pdf whose pages lie on their side": text_pdf([PdfPage([PdfText("Side")], rotate=270)]),
    "pdf with a crop": text_pdf([PdfPage([PdfText("Cropped")], crop=(50, 600, 400, 750))]),
    "pdf with a page of one point": text_pdf([PdfPage(width=1, height=1)]),
    "pdf of empty pages": text_pdf([PdfPage(), PdfPage()]),
    "pdf with a wrong cross-reference table": _shifted_table(text_pdf([PdfPage([PdfText("Mended")])])),
    "pdf with object streams": _pdf(lambda _pdf: None, object_stream_mode=pikepdf.ObjectStreamMode.generate),
    "pdf for the web": _pdf(lambda _pdf: None, linearize=True),
    "pdf with a form": _pdf(_form),
    "pdf with a remark": _pdf(_note),
    "pdf that may not be printed": _pdf(lambda _pdf: None, encryption=_NO_PRINTING),
    "pdf without an end marker": text_pdf([PdfPage([PdfText("Cut")])]).replace(b"%%EOF", b""),
}  # fmt: skip


def _half(data: bytes) -> bytes:
    return data[: len(data) // 2]


BROKEN: dict[str, tuple[bytes, str]] = {
    "no bytes": (b"", "empty-file"),
    "half a png": (_half(png_bytes(PICTURE)), "truncated-image"),
    "half a jpeg": (_half(jpeg_bytes(PICTURE)), "truncated-image"),
    "half a webp": (_half(picture_bytes(PICTURE, "WEBP")), "truncated-image"),
    "half a gif": (_half(picture_bytes(PICTURE, "GIF")), "truncated-image"),
    "half a bmp": (_half(picture_bytes(PICTURE, "BMP")), "truncated-image"),
    "half a tiff": (_half(picture_bytes(PICTURE, "TIFF")), "truncated-image"),
    "half a heic": (_half(HEIC_CORNERS), "truncated-image"),
    "half an avif": (_half(picture_bytes(PICTURE, "AVIF")), "truncated-image"),
    "half a jpeg 2000": (_half(picture_bytes(PICTURE, "JPEG2000")), "truncated-image"),
    "a png with other bytes at its end": (png_bytes(PICTURE)[:-20] + b"x" * 20, "truncated-image"),
    "a png bomb": (raw_png(60_000, 60_000, 8, 2, b""), "too-many-pixels"),
    "a large bmp": (picture_bytes(Image.new("1", (2100, 2000)), "BMP"), "too-many-pixels"),
    "a large gif": (picture_bytes(Image.new("P", (2100, 2000)), "GIF"), "too-many-pixels"),
    "a tiff of many pages": (many_pages(7), "too-many-pages"),
    "a pdf of many pages": (text_pdf([PdfPage()] * 7), "too-many-pages"),
    "a large file": (png_bytes(PICTURE) + bytes(3_000_000), "file-too-large"),
    "half a pdf": (table_pdf()[:300], "corrupt-pdf"),
    "a pdf of its header alone": (b"%PDF-1.7\n", "corrupt-pdf"),
    "a pdf without pages": (text_pdf([]), "no-pages"),
    "a pdf with a password": (encrypted_pdf("secret"), "encrypted-pdf"),
    "a pdf with a modern password": (
        _pdf(lambda _pdf: None, encryption=pikepdf.Encryption(owner="o", user="u", R=6)), "encrypted-pdf",
    ),
    "a program": (b"\x7fELF" + bytes(100), "unsupported-type"),
    "a text": ("发票号码，金额\r\n".encode(), "unsupported-type"),
    "a web page": (b"<!DOCTYPE html><title>x</title>", "unsupported-type"),
    "an archive": (b"PK\x03\x04\x14\0\0\0\x08\0photo.jpg" + bytes(50), "unsupported-type"),
    "an old Word file": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "unsupported-type"),
    "noise": (bytes(range(128, 256)) * 4, "unsupported-type"),
}  # fmt: skip


@pytest.mark.parametrize("name", sorted(ODD))
def test_odd_files_open(name: str) -> None:
    with open_document(ODD[name], name="file", settings=SMALL) as document:
        for number in range(1, document.page_count + 1):
            page = document.page(number)
            assert page.pixels.ndim == 3
            assert min(page.width, page.height) >= 1


@pytest.mark.parametrize("name", sorted(BROKEN))
def test_broken_files_have_their_code(name: str) -> None:
    data, code = BROKEN[name]
    with pytest.raises(WorkbenchError) as refused, open_document(data, name="file", settings=SMALL):
        pass
    assert refused.value.code == code
    assert refused.value.message
    assert refused.value.hint


def test_there_are_as_many_as_promised() -> None:
    assert len(ODD) >= 40
    assert len(BROKEN) >= 25


def test_a_drawn_table_is_the_same_in_every_lossless_form() -> None:
    picture = draw_table(TABLE_ROWS)
    forms = [("PNG", {}), ("WEBP", {"lossless": True}), ("BMP", {}), ("TIFF", {"compression": "tiff_lzw"})]
    hashes = set()
    for form, options in forms:
        with open_document(picture_bytes(picture, form, **options), settings=SMALL) as document:
            hashes.add(document.page(1).sha256)
    assert len(hashes) == 1
