from __future__ import annotations

import math
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mineru_core.document.page import Pixels
from mineru_core.engines.embedded import weights
from mineru_core.engines.embedded.recognition import (
    BATCH_WIDTH,
    BLANK,
    GROUP_SIZES,
    LINE_HEIGHT,
    MAX_WIDTH,
    SQUEEZE,
    SQUEEZE_FROM,
    TextRecognizer,
    batches_of,
    bucket_width,
    decode,
    fit,
    fitted_width,
)
from mineru_core.errors import Cancelled
from mineru_core.runtime.batcher import BatchReport
from mineru_core.runtime.context import RunContext
from tests.documents import draw_lines

ALPHABET = ("", *"abcdefghij", " ")
TEXTS = ("A", "42", "Room 17", "Total amount due", "Sales grew in the first quarter by 12.5 %", "3.50", "Paper A4")
SIZES = (18, 26, 34)


@given(st.integers(1, 5000))
def test_a_bucket_holds_its_lines_with_little_padding(width: int) -> None:
    bucket = bucket_width(width)
    assert bucket_width(bucket) == bucket
    assert min(width, MAX_WIDTH) <= bucket <= max(width + 16, width * 1.34)


@given(st.lists(st.integers(8, MAX_WIDTH), max_size=80), st.integers(1, 64))
def test_every_line_is_in_one_batch_of_its_own_bucket(widths: list[int], batch_items: int) -> None:
    batches = batches_of(widths, batch_items)
    assert sorted(i for _, indexes in batches for i in indexes) == list(range(len(widths)))
    for width, indexes in batches:
        assert {bucket_width(widths[i]) for i in indexes} == {width}
        assert len(indexes) <= batch_items
        assert len(indexes) == 1 or width * len(indexes) <= BATCH_WIDTH
        assert len(indexes) in GROUP_SIZES


@given(st.lists(st.tuples(st.integers(1, 11), st.integers(1, 3), st.integers(0, 3)), max_size=20), st.integers(0, 4))
def test_a_path_decodes_to_the_characters_it_was_made_of(runs: list[tuple[int, int, int]], lead: int) -> None:
    path = [BLANK] * lead
    for before, (letter, repeats, blanks) in zip([0, *(run[0] for run in runs)], runs, strict=False):
        # Two equal letters in a row need a blank between them, or they are one.
        path += [BLANK] * (before == letter and path[-1:] != [BLANK])
        path += [letter] * repeats + [BLANK] * blanks
    classes = np.array([*path, BLANK], dtype=np.int32)
    reading = decode(classes, np.full(len(classes), 0.75, dtype=np.float32), ALPHABET, len(classes))
    assert reading.text == "".join(ALPHABET[letter] for letter, _, _ in runs)
    assert [g.x for g in reading.glyphs] == sorted(g.x for g in reading.glyphs)
    assert all(0 <= g.x <= 1 for g in reading.glyphs)
    assert reading.confidence == (0.75 if runs else 0.0)


@given(st.integers(1, 300), st.integers(1, 4000))
def test_a_fitted_line_has_the_height_of_the_network(height: int, width: int) -> None:
    line = np.zeros((height, width, 3), dtype=np.uint8)
    fitted = fit(line, fitted_width(line))
    assert fitted.shape == (LINE_HEIGHT, fitted_width(line), 3)
    assert fitted_width(line) <= MAX_WIDTH


@given(st.integers(1, 300), st.integers(1, 4000))
def test_a_squeezed_line_fills_the_bucket_of_its_least_width(height: int, width: int) -> None:
    line = np.zeros((height, width, 3), dtype=np.uint8)
    whole, squeezed = fitted_width(line), fitted_width(line, SQUEEZE)
    assert squeezed <= whole
    if height < SQUEEZE_FROM:
        assert squeezed == whole
    elif squeezed < whole:
        assert squeezed == bucket_width(squeezed)  # no padding
        least = SQUEEZE * width * LINE_HEIGHT / height
        assert squeezed == MAX_WIDTH or squeezed >= least
        assert squeezed <= bucket_width(math.ceil(least))  # nor wider than it must


@pytest.fixture(scope="module", params=[True, False], ids=["shared", "alone"])
def recognizer(request: pytest.FixtureRequest, models_dir: Path) -> Iterator[TextRecognizer]:
    path = weights.require(models_dir, weights.RECOGNITION)
    made = TextRecognizer(path, engine_calls=2, batch_items=8, shared=request.param)
    yield made
    made.close()


