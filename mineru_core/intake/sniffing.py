"""What sort of file some bytes are, told from the bytes alone: names and declared types are never believed."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from mineru_core.errors import EmptyFile, EncryptedOffice, UnsupportedType

PNG = "image/png"
JPEG = "image/jpeg"
WEBP = "image/webp"
GIF = "image/gif"
BMP = "image/bmp"
TIFF = "image/tiff"
HEIC = "image/heic"
AVIF = "image/avif"
JPEG2000 = "image/jp2"
PDF = "application/pdf"
PPTX = "application/vnd.openxmlformats-officedocument.presentationml.presentation"
DOCX = "application/vnd.openxmlformats-officedocument.wordprocessingml.document"
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

EDGE = "application/vnd.mineru-workbench.edge"
"""A document that was read at the edge, ``intake/edge.py``."""

EDGE_MARK = b"\x93MWEDGE\n"

OFFICE = frozenset({PPTX, DOCX, XLSX})
"""Types whose pages are drawn here; macros and templates of each are the same to read."""

PICTURES = frozenset({PNG, JPEG, WEBP, GIF, BMP, TIFF, HEIC, AVIF, JPEG2000})
"""Types that ``PictureFile`` reads."""

_PICTURE_MARKS = (
    (b"\x89PNG", PNG),
    (b"\xff\xd8", JPEG),
    (b"GIF8", GIF),
    (b"II*\0", TIFF),
    (b"MM\0*", TIFF),
    (b"II+\0", TIFF),
    (b"MM\0+", TIFF),
    (b"\0\0\0\x0cjP  ", JPEG2000),
    (b"\xff\x4f\xff\x51", JPEG2000),
)

# Readers accept a PDF whose header stands anywhere in the first kilobyte (mail gateways put lines in front of it).
_PDF_HEADER_WITHIN = 1024
_ZIP_NAMES_WITHIN = 64_000
_ZIP_MARK = b"PK\x03\x04"
_ZIP_END = b"PK\x05\x06"
_ZIP_END_WITHIN = 66_000


class _Kind(NamedTuple):
    """A file type that cannot be read: where its mark stands, its name, and the way out."""

    offset: int
    mark: bytes
    name: str
    hint: str


_AS_PICTURE = "Save or export it as PNG or JPEG."
_AS_PDF = "Open it in its program and save or print it as PDF."
_UNPACK = "Unpack it and upload the PNG, JPEG or PDF files inside."
_NO_DOCUMENT = "Upload a picture (PNG, JPEG …), a PDF or an Office file of the document."
_OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_AS_NEW_OFFICE = "Open it in its program and save it as PPTX, DOCX or XLSX, or as PDF."

_OTHER_KINDS = (
    _Kind(0, b"\0\0\0\x0cJXL ", "JPEG XL picture", _AS_PICTURE),
    _Kind(0, b"\xff\x0a", "JPEG XL picture", _AS_PICTURE),
    _Kind(0, b"8BPS", "Photoshop file", _AS_PICTURE),
    _Kind(0, b"\0\0\1\0", "icon", _AS_PICTURE),
    _Kind(0, b"AT&TFORM", "DjVu document", _AS_PDF),
    _Kind(0, b"%!PS", "PostScript file", _AS_PDF),
    _Kind(0, b"{\\rtf", "RTF document", _AS_PDF),
    _Kind(0, _OLD_OFFICE, "older Office document (DOC, XLS or PPT)", _AS_NEW_OFFICE),
    _Kind(0, b"Rar!", "RAR archive", _UNPACK),
    _Kind(0, b"7z\xbc\xaf\x27\x1c", "7z archive", _UNPACK),
    _Kind(0, b"\x1f\x8b", "gzip archive", _UNPACK),
    _Kind(0, b"BZh", "bzip2 archive", _UNPACK),
    _Kind(0, b"\xfd7zXZ", "xz archive", _UNPACK),
    _Kind(0, b"MZ", "program", _NO_DOCUMENT),
    _Kind(0, b"\x7fELF", "program", _NO_DOCUMENT),
    _Kind(0, b"ID3", "sound file", _NO_DOCUMENT),
    _Kind(0, b"OggS", "sound or video file", _NO_DOCUMENT),
    _Kind(0, b"\x1aE\xdf\xa3", "video file", _NO_DOCUMENT),
)

# Files in a ZIP container, by a name of one of their members.
_ZIP_KINDS = (
    (b"xl/workbook.bin", "binary Excel workbook (XLSB)", "Open it in its program and save it as XLSX."),
    (b"OFD.xml", "OFD document", "Open it in an OFD reader and export it as PDF."),
    (b"opendocument", "OpenDocument file (ODT, ODS or ODP)", _AS_PDF),
    (b"epub+zip", "EPUB book", _AS_PDF),
    (b"Index/Document.iwa", "Pages, Numbers or Keynote document", _AS_PDF),
)

# Office files by how the name of their main part begins.
_OFFICE_PARTS = ((b"ppt/presentation", PPTX), (b"word/document", DOCX), (b"xl/workbook.xml", XLSX))
_OFFICE_MARK = b"[Content_Types].xml"
_ENCRYPTED_MARK = "EncryptedPackage".encode("utf-16-le")

# Brands of the ISO media container (bytes 8 to 12, after "ftyp").
_HEIF_BRANDS = frozenset({b"heic", b"heix", b"hevc", b"heim", b"heis", b"hevm", b"mif1", b"msf1"})
_AVIF_BRANDS = frozenset({b"avif", b"avis"})
_BRANDS_WITHIN = 64
_BMP_HEADER_SIZES = frozenset({12, 16, 40, 52, 56, 64, 108, 124})


def sniff(data: bytes) -> str:
    """The media type of a picture, PDF or Office file; looks at a few places only and decodes nothing.

    Raises ``EmptyFile`` for no bytes, ``EncryptedOffice`` for an Office file behind a password and ``UnsupportedType``
    for everything else; its message names the type where it is known, its hint the way out.
    """
    if not data:
        raise EmptyFile("The file holds no bytes.")
    picture = _picture_type(data)
    if picture:
        return picture
    if data.startswith(b"%PDF-"):
        return PDF
    if data.startswith(EDGE_MARK):
        return EDGE
    office = _office_type(data)
    if office:
        return office
    name, hint = _other_kind(data)
    if name:
        raise UnsupportedType(refusal_of(name), hint)
    if b"%PDF-" in data[:_PDF_HEADER_WITHIN]:
        return PDF
    name, hint = _text_kind(data)
    if name:
        raise UnsupportedType(refusal_of(name), hint)
    raise UnsupportedType("The bytes are neither a picture, a PDF nor an Office file.")


def refusal_of(kind: str) -> str:
    """The message of the error for a kind of file that is known and cannot be read."""
    return f"This is a {kind}, which cannot be read."


def sniff_file(path: Path) -> str:
    """The same of a file on disk. Read as a whole are only files that may be Office's: their marks stand anywhere."""
    with path.open("rb") as file:
        data = file.read(_ZIP_NAMES_WITHIN)
        if data.startswith((_ZIP_MARK, _OLD_OFFICE)):
            data += file.read()
    return sniff(data)


