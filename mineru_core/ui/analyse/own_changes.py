"""Which corrections of a job were made in one window, so that an undo of any other is told."""

from __future__ import annotations

from mineru_core.jobs.correction_log import CorrectionState


class OwnChanges:
    """The places in the list of a job's corrections (from 0) that hold what this window has made, as of ``state``."""

    def __init__(self, state: CorrectionState) -> None:
        self._state = state
        self._places: set[int] = set()

    def meet(self, state: CorrectionState) -> None:
        """Others may have come to this state: what they may have taken back is no longer known to be this window's."""
        steps = state.version - self._state.version
        grown = state.applied - self._state.applied
        undone = (steps - grown) // 2  # each step, theirs too, takes one away or adds one
        self._keep(self._state.applied - undone, state)

    def made(self, state: CorrectionState) -> None:
        """This window has made a correction, or made one again, and so come to this state."""
        self._keep(state.applied - 1, state)
        self._places.add(state.applied - 1)

    def undone(self, state: CorrectionState) -> bool:
        """This window has undone a correction, and so come to this state; whether the correction was its own."""
        own = state.applied in self._places
        self._keep(state.applied, state)
        return own

    def _keep(self, end: int, state: CorrectionState) -> None:
        self._places = {place for place in self._places if place < end}
        self._state = state
