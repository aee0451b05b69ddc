"""The queue's rules, tried in any order of events against a plain model of them."""

import shutil
import tempfile
import threading
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, consumes, invariant, multiple, rule
from sqlalchemy import select

from mineru_core.errors import CorruptPdf, NotFound, Overloaded
from mineru_core.jobs.model import JobState
from mineru_core.jobs.queue import JobQueue, Submission
from mineru_core.store.blobs import BlobStore
from mineru_core.store.database import Database
from mineru_core.store.tables import JobRow

PLACES = 4
SERVICES = ("s1", "s2")


def submission(job_id: str, owner: str = "ann", *, data: bytes = b"x", needs_password: bool = False) -> Submission:
    return Submission(
        job_id=job_id, data=data, name="a.png", words="", owner=owner, regions="[]", needs_password=needs_password
    )


class Home:
    def __init__(self, root: Path) -> None:
        self.database = Database(root / "state.db")
        self.queues = {name: JobQueue(self.database, BlobStore(root / "blobs"), name, 3600.0) for name in SERVICES}

    def states(self) -> dict[str, str]:
        with self.database.read() as session:
            return {row.id: row.state for row in session.scalars(select(JobRow))}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


class QueueMachine(RuleBasedStateMachine):
    """Two services submit, claim, end, cancel and die; the model says where each job must stand."""

    jobs = Bundle("jobs")
    runs = Bundle("runs")

    def __init__(self) -> None:
        super().__init__()
        self.folder = Path(tempfile.mkdtemp())
        self.home = Home(self.folder)
        self.model: dict[str, str] = {}
        self.owners: dict[str, str] = {}
        self.worker: dict[str, str] = {}
        self.attempts: dict[str, int] = {}
        self.order: list[str] = []

    def teardown(self) -> None:
        self.home.database.close()
        shutil.rmtree(self.folder)

    @rule(target=jobs, owner=st.sampled_from("ab"))
    def submit(self, owner: str) -> object:
        job_id = f"j{len(self.order)}"
        full = sum(state == "pending" for state in self.model.values()) >= PLACES
        if full:
            with pytest.raises(Overloaded):
                self.home.queues["s1"].submit(submission(job_id, owner), PLACES)
            return multiple()
        self.home.queues["s1"].submit(submission(job_id, owner), PLACES)
        self.model[job_id], self.owners[job_id], self.attempts[job_id] = "pending", owner, 0
        self.order.append(job_id)
        return job_id

    @rule(target=runs, service=st.sampled_from(SERVICES))
    def claim(self, service: str) -> object:
        row = self.home.queues[service].claim()
        waiting = [job for job in self.order if self.model[job] == "pending"]
        if not waiting:
            assert row is None
            return multiple()
        busy = {o: sum(self.model[j] == "running" and self.owners[j] == o for j in self.order) for o in "ab"}
        assert row is not None
        assert row.id == min(waiting, key=lambda job: (busy[self.owners[job]], self.order.index(job)))
        self.model[row.id], self.worker[row.id] = "running", service
        self.attempts[row.id] += 1
        return row.id

    @rule(job=consumes(runs), service=st.sampled_from(SERVICES), good=st.booleans())
    def finish(self, job: str, service: str, good: bool) -> None:
        queue = self.home.queues[service]
        allowed = self.model[job] == "running" and self.worker[job] == service
        if good:
            assert queue.finish(job, JobState.DONE, result=b"{}") is allowed
        else:
            assert queue.finish(job, JobState.FAILED, error=CorruptPdf("no")) is allowed
        if allowed:
            self.model[job] = "done" if good else "failed"

    @rule(job=jobs)
    def cancel(self, job: str) -> None:
        row = self.home.queues["s2"].cancel(job, self.owners[job])
        if self.model[job] in ("pending", "running"):
            self.model[job] = "cancelled"
        assert row.state == self.model[job]

    @rule(job=runs, service=st.sampled_from(SERVICES))
    def release(self, job: str, service: str) -> None:
        self.home.queues[service].release(job)
        if self.model[job] == "running" and self.worker[job] == service:
            self.model[job] = "pending"
            self.attempts[job] -= 1

    @rule(service=st.sampled_from(SERVICES))
    def die(self, service: str) -> None:
        dying = [j for j in self.order if self.model[j] == "running" and self.worker[j] == service]
        other = self.home.queues[SERVICES[service == "s1"]]
        assert other.other_services() == ({service} if dying else set())
        assert other.take_over(service) is bool(dying)
        for job in dying:
            self.model[job] = "failed" if self.attempts[job] >= 3 else "pending"

    @invariant()
    def states_agree(self) -> None:
        assert self.home.states() == self.model


