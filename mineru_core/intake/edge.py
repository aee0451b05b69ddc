"""The file a document read at the edge travels in and is kept as: what was read of it, packed, and its pictures.

    mark | length | EdgeDocument, packed into columns | length | picture | length | picture …

It comes from anybody, so it is held to limits before it becomes a model, and to the model before anything is done
with it.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from typing import Any

import cv2
import numpy as np
from pydantic import ValidationError

from mineru_core.document.edge import LARGEST_PLACE, EdgeDocument
from mineru_core.document.page import Page, Pixels
from mineru_core.errors import FileTooLarge, InvalidRequest, NotFound, TooManyPages, TooManyPixels
from mineru_core.intake.columns import packed, parsed, unpacked
from mineru_core.intake.picture import PictureFile
from mineru_core.intake.sniffing import EDGE_MARK, PICTURES, sniff
from mineru_core.settings import LimitSettings

MOST_UNPACKED = 24 << 20
"""Bytes of an unpacked document: some 300 pages of dense text."""
MOST_CELLS = 1_000_000
"""Places on the grids of all tables together."""
LARGEST_INTEGER = 1_000_000_000
_PLACES = ("box", "quad", "place")
_TOLD = 5
_LENGTH = struct.Struct("<I")
_HINT = "Send what Client(edge=True) of this version makes, or see EdgeDocument in the description of the API."


def write_edge_file(document: EdgeDocument, pictures: Sequence[bytes] = ()) -> bytes:
    """The file of a document read at the edge. Equal documents make equal bytes.

    Raises ``FileTooLarge`` where it has more than would be taken.
    """
    tree = document.model_dump(mode="json", exclude_defaults=True) | {"version": document.version}
    try:
        data = packed(tree, MOST_UNPACKED)
    except OverflowError as error:
        raise FileTooLarge(
            "What was read of the document is more than may be sent at once.", "Ask for fewer pages at once."
        ) from error
    return b"".join([EDGE_MARK, *(_LENGTH.pack(len(part)) + part for part in (data, *pictures))])


def edge_document_of(data: bytes, limits: LimitSettings) -> EdgeDocument:
    """The document that a caller sent as JSON, checked as one in a file is. Raises what ``EdgeFile`` does."""
    if len(data) > MOST_UNPACKED:
        raise FileTooLarge(f"The document has {len(data):,} bytes; at most {MOST_UNPACKED:,} are taken as JSON.")
    try:
        tree = parsed(data)
    except ValueError as error:
        raise _invalid("it is no JSON") from error
    return _document(tree, limits)


class EdgeFile:
    """A document read at the edge, with its pictures. Safe to use from several threads.

    Raises ``InvalidRequest`` for bytes that are none, or that say what cannot be; ``TooManyPages``, ``TooManyPixels``
    and ``FileTooLarge`` beyond the limits. Pictures are decoded when they are asked for.
    """

    def __init__(self, data: bytes, limits: LimitSettings, source: str = "") -> None:
        self._limits, self._source = limits, source
        parts = list(_parts(data))
        if not parts:
            raise _invalid("it holds nothing")
        try:
            tree = unpacked(parts[0], MOST_UNPACKED)
        except ValueError as error:
            raise _invalid(str(error)) from error
        self.document = _document(tree, limits)
        self._pictures = parts[1:]
        if len(self._pictures) != len(self.document.pictures):
            raise _invalid(f"it names {len(self.document.pictures)} pictures and holds {len(self._pictures)}")

    @property
    def page_count(self) -> int:
        """Pages of the document, read or not."""
        return self.document.page_count

    @property
    def has_pictures(self) -> bool:
        """Whether there is a picture of every page that was read."""
        shown = {picture.page for picture in self.document.pictures if picture.block is None}
        return shown >= {page.number for page in self.document.pages}

    def page(self, number: int) -> Page:
        """The picture of the page, as large as the page was. Raises ``NotFound`` where it did not come along, and what
        decoding it does."""
        found = self.document.page(number)
        for index, picture in enumerate(self.document.pictures):
            if found is not None and picture.page == number and picture.block is None:
                pixels = _enlarged(self.picture_page(index).pixels, found.width, found.height)
                return Page(pixels, self._source, number, picture.dpi, sha256=found.sha256)
        raise NotFound("The document was sent without the pictures of its pages.", "Send them along, or the document.")

    def picture(self, number: int, width: int) -> Pixels:  # noqa: ARG002
        """Page ``number`` to be shown. Raises what ``page`` does."""
        return self.page(number).pixels

    def picture_page(self, index: int) -> Page:
        """A picture of the document's list as a page of its own, with the number of the page that it is of. Raises what
        decoding it does."""
        data, picture = self._pictures[index], self.document.pictures[index]
        media_type = sniff(data)
        if media_type not in PICTURES:
            raise InvalidRequest("What came as a picture is none.", _HINT)
        file = PictureFile(data, media_type, self._limits.max_page_pixels, 1)
        return Page(file.picture(1).pixels, self._source, picture.page)

    def close(self) -> None:
        """Let go of the pictures."""
        self._pictures = []


def _parts(data: bytes) -> Iterator[bytes]:
    at = len(EDGE_MARK)
    if not data.startswith(EDGE_MARK):
        raise _invalid("it does not begin as one")
    while at < len(data):
        start = at + _LENGTH.size
        if start > len(data):
            raise _invalid("it ends early")
        at = start + _LENGTH.unpack(data[at:start])[0]
        if at > len(data):
            raise _invalid("it ends early")
        yield data[start:at]


def _document(tree: Any, limits: LimitSettings) -> EdgeDocument:
    """The model of a value, after a look at what a model does not bound."""
    _check_tree(tree)
    try:
        document = EdgeDocument.model_validate(tree)
    except ValidationError as error:
        faults = [f"{'.'.join(map(str, e['loc']))[:100]}: {e['msg'][:100]}" for e in error.errors(include_input=False)]
        raise _invalid("; ".join(faults[:_TOLD])) from error
    if document.page_count > limits.max_pages:
        raise TooManyPages(f"The document has {document.page_count} pages; at most {limits.max_pages} are read.")
    for page in document.pages:
        if page.width * page.height > limits.max_page_pixels:
            raise TooManyPixels(f"Page {page.number} has more than {limits.max_page_pixels:,} pixels.")
    return document


def _check_tree(tree: Any) -> None:
    """Raise ``InvalidRequest`` for texts that cannot be written, for numbers and places beyond all pages, and for
    tables whose grids a few bytes make endless."""
    cells = 0
    waiting = [tree]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            waiting.extend(value.values())
            waiting.extend(value)
            cells += _cells(value)
            for name in _PLACES:
                _check_place(value.get(name))
        elif isinstance(value, list):
            waiting.extend(value)
        elif isinstance(value, str):
            if not value.isascii() and any("\ud800" <= c <= "\udfff" for c in value):
                raise _invalid("a text holds half a character")
        elif isinstance(value, int) and abs(value) > LARGEST_INTEGER:
            raise _invalid("a number is too large")
        if cells > MOST_CELLS:
            raise _invalid(f"its tables have more than {MOST_CELLS:,} cells")


def _cells(value: dict[str, Any]) -> int:
    rows, columns = value.get("n_rows"), value.get("n_cols")
    if rows is None and columns is None:
        return 0
    if not isinstance(rows, int) or not isinstance(columns, int):
        raise _invalid("the size of a table is no number")
    # A table of no columns and endless rows has no cells either, and is written row by row.
    return max(rows, 1) * max(columns, 1)


def _check_place(value: Any) -> None:
    for one in value if isinstance(value, list) else ():
        if isinstance(one, list):
            _check_place(one)
        elif isinstance(one, int | float) and abs(one) > LARGEST_PLACE:
            raise _invalid("something lies beyond all pages")


def _enlarged(pixels: Pixels, width: int, height: int) -> Pixels:
    if pixels.shape[:2] == (height, width):
        return pixels
    return cv2.resize(pixels, (width, height), interpolation=cv2.INTER_CUBIC).astype(np.uint8, copy=False)


def _invalid(why: str) -> InvalidRequest:
    return InvalidRequest(f"The document read at the edge cannot be taken: {why}.", _HINT)
