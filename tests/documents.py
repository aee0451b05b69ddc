"""Draws small documents with known content: pictures with Pillow, PDFs by hand with a text layer of their own.

Everything is made from arguments, so a test states what it expects and nothing is shipped as a file.
"""

from __future__ import annotations

import hashlib
import io
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

ZH_LINES = ("项目合计金额", "第一季度销售额增长", "请在三十日内付款")
EN_LINES = ("Total amount due", "Sales grew in the first quarter", "Please pay within 30 days")
TABLE_ROWS = (
    ("Item", "Qty", "Price"),
    ("Paper A4", "12", "3.50"),
    ("Ink black", "4", "18.00"),
    ("Stapler", "1", "7.25"),
)
ZH_TABLE_ROWS = (
    ("项目", "数量", "单价"),
    ("打印纸", "12", "3.50"),
    ("墨盒", "4", "18.00"),
    ("订书机", "1", "7.25"),
)

_FONTS = (
    "/usr/share/fonts/opentype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/truetype/noto/NotoSansCJK-Regular.ttc",
    "/usr/share/fonts/noto-cjk/NotoSansCJK-Regular.ttc",
)


@cache
def font(size: int) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """A font with Chinese characters where the machine has one, else Pillow's own (Latin only)."""
    for path in _FONTS:
        if Path(path).exists():
            return ImageFont.truetype(path, size)
    return ImageFont.load_default(size)


def has_cjk_font() -> bool:
    """Whether Chinese text can be drawn."""
    return any(Path(path).exists() for path in _FONTS)


def draw_lines(lines: Sequence[str], *, size: int = 32, width: int = 800, margin: int = 40) -> Image.Image:
    """Lines of black text on white, one under the other."""
    step = int(size * 1.75)
    image = Image.new("RGB", (width, 2 * margin + step * len(lines)), "white")
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        draw.text((margin, margin + step * number), line, fill="black", font=font(size))
    return image


def draw_table(
    rows: Sequence[Sequence[str]], *, size: int = 26, column: int = 220, row: int = 56, margin: int = 40
) -> Image.Image:
    """A ruled table without spans; every cell's text stands left in its cell."""
    n_cols = max(len(r) for r in rows)
    image = Image.new("RGB", (2 * margin + column * n_cols, 2 * margin + row * len(rows)), "white")
    draw = ImageDraw.Draw(image)
    for i in range(len(rows) + 1):
        draw.line((margin, margin + row * i, margin + column * n_cols, margin + row * i), fill="black", width=2)
    for j in range(n_cols + 1):
        draw.line((margin + column * j, margin, margin + column * j, margin + row * len(rows)), fill="black", width=2)
    for i, texts in enumerate(rows):
        for j, text in enumerate(texts):
            place = (margin + column * j + 14, margin + row * i + (row - size) // 2 - 4)
            draw.text(place, text, fill="black", font=font(size))
    return image


def draw_page(
    lines: Sequence[str] = EN_LINES, rows: Sequence[Sequence[str]] = TABLE_ROWS, *, width: int = 1000
) -> Image.Image:
    """A page with lines of text above a ruled table."""
    text, table = draw_lines(lines, width=width), draw_table(rows)
    page = Image.new("RGB", (max(width, table.width), text.height + table.height), "white")
    page.paste(text, (0, 0))
    page.paste(table, (0, text.height))
    return page


def png_bytes(image: Image.Image, **options: object) -> bytes:
    """The picture as PNG; ``options`` go to Pillow."""
    return _encoded(image, "PNG", options)


def jpeg_bytes(image: Image.Image, *, orientation: int | None = None, **options: object) -> bytes:
    """The picture as JPEG, with an EXIF orientation if one is given; ``options`` go to Pillow."""
    if orientation is not None:
        exif = Image.Exif()
        exif[0x0112] = orientation
        options["exif"] = exif.tobytes()
    return _encoded(image, "JPEG", {"quality": 92, **options})


def picture_bytes(image: Image.Image, form: str, **options: object) -> bytes:
    """The picture in a format by Pillow's name of it; ``options`` go to Pillow."""
    return _encoded(image, form, options)


def _encoded(image: Image.Image, form: str, options: dict[str, object]) -> bytes:
    out = io.BytesIO()
    image.save(out, form, **options)
    return out.getvalue()


def scanned_pdf(images: Sequence[Image.Image], *, dpi: float = 150.0) -> bytes:
    """A PDF of pictures only, without a text layer."""
    out = io.BytesIO()
    images[0].save(out, "PDF", save_all=True, append_images=list(images[1:]), resolution=dpi)
    return out.getvalue()


@dataclass(frozen=True)
class PdfText:
    """Text on a PDF page: (x, y) is where it begins, in points from the bottom left; Latin-1 characters only."""

    text: str
    x: float = 72.0
    y: float = 700.0
    size: float = 14.0


@dataclass(frozen=True)
class PdfPage:
    """A PDF page: size and crop in points, ``rotate`` its /Rotate; ``rules`` are lines x0, y0, x1, y1."""

    texts: Sequence[PdfText] = ()
    width: float = 612.0
    height: float = 792.0
    rotate: int = 0
    crop: tuple[float, float, float, float] | None = None
    rules: Sequence[tuple[float, float, float, float]] = ()


def text_pdf(pages: Sequence[PdfPage]) -> bytes:
    """A born-digital PDF in Helvetica, with a text layer; no pages give a PDF without pages."""
    kids = " ".join(f"{4 + 2 * i} 0 R" for i in range(len(pages)))
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Kids [{kids}] /Count {len(pages)} >>".encode(),
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>",
    ]
    for number, page in enumerate(pages):
        crop = f" /CropBox [{' '.join(map(str, page.crop))}]" if page.crop else ""
        objects.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 {page.width} {page.height}]{crop} /Rotate {page.rotate} "
            f"/Resources << /Font << /F1 3 0 R >> >> /Contents {5 + 2 * number} 0 R >>".encode()
        )
        content = _content(page)
        objects.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content))
    return _pdf_file(objects)


