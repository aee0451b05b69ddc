from __future__ import annotations

import gc
import threading
from concurrent.futures import ThreadPoolExecutor

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.document.geometry import Box
from mineru_core.document.page import Page
from mineru_core.errors import CorruptPdf, EncryptedPdf, InvalidRequest, NoPages, Overloaded
from mineru_core.intake import open_document
from mineru_core.intake import pdf as pdf_module
from mineru_core.intake.pdf import PdfFile
from tests.documents import PdfPage, PdfText, draw_lines, encrypted_pdf, scanned_pdf, table_pdf, text_pdf

LIMIT = 50_000_000


def render(data: bytes, number: int = 1, *, dpi: float = 150.0, max_pixels: int = LIMIT) -> Page:
    file = PdfFile(data)
    try:
        return file.page(number, "test.pdf", dpi, max_pixels)
    finally:
        file.close()


def words(page: Page) -> list[str]:
    return [w.text for w in page.text_layer or ()]


def ink(page: Page) -> Box:
    """The box around everything dark."""
    ys, xs = np.nonzero(page.pixels.min(axis=2) < 128)
    return Box(float(xs.min()), float(ys.min()), float(xs.max() + 1), float(ys.max() + 1))


def test_a_page_is_drawn_at_the_resolution_with_its_words() -> None:
    page = render(table_pdf())
    assert page.pixels.shape == (1650, 1275, 3)
    assert page.dpi == pytest.approx(150)
    assert words(page)[:6] == ["Delivery", "note", "2024", "Item", "Qty", "Price"]
    assert not page.pixels.flags.writeable


@pytest.mark.parametrize("rotate", [0, 90])
def test_a_small_picture_shows_the_page(rotate: int) -> None:
    data = text_pdf([PdfPage([PdfText("Invoice 2024")], rotate=rotate)])
    with open_document(data) as document:
        page = document.page(1)
        small = document.picture(1, 170)
        height = round(page.pixels.shape[0] * 170 / page.pixels.shape[1])
        assert small.shape[:2] == (pytest.approx(height, abs=1), pytest.approx(170, abs=1))
        shrunk = cv2.resize(page.pixels, small.shape[1::-1], interpolation=cv2.INTER_AREA)
        assert np.abs(shrunk.astype(int) - small.astype(int)).mean() < 2.0
        assert document.picture(1, 100_000).shape == page.pixels.shape
        with pytest.raises(NoPages):
            document.picture(2, 100)


def test_a_scan_has_no_text_layer() -> None:
    page = render(scanned_pdf([draw_lines(("Total amount",))]))
    assert page.text_layer is None
    assert ink(page).width > 100


@pytest.mark.parametrize("rotate", [0, 90, 180, 270])
@pytest.mark.parametrize("crop", [None, (50.0, 100.0, 450.0, 780.0)])
def test_words_lie_on_their_ink_however_the_page_is_turned_and_cropped(
    rotate: int, crop: tuple[float, float, float, float] | None
) -> None:
    # (200, 600) from the bottom left; the word's own size is known from the upright page.
    data = text_pdf([PdfPage([PdfText("Hxxxx", 200, 600, 40)], rotate=rotate, crop=crop)])
    page = render(data)
    assert page.text_layer is not None
    (word,) = page.text_layer
    assert word.text == "Hxxxx"
    dark = ink(page)
    assert np.allclose(word.box, dark, atol=3)
    left, top = (0.0, 792.0) if crop is None else (crop[0], crop[3])
    source = page.transform.to_source(word.box)
    assert source.x0 == pytest.approx(200 - left, abs=4)
    assert source.y1 == pytest.approx(top - 600, abs=2)
    width, height = (612.0, 792.0) if crop is None else (400.0, 680.0)
    assert (page.transform.source_width, page.transform.source_height) == (width, height)
    assert page.transform.quarter_turns == rotate // 90
    assert (page.width > page.height) == (rotate in (90, 270))


def test_words_outside_the_page_are_left_out() -> None:
    inside, outside = PdfText("inside", 100, 500), PdfText("outside", 100, 900)
    assert words(render(text_pdf([PdfPage([inside, outside])]))) == ["inside"]


def test_words_far_apart_or_on_other_lines_stay_apart() -> None:
    texts = [PdfText("12", 100, 500), PdfText("34", 300, 500), PdfText("56", 100, 300)]
    assert words(render(text_pdf([PdfPage(texts)]))) == ["12", "34", "56"]


@given(
    width=st.floats(1, 14_400), height=st.floats(1, 14_400), dpi=st.sampled_from([36, 150, 600]), limit=st.just(20_000)
)
@settings(deadline=None)
def test_huge_pages_are_drawn_smaller_but_never_beyond_the_limit(
    width: float, height: float, dpi: int, limit: int
) -> None:
    page = render(text_pdf([PdfPage(width=round(width, 2), height=round(height, 2))]), dpi=dpi, max_pixels=limit)
    assert page.width * page.height <= limit
    assert page.dpi is not None
    assert page.dpi <= dpi + 1e-6
    wanted = (width * dpi / 72) * (height * dpi / 72)
    if wanted > limit and max(width, height) < 20 * min(width, height):
        # No smaller than needed either.
        assert page.width * page.height > 0.8 * limit


