"""An Office file of any sort as pages."""

from __future__ import annotations

from typing import Protocol

import PIL

from mineru_core.document.page import Page
from mineru_core.errors import TooManyPages
from mineru_core.intake.office.fonts import fonts_fingerprint
from mineru_core.intake.office.sheets import XlsxFile
from mineru_core.intake.office.slides import PptxFile
from mineru_core.intake.office.word import DocxFile
from mineru_core.intake.sniffing import DOCX, PPTX, XLSX

_REVISION = 2
"""Raised whenever the same file could become other pages."""


class OfficeFile(Protocol):
    """An open Office file. Safe to use from several threads."""

    @property
    def page_count(self) -> int:
        """Pages in all."""

    def page(self, number: int, source: str) -> Page:
        """Page ``number`` (from 1) drawn, with its words, tables and charts."""

    def close(self) -> None:
        """Let go of the file; calling it again does nothing."""


_READERS: dict[str, type[PptxFile] | type[DocxFile] | type[XlsxFile]] = {PPTX: PptxFile, DOCX: DocxFile, XLSX: XlsxFile}


def open_office(data: bytes, media_type: str, *, max_pixels: int, max_pages: int) -> OfficeFile:
    """Open a deck, a text or a workbook. ``max_pixels`` bounds the pixels of a page.

    Raises ``CorruptOffice``, ``UnsupportedType``, ``FileTooLarge``, ``NoPages`` and ``TooManyPages``.
    """
    file = _READERS[media_type](data, max_pixels)
    if file.page_count > max_pages:
        file.close()
        raise TooManyPages(f"The document has {file.page_count} pages; at most {max_pages} are read.")
    return file


def office_fingerprint() -> str:
    """Names everything beside the file and its limits that decides which pixels it becomes."""
    return f"office-{_REVISION}/pillow-{PIL.__version__}/fonts-{fonts_fingerprint()}"
