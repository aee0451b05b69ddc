"""People for Locust: those who come at random moments, and those who wait for their answer before they ask again.

Only the generator's process and ``locustfile.py`` import this: Locust brings gevent, which changes the standard library
of the process.
"""

from __future__ import annotations

import math
import random
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import gevent
from gevent.pool import Group
from locust import task
from locust.contrib.fasthttp import FastHttpSession, FastHttpUser
from locust.env import Environment
from locust.exception import StopUser

from mineru_core.loadtest.exchange import (
    FORM_TYPE,
    PARSE_PATH,
    REFUSED,
    TASK_PATH,
    error_of,
    is_right,
    multipart,
    retry_after,
    state_of,
    task_of,
    timings_of,
)
from mineru_core.loadtest.figures import percentile
from mineru_core.loadtest.records import (
    CONNECTION,
    GENERATOR,
    OK,
    STOPPED,
    TIMEOUT,
    TOO_MANY_IN_FLIGHT,
    WRONG_ANSWER,
    Record,
)
from mineru_core.loadtest.scenario import ClosedLoop, Poisson, Ramp, Scenario
from mineru_core.loadtest.schedule import RateSearch, arrival_times
from mineru_core.loadtest.supply import Drawn, Request, Supply

DOCUMENT = "DOCUMENT"
"""What Locust's own tables call a whole question, from when it was due to the answer; HTTP calls are rows beside."""

_HINT_S = 2.0
"""How long at most who was refused in a closed loop stays away, seconds."""
_FIRST_POLL_S, _LAST_POLL_S, _POLL_GROWTH = 0.05, 1.0, 1.4


@dataclass(slots=True)
class Outcome:
    """What came back, and when: ``end`` on the desk's clock."""

    code: str
    end: float
    status: int = 0
    bytes: int = 0
    queue_fraction: float | None = None
    timings: Mapping[str, float] = field(default_factory=dict)
    retry_after_s: float = 0.0


