"""Which corrections of a job were made in one window, so that an undo or redo of any other is told."""

from __future__ import annotations

from mineru_core.jobs.correction_log import CorrectionState


class OwnChanges:
    """The places in the list of a job's corrections (from 0) that hold what this window has made, as of ``state``;
    those of corrections that it has undone itself, and could make again, are kept beside them."""

    def __init__(self, state: CorrectionState) -> None:
        self._state = state
        self._places: set[int] = set()
        self._undone: set[int] = set()

    def meet(self, state: CorrectionState) -> None:
        """Others may have come to this state: what they may have taken back is no longer known to be this window's."""
        steps = state.version - self._state.version
        grown = state.applied - self._state.applied
        undone = (steps - grown) // 2  # each step, theirs too, takes one away or adds one
        self._keep(self._state.applied - undone, state)
        if steps:
            self._undone.clear()  # what they have made or undone may stand in the same places

    def made(self, state: CorrectionState) -> None:
        """This window has made a correction and so come to this state."""
        self._keep(state.applied - 1, state)
        self._places.add(state.applied - 1)
        self._undone.clear()  # what was undone can no longer be made again

    def undone(self, state: CorrectionState) -> bool:
        """This window has undone a correction, and so come to this state; whether the correction was its own."""
        own = state.applied in self._places
        self._keep(state.applied, state)
        if own:
            self._undone.add(state.applied)
        return own

    def redone(self, state: CorrectionState) -> bool:
        """This window has made again what was undone, and so come to this state; whether the correction was its own.
        What it was told of is its own from then on, as it stands."""
        place = state.applied - 1
        own = place in self._undone
        self._undone.discard(place)
        self._keep(place, state)
        self._places.add(place)
        return own

    def _keep(self, end: int, state: CorrectionState) -> None:
        self._places = {place for place in self._places if place < end}
        self._state = state
