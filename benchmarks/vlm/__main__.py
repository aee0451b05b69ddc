"""The MinerU engine's model against mineru-vl-utils' transformers client: time and memory, at random weights.

    python -m benchmarks.vlm [--quick] [--json FILE] [--folder DIR] [--precision NAME]

The checkpoint has MinerU2.5's architecture and is written to a temporary folder (or to ``--folder``, and used again
from there). Each side runs in a process of its own, one after the other, forked from one that has the libraries:
theirs at its defaults (one block at a time, weights as they are stored), ours as the settings say or with
``--precision``. A page is a layout picture of 1036
pixels and 12 crops of 64 tokens; the layout has as many tokens as 12 lines take.

``--json`` writes flat name → number. Ratios of time are theirs by ours, above 1 where ours is faster, but for
``second_part_ratio``; ratios of memory are ours by theirs.

``one_page_ratio`` (one page), ``four_users_ratio`` (four users' pages; theirs reads one block after the other, so its
one page stands for each of the four),
``second_part_ratio`` (first token of a second question on a known picture, by theirs on that picture),
``padding`` (share of the tokens ours computed that was padding), ``memory_ratio`` (peak of reading a page, above what
the imported libraries take), ``int8_memory_ratio`` (the same with all weights int8), and the seconds and megabytes
behind them: ``theirs_page_s``, ``ours_page_s``, ``ours_users_s``, ``theirs_first_token_s``,
``ours_second_first_token_s``, ``theirs_peak_mb``, ``ours_peak_mb``, ``int8_peak_mb``.
``--quick``: full widths, 4 layers in either half, a layout picture of 504 pixels, 12 crops of 16 tokens.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from benchmarks.figures import write_figures
from benchmarks.vlm.tasks import USERS, run_side, write


def measure(folder: Path, quick: bool, precision: str) -> dict[str, float]:
    """Write the checkpoint if it is not there, run the three processes and compare."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["benchmarks.vlm.sides"])
    # a process that has multiplied in threads must not fork: the server only imports, each task has a process
    with ProcessPoolExecutor(max_workers=1, mp_context=context, max_tasks_per_child=1) as pool:

        def run(side: str, precision: str) -> dict[str, float]:
            figures = pool.submit(run_side, side, folder, quick, precision).result()
            print(f"{side}: " + "  ".join(f"{name} {value:.4g}" for name, value in figures.items()), flush=True)
            return figures

        if not (folder / "model.safetensors").exists():
            pool.submit(write, folder, quick).result()
        theirs = run("theirs", precision)
        ours = run("ours", precision)
        int8 = run("memory", "int8")
    return {
        "one_page_ratio": theirs["page_s"] / ours["page_s"],
        "four_users_ratio": USERS * theirs["page_s"] / ours["users_s"],
        "second_part_ratio": ours["second_first_token_s"] / theirs["first_token_s"],
        "padding": ours["padding"],
        "memory_ratio": ours["peak_mb"] / theirs["peak_mb"],
        "int8_memory_ratio": int8["peak_mb"] / theirs["peak_mb"],
        "theirs_page_s": theirs["page_s"],
        "ours_page_s": ours["page_s"],
        "ours_users_s": ours["users_s"],
        "theirs_first_token_s": theirs["first_token_s"],
        "ours_second_first_token_s": ours["second_first_token_s"],
        "theirs_peak_mb": theirs["peak_mb"],
        "ours_peak_mb": ours["peak_mb"],
        "int8_peak_mb": int8["peak_mb"],
    }


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.vlm", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a model of a few layers, and smaller pictures")
    parser.add_argument("--json", type=Path, default=None, help="file for the figures")
    parser.add_argument("--folder", type=Path, default=None, help="folder of the checkpoint, written if it is missing")
    parser.add_argument("--precision", default="auto", help="precision of ours: auto, bf16, fp32 or int8")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        figures = measure(options.folder or Path(temporary), options.quick, options.precision)
    print("  ".join(f"{name} {value:.4g}" for name, value in figures.items()))
    write_figures(figures, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
