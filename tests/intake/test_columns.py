"""Values packed into columns, and what hostile bytes come to."""

from __future__ import annotations

import json
import lzma
import math
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.intake.columns import packed, parsed, unpacked

MOST = 1 << 20

finite = st.one_of(st.floats(), st.floats(width=32)).filter(math.isfinite)
values = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(10**15), 10**15), st.text(), finite),
    lambda inner: st.one_of(st.lists(inner, max_size=6), st.dictionaries(st.text(max_size=5), inner, max_size=6)),
    max_leaves=40,
)


@given(values)
def test_what_is_packed_comes_back_to_the_last_bit(value: object) -> None:
    found = unpacked(packed(value, MOST), MOST)
    assert json.dumps(found) == json.dumps(value)  # tells -0.0 from 0.0, and 1 from 1.0


def test_more_different_numbers_than_are_remembered_come_back() -> None:
    value = [float(n % 400) + 0.1 for n in range(2000)] + [float(np.float32(n) / 3) for n in range(600)] * 2
    assert unpacked(packed(value, MOST), MOST) == value


def test_numbers_of_a_model_take_few_bytes() -> None:
    rng = np.random.default_rng(0)
    boxes = [[float(x) for x in np.float32(rng.uniform(0, 1000, 4))] for _ in range(500)]
    assert len(packed(boxes, MOST)) < 0.2 * len(json.dumps(boxes))
    assert len(packed(boxes, MOST)) < 0.5 * len(lzma.compress(json.dumps(boxes).encode()))


@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_numbers_without_end_are_refused(value: float) -> None:
    with pytest.raises(ValueError, match="finite"):
        packed([value], MOST)
    with pytest.raises(ValueError, match="no number"):
        parsed(json.dumps([value]).encode())


@given(st.binary(max_size=200))
def test_any_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match=r"."):
        unpacked(data, MOST)


@given(st.integers(0, 10**6), st.integers(0, 255))
def test_a_damaged_byte_is_refused_or_changes_nothing(place: int, byte: int) -> None:
    value = {"a": ["text", 0.5, 1 / 3, 0.5], "b": None}
    data = bytearray(packed(value, MOST))
    data[place % len(data)] = byte
    try:
        found = unpacked(bytes(data), MOST)
    except ValueError:
        return
    assert found == value  # the check sum tells everything else


def columns(*parts: bytes) -> bytes:
    return lzma.compress(b"".join(struct.pack("<I", len(part)) + part for part in parts))


@pytest.mark.parametrize(
    ("parts", "why"),
    [
        ((b"0.0", b"[]", b"\x05", b"", b""), "was not there"),
        ((b"0.0", b"[]", b"\x00", b"", b""), "fewer"),
        ((b"0.0", b"[]", b"", b"", b""), "fewer"),
        ((b"0", b"[]", b"\x00", bytes(4), b""), "more texts or numbers"),
        ((b"0", b"[]", b"", bytes(4), b""), "nothing names"),
        ((b"0", b"[]", b"", bytes(3), b""), "ends early"),
        ((b"0.0", b"[]", b"\x00", np.float32(np.inf).tobytes(), b""), "finite"),
        ((b'""', b"[]", b"", b"", b""), "fewer"),
        ((b'""', b"[3]", b"", b"", b""), "texts"),
        ((b"0", b'["a"]', b"", b"", b""), "more texts"),
        ((b"[" * 100_000, b"[]", b"", b"", b""), "deeply"),
        ((b"0", b"[]", b""), "five"),
        ((b"0", b"[]", b"", b"", b"", b""), "five"),
    ],
)
def test_columns_that_do_not_fit_are_refused(parts: tuple[bytes, ...], why: str) -> None:
    with pytest.raises(ValueError, match=why):
        unpacked(columns(*parts), MOST)


def test_more_than_may_be_is_not_packed() -> None:
    with pytest.raises(OverflowError):
        packed(["a" * 100], 99)


def test_a_bomb_is_not_unpacked() -> None:
    bomb = lzma.compress(bytes(200 << 20))
    assert len(bomb) < 100_000
    with pytest.raises(ValueError, match="more than"):
        unpacked(bomb, MOST)


def test_bytes_behind_the_end_and_a_cut_end_are_refused() -> None:
    data = packed([1.5], MOST)
    for bad in (data + b"\0", data + data, data[:-1]):
        with pytest.raises(ValueError, match="ends early"):
            unpacked(bad, MOST)
