"""Who comes next where many owners wait: owners in turn, each owner's items in the order they came."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator, KeysView
from typing import Generic, TypeVar

E = TypeVar("E")


class Turns(Generic[E]):
    """Items in a line for each owner, none of them empty. It knows nothing of threads: who shares it holds a lock."""

    def __init__(self) -> None:
        self._lines: OrderedDict[str, OrderedDict[E, None]] = OrderedDict()  # whose turn is next comes first
        self._length = 0

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[E]:
        """Every item, owner by owner."""
        return (item for line in self._lines.values() for item in line)

    @property
    def owners(self) -> KeysView[str]:
        """Those who have an item, in the order of their turns."""
        return self._lines.keys()

    @property
    def lines(self) -> Iterable[Iterable[E]]:
        """Each owner's items, oldest first, in the order of the owners' turns."""
        return self._lines.values()

    def add(self, owner: str, item: E) -> None:
        """Put an item at the end of its owner's line; a new owner's turn comes last."""
        self._lines.setdefault(owner, OrderedDict())[item] = None
        self._length += 1

    def discard(self, owner: str, item: E) -> bool:
        """Take an item out, wherever it stands; False where it is not in."""
        line = self._lines.get(owner)
        if line is None or item not in line:
            return False
        del line[item]
        if not line:
            del self._lines[owner]
        self._length -= 1
        return True

    def next(self, may: Callable[[str], bool] = lambda _owner: True) -> E | None:
        """Take out the oldest item of the first owner who ``may`` have one; None where there is none."""
        for owner, line in self._lines.items():
            if may(owner):
                item = next(iter(line))
                self.turn_over(owner)
                self.discard(owner, item)
                return item
        return None

    def turn_over(self, owner: str) -> None:
        """The owner has had his turn, and is the last to have the next; nothing happens where he has no item."""
        if owner in self._lines:
            self._lines.move_to_end(owner)

    def clear(self) -> list[E]:
        """Take everything out."""
        items = list(self)
        self._lines.clear()
        self._length = 0
        return items
