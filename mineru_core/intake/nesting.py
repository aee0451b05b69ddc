"""How much drawing a PDF page asks for through drawings within drawings.

A form XObject may paint others, each several times: ten levels of ten are a few hundred bytes that take a renderer
hours, and a call into the renderer cannot be broken off. So what a page would paint is counted before it is drawn,
each form once, however often it is used.
"""

from __future__ import annotations

import io
import threading
from collections.abc import Iterator
from contextlib import suppress

import pikepdf

MOST_FORMS = 200_000
"""Forms that one page may paint, those within forms counted. Maps and drawings of real life stay under a tenth."""


class NestingCheck:
    """Counts the forms that pages of one PDF paint; the PDF is opened at the first. Safe to use from several threads.

    A PDF that cannot be opened this way is not judged: the renderer may mend what this reader does not.
    """

    def __init__(self, data: bytes, password: str | None = None) -> None:
        self._unopened: bytes | None = data
        self._password = password
        self._lock = threading.Lock()
        self._pdf: pikepdf.Pdf | None = None
        self._counts: dict[tuple[int, int], int] = {}

    def forms_of(self, number: int) -> int:
        """Forms that page ``number`` (from 1) paints, up to one above ``MOST_FORMS``; 0 where that cannot be told, and
        after ``close()``."""
        with self._lock:
            self._open()
            if self._pdf is None:
                return 0
            try:
                page = self._pdf.pages[number - 1].obj
                return self._painted_by(page, page.get("/Resources"), [])
            except (pikepdf.PdfError, ValueError, TypeError, KeyError, IndexError, AttributeError, RuntimeError):
                return 0

    def close(self) -> None:
        """Free the file; calling it again does nothing."""
        with self._lock:
            self._unopened = None
            if self._pdf is not None:
                self._pdf.close()
                self._pdf = None

    def _open(self) -> None:
        if self._unopened is None:
            return
        data, self._unopened = self._unopened, None
        with suppress(pikepdf.PdfError, ValueError, OSError, RuntimeError):
            self._pdf = pikepdf.open(io.BytesIO(data), password=self._password or "")

    def _painted_by(
        self, drawing: pikepdf.Object, resources: pikepdf.Object | None, above: list[tuple[int, int]]
    ) -> int:
        forms = dict(_forms_in(resources))
        if not any(dict(_forms_in(form.get("/Resources"))) for form in forms.values()):
            return len(forms)  # they hold no others: as much as the file's own length says
        total = 0
        for instruction in pikepdf.parse_content_stream(drawing, "Do"):
            form = forms.get(str(instruction.operands[0])) if instruction.operands else None
            if form is not None:
                total += 1 + self._within(form, above)
                if total > MOST_FORMS:
                    return MOST_FORMS + 1
        return total

    def _within(self, form: pikepdf.Object, above: list[tuple[int, int]]) -> int:
        key = form.objgen
        if key in above:
            return MOST_FORMS + 1  # a circle, which a renderer follows down to a depth of its own
        if key not in self._counts:
            self._counts[key] = self._painted_by(form, form.get("/Resources"), [*above, key])
        return self._counts[key]


def _forms_in(resources: pikepdf.Object | None) -> Iterator[tuple[str, pikepdf.Object]]:
    """Names and forms of a dictionary of resources."""
    objects = resources.get("/XObject") if isinstance(resources, pikepdf.Dictionary) else None
    if not isinstance(objects, pikepdf.Dictionary):
        return
    for name in objects.keys():  # noqa: SIM118  a pikepdf dictionary yields its keys by this alone
        found = objects[name]
        if isinstance(found, pikepdf.Stream) and found.get("/Subtype") == pikepdf.Name.Form:
            yield name, found
