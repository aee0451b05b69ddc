"""Run the stages and the extras, print a table, write the figures."""

from __future__ import annotations

import argparse
import itertools
import math
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import benchmarks.serving as package
from benchmarks.figures import write_figures
from benchmarks.serving.extras import EXTRAS, Bench, repeat_ms
from benchmarks.serving.figures import same_text
from benchmarks.serving.loads import Outcome, closed_loop
from benchmarks.serving.stages import served, step
from benchmarks.serving.workload import QUICK_PIXELS, REPEAT_SHARE, Workload, make_workload
from mineru_core.loadtest.figures import percentile

STAGES = (0, 1, 2, 3, 4)
QUICK_STAGES = (0, 1, 3, 4)


@dataclass(frozen=True)
class Plan:
    """What is run: how many users and requests, which stages and extras, and how long the open loop lasts and a stage
    may last, seconds."""

    users: int = 50
    requests: int = 100
    repeats: int = 30
    stages: tuple[int, ...] = STAGES
    extras: tuple[str, ...] = tuple(EXTRAS)
    window_s: float = 90.0
    limit_s: float = 3600.0
    most_pixels: int | None = None
    seed: int = 1
    engine: str | None = None


QUICK = Plan(
    users=8,
    requests=16,
    repeats=5,
    stages=QUICK_STAGES,
    extras=("open",),
    window_s=10.0,
    limit_s=300.0,
    most_pixels=QUICK_PIXELS,
)


def run(data: Path, plan: Plan) -> dict[str, float]:
    """All of the plan; flat name → number, as the package's docstring lists them.

    Raises ``ValueError`` where the data folder has too few pictures.
    """
    start = perf_counter()
    workload = make_workload(data, plan.requests, plan.repeats, plan.seed, plan.most_pixels)
    megabytes = sum(len(picture.data) for picture in workload.distinct) / 1e6
    print(
        f"{plan.requests} requests by {plan.users} users, {len(workload.distinct)} pictures, {megabytes:.1f} MB, "
        f"{sum(picture.pixels for picture in workload.distinct) / 1e6:.1f} Mpx; {perf_counter() - start:.1f} s",
        flush=True,
    )
    figures: dict[str, float] = {
        "requests": plan.requests,
        "distinct": len(workload.distinct),
        "users": plan.users,
    }
    print("stage  answers/s     p50 s     p95 s     cpu s  same text  refused  errors", flush=True)
    outcomes: dict[int, Outcome] = {}
    for number in plan.stages:
        outcomes[number], more = run_stage(number, workload, plan)
        figures |= stage_figures(number, outcomes) | more
        print(table_row(number, figures), flush=True)
    figures |= ladder_figures(outcomes, figures)
    capacity = figures.get("throughput_3", 0.0)
    bench = Bench(workload, plan.engine, plan.seed, capacity, plan.window_s)
    for name in plan.extras:
        if name == "open" and not capacity:
            print("open: left out, as it needs stage 3's throughput", flush=True)
            continue
        before = perf_counter()
        found = EXTRAS[name](bench)
        print(f"{name} ({perf_counter() - before:.0f} s)  {line_of(found)}", flush=True)
        figures |= found
    figures["errors"] = sum(value for key, value in figures.items() if key.startswith("errors_"))
    figures["errors"] += figures.pop("open_errors", 0)
    figures["wall_s"] = perf_counter() - start
    return figures


def run_stage(number: int, workload: Workload, plan: Plan) -> tuple[Outcome, dict[str, float]]:
    """One closed loop; at the last stage known bytes are then asked for again, one by one."""
    if number < 4:
        with step(number, plan.users, workload.warm_up, plan.engine) as ask:
            return closed_loop(ask, workload.requests, plan.users, plan.limit_s), {}
    with served(number, workload.warm_up, plan.engine) as door:
        outcome = closed_loop(door.ask, workload.requests, plan.users, plan.limit_s)
        return outcome, {"repeat_ms": repeat_ms(door.analyzer, workload.distinct)}


def stage_figures(number: int, outcomes: dict[int, Outcome]) -> dict[str, float]:
    """The figures of one stage; its text is compared with that of the first with one engine, or of the first."""
    outcome = outcomes[number]
    reference = outcomes[1] if 1 in outcomes else next(iter(outcomes.values()))
    return {
        f"throughput_{number}": outcome.throughput,
        f"p50_{number}": percentile(outcome.latencies, 0.5),
        f"p95_{number}": percentile(outcome.latencies, 0.95),
        f"cpu_seconds_{number}": outcome.cpu_seconds,
        f"same_text_{number}": same_text(outcome.bags, reference.bags),
        f"refusals_{number}": outcome.refusals,
        f"errors_{number}": outcome.errors,
    }


