from __future__ import annotations

from collections import OrderedDict

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.runtime.recent import Recent

STEPS = st.lists(st.tuples(st.sampled_from("abcdef"), st.one_of(st.none(), st.integers(0, 12))), max_size=60)


@given(room=st.integers(0, 30), steps=STEPS)
def test_it_is_a_dict_that_forgets_what_was_used_longest_ago(room: int, steps: list[tuple[str, int | None]]) -> None:
    level: Recent[object] = Recent(room)
    model: OrderedDict[str, tuple[object, int]] = OrderedDict()
    for key, size in steps:
        if size is None:
            assert level.get(key) is (model[key][0] if key in model else None)
            if key in model:
                model.move_to_end(key)
            continue
        value = object()
        level.put(key, value, size)
        model.pop(key, None)
        if size <= room:
            model[key] = (value, size)
        while sum(s for _, s in model.values()) > room:
            model.popitem(last=False)
        assert level.used == sum(s for _, s in model.values())
        assert len(level) == len(model)
    level.clear()
    assert (len(level), level.used, level.get("a")) == (0, 0, None)


COUNTED = st.lists(st.tuples(st.booleans(), st.sampled_from("abcdef")), max_size=40)


@given(places=st.integers(1, 4), steps=COUNTED)
def test_without_sizes_it_keeps_so_many_that_were_used_last(places: int, steps: list[tuple[bool, str]]) -> None:
    recent: Recent[int] = Recent(places)
    model: OrderedDict[str, int] = OrderedDict()
    for number, (is_put, name) in enumerate(steps):
        if is_put:
            recent.put(name, number)
            model[name] = number
            model.move_to_end(name)
            if len(model) > places:
                model.popitem(last=False)
        else:
            assert recent.get(name) == model.get(name)
            if name in model:
                model.move_to_end(name)
