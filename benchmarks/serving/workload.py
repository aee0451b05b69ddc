"""What is asked: pictures as people upload them, some of them more than once."""

from __future__ import annotations

import hashlib
import io
import itertools
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from PIL import Image

from mineru_core.errors import WorkbenchError
from mineru_core.intake import open_document
from mineru_core.settings import load_settings

KINDS = {
    "slides": ("slides_text", "slides_zh_text"),
    "tables and charts cut out of a page": (
        "statista_charts",
        "web_tables",
        "pew_charts",
        "icdar2013_tables",
        "omnidoc_tables",
    ),
    "pages": (
        "sroie_text",
        "funsd_text",
        "borndigital_en_text",
        "borndigital_zh_text",
        "omnidoc_text",
        "icdar2013_pages",
        "degraded_text",
        "unlabelled",
    ),
}
"""Sets by what people hand in: as much of each kind, whatever the number of its sets."""
SCANS = "source_pdfs"
SCAN_EVERY = 10
SCAN_DPI = 300
SCAN_PIXELS = 17_500_000
"""A sheet of A3: what is larger does not lie on a scanner."""
REPEAT_SHARE = 0.3
QUICK_PIXELS = 400_000
_CHOICE = 5
"""Quarters of the needed pictures that a workload of small ones is chosen from."""


@dataclass(frozen=True)
class Picture:
    """One file as it is handed in, in memory; ``pixels`` is width times height."""

    name: str
    data: bytes
    pixels: int


@dataclass(frozen=True)
class Workload:
    """The requests in order, the distinct pictures they are of, and one that none of them is of, to warm up with."""

    requests: tuple[Picture, ...]
    distinct: tuple[Picture, ...]
    warm_up: Picture


def make_workload(data: Path, count: int, repeats: int, seed: int, most_pixels: int | None = None) -> Workload:
    """``count`` requests of which ``repeats`` ask for a picture that was asked for before; the same for each seed.

    ``most_pixels`` leaves out larger pictures, and scans, and chooses among the smallest of the rest. Raises
    ``ValueError`` where there are too few pictures.
    """
    needed = count - repeats + 1
    pictures = distinct_pictures(data, seed, most_pixels)
    if most_pixels is None:
        chosen = list(itertools.islice(pictures, needed))
    else:
        chosen = sorted(pictures, key=lambda picture: picture.pixels)[: _CHOICE * needed // 4]
        random.Random(seed).shuffle(chosen)
        chosen = chosen[:needed]
    if len(chosen) < needed:
        raise ValueError(f"{needed} different pictures are needed, and {data} has {len(chosen)}")
    *distinct, warm_up = chosen
    order = request_order(count, repeats, seed)
    return Workload(tuple(distinct[index] for index in order), tuple(distinct), warm_up)


def request_order(count: int, repeats: int, seed: int) -> list[int]:
    """For each request the index of its picture, in which new ones come in order. What is asked for again is any of
    those before, so that repeats cost on average what the others do. Raises ``ValueError`` for as many repeats as
    requests."""
    if not 0 <= repeats < count:
        raise ValueError("at least one request must be the first of its picture")
    rng = random.Random(seed)
    again = set(rng.sample(range(1, count), repeats))
    order: list[int] = []
    fresh = 0
    for place in range(count):
        if place in again:
            order.append(rng.randrange(fresh))
        else:
            order.append(fresh)
            fresh += 1
    return order


def distinct_pictures(data: Path, seed: int, most_pixels: int | None = None) -> Iterator[Picture]:
    """Pictures from the sets by turns, each file's bytes once, each tenth one a scan; ends when the sets do."""
    rng = random.Random(seed)
    files = files_by_turns(data, rng)
    scans = scanned_pages(data / SCANS / "dev" / "images", rng) if most_pixels is None else iter(())
    seen: set[str] = set()
    made = 0
    for path in files:
        if made % SCAN_EVERY == SCAN_EVERY - 1 and (scan := next(scans, None)) is not None:
            made += 1
            yield scan
        with Image.open(path) as header:  # reads the size alone
            pixels = header.width * header.height
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        if digest in seen or (most_pixels is not None and pixels > most_pixels):
            continue
        seen.add(digest)
        made += 1
        yield Picture(f"{path.parents[2].name}-{path.name}", content, pixels)


def files_by_turns(data: Path, rng: random.Random) -> list[Path]:
    """Pictures of all sets that are there, shuffled within each: one of each kind and then the next of each, and
    within a kind one of each set and then the next of each."""
    by_kind: list[list[Path]] = []
    for names in KINDS.values():
        by_set: list[list[Path]] = []
        for name in names:
            folder = data / name / "dev" / "images"
            paths = sorted(folder.iterdir()) if folder.is_dir() else []
            rng.shuffle(paths)
            by_set.append(paths)
        by_kind.append(_by_turns(by_set))
    return _by_turns(by_kind)


def _by_turns(rows: Sequence[Sequence[Path]]) -> list[Path]:
    return [path for turn in itertools.zip_longest(*rows) for path in turn if path is not None]


def scanned_pages(folder: Path, rng: random.Random) -> Iterator[Picture]:
    """Pages of the PDFs as PNG at 300 dpi, one of each file in random order; pages larger than A3, and files that
    cannot be read, are left out."""
    paths = sorted(folder.glob("*.pdf")) if folder.is_dir() else []
    rng.shuffle(paths)
    settings = load_settings(pdf={"dpi": SCAN_DPI})
    for path in paths:
        choice = rng.random()
        try:
            with open_document(path, settings=settings) as document:
                page = document.page(1 + int(choice * document.page_count))
        except WorkbenchError:
            continue
        if page.width * page.height > SCAN_PIXELS:
            continue
        file = io.BytesIO()
        Image.fromarray(page.pixels).save(file, "PNG", compress_level=3)
        yield Picture(f"{path.stem}-{page.number}.png", file.getvalue(), page.width * page.height)
