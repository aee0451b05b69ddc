from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from mineru_core.jobs.correction_log import CorrectionState
from mineru_core.ui.analyse.own_changes import OwnChanges

STEPS = st.tuples(st.booleans(), st.sampled_from(["make", "undo", "redo"]))


@given(st.lists(STEPS))
def test_no_step_over_anothers_change_is_taken_for_ones_own(steps: list[tuple[bool, str]]) -> None:
    log: list[bool] = []  # whose each correction is: of the window that has made it, or made it again, last
    undone: list[bool] = []  # the same of those that can be made again, the last undone last
    state = CorrectionState()
    own = OwnChanges(state)
    alone = True
    for mine, step in steps:
        if not {"make": [True], "undo": log, "redo": undone}[step]:
            continue
        was_mine = True
        if step == "make":
            log.append(mine)
            undone.clear()
        elif step == "undo":
            was_mine = log.pop()
            undone.append(was_mine and mine)
        else:
            was_mine = undone.pop()
            log.append(mine)
        before, state = state, CorrectionState(version=state.version + 1, applied=len(log), undone=len(undone))
        alone = alone and mine
        if not mine:
            continue
        own.meet(before)
        if step == "make":
            own.made(state)
            continue
        found = own.undone(state) if step == "undo" else own.redone(state)
        assert was_mine or not found
        assert found or not alone


def test_what_others_add_leaves_ones_own_known() -> None:
    own = OwnChanges(CorrectionState())
    own.made(CorrectionState(version=1, applied=1))
    own.meet(CorrectionState(version=3, applied=3))
    assert not own.undone(CorrectionState(version=4, applied=2))
    assert not own.undone(CorrectionState(version=5, applied=1))
    assert own.undone(CorrectionState(version=6, applied=0))


def test_what_was_undone_here_is_redone_here_and_what_others_undid_is_not() -> None:
    own = OwnChanges(CorrectionState())
    own.made(CorrectionState(version=1, applied=1))
    assert own.undone(CorrectionState(version=2, applied=0, undone=1))
    assert own.redone(CorrectionState(version=3, applied=1))
    own.meet(CorrectionState(version=4, applied=0, undone=1))
    assert not own.redone(CorrectionState(version=5, applied=1))
    assert own.undone(CorrectionState(version=6, applied=0, undone=1))
