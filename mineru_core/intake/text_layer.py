"""The words a PDF page holds as text, with their places in page pixels. Called behind pdfium's lock only."""

from __future__ import annotations

import ctypes
from dataclasses import dataclass, field

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from mineru_core.document.geometry import Box
from mineru_core.document.page import PageTransform, Word

# A page of a newspaper has some 20 000; beyond this the text is a drawing made of letters, and pixels tell more.
MAX_CHARACTERS = 200_000


@dataclass
class _Run:
    """Characters of one word being gathered: UTF-16 or UTF-32 units as pdfium gives them, and their boxes."""

    codes: list[int] = field(default_factory=list)
    boxes: list[Box] = field(default_factory=list)
    unmapped: int = 0
    """Characters whose font does not say what they mean, so that the code is a guess."""

    def text(self) -> str:
        """The characters; halves of surrogate pairs are joined, lone halves dropped."""
        raw = "".join(map(chr, self.codes)).encode("utf-16-le", errors="surrogatepass")
        return raw.decode("utf-16-le", errors="ignore")


def read_words(page: pdfium.PdfPage, transform: PageTransform, size: tuple[int, int]) -> tuple[Word, ...]:
    """Words in the order of the content stream, clipped to the page of ``size`` (width, height) pixels.

    Words end at white space and where the writing jumps to another line. Words that lie outside the page are left
    out, and so are characters without a meaning in Unicode. A word's confidence is the share of its characters whose
    font says what they mean.
    """
    try:
        text_page = page.get_textpage()
    except pdfium.PdfiumError:
        # A page whose text cannot be parsed can still be drawn, and is read from its pixels.
        return ()
    try:
        count = pdfium_c.FPDFText_CountChars(text_page)
        if not 0 < count <= MAX_CHARACTERS:
            return ()
        left, _bottom, _right, top = page.get_bbox()
        runs = _runs(text_page, count, left, top)
    finally:
        text_page.close()
    words = []
    for run in runs:
        box = transform.from_source(Box.around(run.boxes)).clipped(*size)
        text = run.text()
        if text and box.area > 0:
            words.append(Word(text, box, confidence=1 - run.unmapped / len(run.boxes)))
    return tuple(words)


def _runs(text_page: pdfium.PdfTextPage, count: int, left: float, top: float) -> list[_Run]:
    """Words as runs of characters; boxes in points from the page's top left (``left``, ``top`` in PDF coordinates)."""
    runs: list[_Run] = []
    run = _Run()
    for index in range(count):
        code = _code(text_page, index)
        box = None if _is_space(code) else _character_box(text_page, index, left, top)
        starts_line = box is not None and bool(run.boxes) and _jumps(run.boxes[-1], box)
        if run.codes and (box is None or starts_line):
            runs.append(run)
            run = _Run()
        if box is not None:
            run.codes.append(code)
            run.boxes.append(box)
            run.unmapped += pdfium_c.FPDFText_HasUnicodeMapError(text_page, index) == 1
    if run.codes:
        runs.append(run)
    return runs


def _code(text_page: pdfium.PdfTextPage, index: int) -> int:
    """The character's number; a hyphen at a line's end, which pdfium marks by a control code, is a hyphen again."""
    if pdfium_c.FPDFText_IsHyphen(text_page, index) == 1:
        return ord("-")
    return int(pdfium_c.FPDFText_GetUnicode(text_page, index))


def _is_space(code: int) -> bool:
    """White space, control codes and codes that are no character: all of them end a word."""
    if code > 0x10FFFF or code in (0xFFFE, 0xFFFF):
        return True
    character = chr(code)
    return character.isspace() or code < 0x20 or 0x7F <= code < 0xA0


def _character_box(text_page: pdfium.PdfTextPage, index: int, left: float, top: float) -> Box | None:
    x0, y0, x1, y1 = (ctypes.c_double() for _ in range(4))
    if not pdfium_c.FPDFText_GetCharBox(text_page, index, x0, x1, y0, y1):
        return None
    return Box(x0.value - left, top - y1.value, x1.value - left, top - y0.value)


def _jumps(before: Box, after: Box) -> bool:
    """Whether two characters that follow each other stand too far apart for one word, along either axis."""
    size = max(before.height, before.width, after.height, after.width)
    gap_x = max(before.x0, after.x0) - min(before.x1, after.x1)
    gap_y = max(before.y0, after.y0) - min(before.y1, after.y1)
    return max(gap_x, gap_y) > 2.0 * size
