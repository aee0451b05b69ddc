from collections import OrderedDict, deque

from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from mineru_core.runtime.turns import Turns

OWNERS = st.sampled_from(["ann", "bob", "cy"])


class TurnsMachine(RuleBasedStateMachine):
    """Against the plainest thing that does the same: a deque an owner, in the order of their turns."""

    def __init__(self) -> None:
        super().__init__()
        self.turns: Turns[int] = Turns()
        self.model: OrderedDict[str, deque[int]] = OrderedDict()
        self.made = 0

    def tidy(self) -> None:
        for owner in [owner for owner, line in self.model.items() if not line]:
            del self.model[owner]

    @rule(owner=OWNERS)
    def add(self, owner: str) -> None:
        self.made += 1
        self.turns.add(owner, self.made)
        self.model.setdefault(owner, deque()).append(self.made)

    @rule(barred=st.sets(OWNERS))
    def take(self, barred: set[str]) -> None:
        owner = next((owner for owner in self.model if owner not in barred), None)
        taken = self.turns.next(lambda owner: owner not in barred)
        if owner is None:
            assert taken is None
            return
        assert taken == self.model[owner].popleft()
        self.model.move_to_end(owner)
        self.tidy()

    @rule(owner=OWNERS, item=st.integers(1, 30))
    def discard(self, owner: str, item: int) -> None:
        there = item in self.model.get(owner, ())
        assert self.turns.discard(owner, item) is there
        if there:
            self.model[owner].remove(item)
            self.tidy()

    @rule(owner=OWNERS)
    def turn_over(self, owner: str) -> None:
        self.turns.turn_over(owner)
        if owner in self.model:
            self.model.move_to_end(owner)

    @rule()
    def clear(self) -> None:
        assert self.turns.clear() == [item for line in self.model.values() for item in line]
        self.model.clear()

    @invariant()
    def the_same_stand_in_the_same_order(self) -> None:
        assert list(self.turns.owners) == list(self.model)
        assert [list(line) for line in self.turns.lines] == [list(line) for line in self.model.values()]
        assert list(self.turns) == [item for line in self.model.values() for item in line]
        assert len(self.turns) == sum(map(len, self.model.values()))


TestTurnsMachine = TurnsMachine.TestCase