def _picture_type(data: bytes) -> str:
    for mark, media_type in _PICTURE_MARKS:
        if data.startswith(mark):
            return media_type
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return WEBP
    if data[:2] == b"BM" and int.from_bytes(data[14:18], "little") in _BMP_HEADER_SIZES:
        return BMP
    if data[4:8] == b"ftyp":
        return _media_type(data)
    return ""


def _media_type(data: bytes) -> str:
    """HEIC or AVIF by the brands of an ISO media file: a general brand may stand before the one that tells."""
    length = min(int.from_bytes(data[:4], "big"), _BRANDS_WITHIN)
    brands = {data[8:12], *(data[i : i + 4] for i in range(16, length, 4))}
    if brands & _AVIF_BRANDS:
        return AVIF
    return HEIC if brands & _HEIF_BRANDS else ""


def _office_type(data: bytes) -> str:
    """The type of an Office file by the names in its ZIP directory; where that was cut off, by those at its start."""
    if data.startswith(_OLD_OFFICE) and _ENCRYPTED_MARK in data:
        raise EncryptedOffice("The Office file is encrypted with a password.")
    if not data.startswith(_ZIP_MARK):
        return ""
    directory = _zip_directory(data)
    if directory and _OFFICE_MARK not in directory:
        return ""
    names = directory or data[:_ZIP_NAMES_WITHIN]
    found = [(names.find(mark), media_type) for mark, media_type in _OFFICE_PARTS if mark in names]
    return min(found)[1] if found else ""


def _zip_directory(data: bytes) -> bytes:
    """The directory at the end of a ZIP; empty where it is cut off."""
    end = data.rfind(_ZIP_END, max(0, len(data) - _ZIP_END_WITHIN))
    if end < 0 or end + 20 > len(data):
        return b""
    size, offset = (int.from_bytes(data[end + at : end + at + 4], "little") for at in (12, 16))
    return data[offset : offset + size]


def _other_kind(data: bytes) -> tuple[str, str]:
    """Name and way out of a known binary type; empty texts where it is none."""
    if data.startswith(_ZIP_MARK):
        return _zip_kind(data[:_ZIP_NAMES_WITHIN])
    if data[:4] == b"RIFF":
        return "sound or video file", _NO_DOCUMENT
    if data[4:8] == b"ftyp":
        return "video or sound file", _NO_DOCUMENT
    for kind in _OTHER_KINDS:
        if data.startswith(kind.mark, kind.offset):
            return kind.name, kind.hint
    return "", ""


def _zip_kind(head: bytes) -> tuple[str, str]:
    for member, name, hint in _ZIP_KINDS:
        if member in head:
            return name, hint
    return "ZIP archive", _UNPACK


def _text_kind(data: bytes) -> tuple[str, str]:
    """Name and way out of text files; empty texts where the bytes are no text."""
    head = data[:_PDF_HEADER_WITHIN]
    start = head.lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    if b"<svg" in start:
        return "SVG drawing", _AS_PICTURE
    if start.startswith((b"<!doctype html", b"<html")):
        return "web page (HTML)", "Print the page to PDF in the browser."
    try:
        head.decode("utf-8")
    except UnicodeDecodeError as error:
        # A character cut at the end of the head is still text.
        if error.start < len(head) - 3:
            return "", ""
    if b"\0" in head:
        return "", ""
    return "text file", "It holds its text already; upload a picture or a PDF instead."
