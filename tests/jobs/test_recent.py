from collections import OrderedDict

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.jobs.recent import Recent

steps = st.lists(st.tuples(st.booleans(), st.sampled_from("abcdef")), max_size=40)


@given(places=st.integers(1, 4), steps=steps)
def test_it_keeps_what_was_used_last(places: int, steps: list[tuple[bool, str]]) -> None:
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
