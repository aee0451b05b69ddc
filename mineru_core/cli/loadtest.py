"""``mineru-workbench loadtest``: a load test without a browser."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import typer

from mineru_core.cli.console import ProgressLine, tell_error
from mineru_core.errors import InvalidRequest, WorkbenchError
from mineru_core.loadtest.advice import advise
from mineru_core.loadtest.comparison import Row
from mineru_core.loadtest.figures import MAIN_FIGURES
from mineru_core.loadtest.history import History
from mineru_core.loadtest.presets import DEFAULT, preset
from mineru_core.loadtest.report import to_csv, to_html
from mineru_core.loadtest.run import Run
from mineru_core.loadtest.runner import LoadTest, Progress
from mineru_core.loadtest.scenario import check_bounds
from mineru_core.loadtest.switches import SIDE_S, run_switched, switch_named
from mineru_core.loadtest.target import own_server, running_server
from mineru_core.loadtest.turn import one_at_a_time
from mineru_core.settings import Settings, load_settings


@dataclass(frozen=True, slots=True)
class Options:
    """What the command was called with."""

    url: str | None = None
    preset: str | None = None
    seconds: float | None = None
    json: Path | None = None
    html: Path | None = None
    csv: Path | None = None
    name: str | None = None
    switch: str | None = None
    repeats: int = 1


def run_loadtest(options: Options) -> int:
    """Run it and print the figures; 0, or 1 where it could not be run, with the reason on stderr."""
    line = ProgressLine()
    try:
        settings = load_settings()
        with one_at_a_time(settings):
            line.show("starting")
            if options.switch is not None:
                _switched(options, settings, line)
            else:
                _single(options, settings, line)
    except WorkbenchError as error:
        line.clear()
        tell_error(error)
        return 1
    except OSError as error:
        line.clear()
        typer.echo(f"Error: {error.filename or 'the run'}: {error.strerror}", err=True)
        return 1
    return 0


def _single(options: Options, settings: Settings, line: ProgressLine) -> None:
    scenario = preset(options.preset or DEFAULT, options.seconds)
    check_bounds(scenario, settings.loadtest)
    with ExitStack() as stack:
        if options.url is None:
            target = stack.enter_context(own_server(settings))
        else:
            target = running_server(options.url, settings)
        test = stack.enter_context(LoadTest(scenario, target, settings))
        run = test.wait(lambda progress: line.show(shown(progress)))
    if options.name:
        run = run.model_copy(update={"name": options.name})
    line.clear()
    History(settings).keep(run)
    _write(options, flat(run), [run], ())
    print_figures(run)
    if options.url is None:  # the settings are those of this machine's server
        print_advice(run, settings)


def _switched(options: Options, settings: Settings, line: ProgressLine) -> None:
    if options.url is not None:
        raise InvalidRequest("--ab starts servers of its own.", "Leave --url out.")
    history = History(settings)
    found = run_switched(
        switch_named(options.switch or ""),
        settings,
        seconds=SIDE_S if options.seconds is None else options.seconds,
        repeats=options.repeats,
        on_progress=lambda side, progress: line.show(f"{side}: {shown(progress)}"),
        on_run=lambda _side, run: history.keep(run),
    )
    line.clear()
    figures: dict[str, float | None] = {}
    for row in found.rows:
        figures |= {f"off_{row.name}": row.before, f"on_{row.name}": row.after, f"ratio_{row.name}": row.ratio}
        figures |= {f"low_{row.name}": row.low, f"high_{row.name}": row.high}
    _write(options, figures, [*found.off, *found.on], found.rows)
    print_rows(found.name, found.rows)


def _write(options: Options, figures: dict[str, float | None], runs: Sequence[Run], rows: Sequence[Row]) -> None:
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1), "utf-8")
    if options.html is not None:
        options.html.write_text(to_html(runs, rows), "utf-8")
    if options.csv is not None:
        options.csv.write_text(to_csv(runs), "utf-8", newline="")


def flat(run: Run) -> dict[str, float | None]:
    """The figures by name, those of ``MAIN_FIGURES`` always, None where there was nothing to measure; what requests
    ended with as ``code_NAME``; the share of the processor that was busy as ``cpu``."""
    found: dict[str, float | None] = {name: run.figures.get(name) for name in MAIN_FIGURES}
    found |= run.figures
    found |= {f"code_{code}": float(count) for code, count in run.by_code.items()}
    found["cpu"] = run.server.cpu_mean
    return found


def shown(progress: Progress) -> str:
    """A run that is on its way, in a line."""
    if progress.figures is None:
        return "starting"
    numbers = progress.figures
    p95 = "" if math.isnan(numbers.p95_s) else f", p95 {numbers.p95_s:.2f} s"
    counts = f"{numbers.answers} answers, {numbers.refused} refused, {numbers.errors} errors"
    return f"{progress.phase} {progress.at_s:.0f} s: {counts}{p95}"


def print_figures(run: Run) -> None:
    """Name and value, a line each; then what was refused or failed, by code."""
    typer.echo(f"{run.name} against {run.target} ({run.engine or 'engine unknown'}), run {run.id}")
    for name in MAIN_FIGURES:
        value = run.figures.get(name)
        typer.echo(f"{name:12} {'-' if value is None else f'{value:10.3f}'}")
    others = {code: count for code, count in run.by_code.items() if code != "ok"}
    if others:
        typer.echo("by code      " + ", ".join(f"{code} {count}" for code, count in others.items()))
    if run.figures.get("rounds"):
        typer.echo("Documents came round again: a cache makes these figures better than they are.", err=True)


def print_rows(name: str, rows: Sequence[Row]) -> None:
    """Both sides beside each other, a line a figure, as a table of Markdown."""
    typer.echo(f"| {name} | off | on | ratio | 95 % between |\n|---|---|---|---|---|")
    for row in rows:
        typer.echo(f"| {row.name} | {row.before:.3f} | {row.after:.3f} | {row.ratio_text} | {row.bounds_text} |")


def print_advice(run: Run, settings: Settings) -> None:
    """Settings that would suit what was measured, and whether the machine is enough; nothing where all is well."""
    advice = advise(run, settings)
    for proposal in advice.proposals:
        typer.echo(f"advice       {proposal.setting} {proposal.now} → {proposal.proposed}: {proposal.reason}")
    if advice.cores_needed is not None:
        typer.echo(
            f"advice       This rate takes about {advice.cores_needed} cores; docs/scaling.md says how to add machines."
        )
