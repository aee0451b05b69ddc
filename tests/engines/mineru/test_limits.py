"""How long texts may become, and what counts as going round in circles."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.engines.mineru.limits import Limits, LoopGuard

LAYOUT, TEXT, TABLE = "\nLayout Detection:", "\nText Recognition:", "\nTable Recognition:"


def ended(guard: LoopGuard, ids: list[int]) -> tuple[int, int] | None:
    """After how many tokens the guard ends the text, and how many it says are repeated."""
    for count in range(1, len(ids) + 1):
        if (repeated := guard.looped(ids[:count])) is not None:
            return count, repeated
    return None


@given(st.lists(st.integers(0, 3), max_size=50), st.integers(1, 32), st.integers(10, 120))
def test_a_loop_is_ended_and_its_first_time_kept(before: list[int], period: int, tokens: int) -> None:
    loop = list(range(100, 100 + period))
    needed = max(tokens, 3 * period)
    found = ended(LoopGuard(tokens), [*before, *loop * 130])
    if found is not None and found[0] <= len(before):
        return  # what came before went round in circles itself
    assert found is not None
    count, repeated = found
    assert repeated == needed
    assert count == len(before) + period + needed


@given(st.lists(st.integers(0, 1_000_000), unique=True, max_size=300))
def test_what_never_repeats_is_never_ended(ids: list[int]) -> None:
    assert ended(LoopGuard(10), ids) is None


def test_three_rows_alike_are_no_loop() -> None:
    row = list(range(30))
    assert ended(LoopGuard(64), row * 3) is None
    assert ended(LoopGuard(64), row * 4) == (120, 90)


def test_empty_table_cells_may_go_on_for_longer() -> None:
    limits = Limits()
    cells = [1] * 90
    table, text = limits.guard(TABLE), limits.guard(TEXT)
    assert table is not None
    assert text is not None
    assert ended(table, cells) is None
    assert ended(text, cells) == (65, 64)
    assert Limits(loop_tokens=None).guard(TEXT) is None


@given(st.integers(1, 2000), st.sampled_from([LAYOUT, TEXT, TABLE, "\nFormula Recognition:"]), st.integers(1, 5000))
def test_a_cap_is_kept_from_above(visual_tokens: int, prompt: str, asked: int) -> None:
    limits = Limits(most=3000)
    cap = limits.cap(prompt, visual_tokens, asked)
    assert 1 <= cap <= min(3000, asked)
    assert cap <= limits.cap(prompt, visual_tokens)
    assert limits.cap(prompt, visual_tokens) <= limits.cap(prompt, visual_tokens + 1)


def test_caps_follow_sort_and_area() -> None:
    limits = Limits(most=4096)
    assert limits.cap(TEXT, 20) == 224
    assert limits.cap(TABLE, 20) == 496
    assert limits.cap(LAYOUT, 64) == 4096
    assert Limits(most=50).cap(TEXT, 20) == 50
    assert Limits(most=4096, by_area=False).cap(TEXT, 1) == 4096
