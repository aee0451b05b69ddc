"""Memory of a process that reads many different pages one after the other.

    python -m benchmarks.memory --data DIR [--pages 200] [--engine NAME] [--quick] [--json FILE]

The pages are taken from the evaluation sets in turn (one of each set, then the next of each). ``--json`` writes flat
name → number: ``pages``, ``rss_loaded_mb`` (after loading, before the first page), ``rss_half_mb`` and ``rss_mb``
(after half and after all of the pages), ``growth`` (of the second half, 0.03 is 3 %), ``seconds``. ``--quick`` reads
8 pages. Needs the packages of the dependency group ``bench``.
"""

from __future__ import annotations

import argparse
import gc
import itertools
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter

import psutil

from benchmarks.kit import find_sets
from mineru_core import Analyzer, open_document

QUICK_PAGES = 8


def mixed_pages(data: Path, count: int) -> list[Path]:
    """Pictures from all sets by turns; from the start again where there are too few."""
    by_set = [chosen.items() for chosen in find_sets(data)]
    turns = [path for row in itertools.zip_longest(*by_set) for path in row if path is not None]
    return list(itertools.islice(itertools.cycle(turns), count))


def resident_mb() -> float:
    """Megabytes (10^6 bytes) of this process that are in memory, garbage collected first."""
    gc.collect()
    return float(psutil.Process().memory_info().rss) / 1e6


def measure(data: Path, pages: int, engine: str | None) -> dict[str, float]:
    """Read the pages and take the memory at the beginning, half way and at the end."""
    figures: dict[str, float] = {"pages": pages}
    start = perf_counter()
    with Analyzer(engine=engine) as analyzer:
        analyzer.load()
        figures["rss_loaded_mb"] = resident_mb()
        for n, path in enumerate(mixed_pages(data, pages), start=1):
            with open_document(path) as document:
                analyzer.analyze(document)
            if n == pages // 2:
                figures["rss_half_mb"] = resident_mb()
            if n % 20 == 0:
                print(f"{n} pages: {resident_mb():.0f} MB", flush=True)
        figures["rss_mb"] = resident_mb()
    figures["growth"] = figures["rss_mb"] / figures["rss_half_mb"] - 1
    figures["seconds"] = perf_counter() - start
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation sets")
    parser.add_argument("--pages", type=int, default=200, help="pages to read, two at least")
    parser.add_argument("--engine", default=None, help="name of the engine; that of the settings if left out")
    parser.add_argument("--quick", action="store_true", help=f"only {QUICK_PAGES} pages")
    parser.add_argument("--json", type=Path, default=None, help="file for the figures")
    options = parser.parse_args(arguments)
    figures = measure(options.data, QUICK_PAGES if options.quick else max(2, options.pages), options.engine)
    print("  ".join(f"{name} {value:.4g}" for name, value in figures.items()))
    if options.json is not None:
        options.json.write_text(json.dumps(figures, indent=1), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
