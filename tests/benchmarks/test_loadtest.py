from __future__ import annotations

import json
import random
import time
from pathlib import Path

import pytest

from benchmarks import loadtest
from mineru_core.loadtest.exchange import multipart
from mineru_core.loadtest.scenario import Kind
from mineru_core.loadtest.supply import Request, draw
from tests.loadtest.stub import stub_server


def test_the_raw_client_asks_one_after_the_other() -> None:
    body = multipart(Request(draw(Kind.TABLE, random.Random(1), 1), "words", "new"), asynchronous=False)
    with stub_server(delay_s=0.01) as stub:
        until = time.monotonic() + 60
        with loadtest.RawClient(stub.url, body) as raw:
            while len(raw.times) < 5 and time.monotonic() < until:
                time.sleep(0.01)  # a thread that only counts has no event
    assert len(raw.times) >= 5
    assert set(stub.seen) == {"words"}
    assert stub.most_open == 1
    assert min(raw.times) > 0.01


@pytest.mark.long
def test_it_measures_what_it_says(home: Path, tmp_path: Path) -> None:
    target = tmp_path / "figures.json"
    assert loadtest.main(["--quick", "--json", str(target)]) == 0
    figures = json.loads(target.read_text("utf-8"))
    promised = {word for word in (loadtest.__doc__ or "").split("``") if word in figures}
    assert promised == set(figures)
    assert figures["errors"] == 0
    assert figures["stop_worst_s"] >= figures["stop_s"] > 0
