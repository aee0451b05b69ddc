"""What the drop zone saves on the way, what that costs in words, and what uploads leave in the server's memory.

    python -m benchmarks.upload --data DIR [--limit N] [--quick] [--json FILE]

Pictures over the policy's ``max_bytes`` are reduced by the drop zone's own code in a real browser and read twice, as
they are and as they would travel: receipts (``sroie_text``) against their truths, and pages of PDF files
(``source_pdfs``, the first page of each with words, drawn at 200 dpi as PNG) against the words of the file. For memory,
30 files of 4 MB are uploaded through the page of a real server with the echo engine, after two that warm it up.
``--json`` writes flat name → number: ``wire_reduction`` (share of all bytes saved, 0.7 is 70 %), ``bow_loss`` (mean
bow_f1 as they are minus as they travel), both also for each source (``sroie_…``, ``pdf_…``), ``files``, ``reduced``
(how many of them are), ``shrink_s`` (mean seconds in the browser) and ``session_mb`` (growth of the server's resident
memory, 10^6 bytes). ``--quick`` takes two files of each source. Needs the dependency groups ``dev`` and ``bench``.
"""

from __future__ import annotations

import argparse
import base64
import io
import secrets
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil
import pypdfium2
from playwright.sync_api import Browser, FilePayload

from benchmarks.chromium import chromium
from benchmarks.figures import write_figures
from benchmarks.kit import find_sets, item_name, load_scorer
from benchmarks.server import served
from mineru_core import Analyzer, load_settings, open_document
from mineru_core.intake.compression import POLICY
from mineru_core.ui.setup import asset

SETS = ("sroie_text",)
SCANS = "source_pdfs"
DPI = 200
LEAST_WORDS = 40
"""Words of a page whose words count as truth."""
QUICK_ITEMS = 2
UPLOADS, UPLOAD_BYTES = 30, 4_000_000
SETTLE_S = 2.0

COMPRESS = """async ([code, base64, policy]) => {
  window.module ||= import(URL.createObjectURL(new Blob([code], { type: "text/javascript" })));
  const { compress } = await window.module;
  const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
  const started = performance.now();
  const found = await compress(new Blob([bytes]), policy);
  const seconds = (performance.now() - started) / 1000;
  if (!found) return [null, seconds];
  const text = await new Promise((done) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result.split(",", 2)[1]);
    reader.readAsDataURL(found.blob);
  });
  return [text, seconds];
}"""


@dataclass(frozen=True)
class Item:
    """A picture's file with the words that are on it."""

    source: str
    name: str
    data: bytes
    truth: str
    casefold: bool


def receipts(data: Path, limit: int | None) -> Iterator[Item]:
    """Pictures of the sets that are large enough to be reduced, with their truths."""
    for chosen in find_sets(data, SETS):
        large = [path for path in chosen.items() if path.stat().st_size > POLICY.max_bytes]
        for path in large[:limit]:
            truth = next(chosen.truth.glob(f"{item_name(path)}.*")).read_text(encoding="utf-8")
            yield Item("sroie", path.name, path.read_bytes(), truth, chosen.casefold)


def scans(data: Path, limit: int | None) -> Iterator[Item]:
    """First pages of PDF files as pictures, with the file's own words, where both are large enough."""
    found = 0
    for path in sorted((data / SCANS).rglob("*.pdf")):
        if limit is not None and found == limit:
            return
        document = pypdfium2.PdfDocument(path)
        page = document[0]
        words = page.get_textpage().get_text_bounded()
        out = io.BytesIO()
        page.render(scale=DPI / 72).to_pil().convert("RGB").save(out, "PNG")
        document.close()
        if len(words.split()) >= LEAST_WORDS and out.tell() > POLICY.max_bytes:
            found += 1
            yield Item("pdf", f"{path.stem}.png", out.getvalue(), words, False)


def measure_wire(items: Sequence[Item], browser: Browser, scorer: Any) -> dict[str, float]:
    """Bytes and words of each item as it is and as it travels."""
    page = browser.new_page()
    rows: list[tuple[str, int, int, float, float]] = []
    reduced = 0
    with Analyzer(load_settings(cache={"enabled": False})) as analyzer:

        def score(data: bytes, item: Item) -> float:
            with open_document(data) as document:
                text = analyzer.analyze(document, "text").text
            return float(scorer.text_scores(text, item.truth, casefold=item.casefold)["bow_f1"])

        for item in items:
            text, seconds = page.evaluate(
                COMPRESS, [asset("compression.js"), base64.b64encode(item.data).decode(), asdict(POLICY)]
            )
            before = score(item.data, item)
            sent, after = item.data, before
            if text is not None:
                reduced += 1
                sent = base64.b64decode(text)
                after = score(sent, item)
            rows.append((item.source, len(item.data), len(sent), before - after, seconds))
            print(
                f"{item.source:6} {item.name[:40]:40} {len(item.data) / 1e6:6.2f} → {len(sent) / 1e6:5.2f} MB  "
                f"bow {before:.3f} → {after:.3f}  {seconds:.2f} s",
                flush=True,
            )
    page.close()
    figures: dict[str, float] = {"files": len(rows), "reduced": reduced, "shrink_s": _mean([row[4] for row in rows])}
    for prefix, chosen in [("", rows)] + [
        (f"{source}_", [row for row in rows if row[0] == source]) for source in dict.fromkeys(row[0] for row in rows)
    ]:
        figures[f"{prefix}wire_reduction"] = 1 - sum(row[2] for row in chosen) / max(1, sum(row[1] for row in chosen))
        figures[f"{prefix}bow_loss"] = _mean([row[3] for row in chosen])
    return figures


def measure_memory(browser: Browser, uploads: int = UPLOADS) -> float:
    """Megabytes by which a server has grown after so many uploads of one page."""
    with served(ENGINE__NAME="echo") as (url, pid):
        server = psutil.Process(pid)
        page = browser.new_page()
        page.goto(url)

        def resident_mb() -> float:
            return float(server.memory_info().rss / 1e6)

        def upload(first: int, last: int) -> None:
            for number in range(first, last):
                data = b"%PDF-" + secrets.token_bytes(UPLOAD_BYTES - 5)
                file: FilePayload = {"name": f"{number}.pdf", "mimeType": "application/pdf", "buffer": data}
                page.locator(".zone input.pick").set_input_files(file)
                page.locator('.zone .file[data-state="done"]').nth(number).wait_for(state="attached")
            page.locator(".st-key-actions").wait_for()
            time.sleep(SETTLE_S)  # the app's last run of the page

        upload(0, 2)
        before = resident_mb()
        upload(2, 2 + uploads)
        grown = resident_mb() - before
        page.close()
        return grown


def _mean(values: Sequence[float]) -> float:
    return sum(values) / max(1, len(values))


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure, print, write."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.upload", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--data", type=Path, required=True, help="folder of the evaluation sets, with kit/score.py")
    parser.add_argument("--limit", type=int, default=None, help="files of each source at most")
    parser.add_argument("--quick", action="store_true", help=f"only {QUICK_ITEMS} files of each source")
    parser.add_argument("--json", type=Path, default=None, help="file for the figures")
    options = parser.parse_args(arguments)
    limit = QUICK_ITEMS if options.quick else options.limit
    items = [*receipts(options.data, limit), *scans(options.data, limit)]
    with chromium() as browser:
        figures = measure_wire(items, browser, load_scorer(options.data))
        figures["session_mb"] = measure_memory(browser)
    print("  ".join(f"{name} {value:.4g}" for name, value in figures.items()))
    write_figures(figures, options.json)
    return 0


if __name__ == "__main__":
    sys.exit(main())
