"""The document as a PDF one can search and copy from: each page's picture, and its text over it, invisible.

The text is set in a font that no file holds: its glyphs are never painted, so all a reader needs is how wide they are
and which characters they stand for (PDF 32000-1, 9.10.3). One such font serves every script.
"""

from __future__ import annotations

import io
import itertools
import math
from collections.abc import Iterator, Sequence

import pikepdf
from PIL import Image

from mineru_core.document.analysis import Line, PageAnalysis
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Page
from mineru_core.document.table import Table
from mineru_core.errors import InvalidRequest
from mineru_core.export.result import DocumentResult, PageSource
from mineru_core.export.text import one_line, printable

POINTS_PER_INCH = 72.0
_DEFAULT_DPI = 150.0
_JPEG_QUALITY = 85
_MOST_GLYPHS = 0xFFFF
# A descender reaches below the line that letters stand on, by about this share of the line's height.
_DESCENT = 0.2
_FONT = "/T0"


def to_searchable_pdf(result: DocumentResult, pages: PageSource) -> bytes:
    """A PDF of every page that was read or failed, in page order; a page that failed is its picture alone.

    ``pages`` gives them by number, as they were when the document was read (``Document.page``). A page is as large as
    it was: by the PDF it came from, by the picture's own resolution, else at 150 dots per inch. Raises what ``pages``
    does, and ``InvalidRequest`` where the document has no page.
    """
    by_number = {page.page: page for page in result.analysis.pages}
    numbers = sorted({*by_number, *(failure.page for failure in result.analysis.failures)})
    if not numbers:
        raise InvalidRequest("There is no page to write.", "Read the document again, with pages that exist.")
    glyphs = _Glyphs()
    with pikepdf.new() as pdf:
        font = pdf.make_indirect(pikepdf.Dictionary(Type=pikepdf.Name.Font))
        for number in numbers:
            _add_page(pdf, font, glyphs, pages(number), by_number.get(number))
        _describe_font(pdf, font, glyphs)
        pdf.docinfo["/Title"] = printable(result.source)
        out = io.BytesIO()
        pdf.save(out, object_stream_mode=pikepdf.ObjectStreamMode.generate)
    return out.getvalue()


class _Glyphs:
    """The number of each character in the font, from 1, in the order they come up."""

    def __init__(self) -> None:
        self.numbers: dict[str, int] = {}

    def encoded(self, text: str) -> str:
        """The text as the hexadecimal digits of its glyphs, two bytes each. A character too many is left out."""
        return "".join(f"{number:04X}" for c in text if (number := self._number(c)))

    def _number(self, character: str) -> int:
        if character not in self.numbers and len(self.numbers) < _MOST_GLYPHS:
            self.numbers[character] = len(self.numbers) + 1
        return self.numbers.get(character, 0)


def _add_page(
    pdf: pikepdf.Pdf, font: pikepdf.Object, glyphs: _Glyphs, page: Page, analysis: PageAnalysis | None
) -> None:
    points = POINTS_PER_INCH / (page.dpi or _DEFAULT_DPI)
    width, height = page.width * points, page.height * points
    jpeg = io.BytesIO()
    Image.fromarray(page.pixels).save(jpeg, "JPEG", quality=_JPEG_QUALITY)
    picture = pikepdf.Stream(
        pdf,
        jpeg.getvalue(),
        Type=pikepdf.Name.XObject,
        Subtype=pikepdf.Name.Image,
        Width=page.width,
        Height=page.height,
        ColorSpace=pikepdf.Name.DeviceRGB,
        BitsPerComponent=8,
        Filter=pikepdf.Name.DCTDecode,
    )
    commands = [f"q {width:.3f} 0 0 {height:.3f} 0 0 cm /Im0 Do Q"]
    if analysis is not None:
        commands += ["BT 3 Tr", *_text(analysis, glyphs, points, height), "ET"]
    pdf.add_blank_page(page_size=(width, height))
    added = pdf.pages[-1]
    added.obj.Resources = pikepdf.Dictionary(
        XObject=pikepdf.Dictionary({"/Im0": picture}), Font=pikepdf.Dictionary({_FONT: font})
    )
    added.obj.Contents = pikepdf.Stream(pdf, "\n".join(commands).encode("ascii"))


def _text(analysis: PageAnalysis, glyphs: _Glyphs, points: float, height: float) -> Iterator[str]:
    """The commands that set each piece of text over its place, in reading order."""
    for text, quad in _pieces(analysis):
        code = glyphs.encoded(text)
        (x0, y0), (x1, y1) = quad.bottom_left, quad.bottom_right
        size = math.dist(quad.top_left, quad.bottom_left) * points
        length = math.dist(quad.bottom_left, quad.bottom_right) * points
        if not text.strip() or not code or size <= 0 or length <= 0:
            continue
        # Along the line's foot, y upwards; every glyph is one em wide, so the text is squeezed to its place. The blank
        # that ends it stands beyond.
        cos, sin = (x1 - x0) * points / length, -(y1 - y0) * points / length
        x, y = x0 * points - sin * size * _DESCENT, height - y0 * points + cos * size * _DESCENT
        squeeze = 100 * length / (size * len(text.rstrip()))
        yield (
            f"{_FONT} {size:.3f} Tf {squeeze:.3f} Tz {cos:.5f} {sin:.5f} {-sin:.5f} {cos:.5f} {x:.3f} {y:.3f} Tm "
            f"<{code}> Tj"
        )


