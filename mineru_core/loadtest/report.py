"""Runs as files: a CSV with a row for each, and a page of HTML that needs nothing but itself."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Iterable, Sequence
from html import escape

from mineru_core.export.guard import guard
from mineru_core.loadtest.comparison import Row
from mineru_core.loadtest.figures import REPORTED
from mineru_core.loadtest.run import Run

_SERVER = ("queue_fraction_mean", "queue_fraction_worst", "resident_worst_bytes", "cpu_mean")
_WIDTH, _HEIGHT, _LEFT, _BOTTOM = 640, 180, 48, 22

_STYLE = """
:root { color-scheme: light dark; --ink: #1c1f23; --paper: #fff; --line: #8886;
  --a: #0b63b6; --b: #b3541e; --c: #7a3fa0; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e8eaed; --paper: #16181c; --a: #6db3f2; --b: #f0a06c; --c: #c69be8; } }
body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
  max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; margin: .5rem 0 1.5rem; display: block; overflow-x: auto; }
th, td { border-bottom: 1px solid var(--line); padding: .25rem .8rem .25rem 0; text-align: left; }
td.n { text-align: right; font-variant-numeric: tabular-nums; }
svg { width: 100%; height: auto; max-width: 40rem; }
svg text { fill: var(--ink); font: 11px system-ui, sans-serif; }
polyline { fill: none; stroke-width: 1.8; }
"""


def to_csv(runs: Sequence[Run]) -> str:
    """A row a run: what it was, its figures, what the server counted, the machine. Times in seconds, shares 0..1."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    facts = ("processor", "cores", "memory_bytes", "system", "python", "version", "load")
    writer.writerow(["id", "name", "preset", "target", "engine", "started", *REPORTED, *_SERVER, *facts])
    for run in runs:
        told = [run.id, guard(run.name), guard(run.scenario.name), guard(run.target), guard(run.engine), _date(run)]
        figures = [run.figures.get(name, "") for name in REPORTED]
        server = ["" if (value := getattr(run.server, name)) is None else value for name in _SERVER]
        machine = [guard(value) if isinstance(value := getattr(run.machine, name), str) else value for name in facts]
        writer.writerow([*told, *figures, *server, *machine])
    return out.getvalue()


def to_html(runs: Sequence[Run], rows: Sequence[Row] = ()) -> str:
    """The report: each run with its machine, figures and courses; ``rows`` compare them, if given."""
    parts = [f"<!doctype html><html lang='en'><head><meta charset='utf-8'><title>Load test</title><style>{_STYLE}"]
    parts.append("</style><meta name='viewport' content='width=device-width'></head><body><h1>Load test</h1>")
    if rows:
        parts.append("<h2>Before and after</h2>" + comparison_table(rows))
    parts += [_run(run) for run in runs]
    return "".join([*parts, "</body></html>"])


def comparison_table(rows: Sequence[Row]) -> str:
    """Figures of two sides as an HTML table."""
    head = ("", "before", "after", "ratio", "95 % between")
    return _table(
        head, [(row.name, _number(row.before), _number(row.after), row.ratio_text, row.bounds_text) for row in rows]
    )


