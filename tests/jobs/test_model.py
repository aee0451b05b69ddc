import pytest

from mineru_core.errors import CorruptPdf, Overloaded, WorkbenchError
from mineru_core.jobs.model import Job, JobError, JobState
from mineru_core.store.tables import JobRow


@pytest.mark.parametrize("error", [CorruptPdf("no", "save it again"), Overloaded("full"), WorkbenchError("broke")])
def test_an_error_comes_back_as_what_it_was(error: WorkbenchError) -> None:
    again = JobError.from_error(error).to_error()
    assert type(again) is type(error)
    assert (again.message, again.hint) == (error.message, error.hint)


def test_a_code_of_another_version_is_still_an_error() -> None:
    assert type(JobError(code="from-the-future", message="m").to_error()) is WorkbenchError


def test_final_states() -> None:
    assert {state for state in JobState if not state.is_final} == {JobState.PENDING, JobState.RUNNING}


def test_times_are_aware() -> None:
    row = JobRow(
        id="a",
        owner="o",
        state="done",
        source="s",
        words="",
        stage="",
        page=0,
        pages=0,
        created_at=0.0,
        finished_at=5.5,
    )
    job = Job.from_row(row)
    assert job.created_at.isoformat() == "1970-01-01T00:00:00+00:00"
    assert job.finished_at is not None
    assert job.finished_at.timestamp() == 5.5
    assert job.error is None
