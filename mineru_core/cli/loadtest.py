"""``mineru-workbench loadtest``: a load test without a browser."""

from __future__ import annotations

import json
import math
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import typer

from mineru_core.cli.console import ProgressLine, tell_error
from mineru_core.errors import WorkbenchError
from mineru_core.loadtest.history import History
from mineru_core.loadtest.presets import preset
from mineru_core.loadtest.run import Run
from mineru_core.loadtest.runner import LoadTest, Progress, one_at_a_time
from mineru_core.loadtest.target import own_server, running_server
from mineru_core.settings import load_settings

SHOWN = (
    "requests",
    "answers",
    "errors",
    "timeouts",
    "refused",
    "throughput",
    "goodput",
    "capacity",
    "mean_s",
    "p50_s",
    "p95_s",
    "p99_s",
)
"""Figures that are printed, and that the JSON file always names: null where there is nothing to measure."""


@dataclass(frozen=True, slots=True)
class Options:
    """What the command was called with."""

    url: str | None = None
    preset: str = "quick"
    seconds: float | None = None
    json: Path | None = None
    name: str | None = None


def run_loadtest(options: Options) -> int:
    """Run it and print the figures; 0, or 1 where it could not be run, with the reason on stderr."""
    line = ProgressLine()
    try:
        settings = load_settings()
        scenario = preset(options.preset, options.seconds)
        with ExitStack() as stack:
            stack.enter_context(one_at_a_time(settings))
            line.show("starting")
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
        if options.json is not None:
            options.json.write_text(json.dumps(flat(run), indent=1), "utf-8")
    except WorkbenchError as error:
        line.clear()
        tell_error(error)
        return 1
    except OSError as error:
        line.clear()
        typer.echo(f"Error: {error.filename or options.json or 'the run'}: {error.strerror}", err=True)
        return 1
    print_figures(run)
    return 0


def flat(run: Run) -> dict[str, float | None]:
    """The figures by name, those of ``SHOWN`` always, and what was refused or failed by code as ``code_NAME``."""
    found: dict[str, float | None] = {name: run.figures.get(name) for name in SHOWN}
    found |= run.figures
    found |= {f"code_{code}": float(count) for code, count in run.by_code.items()}
    found |= {f"cores_{name}": value for name, value in (("used", run.server.cpu_mean),) if value is not None}
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
    for name in SHOWN:
        value = run.figures.get(name)
        typer.echo(f"{name:12} {'-' if value is None else f'{value:10.3f}'}")
    others = {code: count for code, count in run.by_code.items() if code != "ok"}
    if others:
        typer.echo("by code      " + ", ".join(f"{code} {count}" for code, count in others.items()))
    if run.figures.get("rounds"):
        typer.echo("Documents came round again: a cache makes these figures better than they are.", err=True)
