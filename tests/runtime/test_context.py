from dataclasses import replace

import pytest

from mineru_core.errors import Cancelled, DeadlineExceeded
from mineru_core.runtime.context import Progress, RunContext


def test_a_fresh_context_goes_on() -> None:
    RunContext().check()
    RunContext.with_timeout(60).check()


def test_every_copy_is_cancelled_with_it() -> None:
    ctx = RunContext()
    copy = replace(ctx, owner="somebody")
    ctx.cancel()
    with pytest.raises(Cancelled):
        copy.check()


def test_past_its_deadline_it_stops() -> None:
    ctx = RunContext.with_timeout(0)
    assert ctx.remaining_s == 0
    with pytest.raises(DeadlineExceeded):
        ctx.check()


def test_without_a_deadline_nothing_remains_to_be_told() -> None:
    assert RunContext().remaining_s is None


def test_request_ids_differ() -> None:
    assert RunContext().request_id != RunContext().request_id


def test_progress_reaches_the_listener() -> None:
    seen: list[Progress] = []
    RunContext(on_progress=seen.append).report(Progress("read", page=2, done=1, pages=4))
    RunContext().report(Progress("read"))
    assert [p.fraction for p in seen] == [0.25]
    assert Progress("read").fraction == 0
