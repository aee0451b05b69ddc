"""Users that ask: some who wait for their answers (closed loop), some who come at random (open loop)."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from time import perf_counter, process_time

from benchmarks.serving.figures import Bag, word_bag
from benchmarks.serving.workload import Picture
from mineru_core.errors import Overloaded
from mineru_core.export.result import DocumentResult

Ask = Callable[[Picture, str], DocumentResult]
"""Hand in a picture as an owner and wait for the answer. Raises ``Overloaded`` at once where it is refused."""

MOST_ARRIVALS = 5000
_GRACE_S = 60.0
"""How much longer than a stage may last those are waited for who have asked in time."""
_HINT_S = 1.0
"""How long who was refused without a hint stays away."""


@dataclass
class Outcome:
    """What became of the requests. ``seconds`` run from the start to the last answer."""

    latencies: list[float] = field(default_factory=list)
    bags: dict[str, Bag] = field(default_factory=dict)
    errors: int = 0
    refusals: int = 0
    without_hint: int = 0
    refusal_seconds: list[float] = field(default_factory=list)
    lags: list[float] = field(default_factory=list)
    seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def throughput(self) -> float:
        """Answers a second."""
        return len(self.latencies) / self.seconds if self.seconds else 0.0


class _Recorder:
    """Notes what happens to requests; from many threads."""

    def __init__(self) -> None:
        self.outcome = Outcome()
        self._lock = threading.Lock()
        self._processor = process_time()
        self.start = perf_counter()
        self.last_answer = self.start

    def answered(self, picture: Picture, result: DocumentResult, since: float) -> None:
        """Note an answer to what was first asked at ``since``; one with failed pages counts as an error."""
        now = perf_counter()
        bag = word_bag(result)
        with self._lock:
            if result.failures:
                self.outcome.errors += 1
                return
            self.last_answer = max(self.last_answer, now)
            self.outcome.latencies.append(now - since)
            self.outcome.bags[picture.name] = bag

    def broke(self, picture: Picture, error: BaseException) -> None:
        """Note a request that gets no answer."""
        print(f"  {picture.name}: {error!r}", flush=True)
        with self._lock:
            self.outcome.errors += 1

    def refused(self, error: Overloaded, seconds: float) -> None:
        """Note a refusal and how long it took."""
        with self._lock:
            self.outcome.refusals += 1
            self.outcome.refusal_seconds.append(seconds)
            self.outcome.without_hint += error.retry_after_s is None

    def end(self, *, at_least_s: float = 0.0, late: int) -> Outcome:
        """The outcome; its time is that to the last answer, or ``at_least_s``. Those who still wait are errors."""
        self.outcome.errors += late
        self.outcome.seconds = max(self.last_answer - self.start, at_least_s)
        self.outcome.cpu_seconds = process_time() - self._processor
        return self.outcome


def closed_loop(ask: Ask, requests: Sequence[Picture], users: int, limit_s: float) -> Outcome:
    """``users`` threads, each an owner, take the next request whenever they have their answer. Who is refused comes
    again after the time hinted at. What is not answered ``limit_s`` seconds after the start is an error."""
    recorder = _Recorder()
    until = recorder.start + limit_s
    left = iter(requests)
    lock = threading.Lock()

    def next_request() -> Picture | None:
        with lock:
            return next(left, None)

    def use(owner: str) -> None:
        while (picture := next_request()) is not None:
            since = perf_counter()
            try:
                result = _insist(ask, picture, owner, recorder, until)
            except Exception as error:  # noqa: BLE001  whatever it is, it is counted and shown, and the user goes on
                recorder.broke(picture, error)
            else:
                recorder.answered(picture, result, since)

    threads = [threading.Thread(target=use, args=(f"user-{n}",), daemon=True) for n in range(users)]
    for thread in threads:
        thread.start()
    return recorder.end(late=_late(threads, until + _GRACE_S))


def _late(threads: Sequence[threading.Thread], until: float) -> int:
    """Wait for the threads until then; how many are not done."""
    for thread in threads:
        thread.join(max(0.0, until - perf_counter()))
    return sum(thread.is_alive() for thread in threads)


def _insist(ask: Ask, picture: Picture, owner: str, recorder: _Recorder, until: float) -> DocumentResult:
    """The answer, after as many attempts as it takes until then."""
    while True:
        attempt = perf_counter()
        if attempt >= until:
            raise TimeoutError("the time of this stage is over")
        try:
            return ask(picture, owner)
        except Overloaded as error:
            recorder.refused(error, perf_counter() - attempt)
            wait = _HINT_S if error.retry_after_s is None else error.retry_after_s
            time.sleep(max(0.0, min(wait, until - perf_counter())))


def arrival_times(rate_per_s: float, seconds: float, seed: int) -> list[float]:
    """When somebody comes, seconds from the start: a Poisson process of which the number is what it is on average (and
    ``MOST_ARRIVALS`` at most), so that a short one is not lighter or heavier by chance."""
    rng = random.Random(seed)
    count = min(MOST_ARRIVALS, round(rate_per_s * seconds))
    return sorted(rng.uniform(0, seconds) for _ in range(count))


def open_loop(
    ask: Ask, requests: Sequence[Picture], arrivals: Sequence[float], *, seconds: float, owners: int, drain_s: float
) -> Outcome:
    """One request at each of the arrival times, in order and from the start again, each by the next of the owners.

    Nobody who is refused comes again. The outcome's time is that of the window (``seconds``) and of the answers after
    it; what is not answered ``drain_s`` after the window is an error.
    """
    recorder = _Recorder()

    def come(number: int, due: float) -> None:
        picture, owner = requests[number % len(requests)], f"owner-{number % owners}"
        asked = perf_counter()
        recorder.outcome.lags.append(asked - due)
        try:
            result = ask(picture, owner)
        except Overloaded as error:
            recorder.refused(error, perf_counter() - asked)
        except Exception as error:  # noqa: BLE001  counted and shown, as in the closed loop
            recorder.broke(picture, error)
        else:
            recorder.answered(picture, result, due)

    threads = []
    for number, arrival in enumerate(arrivals):
        due = recorder.start + arrival
        time.sleep(max(0.0, due - perf_counter()))
        thread = threading.Thread(target=come, args=(number, due), daemon=True)
        thread.start()
        threads.append(thread)
    return recorder.end(at_least_s=seconds, late=_late(threads, recorder.start + seconds + drain_s))
