from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from mineru_core.document.geometry import Box, Quad
from mineru_core.document.page import Page
from mineru_core.document.parts import (
    AreaContent,
    BlockType,
    LayoutArea,
    Line,
    LineWord,
    PageFrame,
    Part,
    PartReading,
    ReadFailure,
)
from mineru_core.document.table import Table
from mineru_core.errors import EngineFailed
from tests.document.boxes import tables

# Any finite number a stage may compute, not only whole ones: the last bit must survive.
FLOATS = st.floats(allow_nan=False, allow_infinity=False)
BOXES = st.builds(Box, FLOATS, FLOATS, FLOATS, FLOATS)
POINTS = st.tuples(FLOATS, FLOATS)
SHARES = st.floats(0, 1)
TEXTS = st.text(max_size=8)
LINES = st.builds(
    Line,
    text=TEXTS,
    box=BOXES,
    quad=st.builds(Quad, POINTS, POINTS, POINTS, POINTS),
    confidence=SHARES,
    words=st.lists(st.builds(LineWord, text=TEXTS, box=BOXES, confidence=SHARES), max_size=3).map(tuple),
)
AREAS = st.builds(
    LayoutArea,
    type=st.sampled_from(BlockType),
    box=BOXES,
    confidence=SHARES,
    angle=st.sampled_from([0, 90, 180, 270]),
    label=TEXTS,
    continues=st.booleans(),
)
CONTENTS = st.builds(
    AreaContent,
    area=st.integers(0, 9),
    type=st.none() | st.sampled_from(BlockType),
    text=TEXTS,
    table=st.none() | tables(),
    confidence=SHARES,
    whole=st.booleans(),
    failure=st.none() | st.builds(ReadFailure, code=TEXTS, message=TEXTS, hint=TEXTS),
)
READINGS = st.builds(
    PartReading,
    part=st.sampled_from(Part),
    rotation=st.sampled_from([0, 90, 180, 270]),
    lines=st.lists(LINES, max_size=3).map(tuple),
    areas=st.lists(AREAS, max_size=3).map(tuple),
    contents=st.lists(CONTENTS, max_size=3).map(tuple),
    tables=st.lists(
        st.builds(lambda table, box: table.model_copy(update={"box": box}), tables(), BOXES), max_size=2
    ).map(tuple),
    warnings=st.lists(TEXTS, max_size=2).map(tuple),
    seconds=st.floats(0, 1e6),
)


@given(READINGS)
def test_a_reading_survives_json_to_the_last_bit(reading: PartReading) -> None:
    kept = PartReading.model_validate_json(reading.model_dump_json())
    assert kept == reading
    # Equal is not enough for numbers: -0.0 equals 0.0.
    assert kept.model_dump_json() == reading.model_dump_json()


@pytest.mark.parametrize(
    "values", [{"rotation": 45}, {"rotation": 360}, {"rotation": -90}, {"seconds": -1.0}, {"seconds": float("inf")}]
)
def test_a_reading_refuses_what_cannot_be(values: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        PartReading.model_validate({"part": Part.TEXT, **values})


def test_a_table_without_a_place_cannot_be_put_on_a_page() -> None:
    with pytest.raises(ValidationError, match="no box"):
        PartReading(part=Part.TABLES, tables=(Table.from_rows([["x"]]),))


def test_a_reading_with_an_area_that_failed_says_so() -> None:
    failure = ReadFailure.from_error(EngineFailed("It broke.", "Try again."))
    assert (failure.code, failure.message, failure.hint) == ("engine-failed", "It broke.", "Try again.")
    good, bad = AreaContent(area=0, text="x"), AreaContent(area=1, failure=failure)
    assert PartReading(part=Part.TEXT, contents=(good, bad)).failed
    assert not PartReading(part=Part.TEXT, contents=(good,)).failed


def test_a_frame_is_the_page_without_its_pixels() -> None:
    page = Page(np.zeros((20, 30, 3), np.uint8), "x", number=4)
    assert PageFrame.of(page) == PageFrame(4, 30, 20, page.sha256)
