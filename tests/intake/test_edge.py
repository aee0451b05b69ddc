"""The file of a document read at the edge: what is written comes back, and what is hostile is refused."""

from __future__ import annotations

import copy
import json
import struct
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.analysis import PageFailure
from mineru_core.document.edge import MOST_ABREAST, MOST_LINES, EdgeDocument, EdgePage, EdgePicture, EdgeReading
from mineru_core.document.geometry import Box, Quad
from mineru_core.document.parts import Line, LineWord, Part, PartReading
from mineru_core.document.table import Table
from mineru_core.errors import FileTooLarge, InvalidRequest, NotFound, TooManyPages, TooManyPixels, WorkbenchError
from mineru_core.intake import open_document
from mineru_core.intake.columns import packed
from mineru_core.intake.edge import MOST_CELLS, MOST_UNPACKED, EdgeFile, edge_document_of, write_edge_file
from mineru_core.intake.sniffing import EDGE_MARK
from mineru_core.settings import LimitSettings, Settings
from tests.documents import draw_lines, png_bytes

LIMITS = LimitSettings()
PICTURE = png_bytes(draw_lines(["a"], width=300))


def line(text: str, x: float, y: float) -> Line:
    box = Box(x, y, x + 1 / 3, y + 10.5)
    return Line(text=text, box=box, quad=Quad.from_box(box), confidence=0.1, words=(LineWord(text=text, box=box),))


def document(**changes: object) -> EdgeDocument:
    text = PartReading(part=Part.TEXT, lines=(line("eins", 1.1, 2.2), line("zwei ② 𝄞", 7.0, 2.2)))
    tables = PartReading(
        part=Part.TABLES, tables=(Table.from_rows([["a", "b"], ["1", ""]], box=Box(0, 0, 100, 50)),), rotation=90
    )
    read = EdgeReading(x=0, y=0, width=200, height=100, seen_width=100, seen_height=50, readings=(text, tables))
    page = EdgePage(number=2, width=200, height=100, sha256="ab" * 32, read=(read,))
    fields: dict[str, object] = {
        "engine": "echo",
        "fingerprint": "echo-1",
        "capabilities": frozenset({Part.TEXT, Part.TABLES}),
        "sha256": "cd" * 32,
        "media_type": "application/pdf",
        "page_count": 3,
        "pages": (page,),
        "failures": (PageFailure(page=3, component="intake", code="corrupt-pdf", message="No."),),
    }
    return EdgeDocument.model_validate({**fields, **changes})


def tree() -> Any:
    return document().model_dump(mode="json")


def in_a_file(value: Any) -> bytes:
    data = packed(value, MOST_UNPACKED)
    return EDGE_MARK + struct.pack("<I", len(data)) + data


def test_what_is_written_comes_back() -> None:
    whole = EdgePicture(page=2, box=Box(0, 0, 200, 100), dpi=96.0)
    found = EdgeFile(write_edge_file(document(pictures=(whole,)), [PICTURE]), LIMITS, "a.pdf")
    assert found.document == document(pictures=(whole,))
    assert found.has_pictures
    page = found.page(2)
    assert (page.width, page.height, page.sha256, page.dpi) == (200, 100, "ab" * 32, 96.0)  # as large as the page was
    assert edge_document_of(document().model_dump_json().encode(), LIMITS) == document()


def test_the_same_is_always_the_same_bytes() -> None:
    assert write_edge_file(document()) == write_edge_file(document())


def test_it_opens_as_the_document_that_was_read() -> None:
    data = write_edge_file(document())
    with open_document(data, name="a.pdf", settings=Settings()) as opened:
        assert (opened.name, opened.sha256, opened.media_type) == ("a.pdf", "cd" * 32, "application/pdf")
        assert opened.page_count == 3
        assert opened.edge is not None
        with pytest.raises(NotFound):
            opened.page(2)
    with open_document(write_edge_file(document(page_count=4)), settings=Settings()) as other:
        # The hash it claims is anybody's: what is kept goes by its own bytes.
        assert other.sha256 == opened.sha256
        assert other.decoding != opened.decoding


def changed(change: Callable[[Any], object]) -> Any:
    value = copy.deepcopy(tree())
    change(value)
    return value


def reading(value: Any) -> Any:
    return value["pages"][0]["read"][0]["readings"]


def table(value: Any) -> Any:
    return reading(value)[1]["tables"][0]


