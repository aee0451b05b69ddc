from __future__ import annotations

import csv
import io
from html.parser import HTMLParser

from mineru_core.loadtest.comparison import compare
from mineru_core.loadtest.observing import ServerFigures
from mineru_core.loadtest.report import to_csv, to_html
from tests.loadtest.runs import make_run

EVIL = "=1+1<script>alert(1)</script>"


class Tags(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.seen: list[str] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: object) -> None:  # noqa: ARG002
        self.seen.append(tag)

    def handle_data(self, data: str) -> None:
        self.text += data


def test_csv_has_a_row_a_run_that_no_spreadsheet_runs() -> None:
    first, second = csv.DictReader(io.StringIO(to_csv([make_run(1), make_run(2, name=EVIL)])))
    assert (first["name"], first["throughput"], first["cores"], first["p50_s"]) == ("run 1", "2.0", "4", "")
    assert second["name"] == f"'{EVIL}"


def test_html_shows_figures_machine_and_courses_and_runs_nothing() -> None:
    server = ServerFigures(batch_items={"text": 12.0}, cache_hits={"page": 0.25})
    page = Tags()
    before, after = make_run(1, server=server), make_run(2, name=EVIL, stopped=True, changes={"CACHE": "false"})
    page.feed(to_html([before, after], compare([before], [after])))
    assert "script" not in page.seen
    assert page.seen.count("svg") == 6  # memory has one point only, and one point is no line
    for told in ("A processor", "12.5", EVIL, "Stopped", "CACHE=false", "0.25", "Before and after"):
        assert told in page.text


def test_a_run_without_anything_is_still_a_report() -> None:
    empty = make_run(figures={}, by_code={}, slow_stages_s={}, seconds=(), samples=())
    assert "<svg" not in to_html([empty])
