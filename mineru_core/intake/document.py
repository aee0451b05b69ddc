"""A document as pages, whatever it was handed in as."""

from __future__ import annotations

import hashlib
import re
import threading
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib.metadata import version
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self

import PIL
from PIL import Image
from pypdfium2.version import PYPDFIUM_INFO

from mineru_core.document.page import Page, Pixels, pixel_hash
from mineru_core.errors import FileTooLarge, InvalidRequest, NoPages, NotFound, TooManyPages, TruncatedImage
from mineru_core.intake.edge import EdgeFile
from mineru_core.intake.office import OfficeFile, office_fingerprint, open_office
from mineru_core.intake.pdf import PdfFile
from mineru_core.intake.picture import Picture, PictureFile, check_pixels, load_image, picture_of
from mineru_core.intake.sniffing import DOCX, EDGE, HEIC, OFFICE, PDF, PNG, PPTX, XLSX, sniff
from mineru_core.settings import Settings, load_settings

Source = str | Path | bytes | bytearray | memoryview | Image.Image

_MAX_NAME = 255
_ENDINGS = {PPTX: "pptx", DOCX: "docx", XLSX: "xlsx", EDGE: "edge"}

_DECODING = 2
"""Raised whenever this package would make other pixels of the same bytes."""


class _Reader(Protocol):
    """Where the pages of a document come from."""

    @property
    def page_count(self) -> int:
        """Pages in all."""

    def page(self, number: int) -> Page:
        """Page ``number``, which is in range."""

    def picture(self, number: int, width: int) -> Pixels:
        """Page ``number``, which is in range, for showing it ``width`` pixels wide."""

    def close(self) -> None:
        """Free what is held."""


class Document:
    """Pages of one uploaded file, made when they are asked for. Safe to use from several threads.

    ``name`` is the last part of the name it was handed in under, ``sha256`` the hex digest of the uploaded bytes (of
    the pixels, for a picture handed over as a PIL image), ``media_type`` what the bytes are. ``decoding`` names every
    setting and version that decides which pixels they become; None where a password or another picture's pixels do,
    too, so that knowing the bytes is not enough. ``edge`` is set where the file holds what was read of a document and
    not the document: name, hash and type are then that one's, as the file says.
    """

    def __init__(
        self,
        *,
        name: str,
        sha256: str,
        media_type: str,
        reader: _Reader,
        decoding: str | None = None,
        edge: EdgeFile | None = None,
    ) -> None:
        self.name = name
        self.sha256 = sha256
        self.media_type = media_type
        self.decoding = decoding
        self.edge = edge
        self._reader = reader

    @property
    def page_count(self) -> int:
        """Pages in all, at least 1."""
        return self._reader.page_count

    def page(self, n: int) -> Page:
        """Page ``n``, counted from 1. Raises ``NoPages`` where there is none of that number, ``CorruptPdf`` where it
        cannot be drawn, ``InvalidRequest`` after ``close()``."""
        if not 1 <= n <= self.page_count:
            raise NoPages(f"There is no page {n}; the document has {self.page_count}.")
        return self._reader.page(n)

    def picture(self, n: int, width: int) -> Pixels:
        """Page ``n`` as (height, width, 3) uint8 RGB to be shown ``width`` pixels wide: as wide as that or wider, but
        never wider than ``page`` gives it. Where pages are drawn, a small picture costs less than the page. Raises what
        ``page`` raises."""
        if not 1 <= n <= self.page_count:
            raise NoPages(f"There is no page {n}; the document has {self.page_count}.")
        return self._reader.picture(n, width)

    def pages(self) -> Iterator[Page]:
        """Every page in order, each made when its turn comes."""
        return (self.page(n) for n in range(1, self.page_count + 1))

    def close(self) -> None:
        """Free what it holds; calling it again does nothing."""
        self._reader.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def __repr__(self) -> str:
        return f"Document({self.name!r}, {self.media_type}, {self.page_count} pages)"


@dataclass(frozen=True, slots=True)
class Upload:
    """One file as it was handed in: ``name`` is clean, ``sha256`` that of ``data`` (hex), ``media_type`` what it is."""

    data: bytes
    name: str
    sha256: str
    media_type: str


