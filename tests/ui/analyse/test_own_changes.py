from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.jobs.correction_log import CorrectionState
from mineru_core.ui.analyse.own_changes import OwnChanges


@given(st.lists(st.tuples(st.booleans(), st.booleans())))
def test_no_undo_of_anothers_change_is_taken_for_ones_own(steps: list[tuple[bool, bool]]) -> None:
    log: list[bool] = []  # whose each correction is
    state = CorrectionState()
    own = OwnChanges(state)
    alone = True
    for mine, undo in steps:
        if undo and not log:
            continue
        was_mine = log.pop() if undo else None
        if not undo:
            log.append(mine)
        before, state = state, CorrectionState(version=state.version + 1, applied=len(log))
        alone = alone and mine
        if not mine:
            continue
        own.meet(before)
        if undo:
            found = own.undone(state)
            assert was_mine or not found
            assert found or not alone
        else:
            own.made(state)


def test_what_others_add_leaves_ones_own_known() -> None:
    own = OwnChanges(CorrectionState())
    own.made(CorrectionState(version=1, applied=1))
    own.meet(CorrectionState(version=3, applied=3))
    assert not own.undone(CorrectionState(version=4, applied=2))
    assert not own.undone(CorrectionState(version=5, applied=1))
    assert own.undone(CorrectionState(version=6, applied=0))
