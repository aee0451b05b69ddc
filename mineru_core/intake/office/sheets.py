"""Workbooks as documents: each sheet that is shown is a page with its used range as a table, then its charts."""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator

from mineru_core.document.page import Page
from mineru_core.errors import InvalidRequest, NoPages
from mineru_core.intake.office.canvas import TextStyle
from mineru_core.intake.office.charts import read_chart
from mineru_core.intake.office.flow import FlowItem, flow
from mineru_core.intake.office.package import OfficePackage
from mineru_core.intake.office.text import Paragraph, Run
from mineru_core.intake.office.workbook import Workbook, range_reader

_EMPTY = Paragraph((Run("", TextStyle(24)),))


class XlsxFile:
    """An open workbook of ``page_count`` pages. Safe to use from several threads.

    Raises ``CorruptOffice``, ``FileTooLarge``, ``NoPages`` where no sheet is shown and ``UnsupportedType``.
    """

    def __init__(self, data: bytes, max_pixels: int) -> None:
        self._lock = threading.Lock()
        self._book: Workbook | None = Workbook(OfficePackage(data))
        self._sheets = [sheet for sheet in self._book.sheets if not sheet.hidden]
        self._max_pixels = max_pixels
        if not self._sheets:
            raise NoPages("The workbook has no sheet that is shown.", "Show a sheet of it and save it again.")

    @property
    def page_count(self) -> int:
        """Sheets that are shown."""
        return len(self._sheets)

    def page(self, number: int, source: str) -> Page:
        """Sheet ``number`` (from 1 among those shown). Raises what opening does, and ``InvalidRequest`` after
        ``close()``."""
        with self._lock:
            if self._book is None:
                raise InvalidRequest("The document is closed.", "Open it again.")
            self._book.package.begin_page()
            items = list(_items(self._book, self._sheets[number - 1].part))
            [page] = flow(items or [_EMPTY], room=math.inf)
            return page.draw(source, number, self._max_pixels, lambda _part: None)

    def close(self) -> None:
        """Let go of the file; calling it again does nothing."""
        with self._lock:
            if self._book is not None:
                self._book.package.close()
            self._book = None


def _items(book: Workbook, part: str) -> Iterator[FlowItem]:
    table = book.table(part)
    if table is not None:
        yield table
    read_range = range_reader(book)
    for name in book.charts(part):
        data = read_chart(book.package.xml(name), read_range)
        if data is not None:
            yield data
