"""What the generator is told, and by which files: for both sides, since only one of them may import Locust."""

from __future__ import annotations

from pydantic import BaseModel

from mineru_core.loadtest.scenario import Scenario

JOB, RECORDS, STOP = "job.json", "records.jsonl", "stop"
WARM_UP, CAPACITY, MAIN = "warm-up", "capacity", "main"
TOKEN_VARIABLE = "MINERU_WORKBENCH_LOADTEST__TOKEN"


class Job(BaseModel):
    """What the generator is to do, and where. ``looks_for_words``: whether the engine there reads, so that an answer
    without the words of its page is wrong."""

    scenario: Scenario
    url: str
    looks_for_words: bool = True
    most_per_s: float = 1000.0
