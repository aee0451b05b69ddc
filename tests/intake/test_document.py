from __future__ import annotations

import hashlib
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from mineru_core.document.page import pixel_hash
from mineru_core.errors import (
    EmptyFile,
    FileTooLarge,
    InvalidRequest,
    NoPages,
    NotFound,
    TooManyPages,
    TooManyPixels,
    TruncatedImage,
    UnsupportedType,
    WorkbenchError,
)
from mineru_core.intake import JPEG, PDF, PNG, Document, open_document
from mineru_core.settings import LimitSettings, PdfSettings, Settings
from tests.documents import (
    TABLE_ROWS,
    PdfPage,
    PdfText,
    draw_lines,
    draw_table,
    jpeg_bytes,
    png_bytes,
    scanned_pdf,
    table_pdf,
    text_pdf,
)

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning:PIL")

PICTURE = draw_lines(("Total 42",), width=300)
SMALL = Settings(
    limits=LimitSettings(max_file_bytes=2_000_000, max_page_pixels=600_000, max_pages=5), pdf=PdfSettings(dpi=72)
)


def limits(**values: int) -> Settings:
    return Settings(limits=LimitSettings(**values))


@pytest.mark.parametrize("kind", [str, Path])
def test_opens_a_path(kind: Callable[[Path], str | Path], tmp_path: Path) -> None:
    path = tmp_path / "发票 1.jpg"
    path.write_bytes(png_bytes(PICTURE))
    with open_document(kind(path)) as document:
        assert document.name == "发票 1.jpg"
        assert document.media_type == PNG
        assert document.page_count == 1
        assert document.page(1).source == "发票 1.jpg"
        assert document.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


@pytest.mark.parametrize("kind", [bytes, bytearray, memoryview])
def test_opens_bytes(kind: type) -> None:
    data = png_bytes(PICTURE)
    with open_document(kind(data)) as document:
        assert np.array_equal(document.page(1).pixels, np.asarray(PICTURE))
        assert document.sha256 == hashlib.sha256(data).hexdigest()


def test_opens_a_pil_image() -> None:
    with open_document(PICTURE.convert("LA"), name="shot") as document:
        page = document.page(1)
        assert (document.name, document.media_type, document.sha256) == ("shot", PNG, pixel_hash(page.pixels))
        assert page.pixels.shape == (*reversed(PICTURE.size), 3)


@pytest.mark.parametrize("mode", ["I", "F", "HSV", "YCbCr", "I;16"])
def test_opens_pil_images_of_rare_modes(mode: str) -> None:
    grey = Image.new("L", (4, 4), 255)
    image = (
        Image.new("I;16", (4, 4), 65535)
        if mode == "I;16"
        else (grey if mode in "IF" else grey.convert("RGB")).convert(mode)
    )
    with open_document(image) as document:
        assert (document.page(1).pixels >= 254).all()


def test_refuses_a_pil_image_without_pixels_and_one_beyond_the_limit() -> None:
    with pytest.raises(TruncatedImage):
        open_document(Image.new("RGB", (0, 5)))
    with pytest.raises(TooManyPixels):
        open_document(PICTURE, settings=limits(max_page_pixels=100))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        (None, "document.png"),
        ("", "document.png"),
        ("scan.png", "scan.png"),
        ("C:\\Users\\me\\scan.png", "scan.png"),
        ("../../etc/passwd", "passwd"),
        ("a\0b\n.png", "ab.png"),
        ("报表.png", "报表.png"),
        ("/", "document.png"),
    ],
)
def test_names_are_cleaned(name: str | None, expected: str) -> None:
    with open_document(png_bytes(PICTURE), name=name) as document:
        assert document.name == expected


def test_the_name_decides_nothing() -> None:
    with open_document(table_pdf(), name="photo.png") as document:
        assert document.media_type == PDF
    with open_document(jpeg_bytes(PICTURE), name="report.pdf") as document:
        assert document.media_type == JPEG


def test_pages_of_a_pdf_come_one_by_one() -> None:
    data = text_pdf([PdfPage([PdfText(f"page{i}")]) for i in range(1, 4)])
    with open_document(data, settings=SMALL) as document:
        found = [(p.number, [w.text for w in p.text_layer or ()]) for p in document.pages()]
    assert found == [(1, ["page1"]), (2, ["page2"]), (3, ["page3"])]


@pytest.mark.parametrize("number", [0, -1, 2, 99])
@pytest.mark.parametrize("data", [png_bytes(PICTURE), table_pdf()])
def test_a_page_that_is_not_there_is_named(data: bytes, number: int) -> None:
    with open_document(data) as document, pytest.raises(NoPages, match=str(number)):
        document.page(number)


@pytest.mark.parametrize("data", [png_bytes(PICTURE), table_pdf()])
def test_close_is_idempotent_and_a_closed_document_says_so(data: bytes) -> None:
    document = open_document(data)
    document.close()
    document.close()
    with pytest.raises(InvalidRequest, match="closed"):
        document.page(1)


