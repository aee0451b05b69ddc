"""Drawings within drawings: counted before they are drawn."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor

import pikepdf
import pytest

from mineru_core.errors import CorruptPdf
from mineru_core.intake import open_document
from mineru_core.intake import pdf as pdf_module
from mineru_core.intake.nesting import MOST_FORMS, NestingCheck


def nested(levels: int, times: int, *, circle: bool = False) -> bytes:
    """A page that paints a form ``times`` times, which paints another as often, and so on."""
    with pikepdf.new() as pdf:
        pdf.add_blank_page(page_size=(200, 200))
        inner = pdf.make_indirect(_form(pdf, b"0 0 10 10 re f"))
        deepest = inner
        for _ in range(levels - 1):
            outer = pdf.make_indirect(_form(pdf, b"/F0 Do " * times))
            outer.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary({"/F0": inner}))
            inner = outer
        if circle:
            deepest.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary({"/F0": inner}))
            deepest.write(b"/F0 Do")
        page = pdf.pages[0]
        page.obj.Resources = pikepdf.Dictionary(XObject=pikepdf.Dictionary({"/F0": inner}))
        page.obj.Contents = pikepdf.Stream(pdf, b"/F0 Do " * times)
        out = io.BytesIO()
        pdf.save(out)
    return out.getvalue()


def _form(pdf: pikepdf.Pdf, content: bytes) -> pikepdf.Stream:
    return pikepdf.Stream(pdf, content, Type=pikepdf.Name.XObject, Subtype=pikepdf.Name.Form, BBox=[0, 0, 200, 200])


@pytest.mark.parametrize(("levels", "times", "count"), [(1, 1, 1), (2, 3, 3 * 2), (3, 4, 4 * (1 + 4 * 2)), (12, 1, 12)])
def test_forms_are_counted(levels: int, times: int, count: int) -> None:
    # The innermost forms hold no others and are counted by their names, not by how often they are painted.
    assert NestingCheck(nested(levels, times)).forms_of(1) == count


def test_a_page_that_would_take_hours_is_refused_at_once() -> None:
    data = nested(12, 12)
    assert len(data) < 10_000
    assert NestingCheck(data).forms_of(1) > MOST_FORMS
    with open_document(data, name="bomb.pdf") as document, pytest.raises(CorruptPdf, match="nests"):
        document.page(1)


def test_counting_does_not_wait_for_other_pdfs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_module, "LOCK_WAIT_S", 0.01)
    bomb = nested(12, 12)
    with open_document(bomb, name="a.pdf") as document, ThreadPoolExecutor(1) as pool, pdf_module.PDFIUM_LOCK:
        refused = pool.submit(document.page, 1).exception(20)
    assert isinstance(refused, CorruptPdf)


def test_a_circle_is_refused() -> None:
    with open_document(nested(4, 2, circle=True), name="a.pdf") as document, pytest.raises(CorruptPdf, match="nests"):
        document.page(1)


@pytest.mark.parametrize(("levels", "times"), [(20, 1), (3, 20), (2, 200)])
def test_deep_and_wide_drawings_are_drawn(levels: int, times: int) -> None:
    with open_document(nested(levels, times), name="a.pdf") as document:
        assert document.page(1).width > 0


def test_what_cannot_be_opened_is_not_judged() -> None:
    check = NestingCheck(b"%PDF-1.7\nnothing")
    assert check.forms_of(1) == 0
    check.close()
    check.close()


def test_after_closing_nothing_is_counted() -> None:
    check = NestingCheck(nested(2, 3))
    assert check.forms_of(1) > 0
    check.close()
    assert check.forms_of(1) == 0