@pytest.fixture(scope="module")
def drawn() -> list[Pixels]:
    """One picture a text and size, cut to the ink."""
    pictures = []
    for size in SIZES:
        for text in TEXTS:
            page = np.asarray(draw_lines([text], size=size, margin=10))
            columns = np.flatnonzero(page.min(axis=(0, 2)) < 128)
            pictures.append(np.ascontiguousarray(page[8 : 14 + int(size * 1.4), columns[0] - 4 : columns[-1] + 6]))
    return pictures


@pytest.fixture(scope="module")
def one_by_one(recognizer: TextRecognizer, drawn: list[Pixels]) -> list[str]:
    return [recognizer.recognize([line], RunContext())[0].text for line in drawn]


@pytest.mark.models
def test_drawn_lines_are_read(one_by_one: list[str]) -> None:
    assert one_by_one == list(TEXTS) * len(SIZES)


@pytest.mark.models
@settings(deadline=None, max_examples=6)
@given(data=st.data())
def test_a_line_reads_the_same_in_any_company(
    data: st.DataObject, recognizer: TextRecognizer, drawn: list[Pixels], one_by_one: list[str]
) -> None:
    chosen = data.draw(st.lists(st.sampled_from(range(len(drawn))), max_size=12))
    readings = recognizer.recognize([drawn[i] for i in chosen], RunContext())
    assert [r.text for r in readings] == [one_by_one[i] for i in chosen]


@pytest.mark.models
def test_eight_threads_read_what_one_reads(
    recognizer: TextRecognizer, drawn: list[Pixels], one_by_one: list[str]
) -> None:
    def read(start: int) -> list[str]:
        order = [(start + i) % len(drawn) for i in range(len(drawn))]
        readings = recognizer.recognize([drawn[i] for i in order], RunContext())
        return [readings[order.index(i)].text for i in range(len(drawn))]

    with ThreadPoolExecutor(8) as pool:
        assert all(texts == one_by_one for texts in pool.map(read, range(8)))


@pytest.mark.models
def test_nothing_is_read_from_nothing(recognizer: TextRecognizer) -> None:
    assert recognizer.recognize([], RunContext()) == []
    (blank,) = recognizer.recognize([np.full((40, 200, 3), 255, dtype=np.uint8)], RunContext())
    assert blank.text.strip() == ""


@pytest.mark.models
def test_lines_of_several_owners_share_calls_with_little_padding(models_dir: Path, drawn: list[Pixels]) -> None:
    reports: list[BatchReport] = []
    path = weights.require(models_dir, weights.RECOGNITION)
    made = TextRecognizer(path, engine_calls=1, batch_items=16, on_batch=reports.append)
    owners = [RunContext(owner=f"owner {n}") for n in range(6)]
    with ThreadPoolExecutor(6) as pool:
        list(pool.map(lambda ctx: made.recognize(drawn, ctx), owners))
    made.close()
    assert sum(report.items for report in reports) == 6 * len(drawn)
    assert max(report.items for report in reports) > 1
    assert sum(r.padded_units for r in reports) <= 1.2 * sum(r.units for r in reports)


@pytest.mark.models
def test_a_page_that_is_not_wanted_any_more_is_not_read(recognizer: TextRecognizer, drawn: list[Pixels]) -> None:
    ctx = RunContext()
    ctx.cancel()
    with pytest.raises(Cancelled):
        recognizer.recognize(drawn, ctx)
    assert recognizer.recognize(drawn[:1], RunContext())[0].text == TEXTS[0]


@pytest.mark.models
@pytest.mark.long
@pytest.mark.timeout(400)
def test_lines_of_any_shape_are_read_for_minutes_in_all_lanes(models_dir: Path, drawn: list[Pixels]) -> None:
    """Shapes change from call to call in every lane, as they do over a day: no call may touch another's memory."""
    made = TextRecognizer(weights.require(models_dir, weights.RECOGNITION), engine_calls=1, batch_items=16)
    end = time.monotonic() + 180

    def read(seed: int) -> int:
        dice, rounds = np.random.default_rng(seed), 0
        while time.monotonic() < end:
            sizes = dice.integers([12, 8], [90, 900], (int(dice.integers(1, 20)), 2))
            noise = [dice.integers(0, 256, (height, width, 3), dtype=np.uint8) for height, width in sizes]
            index = int(dice.integers(len(drawn)))
            readings = made.recognize([*noise, drawn[index]], RunContext(owner=str(seed)))
            assert readings[-1].text == TEXTS[index % len(TEXTS)]
            rounds += 1
        return rounds

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(read, range(4)))
    made.close()
