"""A load test of the server that a home folder belongs to."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import urlsplit

import httpx

from mineru_core.loadtest.exchange import PARSE_PATH
from mineru_core.loadtest.runner import LoadTest
from mineru_core.loadtest.scenario import Documents, Kind, Poisson, Scenario
from mineru_core.loadtest.target import this_app
from mineru_core.settings import load_settings
from mineru_core.store.database import Database
from mineru_core.store.tokens import TokenStore
from tests.documents import draw_lines, png_bytes
from tests.servers import serve_process, workbench_environment


def test_its_token_is_free_of_the_rate_and_nothing_is_left_of_it(home: Path, models_dir: Path) -> None:
    limits = {"RATE__LOCAL": "true", "RATE__BURST": "1", "JOBS__WAITING_PLACES": "256"}
    settings = load_settings()
    small = Documents(kinds=(Kind.TABLE,), most=12)
    scenario = Scenario(arrivals=Poisson(rate_per_s=20), seconds=0.5, documents=small, seed=7)
    with serve_process(workbench_environment(home, models_dir, ENGINE__NAME="echo", **limits)) as url:
        with this_app(settings, urlsplit(url).port or 0) as target, LoadTest(scenario, target, settings) as test:
            run = test.wait()
        assert run.by_code.keys() == {"ok"}
        assert run.figures["answers"] > 2
        database = Database(home / "state.db")
        assert TokenStore(database).all() == []
        database.close()
        page = {"file": ("a.png", png_bytes(draw_lines(["a"])))}
        assert httpx.post(f"{url}{PARSE_PATH}", files=page).status_code == httpx.codes.OK  # still without a token
