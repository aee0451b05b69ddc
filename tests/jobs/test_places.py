from mineru_core.jobs.places import JobPlaces
from mineru_core.serving.admission import Admission


def places() -> tuple[Admission, JobPlaces]:
    admission = Admission(workers=2, full=2, start_per_s=1.0)
    return admission, JobPlaces(admission)


def test_a_job_on_its_way_into_the_database_keeps_its_place() -> None:
    admission, jobs = places()
    jobs.keep("j1", admission.enter("ann"))
    assert jobs.known() == set()
    assert not jobs.compare(jobs.known(), {}, ())
    assert admission.inside == 1
    jobs.written("j1")
    assert not jobs.compare(jobs.known(), {"j1": "ann"}, ())
    assert admission.inside == 1


def test_what_has_gone_gives_its_place_back() -> None:
    admission, jobs = places()
    for name in ("waits", "runs", "gone"):
        jobs.keep(name, admission.enter("ann"))
        jobs.written(name)
    assert not jobs.compare(jobs.known(), {"waits": "ann"}, {"runs"})
    assert jobs.known() == {"waits", "runs"}
    assert admission.inside == 2


def test_what_waits_unseen_is_counted_once() -> None:
    admission, jobs = places()
    assert jobs.compare(jobs.known(), {"theirs": "bob"}, ())
    assert not jobs.compare(jobs.known(), {"theirs": "bob"}, ())
    assert admission.inside == 1
    jobs.ticket("theirs", "bob").start()
    jobs.leave("theirs")
    jobs.leave("theirs")
    assert admission.inside == 0


def test_a_job_that_came_after_the_look_is_not_taken_for_one_that_has_gone() -> None:
    admission, jobs = places()
    before = jobs.known()
    jobs.keep("new", admission.enter("ann"))
    jobs.written("new")
    jobs.compare(before, {}, ())
    assert jobs.known() == {"new"}


def test_a_job_that_leaves_while_the_database_is_asked_is_not_counted_again() -> None:
    admission, jobs = places()
    jobs.keep("j1", admission.enter("ann"))
    jobs.written("j1")
    before = jobs.known()
    jobs.leave("j1")
    assert not jobs.compare(before, {"j1": "ann"}, ())
    assert admission.inside == 0