def _pieces(analysis: PageAnalysis) -> Iterator[tuple[str, Quad]]:
    """Texts with their places: words where a line has them, else whole lines; cells of tables without lines; blocks
    without either. Cells that a person corrected stand in the place of what was read there."""
    for block in analysis.blocks:
        corrected = _corrected(block.table)
        if block.lines:
            for line in block.lines:
                yield from ((text, quad) for text, quad in _line(line) if not _is_under(quad, corrected))
            for text, box in corrected:
                yield from _spread(text, box)
        elif block.table is not None:
            for cell in block.table.cells:
                if cell.box is not None and cell.text.strip():
                    yield one_line(cell.text), Quad.from_box(cell.box)
        else:
            yield from _spread(block.text, block.box)


def _corrected(table: Table | None) -> list[tuple[str, Box]]:
    """Texts and places of the cells that a person edited."""
    cells = () if table is None else table.cells
    return [(cell.text, cell.box) for cell in cells if cell.edited and cell.box is not None]


def _is_under(quad: Quad, corrected: Sequence[tuple[str, Box]]) -> bool:
    """Whether most of a piece lies in the place of a corrected cell."""
    return any(quad.box.covered_by(box) > 0.5 for _, box in corrected)


def _spread(text: str, box: Box) -> Iterator[tuple[str, Quad]]:
    """The lines of a text, spread over its place from the top down."""
    rows = [row for row in printable(text).split("\n") if row.strip()]
    for i, row in enumerate(rows):
        step = box.height / len(rows)
        top = box.y0 + i * step
        yield one_line(row), Quad.from_box(box._replace(y0=top, y1=top + step))


def _line(line: Line) -> Iterator[tuple[str, Quad]]:
    """What stands between two blanks of an upright line, each piece ended by the blank that a search for two words in
    a row needs. Words that no blank parts, as in Chinese, are one piece."""
    if not _is_level(line.quad) or not _words_say_all(line):
        yield one_line(line.text) + " ", line.quad
        return
    words = iter(line.words)
    for text in line.text.split():
        boxes, said = [], ""
        while len(said) < len(text):
            word = next(words)
            said += "".join(word.text.split())
            boxes.append(word.box)
        yield one_line(said) + " ", Quad.from_box(Box.around(boxes))


def _words_say_all(line: Line) -> bool:
    """Whether the words are the line, cut at its blanks and perhaps elsewhere."""
    ends = set(itertools.accumulate(len("".join(word.text.split())) for word in line.words))
    said = "".join("".join(word.text.split()) for word in line.words)
    blanks = set(itertools.accumulate(map(len, line.text.split())))
    return said == "".join(line.text.split()) and blanks <= ends


def _is_level(quad: Quad) -> bool:
    (x0, y0), (x1, y1) = quad.bottom_left, quad.bottom_right
    return x1 > x0 and abs(y1 - y0) <= 0.02 * (x1 - x0)


def _describe_font(pdf: pikepdf.Pdf, font: pikepdf.Object, glyphs: _Glyphs) -> None:
    """A composite font without a file: each glyph one em wide, what it stands for in the map to Unicode."""
    name = pikepdf.Name("/Invisible")
    descriptor = pikepdf.Dictionary(
        Type=pikepdf.Name.FontDescriptor,
        FontName=name,
        Flags=4,
        FontBBox=[0, -200, 1000, 800],
        ItalicAngle=0,
        Ascent=800,
        Descent=-200,
        CapHeight=700,
        StemV=80,
    )
    descendant = pikepdf.Dictionary(
        Type=pikepdf.Name.Font,
        Subtype=pikepdf.Name.CIDFontType2,
        BaseFont=name,
        CIDSystemInfo=pikepdf.Dictionary(Registry=b"Adobe", Ordering=b"Identity", Supplement=0),
        FontDescriptor=pdf.make_indirect(descriptor),
        DW=1000,
        CIDToGIDMap=pikepdf.Name.Identity,
    )
    font.Subtype = pikepdf.Name.Type0
    font.BaseFont = name
    font.Encoding = pikepdf.Name("/Identity-H")
    font.DescendantFonts = pikepdf.Array([pdf.make_indirect(descendant)])
    font.ToUnicode = pikepdf.Stream(pdf, _unicode_map(list(glyphs.numbers.items())).encode("ascii"))


def _unicode_map(numbers: Sequence[tuple[str, int]]) -> str:
    lines = [
        "/CIDInit /ProcSet findresource begin",
        "12 dict begin",
        "begincmap",
        "/CIDSystemInfo << /Registry (Adobe) /Ordering (UCS) /Supplement 0 >> def",
        "/CMapName /Adobe-Identity-UCS def",
        "/CMapType 2 def",
        "1 begincodespacerange",
        "<0000> <FFFF>",
        "endcodespacerange",
    ]
    for start in range(0, len(numbers), 100):  # a section holds 100 at most
        part = numbers[start : start + 100]
        lines.append(f"{len(part)} beginbfchar")
        lines += [f"<{n:04X}> <{c.encode('utf-16-be', 'replace').hex().upper()}>" for c, n in part]
        lines.append("endbfchar")
    lines += ["endcmap", "CMapName currentdict /CMap defineresource pop", "end", "end"]
    return "\n".join(lines)
