from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.runtime.fair_queue import CallLimits, FairQueue

NO_LIMITS = CallLimits(range(1, 100), float("inf"), 0.2)


@dataclass(eq=False)
class Item:
    owner: str
    key: Hashable = None
    size: float = 1.0
    units: float = 1.0


def filled(items: Sequence[Item]) -> FairQueue[Item]:
    queue: FairQueue[Item] = FairQueue()
    for item in items:
        queue.add(item)
    return queue


def drained(queue: FairQueue[Item], limits: CallLimits) -> list[list[Item]]:
    calls = []
    while queue:
        call = queue.company(next(queue.seeds()), limits)
        queue.take(call)
        calls.append(call)
    return calls


items_st = st.lists(
    st.builds(
        lambda owner, key, units, padding: Item(owner, key, units + padding, units),
        st.sampled_from("abc"),
        st.integers(0, 2),
        st.integers(1, 40).map(float),
        st.integers(0, 6).map(float),
    ),
    max_size=40,
)
limits_st = st.builds(
    CallLimits,
    st.sampled_from([range(1, 2), range(1, 9), (1, 4, 16)]),
    st.sampled_from([30.0, 120.0, float("inf")]),
    st.just(0.2),
)


@given(items_st, limits_st)
def test_every_item_is_in_one_call_that_keeps_the_limits(items: list[Item], limits: CallLimits) -> None:
    calls = drained(filled(items), limits)
    assert sorted(map(id, (item for call in calls for item in call))) == sorted(map(id, items))
    for call in calls:
        computed = max(item.size for item in call) * len(call)
        assert len({item.key for item in call}) == 1
        assert len(call) in limits.counts
        assert len(call) == 1 or computed <= limits.units
        alike = len({item.size for item in call}) == 1
        assert alike or computed <= 1.2 * sum(item.units for item in call) + 1e-9


@given(items_st, limits_st)
def test_owners_begin_calls_in_turn_and_with_their_oldest_item(items: list[Item], limits: CallLimits) -> None:
    queue = filled(items)
    waiting = list(items)
    turns = list(dict.fromkeys(item.owner for item in items))
    while queue:
        call = queue.company(next(queue.seeds()), limits)
        assert call[0].owner == turns[0]
        assert call[0] is next(item for item in waiting if item.owner == turns[0])
        queue.take(call)
        waiting = [item for item in waiting if item not in call]
        left = {item.owner for item in waiting}
        turns = [owner for owner in [*turns[1:], turns[0]] if owner in left]


@given(items_st, st.data())
def test_what_is_taken_out_is_gone_and_the_rest_counts(items: list[Item], data: st.DataObject) -> None:
    queue = filled(items)
    gone = data.draw(st.sets(st.sampled_from(range(len(items))))) if items else set()
    for index in gone:
        queue.discard(items[index])
        queue.discard(items[index])
    kept = [item for index, item in enumerate(items) if index not in gone]
    assert len(queue) == len(kept)
    assert queue.units == sum(item.size for item in kept)
    assert all(queue.waiting_in(key) == sum(item.key == key for item in kept) for key in range(3))
    assert set(queue.clear()) == set(kept)
    assert not queue
    assert queue.units == 0
    assert list(queue.seeds()) == []


def test_a_page_of_three_lines_is_through_after_six_calls_beside_a_batch_of_hundreds() -> None:
    queue = filled([*(Item("batch") for _ in range(300)), *(Item("page") for _ in range(3))])
    one = CallLimits(range(1, 2), float("inf"), 0.2)
    first = [call[0].owner for call in drained(queue, one)[:6]]
    assert first.count("page") == 3


def test_a_call_is_filled_from_all_owners_in_turn() -> None:
    queue = filled([*(Item("batch") for _ in range(20)), *(Item("page") for _ in range(3))])
    call = queue.company(next(queue.seeds()), CallLimits(range(1, 7), float("inf"), 0.2))
    assert [item.owner for item in call].count("page") == 3


def test_every_bucket_offers_a_call() -> None:
    queue = filled([Item("a", 0), Item("a", 1), Item("b", 0), Item("a", 2)])
    assert {seed.key for seed in queue.seeds()} == {0, 1, 2}
    assert next(queue.seeds()).owner == "a"


def test_items_of_like_size_keep_company_and_others_do_not() -> None:
    small, near, large = Item("a", None, 90, 90), Item("a", None, 100, 100), Item("a", None, 300, 300)
    queue = filled([small, large, near])
    assert queue.company(small, NO_LIMITS) == [small, near]
    assert queue.company(large, NO_LIMITS) == [large]