def open_document(
    source: Source, *, name: str | None = None, password: str | None = None, settings: Settings | None = None
) -> Document:
    """Open a picture (PNG, JPEG, WebP, TIFF, BMP, GIF, HEIC, AVIF, JPEG 2000), a PDF or an Office file (PPTX, DOCX,
    XLSX), given as a path or as bytes, or a PIL image of any format.

    The type is told from the content. Pictures are decoded at once, so a damaged one is refused here; PDF pages, and
    the further pages of a TIFF, are made when they are asked for. ``name`` is what results are named after
    (default: the file's name).

    Raises ``EmptyFile``, ``UnsupportedType``, ``TruncatedImage``, ``CorruptPdf``, ``EncryptedPdf``, ``CorruptOffice``,
    ``EncryptedOffice``, ``NoPages``, ``FileTooLarge``, ``TooManyPixels`` or ``TooManyPages``; ``NotFound`` for a path
    that does not exist and ``InvalidRequest`` for one that is no readable file.
    """
    settings = settings if settings is not None else load_settings()
    if isinstance(source, Image.Image):
        return _open_image(source, name, settings)
    return open_upload(read_upload(source, name, settings), settings, password=password)


def read_upload(source: str | Path | bytes | bytearray | memoryview, name: str | None, settings: Settings) -> Upload:
    """The file of a path or buffer, its type told from its content, nothing of it decoded.

    Raises ``EmptyFile``, ``UnsupportedType``, ``EncryptedOffice``, ``FileTooLarge``, ``NotFound`` and
    ``InvalidRequest``.
    """
    limit = settings.limits.max_file_bytes
    if isinstance(source, str | Path):
        path = Path(source)
        data, name = _read(path, limit), path.name if name is None else name
    else:
        data = bytes(source)
    check_bytes(len(data), limit)
    media_type = sniff(data)
    return Upload(data, clean_name(name, media_type), hashlib.sha256(data).hexdigest(), media_type)


def open_upload(
    upload: Upload, settings: Settings, *, password: str | None = None, known_pages: int | None = None
) -> Document:
    """The file as a document. Raises what ``open_document`` does.

    ``known_pages`` is how many it has, where it has been opened with these settings and without a password before: it
    is then decoded only if a page is asked for.
    """
    if upload.media_type == EDGE:
        return _open_edge(upload, settings)
    reader: _Reader
    if known_pages is None:
        reader = _reader_of(upload, password, settings)
    else:
        reader = _LaterReader(partial(_reader_of, upload, password, settings), known_pages)
    return Document(
        name=upload.name,
        sha256=upload.sha256,
        media_type=upload.media_type,
        reader=reader,
        decoding=decoding_of(upload.media_type, settings) if password is None else None,
    )


def decoding_of(media_type: str, settings: Settings) -> str:
    """Every setting and version that decides which pixels bytes of this type become, or whether they are refused."""
    limits = settings.limits
    if media_type == PDF:
        options = f"dpi-{settings.pdf.dpi}/pages-{limits.max_pages}/pdfium-{PYPDFIUM_INFO.version}"
    elif media_type in OFFICE:
        options = f"pages-{limits.max_pages}/{office_fingerprint()}"
    elif media_type == EDGE:
        options = f"pages-{limits.max_pages}"
    elif media_type == HEIC:
        options = f"pages-{limits.max_pages}/heif-{version('pi-heif')}"
    else:
        options = f"pages-{limits.max_pages}/pillow-{PIL.__version__}"
    return f"{_DECODING}/{media_type}/bytes-{limits.max_file_bytes}/pixels-{limits.max_page_pixels}/{options}"


def check_bytes(count: int, limit: int) -> None:
    """Raise ``FileTooLarge`` where a file has more bytes than the limit."""
    if count > limit:
        raise FileTooLarge(f"The file has {count} bytes or more; at most {limit} are read.")


def clean_name(name: str | None, media_type: str) -> str:
    """The last part of a name or path of any platform, without control characters; a stand-in where none is left."""
    last = re.split(r"[/\\]", name or "")[-1]
    clean = "".join(c for c in last if c.isprintable()).strip()[-_MAX_NAME:]
    ending = _ENDINGS.get(media_type) or media_type.rpartition("/")[2].replace("jpeg", "jpg")
    return clean or f"document.{ending}"


def _reader_of(upload: Upload, password: str | None, settings: Settings) -> _Reader:
    if upload.media_type == PDF:
        return _PdfReader(upload.data, upload.name, password, settings)
    limits = settings.limits
    if upload.media_type in OFFICE:
        office = open_office(
            upload.data, upload.media_type, max_pixels=limits.max_page_pixels, max_pages=limits.max_pages
        )
        return _OfficeReader(office, upload.name)
    file = PictureFile(upload.data, upload.media_type, limits.max_page_pixels, limits.max_pages)
    return _PictureReader(file.picture, file.page_count, upload.name)


