from __future__ import annotations

import io
import re
import secrets
from pathlib import Path
from zipfile import ZipFile

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.errors import EmptyFile, UnsupportedType
from mineru_core.intake import JPEG, PDF, PICTURES, PNG, sniff, sniff_file
from mineru_core.intake.sniffing import AVIF, BMP, DOCX, GIF, HEIC, JPEG2000, PPTX, TIFF, WEBP, XLSX
from tests.documents import draw_lines, jpeg_bytes, picture_bytes, png_bytes, table_pdf

PICTURE = draw_lines(("Total",))


def written(folder: Path, data: bytes) -> Path:
    path = folder / "upload"
    path.write_bytes(data)
    return path


@pytest.mark.parametrize(
    ("data", "media_type"),
    [
        (png_bytes(PICTURE), PNG),
        (jpeg_bytes(PICTURE), JPEG),
        *(
            (picture_bytes(PICTURE, form), media_type)
            for form, media_type in (
                ("WEBP", WEBP),
                ("GIF", GIF),
                ("BMP", BMP),
                ("TIFF", TIFF),
                ("AVIF", AVIF),
                ("JPEG2000", JPEG2000),
            )
        ),
        (b"MM\0*\0\0\0\x08", TIFF),
        (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", HEIC),
        (b"\0\0\0\x1cftypmif1\0\0\0\0mif1avifmiaf", AVIF),
        (table_pdf(), PDF),
        (b"Content-Type: application/pdf\r\n\r\n" + table_pdf(), PDF),
        (b"\xef\xbb\xbf" + table_pdf(), PDF),
    ],
)
def test_names_the_types_that_can_be_read(tmp_path: Path, data: bytes, media_type: str) -> None:
    assert sniff(data) == media_type
    assert sniff_file(written(tmp_path, data)) == media_type


@pytest.mark.parametrize(
    ("data", "name", "hint"),
    [
        (b"\0\0\0\x18ftypisom\0\0\0\0", "video", "PDF"),
        (b"RIFF\x24\0\0\0WAVEfmt ", "sound", "PDF"),
        (b"PK\x03\x04\x14\0\0\0\x08\0xl/workbook.bin", "XLSB", "XLSX"),
        (b"PK\x03\x04\x14\0\0\0\x08\0OFD.xml", "OFD", "PDF"),
        (b"PK\x03\x04\x14\0\0\0\x08\0photo.jpg", "ZIP", "Unpack"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(20), "DOC", "PDF"),
        (b"{\\rtf1\\ansi", "RTF", "PDF"),
        (b"<!DOCTYPE html><title>x</title>", "HTML", "PDF"),
        (b'<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>', "SVG", "PNG"),
        (b"BMW cars, and their prices", "text file", "picture"),
        ("发票号码，金额\r\n".encode(), "text file", "picture"),
        (b"\x93\xfa\xff\x00\x01", "neither", "picture"),
    ],
)
def test_names_the_other_type_and_the_way_out(tmp_path: Path, data: bytes, name: str, hint: str) -> None:
    with pytest.raises(UnsupportedType) as refused:
        sniff(data)
    assert name in refused.value.message
    assert hint in refused.value.hint
    with pytest.raises(UnsupportedType, match=re.escape(refused.value.message)):
        sniff_file(written(tmp_path, data))


@pytest.mark.parametrize("size", [300, 300_000])
def test_an_office_file_is_told_by_its_end_however_long_it_is(tmp_path: Path, size: int) -> None:
    packed = io.BytesIO()
    with ZipFile(packed, "w") as archive:
        archive.writestr("media/photo.png", secrets.token_bytes(size))
        archive.writestr("[Content_Types].xml", "")
        archive.writestr("xl/workbook.xml", "")
    assert sniff_file(written(tmp_path, packed.getvalue())) == XLSX


@pytest.mark.parametrize(
    ("name", "media_type"), [("word/document.xml", DOCX), ("xl/workbook.xml", XLSX), ("ppt/presentation.xml", PPTX)]
)
def test_an_office_file_that_was_cut_off_is_told_by_its_start(name: str, media_type: str) -> None:
    assert sniff(b"PK\x03\x04\x14\0\0\0\x08\0" + name.encode()) == media_type


def test_refuses_no_bytes() -> None:
    with pytest.raises(EmptyFile):
        sniff(b"")


def test_a_text_whose_last_character_is_cut_is_a_text() -> None:
    with pytest.raises(UnsupportedType, match="text file"):
        sniff(("a" + "字" * 1000).encode())


@given(st.binary(min_size=1, max_size=300))
def test_any_bytes_have_a_type_or_are_refused(data: bytes) -> None:
    try:
        media_type = sniff(data)
    except UnsupportedType:
        return
    assert media_type in {*PICTURES, PDF}
