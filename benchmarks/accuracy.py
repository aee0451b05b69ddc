"""Accuracy of the whole way, from picture to answer, over a folder of evaluation sets.

    python -m benchmarks.accuracy --data DIR [--sets a,b] [--limit N] [--engine NAME] --out DIR

Each picture goes through ``Analyzer`` with the words its kind of set calls for. Written to ``--out``: a folder a set
with one prediction an item as the data's ``kit/score.py`` reads them (text ``.txt``, table ``.html``, chart ``.csv``,
layout ``.json``, checks ``.md``), and ``summary.json`` (set → metric → value, plus ``n``, ``seconds`` and
``failures``). An item without a prediction gets the worst score. Of charts ``sure_right`` is the share of the points
with a confidence of 0.9 and more that are within 2 % of the truth. Printed: the summary with the peers' figures of
``BASELINES.md`` beside it. Needs the packages of the dependency group ``bench``.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from benchmarks.chart_points import JudgedPoint, judged_points, sure_figures
from benchmarks.kit import EvaluationSet, find_sets, item_name, load_scorer, read_baselines
from mineru_core import Analyzer, BlockType, DocumentResult, WorkbenchError, load_settings, open_document
from mineru_core.export import chart_to_csv, table_to_csv, table_to_html, to_markdown

WORDS = {
    "text": "text",
    "table": "extract the table",
    "chart": "extract the chart data",
    "layout": "text",
    "checks": "",
}
METRICS = {
    "text": ("cer", "cer_ns", "bow_f1", "num_f1"),
    "table": ("teds", "teds_struct", "grits_con", "shape_ok"),
    "chart": ("rms_f1", "num_recall", "sure_right"),
    "layout": ("map50", "area_f1"),
    "checks": ("pass",),
}
LAYOUT_LABELS = {
    BlockType.IMAGE: "figure",
    BlockType.CHART: "figure",
    BlockType.EQUATION: "formula",
    BlockType.IMAGE_CAPTION: "caption",
    BlockType.TABLE_CAPTION: "caption",
    BlockType.PAGE_FOOTNOTE: "footnote",
    BlockType.REFERENCE: "text",
}


def predict(kind: str, result: DocumentResult) -> tuple[str, str] | None:
    """The prediction as (file extension, content); None where there is nothing to compare."""
    if kind == "text":
        return "txt", result.text
    if kind == "table":
        largest = max(result.tables, key=lambda t: 0.0 if t.box is None else t.box.area, default=None)
        return None if largest is None else ("html", table_to_html(largest))
    if kind == "chart":
        if result.charts:
            return "csv", chart_to_csv(result.charts[0]).decode("utf-8-sig")
        # A picture of a table that is called a chart.
        return ("csv", table_to_csv(result.tables[0]).decode("utf-8-sig")) if result.tables else None
    if kind == "layout":
        boxes = [
            {"label": LAYOUT_LABELS.get(b.type, b.type.value), "box": list(b.box), "score": b.confidence}
            for b in result.blocks
        ]
        return "json", json.dumps({"boxes": boxes})
    return "md", to_markdown(result)


def run_set(chosen: EvaluationSet, analyzer: Analyzer, scorer: Any, out: Path, limit: int | None) -> dict[str, float]:
    """Read every item of one set, write the predictions, score them."""
    folder = out / chosen.name
    folder.mkdir(parents=True, exist_ok=True)
    failures, seconds = 0, 0.0
    points: list[JudgedPoint] = []
    items = chosen.items(limit)
    for path in items:
        for old in folder.glob(f"{item_name(path)}.*"):
            old.unlink()
        start = perf_counter()
        try:
            with open_document(path) as document:
                result = analyzer.analyze(document, WORDS[chosen.kind])
        except WorkbenchError as error:
            print(f"{chosen.name}/{path.name}: {error.code}: {error.message}", file=sys.stderr)
            failures += 1
            continue
        finally:
            seconds += perf_counter() - start
        failures += len(result.failures)
        prediction = predict(chosen.kind, result)
        if chosen.kind == "chart" and result.charts:
            truth = chosen.truth / f"{item_name(path)}.csv"
            points += judged_points(result.charts[0], truth.read_text(encoding="utf-8"), scorer)
        if prediction is not None:
            (folder / f"{item_name(path)}.{prediction[0]}").write_text(prediction[1], encoding="utf-8")
    summary, _ = scorer.score_folder(
        chosen.kind,
        folder,
        chosen.truth,
        casefold=chosen.casefold,
        classes=chosen.classes,
        only=[item_name(path) for path in items],
    )
    sure = sure_figures(points) if chosen.kind == "chart" else {}
    return {**summary, **sure, "seconds": seconds, "failures": failures}


def print_row(chosen: EvaluationSet, summary: dict[str, float], peers: dict[str, dict[str, float]]) -> None:
    """One set's figures, and beneath them those of its peers."""
    per_item = summary["seconds"] / max(1, summary["n"])
    cells = "  ".join(f"{m} {summary[m]:.3f}" for m in METRICS[chosen.kind] if m in summary)
    print(f"{chosen.name:26} n {summary['n']:3}  {cells}  {per_item:.2f} s/item  failures {summary['failures']}")
    for name, figures in sorted(peers.items()):
        cells = "  ".join(f"{m} {figures[m]:.3f}" for m in METRICS[chosen.kind] if m in figures)
        if cells:
            print(f"    {name:22}        {cells}")
    sys.stdout.flush()


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.accuracy", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation sets, with kit/score.py")
    parser.add_argument("--sets", default="", help="names of sets, parted by commas; all if left out")
    parser.add_argument("--limit", type=int, default=None, help="items of each set at most")
    parser.add_argument("--engine", default=None, help="name of the engine; that of the settings if left out")
    parser.add_argument("--out", type=Path, required=True, help="folder for predictions and summary.json")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run, print, write; 2 where the data folder or a set is not there."""
    options = parse_arguments(arguments)
    try:
        sets = find_sets(options.data, [name for name in options.sets.split(",") if name])
        scorer = load_scorer(options.data)
    except ValueError as error:
        print(error, file=sys.stderr)
        return 2
    baselines = read_baselines(options.data)
    options.out.mkdir(parents=True, exist_ok=True)
    summaries: dict[str, dict[str, float]] = {}
    with Analyzer(load_settings(cache={"enabled": False}), engine=options.engine) as analyzer:  # all is read anew
        analyzer.load()
        for chosen in sets:
            summaries[chosen.name] = run_set(chosen, analyzer, scorer, options.out, options.limit)
            print_row(chosen, summaries[chosen.name], baselines.get(chosen.name, {}))
            # Written after each set, so that a run cut short leaves what it has.
            (options.out / "summary.json").write_text(json.dumps(summaries, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