def table_pdf(rows: Sequence[Sequence[str]] = TABLE_ROWS, *, title: str = "Delivery note 2024") -> bytes:
    """One born-digital page: a title and a ruled table of the given cells (Latin-1 characters only)."""
    left, top, column, row = 72.0, 650.0, 140.0, 30.0
    n_cols = max(len(r) for r in rows)
    right, bottom = left + column * n_cols, top - row * len(rows)
    rules = [(left, top - row * i, right, top - row * i) for i in range(len(rows) + 1)]
    rules += [(left + column * j, top, left + column * j, bottom) for j in range(n_cols + 1)]
    texts = [PdfText(title, left, 700.0, 18.0)]
    for i, cells in enumerate(rows):
        texts += [PdfText(t, left + column * j + 8, top - row * i - 20, 12.0) for j, t in enumerate(cells)]
    return text_pdf([PdfPage(texts, rules=rules)])


def encrypted_pdf(password: str, text: str = "Locked away") -> bytes:
    """One page that only ``password`` (ASCII) opens; the oldest standard encryption, 40 bit RC4."""
    padding = bytes.fromhex("28BF4E5E4E758A4164004E56FFFA01082E2E00B6D0683E802F0CA9FE6453697A")
    file_id, permissions = b"0123456789abcdef", -4
    padded = (password.encode("ascii") + padding)[:32]
    owner = _rc4(hashlib.md5(padded).digest()[:5], padded)
    key = hashlib.md5(padded + owner + permissions.to_bytes(4, "little", signed=True) + file_id).digest()[:5]
    content = _rc4(
        hashlib.md5(key + (5).to_bytes(3, "little") + b"\0\0").digest()[:10], _content(PdfPage([PdfText(text)]))
    )
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [4 0 R] /Count 1 >>",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] "
        b"/Resources << /Font << /F1 3 0 R >> >> /Contents 5 0 R >>",
        b"<< /Length %d >>\nstream\n%s\nendstream" % (len(content), content),
        b"<< /Filter /Standard /V 1 /R 2 /O <%s> /U <%s> /P %d >>"
        % (owner.hex().encode(), _rc4(key, padding).hex().encode(), permissions),
    ]
    return _pdf_file(objects, b"/Encrypt 6 0 R /ID [<%s> <%s>]" % ((file_id.hex().encode(),) * 2))


def _rc4(key: bytes, data: bytes) -> bytes:
    state = list(range(256))
    j = 0
    for i in range(256):
        j = (j + state[i] + key[i % len(key)]) % 256
        state[i], state[j] = state[j], state[i]
    out, i, j = bytearray(), 0, 0
    for byte in data:
        i = (i + 1) % 256
        j = (j + state[i]) % 256
        state[i], state[j] = state[j], state[i]
        out.append(byte ^ state[(state[i] + state[j]) % 256])
    return bytes(out)


def _content(page: PdfPage) -> bytes:
    parts = [f"{x0} {y0} m {x1} {y1} l S" for x0, y0, x1, y1 in page.rules]
    for item in page.texts:
        escaped = item.text.replace("\\", r"\\").replace("(", r"\(").replace(")", r"\)")
        parts.append(f"BT /F1 {item.size} Tf {item.x} {item.y} Td ({escaped}) Tj ET")
    return "\n".join(parts).encode("cp1252")


def _pdf_file(objects: Sequence[bytes], trailer: bytes = b"") -> bytes:
    """The objects, numbered from 1, with their cross-reference table; the first is the catalog. ``trailer`` is put into
    the trailer's dictionary."""
    out = bytearray(b"%PDF-1.7\n")
    places = []
    for number, body in enumerate(objects, 1):
        places.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    start = len(out)
    out += b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    for place in places:
        out += b"%010d 00000 n \n" % place
    out += b"trailer\n<< /Size %d /Root 1 0 R %s >>\nstartxref\n%d\n%%%%EOF\n" % (len(objects) + 1, trailer, start)
    return bytes(out)
