from __future__ import annotations

from datetime import UTC, datetime

import pytest

from mineru_core.jobs.model import Job, JobState
from mineru_core.ui.analyse.progress import fraction, stage_text
from mineru_core.ui.i18n import Translator


def job(stage: str = "", page: int = 0, pages: int = 0, done: int = 0, state: JobState = JobState.RUNNING) -> Job:
    return Job(
        id="1",
        owner="me",
        state=state,
        source="a.pdf",
        stage=stage,
        page=page,
        pages=pages,
        done=done,
        created_at=datetime(2025, 1, 1, tzinfo=UTC),
    )


@pytest.mark.parametrize(
    ("running", "text"),
    [
        (job(state=JobState.PENDING), "Waiting for a free place"),
        (job("load"), "Getting the engine ready"),
        (job("text", page=1, pages=1), "Reading the text"),
        (job("tables", page=7, pages=3, done=1), "Reading the tables · page 7, 1 of 3 done"),
        (job("some-new-stage", page=2, pages=4, done=1), "Reading · page 2, 1 of 4 done"),
    ],
)
def test_the_stage_is_said_in_words(running: Job, text: str) -> None:
    assert stage_text(running, Translator("en")) == text


def test_the_bar_grows_with_the_pages_done_and_is_full_only_at_the_end() -> None:
    steps = [fraction(job("text", page=5 + n, pages=4, done=n)) for n in range(4)]
    assert steps == sorted(steps)
    assert 0 < fraction(job()) < steps[0]
    assert steps[-1] < 1
    assert fraction(job("answer", page=8, pages=4, done=4)) == 1
