"""JSON-like values in few bytes, to the last bit: numbers and texts apart from the structure around them.

Of what was read of a page most is numbers of 17 digits. As text they hardly shrink; as columns of bytes they take three
bytes each where they came out of a model (32-bit floats), and one where the same number stood there just before, as the
upper edge of the words of a line does.
"""

from __future__ import annotations

import json
import lzma
import struct
from collections.abc import Iterator
from typing import Any

import numpy as np

_KEPT = 254
"""Numbers that are remembered, to be named by one byte when they come again."""
_SINGLE, _DOUBLE, _AGAIN = 0, 1, 2
_SINGLES, _DOUBLES = "<f4", "<f8"
_MEMORY_BYTES = 96 << 20
_LENGTH = struct.Struct("<I")
_FILTERS = [{"id": lzma.FILTER_LZMA2, "preset": 6}]


def packed(value: Any, most_bytes: int) -> bytes:
    """The value (of None, bool, int, float, str, list and dict) in few bytes; ``unpacked`` gives it back exactly.

    Raises ValueError for a number that is not finite, and OverflowError for more than ``most_bytes`` bytes before they
    are made few.
    """
    texts: list[str] = []
    numbers: list[float] = []
    skeleton = _take_out(value, texts, numbers)
    tokens, singles, doubles = _coded(numbers)
    parts = (_json(skeleton), _json(texts), tokens, _planes(singles, _SINGLES), _planes(doubles, _DOUBLES))
    whole = b"".join(_LENGTH.pack(len(part)) + part for part in parts)
    if len(whole) > most_bytes:
        raise OverflowError(f"there are more than {most_bytes:,} bytes to pack")
    return lzma.compress(whole, check=lzma.CHECK_CRC32, filters=_FILTERS)


def unpacked(data: bytes, most_bytes: int) -> Any:
    """The value that ``packed`` was given. Raises ValueError for bytes that are none of its, for numbers that are not
    finite, and for more than ``most_bytes`` bytes before they were made few."""
    reader = lzma.LZMADecompressor(lzma.FORMAT_XZ, memlimit=_MEMORY_BYTES)
    try:
        whole = reader.decompress(data, most_bytes + 1)
    except lzma.LZMAError as error:
        raise ValueError("the packed document is damaged") from error
    if len(whole) > most_bytes:
        raise ValueError(f"it has more than {most_bytes:,} bytes when it is unpacked")
    if not reader.eof or reader.unused_data:
        raise ValueError("the packed document ends early, or goes on behind its end")
    skeleton, texts, tokens, singles, doubles = _columns(whole)
    numbers = _decoded(tokens, _unplaned(singles, _SINGLES), _unplaned(doubles, _DOUBLES))
    kept = parsed(texts)
    if not isinstance(kept, list) or not all(isinstance(text, str) for text in kept):
        raise ValueError("its texts are none")
    left_texts, left_numbers = iter(kept), iter(numbers)
    value = _put_in(parsed(skeleton), left_texts, left_numbers)
    if next(left_texts, None) is not None or next(left_numbers, None) is not None:
        raise ValueError("it has more texts or numbers than places for them")
    return value


def parsed(text: bytes) -> Any:
    """JSON as a value. Raises ValueError for what is none, for numbers that are not finite, and for nesting without
    end."""
    try:
        return json.loads(text, parse_constant=_refuse)
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _refuse(name: str) -> float:
    raise ValueError(f"{name} is no number")


def _json(value: Any) -> bytes:
    return json.dumps(value, ensure_ascii=False, separators=(",", ":")).encode()


def _take_out(value: Any, texts: list[str], numbers: list[float]) -> Any:
    """The value with "" and 0.0 where texts and numbers with a fraction stood."""
    if isinstance(value, str):
        texts.append(value)
        return ""
    if isinstance(value, float):
        numbers.append(value)
        return 0.0
    if isinstance(value, dict):
        return {name: _take_out(one, texts, numbers) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_take_out(one, texts, numbers) for one in value]
    return value


def _put_in(value: Any, texts: Iterator[str], numbers: Iterator[float]) -> Any:
    if isinstance(value, str):
        return _next(texts)
    if isinstance(value, float):
        return _next(numbers)
    if isinstance(value, dict):
        return {name: _put_in(one, texts, numbers) for name, one in value.items()}
    if isinstance(value, list):
        return [_put_in(one, texts, numbers) for one in value]
    return value


def _next(column: Iterator[Any]) -> Any:
    found = next(column, None)
    if found is None:
        raise ValueError("it has fewer texts or numbers than places for them")
    return found


def _coded(numbers: list[float]) -> tuple[bytes, list[float], list[float]]:
    """A byte for each number: new and a 32-bit float, new and none, or how long ago it was named last."""
    values = np.array(numbers, dtype=np.float64)
    if not np.isfinite(values).all():
        raise ValueError("a number is not finite")
    with np.errstate(over="ignore"):
        is_single = values.astype(np.float32).astype(np.float64) == values
    tokens = bytearray()
    recent: list[int] = []  # by their bits: 0.0 and -0.0 are two numbers
    singles: list[float] = []
    doubles: list[float] = []
    for value, bits, short in zip(numbers, values.view(np.uint64).tolist(), is_single.tolist(), strict=True):
        try:
            place = recent.index(bits)
        except ValueError:
            tokens.append(_SINGLE if short else _DOUBLE)
            (singles if short else doubles).append(value)
        else:
            tokens.append(_AGAIN + place)
            del recent[place]
        recent.insert(0, bits)
        del recent[_KEPT:]
    return bytes(tokens), singles, doubles


def _decoded(tokens: bytes, singles: list[float], doubles: list[float]) -> list[float]:
    new = {_SINGLE: iter(singles), _DOUBLE: iter(doubles)}
    recent: list[float] = []
    numbers: list[float] = []
    for token in tokens:
        if token < _AGAIN:
            value = _next(new[token])
        elif token - _AGAIN < len(recent):
            value = recent.pop(token - _AGAIN)
        else:
            raise ValueError("it names a number that was not there")
        recent.insert(0, value)
        del recent[_KEPT:]
        numbers.append(value)
    if any(next(column, None) is not None for column in new.values()):
        raise ValueError("it has numbers that nothing names")
    return numbers


def _planes(numbers: list[float], kind: str) -> bytes:
    """All first bytes of the numbers, then all second ones …: those that say the same stand together."""
    values = np.array(numbers, dtype=kind)
    return values.view(np.uint8).reshape(len(values), values.itemsize).T.tobytes()


def _unplaned(data: bytes, kind: str) -> list[float]:
    size = np.dtype(kind).itemsize
    if len(data) % size:
        raise ValueError("a column of numbers ends early")
    rows = np.frombuffer(data, dtype=np.uint8).reshape(size, -1).T
    values = np.ascontiguousarray(rows).view(kind).ravel()
    if not np.isfinite(values).all():
        raise ValueError("a number is not finite")
    numbers: list[float] = values.astype(np.float64).tolist()
    return numbers


def _columns(whole: bytes) -> list[bytes]:
    """The five parts that ``packed`` puts one behind the other."""
    found: list[bytes] = []
    at = 0
    while at < len(whole):
        start = at + _LENGTH.size
        at = start + _LENGTH.unpack(whole[at:start].ljust(_LENGTH.size, b"\xff"))[0]
        found.append(whole[start:at])
    if len(found) != 5 or at != len(whole):
        raise ValueError("it is not made of five columns")
    return found
