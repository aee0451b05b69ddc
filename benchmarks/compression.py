"""What reducing pictures before they are read costs and saves: bytes, accuracy and processor time.

    python -m benchmarks.compression --data DIR [--sets a,b] [--limit N] [--json FILE]

Each picture of the text sets is read three times by turns: as it is (``none``); reduced to a long side of 1,200 pixels
and a JPEG of quality 85 whatever is on it (``fixed``); and as ``mineru_core.intake.compression`` has it (``ours``),
through the JPEG that would travel and with the engine reading at the size the letters need. ``--json`` writes flat name
→ number: ``WAY_SET_bow_f1``, ``WAY_SET_cer_ns``, ``WAY_SET_kb`` (mean kilobytes of a picture on its way) and
``WAY_SET_cpu_s`` (mean processor seconds to decode, prepare and read one), and the same for ``all``. Needs the
packages of the dependency group ``bench``.
"""

from __future__ import annotations

import argparse
import io
import sys
from collections import defaultdict
from collections.abc import Callable, Sequence
from pathlib import Path
from time import process_time
from typing import Any

import numpy as np
from PIL import Image

from benchmarks.figures import write_figures
from benchmarks.kit import EvaluationSet, find_sets, item_name, load_scorer
from mineru_core import Analyzer, load_settings, open_document
from mineru_core.intake.compression import compress, shrink

METRICS = ("bow_f1", "cer_ns", "kb", "cpu_s")
FIXED_EDGE = 1200
FIXED_QUALITY = 85

Send = Callable[[Path], bytes]


def as_it_is(path: Path) -> bytes:
    """The uploaded bytes."""
    return path.read_bytes()


def fixed(path: Path) -> bytes:
    """A JPEG of quality 85 with a long side of 1,200 pixels at most."""
    with open_document(path) as document:
        pixels = document.page(1).pixels
    picture = Image.fromarray(shrink(pixels, min(1.0, FIXED_EDGE / max(pixels.shape[:2]))))
    out = io.BytesIO()
    picture.save(out, "JPEG", quality=FIXED_QUALITY, optimize=True)
    return out.getvalue()


def ours(path: Path) -> bytes:
    """The JPEG of the compression policy."""
    with open_document(path) as document:
        return compress(document.page(1).pixels).data


WAYS: dict[str, tuple[Send, bool]] = {"none": (as_it_is, False), "fixed": (fixed, False), "ours": (ours, True)}


def measure(chosen: EvaluationSet, limit: int | None, analyzers: dict[bool, Analyzer], scorer: Any) -> dict[str, Any]:
    """Mean figures of one set, way → metric → value."""
    rows: dict[str, list[tuple[float, ...]]] = defaultdict(list)
    for path in chosen.items(limit):
        truth = next(chosen.truth.glob(f"{item_name(path)}.*")).read_text(encoding="utf-8")
        for way, (send, compressed) in WAYS.items():
            data = send(path)
            started = process_time()
            with open_document(data) as document:
                text = analyzers[compressed].analyze(document, "text").text
            spent = process_time() - started
            scores = scorer.text_scores(text, truth, casefold=chosen.casefold)
            rows[way].append((scores["bow_f1"], scores["cer_ns"], len(data) / 1e3, spent))
    return {way: dict(zip(METRICS, np.mean(values, axis=0).tolist(), strict=True)) for way, values in rows.items()}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.compression", description=(__doc__ or "").splitlines()[0]
    )
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation sets, with kit/score.py")
    parser.add_argument("--sets", default="", help="names of text sets, parted by commas; all of them if left out")
    parser.add_argument("--limit", type=int, default=None, help="items of each set at most")
    parser.add_argument("--json", type=Path, default=None, help="file for the figures")
    options = parser.parse_args(arguments)
    sets = find_sets(options.data, [name for name in options.sets.split(",") if name])
    scorer = load_scorer(options.data)
    figures: dict[str, float] = {}
    means: dict[str, list[dict[str, float]]] = defaultdict(list)
    settings = {
        compressed: load_settings(cache={"enabled": False}, engine={"compress": compressed})
        for compressed in (False, True)
    }
    with Analyzer(settings[False]) as plain, Analyzer(settings[True]) as reduced:
        for chosen in sets:
            if chosen.kind != "text":
                continue
            for way, values in measure(chosen, options.limit, {False: plain, True: reduced}, scorer).items():
                means[way].append(values)
                figures |= {f"{way}_{chosen.name}_{metric}": value for metric, value in values.items()}
                print(f"{chosen.name:22} {way:6}", "  ".join(f"{m} {v:.3f}" for m, v in values.items()), flush=True)
    for way, of_sets in means.items():
        overall = {metric: float(np.mean([values[metric] for values in of_sets])) for metric in METRICS}
        figures |= {f"{way}_all_{metric}": value for metric, value in overall.items()}
        print(f"{'all':22} {way:6}", "  ".join(f"{m} {v:.3f}" for m, v in overall.items()))
    write_figures(figures, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
