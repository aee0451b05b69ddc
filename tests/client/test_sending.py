"""What travels, and the way back of places."""

from __future__ import annotations

import io
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from mineru_core.client.sending import in_pixels_of_the_original, packed
from mineru_core.document.analysis import BlockType
from mineru_core.document.chart import Chart, ChartKind, Point, Series
from mineru_core.document.geometry import Box
from mineru_core.document.task import Region
from mineru_core.errors import EmptyFile, InvalidRequest, NotFound, UnsupportedType
from mineru_core.intake.compression import POLICY, compress
from tests.documents import draw_lines, png_bytes
from tests.export.strategies import block, page, result


def scan(width: int = 2400, height: int = 3200) -> Image.Image:
    """A noisy page with large letters: a PNG of it is large, and it may shrink."""
    picture = Image.fromarray(np.random.default_rng(1).integers(200, 256, (height, width, 3), dtype=np.uint8))
    text = draw_lines(["Invoice 2024-118", "Total 1,284.50", "Paper A4 500 sheets", "Sum of all the lines"] * 4)
    big = Image.fromarray(np.asarray(text)).convert("RGB").resize((2000, 1600))
    picture.paste(big, (100, 100))
    return picture


def encoded(picture: Image.Image, form: str, **options: object) -> bytes:
    out = io.BytesIO()
    picture.save(out, form, **options)
    return out.getvalue()


def test_a_large_picture_travels_as_the_policy_wants() -> None:
    picture = scan()
    data = encoded(picture, "PNG")
    parcel = packed(data, "scan.png")
    expected = compress(np.asarray(picture))
    assert parcel.data == expected.data
    assert parcel.name == "scan.png"
    assert parcel.saved == len(data) - len(parcel.data) > 0
    assert parcel.scale == (expected.width / 2400, expected.height / 3200) != (1.0, 1.0)
    assert packed(data, "scan.png", smaller=False).data == data


def test_small_pictures_and_other_files_travel_as_they_are() -> None:
    small = png_bytes(draw_lines(["a"]))
    assert len(small) < POLICY.max_bytes
    two_pages = encoded(scan(), "TIFF", save_all=True, append_images=[scan()])
    cut_off = encoded(scan(), "PNG")[:-100_000]
    pdf = b"%PDF-1.7\n" + b"x" * 600_000
    for data in (small, two_pages, cut_off, pdf):
        parcel = packed(data)
        assert (parcel.data, parcel.scale, parcel.saved) == (data, (1.0, 1.0), 0)


def test_a_file_is_named_after_its_path(tmp_path: Path) -> None:
    path = tmp_path / "scan of today.png"
    path.write_bytes(png_bytes(draw_lines(["a"])))
    for source in (path, str(path)):
        parcel = packed(source)
        assert (parcel.name, parcel.data) == (path.name, path.read_bytes())
    assert packed(path, "other.png").name == "other.png"


def test_what_is_no_document_is_refused_here(tmp_path: Path) -> None:
    (tmp_path / "empty.png").touch()
    for source, kind in (
        (b"", EmptyFile),
        (tmp_path / "empty.png", EmptyFile),
        (b"just words", UnsupportedType),
        ("no/such.png", NotFound),
        (tmp_path, InvalidRequest),
    ):
        with pytest.raises(kind):
            packed(source)  # type: ignore[arg-type]


def test_a_picture_in_memory_is_a_document() -> None:
    parcel = packed(draw_lines(["a"]) if isinstance(draw_lines(["a"]), Image.Image) else scan())
    assert parcel.name == "picture.png"
    with Image.open(io.BytesIO(packed(scan(300, 200)).data)) as opened:
        assert opened.size == (300, 200)


def test_regions_are_told_in_pixels_of_what_is_sent() -> None:
    parcel = packed(encoded(scan(), "PNG"))
    sx, sy = parcel.scale
    (told,) = parcel.regions([Region(page=1, box=Box(100, 200, 300, 400))])
    assert [float(part) for part in told.split(",")] == [100 * sx, 200 * sy, 300 * sx, 400 * sy, 1]


def test_places_come_back_in_pixels_of_the_original() -> None:
    chart = Chart(
        kind=ChartKind.BAR, box=Box(10, 10, 20, 20), series=(Series(points=(Point(x="a", y=1.0, place=(12, 18)),)),)
    )
    found = result(page(1, block(BlockType.CHART, chart=chart)))
    same = in_pixels_of_the_original(found, (1.0, 1.0))
    assert same is found
    moved = in_pixels_of_the_original(found, (0.5, 0.25))
    before, after = found.analysis.pages[0], moved.analysis.pages[0]
    assert (after.width, after.height) == (2 * before.width, 4 * before.height)
    assert after.blocks[0].box == before.blocks[0].box.scaled(2, 4)
    changed = after.blocks[0].chart
    assert changed is not None
    assert changed.box == Box(20, 40, 40, 80)
    assert changed.series[0].points[0].place == (24, 72)
    back = in_pixels_of_the_original(moved, (2.0, 4.0))
    assert back == found