@dataclass
class Desk:
    """Where everybody of one phase hands in. One greenlet runs at a time, so nothing is locked."""

    phase: str
    scenario: Scenario
    supply: Supply
    rng: random.Random
    headers: Mapping[str, str] = field(default_factory=dict)
    looks_for_words: bool = True
    most_per_s: float = 1000.0
    share: float = 1.0
    most_requests: float = math.inf

    def __post_init__(self) -> None:
        self.begun = time.perf_counter()
        self.asked = 0
        self.in_flight = 0
        self.is_closing = False
        self.all_came = False
        self.best_rate: float | None = None
        self.coming = Group()

    def begin(self) -> None:
        """The phase starts now."""
        self.begun = time.perf_counter()

    def now(self) -> float:
        """Seconds since the phase began."""
        return time.perf_counter() - self.begun

    @property
    def is_over(self) -> bool:
        """Whether nobody asks any more."""
        return self.is_closing or self.now() >= self.scenario.seconds or self.asked >= self.most_requests

    @property
    def is_done(self) -> bool:
        """Whether nobody asks any more and all have their answers."""
        closed = isinstance(self.scenario.arrivals, ClosedLoop)
        return (self.is_over if closed else self.all_came) and self.in_flight == 0

    def ask(self, user: DeskUser, due: float, step: int = 0) -> Record:
        """One question, to its end; told to Locust as one event that carries its record."""
        request = self.supply.next()
        start = self.now()
        self.asked += 1
        self.in_flight += 1
        outcome = Outcome(GENERATOR, start)
        try:
            with gevent.Timeout(max(0.001, due + self.scenario.timeout_s - start)):
                outcome = self._exchange(user.client, request)
            if outcome.code == CONNECTION and self.now() >= due + self.scenario.timeout_s:
                outcome.code = TIMEOUT  # Locust's session takes the timeout for a failure of the connection
        except gevent.Timeout:
            outcome = Outcome(TIMEOUT, self.now())
        except gevent.GreenletExit:
            outcome = Outcome(STOPPED, self.now())
            raise
        finally:
            self.in_flight -= 1
            if outcome.code == OK:
                self.supply.answered(request)
            elif outcome.status == REFUSED:
                self.supply.refused(request)
            record = self._told(user.environment, request, outcome, (due, start), step)
        if outcome.status == REFUSED and isinstance(self.scenario.arrivals, ClosedLoop):
            gevent.sleep(min(_HINT_S, outcome.retry_after_s or _HINT_S))
        return record

    def turn_away(self, user: DeskUser, due: float, step: int = 0) -> Record:
        """Somebody for whom there is no place among those on their way."""
        nobody = Request(Drawn("", "", b""), "", "new")
        now = self.now()
        return self._told(user.environment, nobody, Outcome(TOO_MANY_IN_FLIGHT, now), (due, now), step)

    def let_come(self, user: DeskUser) -> None:
        """Everybody who comes at random, until the phase is over and the last has an answer."""
        arrivals = self.scenario.arrivals
        try:
            if isinstance(arrivals, Ramp):
                self._search(user, arrivals)
            elif not isinstance(arrivals, ClosedLoop):
                for due in arrival_times(arrivals, self.scenario.seconds, self.rng, share=self.share):
                    if not self._wait_until(due):
                        break
                    self._come(user, due, 0)
            self.coming.join(self.scenario.timeout_s + 1)
        finally:
            self.coming.kill()
            self.all_came = True

    def _come(self, user: DeskUser, due: float, step: int, into: list[Record] | None = None) -> None:
        def ask() -> None:
            record = self.ask(user, due, step)
            if into is not None:
                into.append(record)

        if self.in_flight < self.scenario.in_flight:
            self.coming.spawn(ask)
            gevent.sleep(0)  # who was let in counts as on the way before the next is looked at
        else:
            record = self.turn_away(user, due, step)
            if into is not None:
                into.append(record)

    def _wait_until(self, due: float) -> bool:
        """Sleep until then; False where the phase was closed. The event loop's own clock may be behind."""
        while not self.is_closing and (left := due - self.now()) > 0:
            gevent.sleep(left)
        return not self.is_closing

    def _search(self, user: DeskUser, ramp: Ramp) -> None:
        search = RateSearch(ramp.first_per_s, self.most_per_s)
        for step in range(1, 1000):
            if search.rate is None or self.now() + ramp.step_s > self.scenario.seconds or self.is_closing:
                break
            search.told(self._holds(user, ramp, search.rate, step))
            self.best_rate = search.best
            self.coming.join(self.scenario.timeout_s + 1)  # the next step starts on an idle system

    def _holds(self, user: DeskUser, ramp: Ramp, rate: float, step: int) -> bool:
        """One step at this rate; whether 95 % were answered in time, and nobody failed or was refused."""
        records: list[Record] = []
        start, came = self.now(), 0
        for after in arrival_times(Poisson(rate_per_s=rate), ramp.step_s, self.rng, share=self.share):
            if not self._wait_until(start + after):
                break
            self._come(user, start + after, step, records)
            came += 1
        self._wait_until(start + ramp.step_s)
        self.coming.join(ramp.p95_limit_s)
        if len(records) < came:
            return False  # somebody is still waiting
        latencies = [record.latency_s for record in records if record.code == OK]
        failed = len(latencies) < len(records)
        return not failed and (not latencies or percentile(latencies, 0.95) <= ramp.p95_limit_s)

    def _told(
        self, environment: Environment, request: Request, outcome: Outcome, times: tuple[float, float], step: int
    ) -> Record:
        due, start = times
        record = Record(
            phase=self.phase,
            due=round(due, 6),
            start=round(start, 6),
            end=round(outcome.end, 6),
            code=outcome.code,
            status=outcome.status,
            kind=request.document.kind,
            asked=request.asked,
            bytes=outcome.bytes,
            queue_fraction=outcome.queue_fraction,
            step=step,
            timings=outcome.timings,
        )
        environment.events.request.fire(  # type: ignore[no-untyped-call]
            request_type=DOCUMENT,
            name=record.code if record.is_refused else record.kind,
            response_time=1000 * record.latency_s,
            response_length=record.bytes,
            exception=RuntimeError(record.code) if record.is_error else None,
            context={"record": record},
            response=None,
            start_time=time.time() - record.latency_s,
            url=PARSE_PATH,
        )
        return record

    def _exchange(self, client: FastHttpSession, request: Request) -> Outcome:
        """Hand in, and follow to the end."""
        body = multipart(request, asynchronous=self.scenario.asynchronous)
        headers = {**self.headers, "Content-Type": FORM_TYPE}
        outcome, content = self._call(client, "POST", PARSE_PATH, "hand in", data=body, headers=headers)
        if outcome.code == OK and outcome.status == 202 and self.scenario.asynchronous:
            outcome, content = self._follow(client, task_of(content))
        if outcome.code == OK:
            outcome.timings = timings_of(content)
            if not is_right(content, request.document.expected if self.looks_for_words else ()):
                outcome.code = WRONG_ANSWER
        return outcome

    def _follow(self, client: FastHttpSession, task_id: str) -> tuple[Outcome, bytes]:
        """Ask for the task until it has ended; a task nobody waits for any more is cancelled."""
        path, pause, ended = f"{TASK_PATH}{task_id}", _FIRST_POLL_S, False
        try:
            while True:
                gevent.sleep(pause)
                pause = min(_LAST_POLL_S, _POLL_GROWTH * pause)
                outcome, content = self._call(client, "GET", path, "ask for the task", headers=dict(self.headers))
                state, code = state_of(content) if outcome.code == OK else ("unknown", "")
                if state in ("pending", "running"):
                    continue
                ended = outcome.code == OK
                if outcome.code == OK and state != "done":
                    outcome.code = code
                return outcome, content
        finally:
            if not ended:
                gevent.spawn(self._call, client, "DELETE", path, "cancel the task", headers=dict(self.headers))

    def _call(self, client: FastHttpSession, method: str, path: str, name: str, **more: Any) -> tuple[Outcome, bytes]:
        with client.request(method, path, name=name, catch_response=True, **more) as answer:
            outcome = Outcome(OK, self.now(), int(answer.status_code or 0))
            content = bytes(answer.content or b"")
            outcome.bytes = len(content)
            if outcome.status == 0:
                outcome.code = CONNECTION
                answer.failure(outcome.code)
            elif outcome.status >= 400:
                outcome.code, outcome.queue_fraction = error_of(content, outcome.status)
                outcome.retry_after_s = retry_after(answer.headers)
                # Being refused is an answer: Locust's own tables would count it as a failure.
                if outcome.status == REFUSED:
                    answer.success()
                else:
                    answer.failure(outcome.code)
            else:
                answer.success()
        return outcome, content