def _run(run: Run) -> str:
    facts = run.machine
    machine = (
        f"{facts.processor}, {facts.cores} cores, {facts.memory_bytes / 2**30:.1f} GiB, {facts.system}, "
        f"Python {facts.python}, version {facts.version}, load before {facts.load:g}"
    )
    about = f"{run.scenario.name} against {run.target}, engine {run.engine or 'unknown'}, {_date(run)}"
    switched = ", ".join(f"{name}={value}" for name, value in run.changes.items())
    figures = [(name, _number(run.figures[name])) for name in REPORTED if name in run.figures]
    parts = [f"<h2>{escape(run.name)}</h2><p>{escape(about)}<br>{escape(machine)}</p>"]
    if switched:
        parts.append(f"<p>{escape(switched)}</p>")
    if run.stopped:
        parts.append("<p>Stopped before its end.</p>")
    parts.append(_table(("figure", "value"), figures))
    parts.append(_table(("ended with", "requests"), [(code, str(n)) for code, n in run.by_code.items()]))
    seconds, samples = run.seconds, run.samples
    parts += [
        _plot(
            "Requests that ended, a second",
            {
                "answers": [(s.at_s, s.answers) for s in seconds],
                "refused": [(s.at_s, s.refused) for s in seconds],
                "errors": [(s.at_s, s.errors) for s in seconds],
            },
        ),
        _plot(
            "p95 of the answers of a second, s", {"p95": [(s.at_s, s.p95_s) for s in seconds if s.p95_s is not None]}
        ),
        _plot(
            "Processor and places taken, share",
            {
                "processor": [(s.at_s, s.cpu) for s in samples],
                "places": [(s.at_s, s.queue_fraction) for s in samples if s.queue_fraction is not None],
            },
        ),
        _plot("Memory, MB", {"memory": [(s.at_s, s.resident_bytes / 1e6) for s in samples if s.resident_bytes]}),
    ]
    stages = [(name, f"{value:.3f}") for name, value in run.slow_stages_s.items()]
    server = run.server
    parts.append(_section("Stages of the slowest tenth, s", stages))
    for title, shares in (
        ("Items of a call", server.batch_items),
        ("Padding, share", server.padding),
        ("Cache hits, share", server.cache_hits),
        ("Refusals by reason", server.refusals),
    ):
        parts.append(_section(title, [(name, _number(value)) for name, value in shares.items()]))
    return "".join(parts)


def _section(title: str, rows: Sequence[tuple[str, str]]) -> str:
    return f"<h3>{escape(title)}</h3>" + _table(("", ""), rows) if rows else ""


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    cells = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    body = "".join(
        "<tr>" + "".join(f"<td{' class=n' if n else ''}>{escape(cell)}</td>" for n, cell in enumerate(row)) + "</tr>"
        for row in rows
    )
    return f"<table><thead><tr>{cells}</tr></thead><tbody>{body}</tbody></table>"


def _plot(title: str, series: dict[str, list[tuple[float, float]]]) -> str:
    """Lines over seconds as SVG; nothing of fewer than two points."""
    drawn = {name: points for name, points in series.items() if len(points) > 1}
    if not drawn:
        return ""
    last = max(x for points in drawn.values() for x, _ in points) or 1.0
    top = max(y for points in drawn.values() for _, y in points) or 1.0

    def place(x: float, y: float) -> str:
        return f"{_LEFT + x / last * (_WIDTH - _LEFT - 8):.1f},{(_HEIGHT - _BOTTOM) * (1 - y / top) + 8:.1f}"

    lines = _lines(drawn, place)
    floor = _HEIGHT - _BOTTOM + 8
    axes = (
        f"<line x1='{_LEFT}' y1='{floor}' x2='{_WIDTH}' y2='{floor}' stroke='currentColor' opacity='.4'/>"
        f"<text x='2' y='14'>{escape(_number(top))}</text><text x='2' y='{floor}'>0</text>"
        f"<text x='{_WIDTH - 60}' y='{_HEIGHT + 10}'>{last:.0f} s</text>"
    )
    size = f"0 0 {_WIDTH} {_HEIGHT + 14}"
    return f"<h3>{escape(title)}</h3><svg viewBox='{size}' role='img' aria-label='{escape(title)}'>{axes}{lines}</svg>"


def _lines(drawn: dict[str, list[tuple[float, float]]], place: Callable[[float, float], str]) -> str:
    """Lines that differ in dash as well as colour, with their names."""
    parts = []
    styles = (("--a", ""), ("--b", "6 3"), ("--c", "2 3"))
    for number, (name, points) in enumerate(drawn.items()):
        colour, dash = styles[number % len(styles)]
        course = " ".join(place(x, y) for x, y in points)
        parts.append(f"<polyline points='{course}' stroke='var({colour})' stroke-dasharray='{dash}'/>")
        at = _LEFT + 110 * number
        parts.append(f"<line x1='{at}' y1='4' x2='{at + 22}' y2='4' stroke='var({colour})' stroke-dasharray='{dash}'/>")
        parts.append(f"<text x='{at + 27}' y='8'>{escape(name)}</text>")
    return "".join(parts)


def _number(value: float) -> str:
    return f"{value:.0f}" if value == int(value) or abs(value) >= 1000 else f"{value:.3g}"


def _date(run: Run) -> str:
    return time.strftime("%Y-%m-%d %H:%M:%S UTC", time.gmtime(run.started_at))
