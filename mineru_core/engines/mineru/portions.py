"""Many things in portions that one call can hold."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeVar

T = TypeVar("T")


def in_portions(items: Iterable[T], sizes: Iterable[int], most: int) -> Iterator[list[T]]:
    """The items in order, in lists whose sizes sum to ``most`` at most; a larger one goes alone."""
    portion: list[T] = []
    used = 0
    for item, size in zip(items, sizes, strict=True):
        if portion and used + size > most:
            yield portion
            portion, used = [], 0
        portion.append(item)
        used += size
    if portion:
        yield portion