@given(
    rotate=st.sampled_from([0, 90, 180, 270]),
    x0=st.floats(0, 300),
    y0=st.floats(0, 300),
    w=st.floats(0, 300),
    h=st.floats(0, 300),
)
@settings(deadline=None, max_examples=20)
def test_boxes_lead_to_the_source_and_back(rotate: int, x0: float, y0: float, w: float, h: float) -> None:
    page = render(text_pdf([PdfPage(width=300, height=400, rotate=rotate)]), dpi=72)
    box = Box(x0, y0, x0 + w, y0 + h)
    source = page.transform.to_source(box)
    assert np.allclose(page.transform.from_source(source), box, atol=1e-6)
    assert np.allclose((source.width, source.height), (h, w) if rotate in (90, 270) else (w, h), atol=1e-6)


def test_a_password_is_asked_for_and_opens() -> None:
    data = encrypted_pdf("secret")
    for none in (None, ""):
        with pytest.raises(EncryptedPdf, match="protected"):
            PdfFile(data, none)
    for wrong in ("Secret", "密码", "\ud800"):
        with pytest.raises(EncryptedPdf, match="password"):
            PdfFile(data, wrong)
    file = PdfFile(data, "secret")
    assert words(file.page(1, "x", 72, LIMIT)) == ["Locked", "away"]
    file.close()


def test_a_needless_password_does_no_harm() -> None:
    PdfFile(table_pdf(), "secret").close()


def test_no_pages_and_damage_are_told_apart_whatever_failed_before() -> None:
    with pytest.raises(EncryptedPdf):
        PdfFile(encrypted_pdf("secret"))
    with pytest.raises(NoPages):
        PdfFile(text_pdf([]))
    for damaged in (b"%PDF-1.7\nnothing", table_pdf()[:300]):
        with pytest.raises(CorruptPdf):
            PdfFile(damaged)


def test_one_broken_page_does_not_take_the_others_along() -> None:
    data = text_pdf([PdfPage([PdfText(f"page{i}")]) for i in range(3)])
    # The second page is object 6; made an array it is no page any more.
    broken = data.replace(b"6 0 obj\n<< /Type /Page ", b"6 0 obj\n[] % /Type /Page ")
    file = PdfFile(broken)
    assert file.page_count == 3
    assert words(file.page(1, "x", 72, LIMIT)) == ["page0"]
    with pytest.raises(CorruptPdf, match="Page 2"):
        file.page(2, "x", 72, LIMIT)
    assert words(file.page(3, "x", 72, LIMIT)) == ["page2"]
    file.close()


def test_threads_get_the_same_pages_as_one_by_one() -> None:
    files = [PdfFile(text_pdf([PdfPage([PdfText(f"d{d}p{p}")]) for p in range(6)])) for d in range(2)]
    jobs = [(d, p) for p in range(1, 7) for d in range(2)] * 2
    alone = {job: files[job[0]].page(job[1], "x", 50, LIMIT) for job in set(jobs)}
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda job: files[job[0]].page(job[1], "x", 50, LIMIT), jobs))
    for job, page in zip(jobs, together, strict=True):
        assert page.sha256 == alone[job].sha256
        assert page.text_layer == alone[job].text_layer
    for file in files:
        file.close()


def test_close_is_idempotent_and_a_closed_file_says_so() -> None:
    file = PdfFile(table_pdf())
    file.close()
    file.close()
    with pytest.raises(InvalidRequest, match="closed"):
        file.page(1, "x", 72, LIMIT)


def test_files_that_are_dropped_are_closed_while_others_work() -> None:
    # The collector closes them from whatever thread it runs in, also while another is inside pdfium.
    def open_and_drop(number: int) -> list[str]:
        file = PdfFile(text_pdf([PdfPage([PdfText(f"n{number}")])]))
        file.cycle = file  # type: ignore[attr-defined]
        return words(file.page(1, "x", 36, LIMIT))

    with ThreadPoolExecutor(4) as pool:
        found = list(pool.map(open_and_drop, range(40)))
        gc.collect()
    assert found == [[f"n{i}"] for i in range(40)]


def test_nobody_waits_for_ever_for_a_pdf_that_keeps_the_reader_busy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pdf_module, "LOCK_WAIT_S", 0.01)
    busy, done = threading.Event(), threading.Event()

    def stay_inside() -> None:
        with pdf_module.PDFIUM_LOCK:
            busy.set()
            done.wait(20)

    file, dropped = PdfFile(table_pdf()), PdfFile(table_pdf())
    inside = threading.Thread(target=stay_inside)
    inside.start()
    try:
        assert busy.wait(20)
        with pytest.raises(Overloaded):
            PdfFile(table_pdf())
        with pytest.raises(Overloaded):
            file.page(1, "x", 72, LIMIT)
        dropped.close()  # comes back at once; the handle is closed by the next who is inside
        assert len(pdf_module._to_close) == 1
    finally:
        done.set()
        inside.join()
    assert file.page(1, "x", 72, LIMIT).width == 612
    assert not pdf_module._to_close
    file.close()


def test_filled_in_form_fields_are_drawn() -> None:
    data = text_pdf([PdfPage()])
    field = (
        b"<< /Type /Page /Parent 2 0 R /Annots [<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (Filled in) "
        b"/DA (/Helv 24 Tf 0 g) /Rect [100 600 400 640] /F 4 >>] "
    )
    form = b"/AcroForm << /Fields [] /NeedAppearances true /DA (/Helv 24 Tf 0 g) >> "
    data = data.replace(b"<< /Type /Page /Parent 2 0 R ", field).replace(b"/Catalog ", b"/Catalog " + form)
    assert ink(render(data)).width > 50
