"""What reading at the edge saves on the way, and whether the answer stays the same.

    python -m benchmarks.edge --data DIR [--sets a,b] [--limit N] [--quick] [--json FILE]

Whole pages of the evaluation data are read by ``Client(edge=True)`` and sent to a real server with the embedded engine,
and sent to it as PNG pages; the two answers are compared in all but their times. Bytes are those of the request that
hands the document in, with its headers. ``--json`` writes flat name → number: ``pages``; ``same`` (share of pages with
the same answer); ``edge_of_png`` and ``edge_of_compressed`` (bytes sent at the edge over those of the page as PNG, and
over those of the picture that the compression policy makes of it, of all pages together), ``worst_of_png`` and
``worst_of_compressed`` (of the page where that is largest); ``crops_of_png`` and ``crops_of_compressed`` (where the
server's engine is another one, so that pictures of tables, charts, formulas and figures go along); ``edge_wait_s`` and
``page_wait_s`` (mean seconds from handing in to the result: at the edge that is after the reading), ``read_s`` (mean
seconds of reading at the edge). ``--quick`` takes one page of two sets.
"""

from __future__ import annotations

import argparse
import io
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import httpx
from PIL import Image

from benchmarks.figures import tell_figures
from benchmarks.kit import find_sets
from benchmarks.server import served
from mineru_core.client import Client
from mineru_core.client.edge import EdgeSide, Terms
from mineru_core.export.result import DocumentResult
from mineru_core.intake.compression import compress
from mineru_core.intake.document import open_document
from mineru_core.runtime.context import RunContext
from mineru_core.serving.analyzer import Analyzer
from mineru_core.serving.edge import PART_OF_BLOCK
from mineru_core.settings import load_settings

SETS = ("borndigital_en_text", "borndigital_zh_text", "ctdar_pages", "funsd_text", "slides_text", "sroie_text")
PAGES = 3
OTHER = Terms(version=1, engine="another", crops=tuple(PART_OF_BLOCK))


@dataclass(frozen=True)
class Row:
    """One page: bytes that travel in each form, seconds, and whether both answers are the same."""

    name: str
    png: int
    compressed: int
    edge: int
    crops: int
    same: bool
    read_s: float
    edge_wait_s: float
    page_wait_s: float


class _Sent:
    """Bytes of the last request with a body, and when it was sent."""

    def __init__(self, client: Client) -> None:
        self.size, self.at = 0, 0.0
        client._http.event_hooks["request"].append(self._note)

    def _note(self, request: httpx.Request) -> None:
        body = len(request.read())
        if body:
            line = len(f"{request.method} {request.url.raw_path.decode()} HTTP/1.1\r\n\r\n")
            self.size = body + line + sum(len(name) + len(value) + 4 for name, value in request.headers.raw)
            self.at = time.perf_counter()


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure and print; see the module's docstring."""
    options = _options(arguments)
    sets = SETS[:2] if options.quick else options.sets or SETS
    limit = 1 if options.quick else options.limit
    rows: list[Row] = []
    with served(ENGINE__NAME="embedded") as (url, _), tempfile.TemporaryDirectory() as home:
        settings = load_settings(home=home, models=load_settings().models_dir, cache={"enabled": False})
        with Analyzer(settings, "embedded") as analyzer:
            analyzer.load()
            for name, png in _pages(options.data, sets, limit):
                row = _measured(name, png, url, analyzer)
                rows.append(row)
                print(
                    f"{row.name:44.44} png {row.png:9,} compressed {row.compressed:8,} edge {row.edge:7,} "
                    f"({row.edge / row.png:6.2%}, {row.edge / row.compressed:6.2%}) {'same' if row.same else 'OTHER'}",
                    flush=True,
                )
    figures = _figures(rows)
    tell_figures(figures, options.json, form="10.4f")
    return 0


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.edge")
    parser.add_argument("--data", type=Path, required=True)
    parser.add_argument("--sets", type=lambda text: tuple(text.split(",")), default=())
    parser.add_argument("--limit", type=int, default=PAGES, help="pages of each set")
    parser.add_argument("--quick", action="store_true")
    parser.add_argument("--json", type=Path)
    return parser.parse_args(arguments)


def _pages(data: Path, sets: Sequence[str], limit: int) -> Iterator[tuple[str, bytes]]:
    """Name and PNG of the first pages of each set."""
    for chosen in find_sets(data, sets):
        for path in chosen.items(limit):
            with open_document(path) as document:
                out = io.BytesIO()
                Image.fromarray(document.page(1).pixels).save(out, "PNG")
            yield f"{chosen.name}/{path.name}", out.getvalue()


def _measured(name: str, png: bytes, url: str, analyzer: Analyzer) -> Row:
    with open_document(png) as document:
        small = compress(document.page(1).pixels).data
    started = time.perf_counter()
    with Client(url, edge=analyzer) as client:
        sent = _Sent(client)
        at_edge = client.analyze(png, name="page.png")
        ended, edge_bytes, edge_at = time.perf_counter(), sent.size, sent.at
    with Client(url, compress=False) as client:
        sent = _Sent(client)
        whole = client.analyze(png, name="page.png")
        page_wait_s, png_bytes, head = time.perf_counter() - sent.at, sent.size, sent.size - len(png)
    crops = EdgeSide(analyzer).parcel(
        png, "", name="page.png", regions=(), password=None, terms=OTHER, ctx=RunContext()
    )
    return Row(
        name=name,
        png=png_bytes,
        compressed=len(small) + head,
        edge=edge_bytes,
        crops=len(crops.data) + head,
        same=_untimed(at_edge) == _untimed(whole),
        read_s=edge_at - started,
        edge_wait_s=ended - edge_at,
        page_wait_s=page_wait_s,
    )


def _untimed(result: DocumentResult) -> DocumentResult:
    pages = tuple(page.model_copy(update={"timings": {}}) for page in result.analysis.pages)
    analysis = result.analysis.model_copy(update={"pages": pages})
    return result.model_copy(update={"timings": {}, "analysis": analysis})


def _figures(rows: Sequence[Row]) -> dict[str, float]:
    png, compressed = sum(row.png for row in rows), sum(row.compressed for row in rows)
    edge, crops = sum(row.edge for row in rows), sum(row.crops for row in rows)
    return {
        "pages": len(rows),
        "same": sum(row.same for row in rows) / len(rows),
        "edge_of_png": edge / png,
        "edge_of_compressed": edge / compressed,
        "worst_of_png": max(row.edge / row.png for row in rows),
        "worst_of_compressed": max(row.edge / row.compressed for row in rows),
        "crops_of_png": crops / png,
        "crops_of_compressed": crops / compressed,
        "read_s": sum(row.read_s for row in rows) / len(rows),
        "edge_wait_s": sum(row.edge_wait_s for row in rows) / len(rows),
        "page_wait_s": sum(row.page_wait_s for row in rows) / len(rows),
    }


if __name__ == "__main__":
    raise SystemExit(main())
