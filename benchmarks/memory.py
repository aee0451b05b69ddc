"""Memory of a process that reads many different pages, one after the other or for many at once.

    python -m benchmarks.memory --data DIR [--pages 200] [--users 1] [--most-pixels N] [--engine NAME] [--quick]
                                [--json FILE]

The pages are taken from the evaluation sets in turn (one of each set, then the next of each; with ``--most-pixels``
only smaller ones), and read by so many threads with the settings as they are, on an empty home folder, cache on. Where
there are too few, they come again, each time a column of pixels narrower: so none is known, and each is read. Memory
is taken while nothing is read.
``--json`` writes flat name → number: ``pages``, ``users``, ``rss_loaded_mb`` (after loading, before the first page),
``rss_half_mb`` and ``rss_mb`` (after half and after all of the pages), ``growth`` (of the second half, 0.03 is 3 %),
``seconds``; where there are more than 200 pages ``rss_200_mb`` (after 200) and ``growth_200`` (from there to the end).
``--quick`` reads 8 pages. Needs the packages of the dependency group ``bench``.
"""

from __future__ import annotations

import argparse
import gc
import io
import itertools
import sys
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import perf_counter

import psutil
from PIL import Image

from benchmarks.figures import write_figures
from benchmarks.kit import find_sets
from benchmarks.serving.stages import fresh_settings
from mineru_core import Analyzer

QUICK_PAGES = 8
EARLY_PAGES = 200
"""After so many pages a process should have what it needs."""
_TOLD_EVERY = 100


def mixed_pages(data: Path, count: int, most_pixels: int | None = None) -> list[tuple[Path, int]]:
    """Pictures from all sets by turns, and which time each comes, from 0."""
    by_set = [[path for path in chosen.items() if _is_small(path, most_pixels)] for chosen in find_sets(data)]
    turns = [path for row in itertools.zip_longest(*by_set) for path in row if path is not None]
    return [(turns[n % len(turns)], n // len(turns)) for n in range(count)]


def narrowed(path: Path, columns: int) -> bytes:
    """The picture's file; for ``columns`` above 0 a PNG of it without that many columns of pixels at its right."""
    if not columns:
        return path.read_bytes()
    out = io.BytesIO()
    with Image.open(path) as image:
        image.convert("RGB").crop((0, 0, max(1, image.width - columns), image.height)).save(
            out, "PNG", compress_level=1
        )
    return out.getvalue()


def _is_small(path: Path, most_pixels: int | None) -> bool:
    if most_pixels is None:
        return True
    with Image.open(path) as image:
        return image.width * image.height <= most_pixels


def resident_mb() -> float:
    """Megabytes (10^6 bytes) of this process that are in memory, garbage collected first."""
    gc.collect()
    return float(psutil.Process().memory_info().rss) / 1e6


def measure(
    data: Path, pages: int, engine: str | None, users: int = 1, most_pixels: int | None = None
) -> dict[str, float]:
    """Read the pages by so many threads and take the memory at the beginning, on the way and at the end."""
    figures: dict[str, float] = {"pages": pages, "users": users}
    start = perf_counter()
    early = min(EARLY_PAGES, pages)
    stops = sorted({*range(_TOLD_EVERY, pages, _TOLD_EVERY), early, pages // 2, pages})
    memory: dict[int, float] = {}
    chosen = mixed_pages(data, pages, most_pixels)
    with fresh_settings(engine, {}) as settings, Analyzer(settings) as analyzer, ThreadPoolExecutor(users) as pool:
        analyzer.load()
        figures["rss_loaded_mb"] = resident_mb()

        def read(page: tuple[Path, int]) -> None:
            with analyzer.open(narrowed(*page), name=page[0].name) as document:
                analyzer.analyze(document)

        for done, stop in itertools.pairwise([0, *stops]):
            for _ in pool.map(read, chosen[done:stop]):
                pass
            memory[stop] = resident_mb()
            print(f"{stop} pages: {memory[stop]:.0f} MB, {perf_counter() - start:.0f} s", flush=True)
    figures["rss_half_mb"], figures["rss_mb"] = memory[pages // 2], memory[pages]
    figures["growth"] = figures["rss_mb"] / figures["rss_half_mb"] - 1
    if pages > EARLY_PAGES:
        figures["rss_200_mb"] = memory[EARLY_PAGES]
        figures["growth_200"] = figures["rss_mb"] / memory[EARLY_PAGES] - 1
    figures["seconds"] = perf_counter() - start
    return figures


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.memory", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation sets")
    parser.add_argument("--pages", type=int, default=200, help="pages to read, two at least")
    parser.add_argument("--users", type=int, default=1, help="threads that read at once")
    parser.add_argument("--most-pixels", type=int, default=None, help="pixels a page may have; all if left out")
    parser.add_argument("--engine", default=None, help="name of the engine; that of the settings if left out")
    parser.add_argument("--quick", action="store_true", help=f"only {QUICK_PAGES} pages")
    parser.add_argument("--json", type=Path, default=None, help="file for the figures")
    options = parser.parse_args(arguments)
    pages = QUICK_PAGES if options.quick else max(2, options.pages)
    figures = measure(options.data, pages, options.engine, options.users, options.most_pixels)
    print("  ".join(f"{name} {value:.4g}" for name, value in figures.items()))
    write_figures(figures, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