def test_threads_share_a_picture() -> None:
    with open_document(png_bytes(PICTURE)) as document, ThreadPoolExecutor(4) as pool:
        pages = list(pool.map(lambda _: document.page(1), range(16)))
    assert all(page is pages[0] for page in pages)


def test_refuses_files_that_are_empty_missing_or_no_files(tmp_path: Path) -> None:
    empty = tmp_path / "empty.png"
    empty.touch()
    with pytest.raises(EmptyFile):
        open_document(empty)
    with pytest.raises(NotFound, match="missing"):
        open_document(tmp_path / "missing.png")
    with pytest.raises(InvalidRequest, match="folder"):
        open_document(tmp_path)
    with pytest.raises(InvalidRequest):
        open_document("a\0b.png")


def test_bytes_are_limited_before_they_are_read(tmp_path: Path) -> None:
    path = tmp_path / "big.pdf"
    with path.open("wb") as file:
        # A hole of a terabyte: reading it would take the machine down.
        file.truncate(10**12)
    with pytest.raises(FileTooLarge):
        open_document(path)
    with pytest.raises(FileTooLarge):
        open_document("/dev/zero", settings=limits(max_file_bytes=1000))
    data = png_bytes(PICTURE)
    with pytest.raises(FileTooLarge):
        open_document(data, settings=limits(max_file_bytes=len(data) - 1))
    open_document(data, settings=limits(max_file_bytes=len(data))).close()


def test_pages_are_limited() -> None:
    data = text_pdf([PdfPage()] * 3)
    with pytest.raises(TooManyPages, match="3 pages"):
        open_document(data, settings=limits(max_pages=2))
    open_document(data, settings=limits(max_pages=3)).close()


def test_a_huge_pdf_page_is_reduced_not_refused() -> None:
    data = text_pdf([PdfPage(width=5000, height=5000)])
    with open_document(data, settings=limits(max_page_pixels=10_000)) as document:
        assert document.page(1).width == pytest.approx(100, abs=2)


def test_errors_name_no_folders(tmp_path: Path) -> None:
    with pytest.raises(WorkbenchError) as refused:
        open_document(tmp_path / "missing.png")
    assert str(tmp_path) not in refused.value.message + refused.value.hint


def read_wholly(data: bytes) -> Document | None:
    """Open and draw every page; only errors of the tree may come out."""
    try:
        with open_document(data, settings=SMALL) as document:
            for number in range(1, document.page_count + 1):
                try:
                    page = document.page(number)
                except WorkbenchError:
                    continue
                assert page.width * page.height <= SMALL.limits.max_page_pixels
                for word in page.text_layer or ():
                    word.text.encode()
                    assert 0 <= word.box.x0 <= word.box.x1 <= page.width
                    assert 0 <= word.box.y0 <= word.box.y1 <= page.height
            return document
    except WorkbenchError:
        return None


@given(
    data=st.binary(max_size=400), start=st.sampled_from([b"", b"\x89PNG\r\n\x1a\n", b"\xff\xd8\xff\xe0", b"%PDF-1.7\n"])
)
@settings(deadline=None)
def test_any_bytes_are_a_document_or_a_typed_refusal(data: bytes, start: bytes) -> None:
    read_wholly(start + data)


VALID = {
    "png": png_bytes(draw_table(TABLE_ROWS)),
    "palette png": png_bytes(draw_table(TABLE_ROWS).convert("P"), transparency=3, dpi=(96, 96)),
    "jpeg": jpeg_bytes(draw_table(TABLE_ROWS), orientation=6),
    "progressive jpeg": jpeg_bytes(draw_lines(("abc",)), progressive=True),
    "text pdf": text_pdf([PdfPage([PdfText("Hello world")], rotate=90), PdfPage([PdfText("Two")])]),
    "table pdf": table_pdf(),
    "scanned pdf": scanned_pdf([draw_lines(("abc",))]),
}


@given(
    name=st.sampled_from(sorted(VALID)),
    # Damage near the start meets headers and tables, damage anywhere meets data.
    flips=st.lists(st.tuples(st.one_of(st.integers(0, 700), st.integers(0, 10**6)), st.integers(0, 255)), max_size=8),
    keep=st.one_of(st.just(1.0), st.floats(0, 1)),
)
@settings(deadline=None, max_examples=250)
def test_damaged_documents_are_read_or_refused(name: str, flips: list[tuple[int, int]], keep: float) -> None:
    data = bytearray(VALID[name])
    for place, value in flips:
        data[place % len(data)] = value
    read_wholly(bytes(data[: int(len(data) * keep)]))


@pytest.mark.parametrize("name", sorted(VALID))
def test_the_undamaged_ones_are_read(name: str) -> None:
    assert read_wholly(VALID[name]) is not None


def test_other_types_are_refused_by_name_of_the_type() -> None:
    with pytest.raises(UnsupportedType, match="Photoshop"):
        open_document(b"8BPS\0\1", name="photo.png")