class DeskUser(FastHttpUser):
    """Somebody who asks at ``desk``."""

    abstract = True
    desk: Desk
    concurrency = 1000
    max_retries = 0
    max_redirects = 0  # a redirect could lead off this machine
    network_timeout = connection_timeout = 700.0  # the desk's own limit is what ends a request


class Crowd(DeskUser):
    """All those who come at random, as one user of Locust's: they do not wait for each other."""

    abstract = True

    @task
    def come(self) -> None:
        """Everybody of the phase."""
        self.desk.let_come(self)
        raise StopUser


class Visitor(DeskUser):
    """One person who asks, waits for the answer, thinks and asks again."""

    abstract = True

    def wait_time(self) -> float:
        """A pause, exponential around ``think_s``."""
        arrivals = self.desk.scenario.arrivals
        think = arrivals.think_s if isinstance(arrivals, ClosedLoop) else 0.0
        return self.desk.rng.expovariate(1 / think) if think else 0.0

    @task
    def come(self) -> None:
        """Once, unless the phase is over."""
        if self.desk.is_over:
            raise StopUser
        self.desk.ask(self, self.desk.now())


def users_of(desk: Desk, host: str) -> tuple[type[DeskUser], int]:
    """The class of the users that a phase needs, and how many of them."""
    arrivals = desk.scenario.arrivals
    base, count = (Visitor, arrivals.users) if isinstance(arrivals, ClosedLoop) else (Crowd, 1)
    kind: type[DeskUser] = type(f"{base.__name__}OfDesk", (base,), {"desk": desk, "host": host, "abstract": False})
    return kind, count


def listen(environment: Environment, write: Callable[[Record], None]) -> None:
    """Give every question's record to ``write``, from Locust's event of a request."""

    def on_request(context: Mapping[str, Any] | None = None, **_: object) -> None:
        record = (context or {}).get("record")
        if isinstance(record, Record):
            write(record)

    environment.events.request.add_listener(on_request)  # type: ignore[no-untyped-call]
