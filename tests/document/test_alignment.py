"""Which of one list belongs to which of another."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.alignment import aligned, paired

LETTERS = st.text(alphabet="abc", max_size=6)


def equal(a: str, b: str) -> float:
    return float(a == b)


@given(LETTERS, LETTERS)
def test_what_is_aligned_is_alike_and_in_the_order_of_both(first: str, second: str) -> None:
    pairs = aligned(first, second, equal, most=100)
    assert list(pairs) == sorted(pairs)
    assert list(pairs.values()) == sorted(set(pairs.values()))
    assert all(first[i] == second[j] for i, j in pairs.items())


@given(LETTERS)
def test_a_list_is_aligned_with_itself(letters: str) -> None:
    assert aligned(letters, letters, equal, most=100) == {n: n for n in range(len(letters))}


def test_most_is_alike() -> None:
    assert aligned("abcd", "xbd", equal, most=100) == {1: 1, 3: 2}


def test_too_many_are_aligned_by_their_places() -> None:
    assert aligned("abc", "bc", equal, most=6) == {1: 0, 2: 1}
    assert aligned("abc", "bc", equal, most=5) == {0: 0, 1: 1}


def test_those_alike_most_are_paired_first_in_any_order() -> None:
    scores = [[0.5, 0.9], [0.4, 0.8], [0.2, 0.2]]
    assert paired(3, 2, lambda i, j: scores[i][j], least=0.4) == {0: 1, 1: 0}
    assert paired(3, 2, lambda i, j: scores[i][j], least=0.1) == {0: 1, 1: 0}
    assert paired(3, 2, lambda i, j: scores[i][j], least=0.95) == {}


def test_of_equals_the_earlier_are_paired() -> None:
    assert paired(2, 2, lambda i, j: 1.0, least=1.0) == {0: 0, 1: 1}  # noqa: ARG005  all alike