TestQueueMachine = QueueMachine.TestCase
TestQueueMachine.settings = settings(max_examples=8, stateful_step_count=20, deadline=None)


def test_many_claim_at_once_and_each_job_is_taken_once(home: Home) -> None:
    for number in range(20):
        home.queues["s1"].submit(submission(f"j{number}"), 100)
    taken: list[str] = []

    def take(queue: JobQueue) -> None:
        while (row := queue.claim()) is not None:
            taken.append(row.id)

    threads = [threading.Thread(target=take, args=(home.queues[SERVICES[n % 2]],)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(taken) == sorted(f"j{number}" for number in range(20))


def test_one_owner_does_not_get_every_claim(home: Home) -> None:
    queue = home.queues["s1"]
    for number, owner in enumerate(["ann", "ann", "ann", "bob"]):
        queue.submit(submission(f"j{number}", owner))
    assert [row.id for row in (queue.claim(2), queue.claim(2), queue.claim(2)) if row] == ["j0", "j3", "j1"]
    assert queue.claim(2) is None
    assert queue.waiting() == {"j2": "ann"}
    elsewhere = home.queues["s2"].claim(2)  # only what runs at the one that asks counts
    assert elsewhere is not None
    assert elsewhere.id == "j2"


def test_another_owner_sees_nothing(home: Home) -> None:
    queue = home.queues["s1"]
    queue.submit(submission("j1", "ann"), 9)
    for ask in (queue.get, queue.cancel):
        with pytest.raises(NotFound):
            ask("j1", "bob")
    assert queue.list("bob", 10) == []
    assert [row.id for row in queue.list("ann", 10)] == ["j1"]
    assert home.states() == {"j1": "pending"}


def test_a_locked_document_waits_for_the_service_that_knows_its_password(home: Home) -> None:
    home.queues["s1"].submit(submission("j1", needs_password=True), 9)
    assert home.queues["s2"].claim() is None
    assert home.queues["s2"].other_services() == {"s1"}
    row = home.queues["s1"].claim()
    assert row is not None
    home.queues["s1"].release("j1")
    assert home.queues["s2"].take_over("s1")
    row = home.queues["s2"].get("j1", "ann")
    assert (row.state, row.error_code) == ("failed", "encrypted-pdf")


def test_a_document_that_ends_its_process_is_given_up(home: Home) -> None:
    home.queues["s1"].submit(submission("j1"), 9)
    for _ in range(3):
        assert home.queues["s1"].claim() is not None
        home.queues["s2"].take_over("s1")
    row = home.queues["s2"].get("j1", "ann")
    assert (row.state, row.error_code) == ("failed", "engine-failed")


def test_newest_first_and_no_more_than_asked(home: Home) -> None:
    for number in range(5):
        home.queues["s1"].submit(submission(f"j{number}"), 9)
    assert [row.id for row in home.queues["s1"].list("ann", 2)] == ["j4", "j3"]


def test_a_lost_run_waits_again_and_not_for_ever(home: Home) -> None:
    queue = home.queues["s1"]
    queue.submit(submission("j1", needs_password=True), 9)
    for attempt in range(3):
        assert home.states() == {"j1": "pending"}, attempt
        assert queue.claim() is not None
        home.queues["s2"].recover(["j1"])
        assert queue.running_here() == {"j1"}
        queue.recover(["j1"])
    assert home.states() == {"j1": "failed"}
