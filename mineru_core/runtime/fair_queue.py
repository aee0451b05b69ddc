"""Who comes next: owners in turn, each owner's items in the order they came, buckets that may share a call.

The queue knows nothing of threads, clocks or answers; the ``Batcher`` holds its lock around every call.
"""

from __future__ import annotations

from collections import OrderedDict, deque
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from mineru_core.runtime.turns import Turns


class Queued(Protocol):
    """What waits: ``key`` is its bucket, ``size`` the units it is computed at alone, ``units`` the useful ones."""

    owner: str
    key: Hashable
    size: float
    units: float


E = TypeVar("E", bound=Queued)


@dataclass(frozen=True, slots=True)
class CallLimits:
    """What one call may hold. ``counts`` are the numbers of items it may have, ascending from 1; ``units`` bounds what
    is computed (one item may pass it); ``padding`` bounds computed over useful units, less 1, where sizes differ."""

    counts: Sequence[int]
    units: float
    padding: float


class FairQueue(Generic[E]):
    """Items by owner and bucket.

    A call is begun by the oldest item of the owner whose turn it is, and filled with items of the same bucket, one of
    each owner in turn. So an owner with three lines is served as often as one with three thousand, and within an owner
    nobody is overtaken but by company for an older item.
    """

    def __init__(self) -> None:
        self._turns: Turns[E] = Turns()
        self._buckets: dict[Hashable, OrderedDict[str, OrderedDict[E, None]]] = {}
        self._waiting_units = 0.0

    def __len__(self) -> int:
        return len(self._turns)

    @property
    def units(self) -> float:
        """Units that would be computed if each item went alone."""
        return self._waiting_units

    def waiting_in(self, key: Hashable) -> int:
        """Items in a bucket."""
        return sum(map(len, self._buckets.get(key, {}).values()))

    def add(self, entry: E) -> None:
        """Put an item at the end of its owner's."""
        self._turns.add(entry.owner, entry)
        bucket = self._buckets.setdefault(entry.key, OrderedDict())
        bucket.setdefault(entry.owner, OrderedDict())[entry] = None
        self._waiting_units += entry.size

    def discard(self, entry: E) -> None:
        """Take an item out, wherever it stands; nothing happens where it is not in."""
        if not self._turns.discard(entry.owner, entry):
            return
        bucket = self._buckets[entry.key]
        del bucket[entry.owner][entry]
        if not bucket[entry.owner]:
            del bucket[entry.owner]
        if not bucket:
            del self._buckets[entry.key]
        self._waiting_units = self._waiting_units - entry.size if self._turns else 0.0

    def clear(self) -> list[E]:
        """Take everything out."""
        self._buckets.clear()
        self._waiting_units = 0.0
        return self._turns.clear()

    def seeds(self) -> Iterator[E]:
        """The oldest item of each owner and bucket, in the order in which calls should begin: owners in turn first."""
        seen: set[Hashable] = set()
        for own in self._turns.lines:
            for entry in own:
                if entry.key not in seen:
                    seen.add(entry.key)
                    yield entry
                    break
        for bucket_key, bucket in self._buckets.items():
            if bucket_key not in seen:
                yield next(iter(next(iter(bucket.values()))))

    def company(self, seed: E, limits: CallLimits) -> list[E]:
        """The call that ``seed`` begins: itself first, then those of its bucket that fit, owners in turn."""
        chosen, most = [seed], limits.counts[-1]
        largest, useful = seed.size, seed.units
        mixed = False
        for entry in self._in_turn(seed):
            if len(chosen) == most:
                break
            size = max(largest, entry.size)
            computed, wanted = size * (len(chosen) + 1), useful + entry.units
            mixes = mixed or entry.size != largest
            if computed > limits.units:
                if entry.size <= largest:
                    break  # nothing smaller would fit either: an item is computed at the size of the largest
                continue
            if mixes and computed > wanted * (1 + limits.padding):
                continue
            chosen.append(entry)
            largest, useful, mixed = size, wanted, mixes
        return chosen[: max(n for n in limits.counts if n <= len(chosen))]

    def take(self, chosen: Sequence[E]) -> None:
        """Take a call's items out; the owner who began it goes to the end of the turns."""
        if chosen:
            self._turns.turn_over(chosen[0].owner)
        for entry in chosen:
            self.discard(entry)

    def _in_turn(self, seed: E) -> Iterator[E]:
        """The other items of the seed's bucket: one an owner and round, the seed's owner last in the first round."""
        owners = self._buckets[seed.key]
        queues = deque(iter(own) for owner, own in owners.items() if owner != seed.owner)
        queues.append(iter(owners[seed.owner]))
        while queues:
            queue = queues.popleft()
            entry = next(queue, None)
            if entry is None:
                continue
            queues.append(queue)
            if entry is not seed:
                yield entry
