"""Speed and accuracy of the OCR stage against RapidOCR's default on the same pages, in one run.

    python -m benchmarks.ocr --data DIR [--sets a,b] [--limit N] [--alone] [--quick] [--json FILE]

Both read every page, by turns first, after one page each to warm up. Ours is the stage as the engine runs it:
orientation, detection, recognition and the boxes of words. ``--json`` writes flat name → number: ``pages``;
``seconds`` and ``rapidocr_seconds`` (wall clock, sums over the pages), ``speedup`` (their ratio); ``cpu_seconds``,
``rapidocr_cpu_seconds`` and ``cpu_speedup`` (processor time, which a busy machine disturbs less); ``bow_f1`` and
``rapidocr_bow_f1`` (means of the sets' means), ``bow_f1_SET`` and ``rapidocr_bow_f1_SET``; ``rss_mb`` (memory of the
whole process at the end, both readers in it). ``--alone`` leaves RapidOCR and its figures out, so that ``rss_mb`` is
ours. ``--quick`` reads one page of each set. Needs the packages of the dependency group ``bench`` and, for the
comparison, ``rapidocr``: pip install rapidocr==3.10.0
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from statistics import fmean
from time import perf_counter, process_time
from typing import Any

import cv2
import psutil

from benchmarks.figures import tell_figures
from benchmarks.kit import EvaluationSet, find_sets, item_name, load_scorer
from mineru_core.document.page import Pixels
from mineru_core.engines.embedded.ocr import OcrReader
from mineru_core.runtime.context import RunContext
from mineru_core.settings import load_settings

SETS = (
    "sroie_text",
    "funsd_text",
    "omnidoc_text",
    "borndigital_zh_text",
    "borndigital_en_text",
    "slides_text",
    "slides_zh_text",
)
SAME_LINE_PX = 10
"""Lines whose tops are this close stand side by side: RapidOCR's own rule, used for both."""

Reader = Callable[[Pixels], str]
"""From the pixels of a page, RGB, to its text, a line a line."""


@dataclass
class Tally:
    """What one reader has taken and reached: seconds of wall clock and processor, bow_f1 of each page by set."""

    seconds: float = 0.0
    cpu_seconds: float = 0.0
    scores: dict[str, list[float]] = field(default_factory=dict)

    @property
    def bow_f1(self) -> float:
        """Mean of the sets' means."""
        return fmean(fmean(values) for values in self.scores.values())


def embedded_reader(reader: OcrReader) -> Reader:
    """Our OCR stage as the engine runs it on an upright page."""

    def read(pixels: Pixels) -> str:
        reader.orientation(pixels, RunContext())
        lines = sorted(reader.read(pixels, RunContext()), key=lambda line: line.quad.top_left[1])
        rows: list[tuple[int, float, str]] = []
        for index, line in enumerate(lines):
            new_row = index and line.quad.top_left[1] - lines[index - 1].quad.top_left[1] >= SAME_LINE_PX
            row = rows[-1][0] + bool(new_row) if rows else 0
            rows.append((row, line.quad.top_left[0], line.text))
        return "\n".join(text for _, _, text in sorted(rows))

    return read


def rapidocr_reader() -> Reader:
    """RapidOCR at its defaults (ONNX Runtime). Exits with what to install where it is missing."""
    try:
        rapidocr: Any = import_module("rapidocr")
    except ImportError:
        sys.exit("The comparison needs RapidOCR: pip install rapidocr==3.10.0 (or leave it out with --alone)")
    engine = rapidocr.RapidOCR(params={"Global.log_level": "error"})

    def read(pixels: Pixels) -> str:
        # It takes arrays as OpenCV loads them: blue first.
        return "\n".join(engine(cv2.cvtColor(pixels, cv2.COLOR_RGB2BGR)).txts or ())

    return read


def load_page(path: Path) -> Pixels:
    """The pixels of a picture, RGB."""
    picture = cv2.imread(str(path))
    if picture is None:
        raise ValueError(f"{path} is no picture")
    return cv2.cvtColor(picture, cv2.COLOR_BGR2RGB).astype("uint8", copy=False)


def compare(
    readers: dict[str, Reader], sets: Sequence[EvaluationSet], limit: int | None, scorer: Any
) -> dict[str, Tally]:
    """Let every reader read every page, in an order that turns from page to page."""
    tallies = {name: Tally() for name in readers}
    warm_up = load_page(sets[0].items(1)[0])
    for read in readers.values():
        read(warm_up)
    order = list(readers)
    for chosen in sets:
        for path in chosen.items(limit):
            truth = (chosen.truth / f"{item_name(path)}.txt").read_text(encoding="utf-8")
            pixels = load_page(path)
            for name in order:
                wall, processor = perf_counter(), process_time()
                text = readers[name](pixels)
                tallies[name].seconds += perf_counter() - wall
                tallies[name].cpu_seconds += process_time() - processor
                score = scorer.text_scores(text, truth, chosen.casefold)["bow_f1"]
                tallies[name].scores.setdefault(chosen.name, []).append(score)
            order.reverse()
        means = "  ".join(f"{name} {fmean(t.scores[chosen.name]):.4f}" for name, t in tallies.items())
        print(f"{chosen.name:22} bow_f1  {means}", flush=True)
    return tallies


def figures_of(tallies: dict[str, Tally]) -> dict[str, float]:
    """Flat name → number, as the module's docstring lists them."""
    figures: dict[str, float] = {}
    for name, tally in tallies.items():
        prefix = "" if name == "embedded" else f"{name}_"
        figures[f"{prefix}seconds"] = tally.seconds
        figures[f"{prefix}cpu_seconds"] = tally.cpu_seconds
        figures[f"{prefix}bow_f1"] = tally.bow_f1
        figures |= {f"{prefix}bow_f1_{name_of_set}": fmean(v) for name_of_set, v in tally.scores.items()}
    if "rapidocr_seconds" in figures:
        figures["speedup"] = figures["rapidocr_seconds"] / figures["seconds"]
        figures["cpu_speedup"] = figures["rapidocr_cpu_seconds"] / figures["cpu_seconds"]
    figures["pages"] = sum(len(v) for v in tallies["embedded"].scores.values())
    figures["rss_mb"] = psutil.Process().memory_info().rss / 1e6
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.ocr", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation sets")
    parser.add_argument("--sets", default=",".join(SETS), help="sets to read, with commas between")
    parser.add_argument("--limit", type=int, default=None, help="pages of each set")
    parser.add_argument("--alone", action="store_true", help="leave RapidOCR out")
    parser.add_argument("--quick", action="store_true", help="one page of each set")
    parser.add_argument("--json", type=Path, default=None, help="file for the figures")
    options = parser.parse_args(arguments)
    try:
        sets, scorer = find_sets(options.data, options.sets.split(",")), load_scorer(options.data)
    except ValueError as error:
        parser.error(str(error))
    settings = load_settings()
    reader = OcrReader(settings.models_dir, engine_calls=settings.engine_calls, batch_items=settings.engine.batch_items)
    reader.load()
    readers = {"embedded": embedded_reader(reader)}
    if not options.alone:
        readers["rapidocr"] = rapidocr_reader()
    figures = figures_of(compare(readers, sets, 1 if options.quick else options.limit, scorer))
    reader.close()
    tell_figures(figures, options.json, width=36, form=".4f")
    return 0


if __name__ == "__main__":
    sys.exit(main())
