"""PDF files: opened, counted, rendered and their words read, one call into pdfium at a time.

pdfium keeps global state and must never be entered by two threads, whatever document each works on; so every call
stands behind one lock of the process. Handles that the garbage collector finds are closed behind the same lock, by
whoever holds it: a collector must not wait.

A call into pdfium cannot be broken off, and a page made for it can take hours. Who waits for the lock gives up after
``LOCK_WAIT_S``, so that such a page holds up its own job and not every thread that opens a PDF.
"""

from __future__ import annotations

import math
import threading
import weakref
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from mineru_core.document.page import Page, PageTransform, Pixels
from mineru_core.errors import CorruptPdf, EncryptedPdf, InvalidRequest, NoPages, Overloaded
from mineru_core.intake.nesting import MOST_FORMS, NestingCheck
from mineru_core.intake.text_layer import read_words

POINTS_PER_INCH = 72.0

# Re-entrant: the garbage collector may close a document while this thread is inside a call of another.
PDFIUM_LOCK = threading.RLock()
LOCK_WAIT_S = 60.0

_to_close: deque[tuple[pdfium.PdfDocument, bytes]] = deque()

WRONG_PASSWORD = "The password does not open this PDF."
"""The message where one was given."""

_PASSWORD_ERRORS = (pdfium_c.FPDF_ERR_PASSWORD, pdfium_c.FPDF_ERR_SECURITY)
_TRAILER_WITHIN = 2048


class PdfFile:
    """An open PDF of ``page_count`` pages. Safe to use from several threads.

    Raises ``EncryptedPdf`` for a missing or wrong password, ``NoPages`` for a PDF without pages and ``CorruptPdf`` for
    one that cannot be parsed. Both opening and ``page`` raise ``Overloaded`` where another PDF keeps pdfium busy.
    """

    def __init__(self, data: bytes, password: str | None = None) -> None:
        with _inside_pdfium():
            self._pdf = _open(data, password)
            # The finalizer holds the handle and the bytes it reads from, so neither goes before it has run.
            self._finalizer = weakref.finalize(self, _close, self._pdf, data)
            self._finalizer.atexit = False
            self.page_count = len(self._pdf)
        self._nesting = NestingCheck(data, password)

    def page(self, number: int, source: str, dpi: float, max_pixels: int) -> Page:
        """Page ``number`` (from 1) as pixels with its words, rendered at ``dpi`` or, where that would be more than
        ``max_pixels``, at the resolution that fits. Raises ``CorruptPdf`` where the page cannot be parsed, or asks for
        more drawing than can be done."""
        with self._page(number) as page:
            scale, transform = _geometry(page, number, dpi, max_pixels)
            pixels = _render(page, number, scale)
            words = read_words(page, transform, (pixels.shape[1], pixels.shape[0]))
        return Page(
            pixels=pixels,
            source=source,
            number=number,
            dpi=scale * POINTS_PER_INCH,
            text_layer=words or None,
            transform=transform,
        )

    def picture(self, number: int, width: int, dpi: float, max_pixels: int) -> Pixels:
        """Page ``number`` (from 1) rendered ``width`` pixels wide, or as ``page`` renders it where that is less.
        Raises what ``page`` raises."""
        with self._page(number) as page:
            scale, _ = _geometry(page, number, dpi, max_pixels)
            return _render(page, number, min(scale, width / page.get_size()[0]))

    def close(self) -> None:
        """Free the handle; calling it again does nothing."""
        self._finalizer()
        self._nesting.close()

    @contextmanager
    def _page(self, number: int) -> Iterator[pdfium.PdfPage]:
        """The page, loaded and closed behind the lock, which is held meanwhile."""
        self._check_nesting(number)  # without the lock: of a PDF of thousands of pages the first takes a tenth second
        with _inside_pdfium():
            if not self._finalizer.alive:
                raise InvalidRequest("The document is closed.", "Open it again.")
            try:
                page = self._pdf[number - 1]
            except pdfium.PdfiumError as error:
                raise _broken_page(number) from error
            try:
                yield page
            finally:
                page.close()

    def _check_nesting(self, number: int) -> None:
        """Refuse a page whose drawings within drawings would keep pdfium for hours."""
        if self._nesting.forms_of(number) > MOST_FORMS:
            raise CorruptPdf(
                f"Page {number} of the PDF nests more drawings than can be drawn.",
                "Print it to a new PDF, and read that.",
            )


