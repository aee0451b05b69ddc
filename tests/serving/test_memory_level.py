from __future__ import annotations

from collections import OrderedDict

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.serving.memory_level import MemoryLevel

STEPS = st.lists(st.tuples(st.sampled_from("abcdef"), st.one_of(st.none(), st.integers(0, 12))), max_size=60)


@given(room=st.integers(0, 30), steps=STEPS)
def test_it_is_a_dict_that_forgets_what_was_used_longest_ago(room: int, steps: list[tuple[str, int | None]]) -> None:
    level: MemoryLevel[object] = MemoryLevel(room)
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
        assert level.bytes_used == sum(s for _, s in model.values())
        assert len(level) == len(model)
    level.clear()
    assert (len(level), level.bytes_used, level.get("a")) == (0, 0, None)