class _LaterReader:
    """Pages of bytes that were opened before, and are opened again when one is asked for."""

    def __init__(self, open_now: Callable[[], _Reader], page_count: int) -> None:
        self.page_count = page_count
        self._open_now = open_now
        self._reader: _Reader | None = None
        self._closed = False
        self._lock = threading.Lock()

    def page(self, number: int) -> Page:
        return self._opened().page(number)

    def picture(self, number: int, width: int) -> Pixels:
        return self._opened().picture(number, width)

    def _opened(self) -> _Reader:
        with self._lock:
            if self._closed:
                raise InvalidRequest("The document is closed.", "Open it again.")
            if self._reader is None:
                self._reader = self._open_now()
            return self._reader

    def close(self) -> None:
        with self._lock:
            self._closed = True
            if self._reader is not None:
                self._reader.close()


class _PictureReader:
    """The pages of a picture file. The latest page is kept, so that asking again makes nothing anew."""

    def __init__(self, picture: Callable[[int], Picture], page_count: int, source: str) -> None:
        self.page_count = page_count
        self._picture: Callable[[int], Picture] | None = picture
        self._source = source
        self._page: Page | None = None
        self._lock = threading.Lock()

    def page(self, number: int) -> Page:
        with self._lock:
            if self._picture is None:
                raise InvalidRequest("The document is closed.", "Open it again.")
            if self._page is None or self._page.number != number:
                picture = self._picture(number)
                self._page = Page(
                    pixels=picture.pixels,
                    source=self._source,
                    number=number,
                    dpi=picture.dpi,
                    transform=picture.transform,
                )
            return self._page

    def picture(self, number: int, width: int) -> Pixels:  # noqa: ARG002  it is decoded whole in any case
        return self.page(number).pixels

    def close(self) -> None:
        with self._lock:
            self._picture = self._page = None


class _PdfReader:
    """Pages of a PDF, drawn when asked for."""

    def __init__(self, data: bytes, source: str, password: str | None, settings: Settings) -> None:
        self._file = PdfFile(data, password)
        self._source = source
        self._settings = settings
        if self.page_count > settings.limits.max_pages:
            self.close()
            raise TooManyPages(
                f"The document has {self.page_count} pages; at most {settings.limits.max_pages} are read."
            )

    @property
    def page_count(self) -> int:
        return self._file.page_count

    def page(self, number: int) -> Page:
        return self._file.page(
            number, self._source, dpi=self._settings.pdf.dpi, max_pixels=self._settings.limits.max_page_pixels
        )

    def picture(self, number: int, width: int) -> Pixels:
        return self._file.picture(
            number, width, dpi=self._settings.pdf.dpi, max_pixels=self._settings.limits.max_page_pixels
        )

    def close(self) -> None:
        self._file.close()


class _OfficeReader:
    """Pages of an Office file, drawn when asked for."""

    def __init__(self, file: OfficeFile, source: str) -> None:
        self._file = file
        self._source = source

    @property
    def page_count(self) -> int:
        return self._file.page_count

    def page(self, number: int) -> Page:
        return self._file.page(number, self._source)

    def picture(self, number: int, width: int) -> Pixels:  # noqa: ARG002
        return self.page(number).pixels

    def close(self) -> None:
        self._file.close()


def _open_image(image: Image.Image, name: str | None, settings: Settings) -> Document:
    """A picture that is decoded already, or that Pillow decodes now."""
    check_pixels(image.size, settings.limits.max_page_pixels)
    if 0 in image.size:
        raise TruncatedImage("The picture has no pixels.", "Hand over a picture that is at least 1 × 1.")
    picture = picture_of(load_image(image))
    clean = clean_name(name or str(getattr(image, "filename", "")), PNG)
    return Document(
        name=clean,
        sha256=pixel_hash(picture.pixels),
        media_type=PNG,
        reader=_PictureReader(lambda _number: picture, 1, clean),
    )


def _open_edge(upload: Upload, settings: Settings) -> Document:
    """What was read of a document elsewhere. Whose hash and type it is said to have may be anybody's: what is kept of
    it goes by its own bytes."""
    edge = EdgeFile(upload.data, settings.limits, upload.name)
    return Document(
        name=upload.name,
        sha256=edge.document.sha256,
        media_type=edge.document.media_type,
        reader=edge,
        decoding=f"{decoding_of(EDGE, settings)}/{upload.sha256}",
        edge=edge,
    )


def _read(path: Path, limit: int) -> bytes:
    """The file's bytes; one more than ``limit`` at most, so that neither a huge file nor an endless device fills the
    memory before it is refused."""
    try:
        with path.open("rb") as file:
            size = path.stat().st_size
            check_bytes(size, limit)
            return file.read(limit + 1)
    except FileNotFoundError as error:
        raise NotFound(f"There is no file {path.name!r}.", "Check the path.") from error
    except IsADirectoryError as error:
        raise InvalidRequest(f"{path.name!r} is a folder.", "Give the files in it one by one.") from error
    except (OSError, ValueError) as error:
        raise InvalidRequest(f"The file {path.name!r} cannot be opened.", "Check that you may read it.") from error