def _open(data: bytes, password: str | None) -> pdfium.PdfDocument:
    """Open through the raw call: pdfium's error is only defined after a call that failed, and a PDF without pages is
    no failure."""
    try:
        secret = password.encode("utf-8") if password else None
    except UnicodeEncodeError as error:
        raise EncryptedPdf("The password holds characters that no PDF password can.") from error
    handle = pdfium_c.FPDF_LoadMemDocument64(data, len(data), secret)
    if not handle:
        code = pdfium_c.FPDF_GetLastError()
        if code in _PASSWORD_ERRORS:
            raise EncryptedPdf("The PDF is protected by a password." if not password else WRONG_PASSWORD)
        raise CorruptPdf("The PDF is damaged and cannot be parsed.")
    if pdfium_c.FPDF_GetPageCount(handle) < 1:
        pdfium_c.FPDF_CloseDocument(handle)
        if b"%%EOF" in data[-_TRAILER_WITHIN:]:
            raise NoPages("The PDF has no pages.", "Upload a PDF that has pages.")
        raise CorruptPdf("The PDF ends early; no page of it can be read.")
    pdf = pdfium.PdfDocument(handle)
    # Filled-in form fields are drawn only with a form environment.
    pdf.init_forms()
    return pdf


@contextmanager
def _inside_pdfium() -> Iterator[None]:
    """Hold the lock for the length of the block. Raises ``Overloaded`` where it does not come free in time."""
    if not PDFIUM_LOCK.acquire(timeout=LOCK_WAIT_S):
        hint = "Try again later, or upload the pages as pictures."
        raise Overloaded("Another PDF keeps the PDF reader busy.", hint, retry_after_s=LOCK_WAIT_S)
    try:
        yield
    finally:
        PDFIUM_LOCK.release()
        _close_waiting()


def _close(pdf: pdfium.PdfDocument, data: bytes) -> None:
    """Close now where nobody is inside pdfium; else it is done by the one who is, on the way out. pdfium reads from
    the bytes until then."""
    _to_close.append((pdf, data))
    _close_waiting()


def _close_waiting() -> None:
    while _to_close and PDFIUM_LOCK.acquire(blocking=False):
        try:
            _to_close.popleft()[0].close()
        except IndexError:  # a collector that ran in between has closed it
            continue
        finally:
            PDFIUM_LOCK.release()


def _geometry(page: pdfium.PdfPage, number: int, dpi: float, max_pixels: int) -> tuple[float, PageTransform]:
    """Pixels a point, and the way from page pixels back to points from the top left of the page before /Rotate."""
    width, height = page.get_size()
    if not (math.isfinite(width) and math.isfinite(height) and width > 0 and height > 0):
        raise _broken_page(number)
    scale = min(dpi / POINTS_PER_INCH, _largest_scale(width, height, max_pixels))
    turns = page.get_rotation() // 90
    upright = (height, width) if turns % 2 else (width, height)
    return scale, PageTransform(quarter_turns=turns, scale=scale, source_width=upright[0], source_height=upright[1])


def _largest_scale(width: float, height: float, max_pixels: int) -> float:
    """The scale s with (width × s + 1) × (height × s + 1) = max_pixels: each side is rounded up to whole pixels."""
    area, sides = width * height, width + height
    scale = (math.sqrt(sides * sides + 4 * area * (max_pixels - 1)) - sides) / (2 * area)
    # A limit of a few pixels leaves next to nothing, but never nothing: each side is at least one pixel.
    return max(scale, 1e-9)


def _render(page: pdfium.PdfPage, number: int, scale: float) -> Pixels:
    """(height, width, 3) uint8 RGB over white, read-only."""
    try:
        # Sides are rounded up; without the nudge 792 points at 150 dpi, 1650.0000000000002 pixels, would become 1651.
        bitmap = page.render(scale=scale * (1 - 1e-9), rev_byteorder=True)
    except (pdfium.PdfiumError, MemoryError) as error:
        raise _broken_page(number) from error
    try:
        pixels: Pixels = np.ascontiguousarray(bitmap.to_numpy())
    finally:
        bitmap.close()
    pixels.flags.writeable = False
    return pixels


def _broken_page(number: int) -> CorruptPdf:
    return CorruptPdf(f"Page {number} of the PDF is damaged and cannot be drawn.")
