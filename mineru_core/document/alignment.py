"""Which of one list belongs to which of another."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

T = TypeVar("T")


def aligned(first: Sequence[T], second: Sequence[T], likeness: Callable[[T, T], float], most: int) -> dict[int, int]:
    """Places of ``second`` by those of ``first``: in the order of both, so that most is alike.

    Two of likeness 0 never belong together. Where there are more than ``most`` pairs to try, the first belongs to the
    first, the second to the second.
    """
    if len(first) * len(second) > most:
        return {n: n for n in range(min(len(first), len(second)))}
    alike = [[likeness(a, b) for b in second] for a in first]
    best = [[0.0] * (len(second) + 1) for _ in range(len(first) + 1)]
    for i in range(len(first) - 1, -1, -1):
        for j in range(len(second) - 1, -1, -1):
            best[i][j] = max(best[i + 1][j], best[i][j + 1], best[i + 1][j + 1] + alike[i][j])
    pairs: dict[int, int] = {}
    i = j = 0
    while i < len(first) and j < len(second):
        if alike[i][j] > 0 and best[i][j] == best[i + 1][j + 1] + alike[i][j]:
            pairs[i] = j
            i, j = i + 1, j + 1
        elif best[i][j] == best[i + 1][j]:
            i += 1
        else:
            j += 1
    return pairs


def paired(first: int, second: int, likeness: Callable[[int, int], float], least: float) -> dict[int, int]:
    """Places below ``second`` by those below ``first``, in any order: those alike most first, of equals the earlier.

    Two whose likeness is below ``least`` are no pair.
    """
    scored = sorted(((likeness(i, j), -i, -j) for i in range(first) for j in range(second)), reverse=True)
    pairs: dict[int, int] = {}
    taken: set[int] = set()
    for score, i, j in scored:
        if score >= least and -i not in pairs and -j not in taken:
            pairs[-i] = -j
            taken.add(-j)
    return pairs