def ladder_figures(outcomes: dict[int, Outcome], figures: dict[str, float]) -> dict[str, float]:
    """How the stages compare, as far as they were run."""
    found: dict[str, float] = {}
    for number in outcomes:  # again, now that the reference is there
        found |= stage_figures(number, outcomes)
    rates = [figures[f"throughput_{number}"] for number in outcomes]
    found["steps_ok"] = float(all(later >= earlier for earlier, later in itertools.pairwise(rates)))
    found["same_text"] = min((found[f"same_text_{number}"] for number in outcomes), default=math.nan)
    if {0, 4} <= outcomes.keys():
        found["throughput_ratio"] = _ratio(found["throughput_4"], found["throughput_0"])
        found["cpu_ratio"] = _ratio(found["cpu_seconds_0"], found["cpu_seconds_4"])
        found["p95_reduction"] = 1 - _ratio(found["p95_4"], found["p95_0"])
    if {1, 3} <= outcomes.keys():
        found["stage3_over_1"] = _ratio(found["throughput_3"], found["throughput_1"])
    return found


def _ratio(above: float, below: float) -> float:
    return above / below if below else math.nan


def table_row(number: int, figures: dict[str, float]) -> str:
    """One line of the table."""
    columns = {"throughput_{}": ".3f", "p50_{}": ".2f", "p95_{}": ".2f", "cpu_seconds_{}": ".1f"}
    cells = [f"{figures[name.format(number)]:9{form}}" for name, form in columns.items()]
    counts = f"{figures[f'refusals_{number}']:7.0f} {figures[f'errors_{number}']:7.0f}"
    return f"{number:5}  {' '.join(cells)}  {figures[f'same_text_{number}']:9.4f}  {counts}"


def line_of(figures: dict[str, float]) -> str:
    """Name and value, all on one line."""
    return "  ".join(f"{name} {value:.4g}" for name, value in figures.items())


def plan_of(options: argparse.Namespace) -> Plan:
    """The plan the options ask for. Raises ``ValueError`` for a stage or an extra that does not exist."""
    base = QUICK if options.quick else Plan()
    requests = base.requests if options.requests is None else options.requests
    stages = base.stages if options.stages is None else tuple(int(part) for part in options.stages.split(","))
    extras = base.extras if options.extras is None else tuple(filter(None, options.extras.split(",")))
    skipped = tuple(filter(None, options.skip.split(",")))
    unknown = [*(set(stages) - set(STAGES)), *({*extras, *skipped} - set(EXTRAS))]
    if unknown:
        raise ValueError(f"there is no {', '.join(map(str, unknown))}; stages {STAGES}, extras {', '.join(EXTRAS)}")
    return Plan(
        users=base.users if options.users is None else options.users,
        requests=requests,
        repeats=base.repeats if options.requests is None else round(REPEAT_SHARE * requests),
        stages=tuple(sorted(set(stages))),
        extras=tuple(name for name in extras if name not in skipped),
        window_s=base.window_s,
        limit_s=base.limit_s,
        most_pixels=base.most_pixels,
        seed=options.seed,
        engine=options.engine,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write."""
    summary = (package.__doc__ or "").splitlines()[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.serving", description=summary)
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation sets")
    parser.add_argument("--users", type=int, default=None, help="threads that ask at once")
    parser.add_argument("--requests", type=int, default=None, help="requests of each stage")
    parser.add_argument("--seed", type=int, default=1, help="decides which pictures are asked for, and when")
    parser.add_argument("--stages", default=None, help="numbers with commas between")
    parser.add_argument("--extras", default=None, help=f"of {', '.join(EXTRAS)}, with commas between")
    parser.add_argument("--skip", default="", help="extras to leave out")
    parser.add_argument("--engine", default=None, help="name of the engine; that of the settings if left out")
    parser.add_argument("--quick", action="store_true", help="small pictures, few users, a short open loop")
    parser.add_argument("--json", type=Path, default=None, help="file for the figures")
    options = parser.parse_args(arguments)
    try:
        plan = plan_of(options)
        figures = run(options.data, plan)
    except ValueError as error:
        parser.error(str(error))
    print(line_of({name: value for name, value in figures.items() if not name[-1].isdigit()}))
    write_figures(figures, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