HOSTILE: dict[str, Callable[[Any], object]] = {
    "another version": lambda v: v.update(version=2),
    "an unknown field": lambda v: v.update(more=1),
    "no pages in all": lambda v: v.update(page_count=0),
    "a page after the last": lambda v: v.update(page_count=2),
    "a page twice": lambda v: v["pages"].append(v["pages"][0]),
    "a hash that is none": lambda v: v.update(sha256="../../etc/passwd"),
    "an engine that is none": lambda v: v.update(engine="../x"),
    "a part twice": lambda v: reading(v).append(reading(v)[0]),
    "endless rows": lambda v: table(v).update(n_rows=10**8),
    "an endless cell": lambda v: (
        table(v).update(n_rows=10**8, n_cols=10**8),
        table(v)["cells"][0].update(rowspan=10**8),
    ),
    "rows without columns": lambda v: table(v).update(n_rows=MOST_CELLS + 1, n_cols=0, cells=[]),
    "rows that are no number": lambda v: table(v).update(n_rows="1e9"),
    "many large tables": lambda v: reading(v)[1].update(
        tables=[{"n_rows": 1000, "n_cols": 1000, "box": [0, 0, 1, 1]} for _ in range(2)]
    ),
    "a table without a place": lambda v: table(v).update(box=None),
    "an endless number": lambda v: v.update(page_count=10**30),
    "a place beyond all pages": lambda v: reading(v)[0]["lines"][0].update(box=[0, 0, 1e300, 1]),
    "a corner beyond all pages": lambda v: reading(v)[0]["lines"][0].update(quad=[[0, 0], [1, 0], [1, -1e300], [0, 1]]),
    "half a character": lambda v: reading(v)[0]["lines"][0].update(text="\ud800"),
    "lines upon each other": lambda v: reading(v)[0].update(lines=reading(v)[0]["lines"] * MOST_ABREAST),
    "too many lines": lambda v: reading(v)[0].update(lines=reading(v)[0]["lines"] * MOST_LINES),
    "a picture of no page": lambda v: v.update(pictures=[{"page": 1, "box": [0, 0, 1, 1]}]),
    "a picture beside its page": lambda v: v.update(pictures=[{"page": 2, "box": [0, 0, 300, 1], "block": "table"}]),
    "a picture inside out": lambda v: v.update(pictures=[{"page": 2, "box": [9, 9, 1, 1], "block": "table"}]),
    "half a page's picture": lambda v: v.update(pictures=[{"page": 2, "box": [0, 0, 200, 50]}]),
    "a page's picture twice": lambda v: v.update(pictures=[{"page": 2, "box": [0, 0, 200, 100]}] * 2),
}


@pytest.mark.parametrize("name", HOSTILE)
def test_what_cannot_be_is_refused(name: str) -> None:
    value = changed(HOSTILE[name])
    with pytest.raises(InvalidRequest):
        edge_document_of(json.dumps(value).encode(), LIMITS)
    if name != "half a character":  # which cannot be packed
        with pytest.raises(InvalidRequest):
            EdgeFile(in_a_file(value), LIMITS)


@pytest.mark.parametrize("text", [b"", b"{", b"[]", b"3", b'{"version": NaN}', b"[" * 10**6, b"\xff\xfe", b"null"])
def test_json_that_is_no_document_is_refused(text: bytes) -> None:
    with pytest.raises(InvalidRequest):
        edge_document_of(text, LIMITS)


def test_limits_hold() -> None:
    data = write_edge_file(document())
    with pytest.raises(TooManyPages):
        EdgeFile(data, LimitSettings(max_pages=2))
    with pytest.raises(TooManyPixels):
        EdgeFile(data, LimitSettings(max_page_pixels=19_999))
    with pytest.raises(FileTooLarge):
        edge_document_of(b" " * (MOST_UNPACKED + 1), LIMITS)
    long = document().model_copy(update={"fingerprint": "a" * (MOST_UNPACKED + 1)})
    with pytest.raises(FileTooLarge):
        write_edge_file(long)


def test_pictures_that_are_none_or_missing_are_refused() -> None:
    whole = EdgePicture(page=2, box=Box(0, 0, 200, 100))
    named = document(pictures=(whole,))
    for pictures in ([], [PICTURE, PICTURE]):
        with pytest.raises(InvalidRequest, match="pictures"):
            EdgeFile(write_edge_file(named, pictures), LIMITS)
    for bad in (b"no picture", b"%PDF-1.7", PICTURE[:200], write_edge_file(document())):
        with pytest.raises(WorkbenchError):
            EdgeFile(write_edge_file(named, [bad]), LIMITS).page(2)
    with pytest.raises(TooManyPixels):
        EdgeFile(write_edge_file(named, [png_bytes(draw_lines(["a"]))]), LimitSettings(max_page_pixels=20_000)).page(2)


@given(st.integers(0, 10**6), st.binary(max_size=8))
def test_damage_is_refused_or_changes_nothing(place: int, bytes_there: bytes) -> None:
    data = write_edge_file(document())
    place = len(EDGE_MARK) + place % (len(data) - len(EDGE_MARK))
    damaged = data[:place] + bytes_there + data[place + len(bytes_there) :]
    try:
        found = EdgeFile(damaged, LIMITS)
    except InvalidRequest:
        return
    assert found.document == document()


@given(st.binary(max_size=60))
def test_any_bytes_behind_the_mark_are_refused(data: bytes) -> None:
    with pytest.raises(InvalidRequest):
        EdgeFile(EDGE_MARK + data, LIMITS)
