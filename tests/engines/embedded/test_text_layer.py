"""A PDF's own words: used where they say what the page shows, and never otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mineru_core.document.analysis import PageAnalysis, Part, TextSource
from mineru_core.document.geometry import Box
from mineru_core.document.page import Page, PageTransform, Word
from mineru_core.engines.embedded.engine import EmbeddedEngine
from mineru_core.engines.embedded.text_layer import layer_of, lines_of, says_what_is_shown
from mineru_core.intake import open_document
from mineru_core.runtime.context import RunContext
from mineru_core.settings import load_settings
from tests.documents import TABLE_ROWS, PdfPage, PdfText, table_pdf, text_pdf
from tests.engines.embedded.pages import drawn_page

LETTERS = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
SENTENCES = ("Sales grew in the first quarter", "The board met on Monday 12", "Please pay within thirty days")


def page_with_words(sentences: tuple[str, ...] = SENTENCES) -> Page:
    """The sentences drawn under each other, each word with its box (DejaVu Sans 26: about 16 pixels a letter)."""
    drawn = drawn_page([(60, 60 + 60 * n, text) for n, text in enumerate(sentences)], width=700, height=320)
    words = []
    dark = drawn.pixels.min(axis=2) < 128
    for n, text in enumerate(sentences):
        band = dark[60 + 60 * n : 100 + 60 * n]
        columns = np.flatnonzero(band.any(axis=0))
        # Gaps wider than those between letters part the words.
        starts = [columns[0], *(b for a, b in pairwise(columns) if b - a > 6)]
        ends = [*(a for a, b in pairwise(columns) if b - a > 6), columns[-1]]
        for word, x0, x1 in zip(text.split(), starts, ends, strict=True):
            rows = np.flatnonzero(band[:, x0 : x1 + 1].any(axis=1)) + 60 + 60 * n
            words.append(Word(word, Box(float(x0), float(rows[0]), float(x1 + 1), float(rows[-1] + 1))))
    return replace(drawn, text_layer=tuple(words))


@pytest.fixture(scope="module")
def engine(models_dir: Path) -> Iterator[EmbeddedEngine]:
    engine = EmbeddedEngine(load_settings(models=models_dir, engine={"engine_calls": 2}))
    engine.load()
    yield engine
    engine.close()


def read(engine: EmbeddedEngine, page: Page, *parts: Part) -> PageAnalysis:
    (analysis,) = engine.read([page], frozenset(parts or (Part.TEXT,)), RunContext())
    assert isinstance(analysis, PageAnalysis), analysis
    return analysis


def texts(analysis: PageAnalysis) -> list[str]:
    return [line.text for line in sorted(analysis.lines, key=lambda line: line.box.y0)]


@pytest.mark.models
class TestEngine:
    def test_good_words_are_used(self, engine: EmbeddedEngine) -> None:
        page = page_with_words()
        # OCR would never see this: it shows that the words are the file's.
        assert page.text_layer is not None
        marked = (replace(page.text_layer[0], text="S\u0430les"), *page.text_layer[1:])
        analysis = read(engine, replace(page, text_layer=marked))
        assert analysis.text_source is TextSource.TEXT_LAYER
        assert texts(analysis) == ["S\u0430les grew in the first quarter", *SENTENCES[1:]]
        assert engine.reads_text_layer

    def test_pictures_are_read(self, engine: EmbeddedEngine) -> None:
        analysis = read(engine, replace(page_with_words(), text_layer=None))
        assert analysis.text_source is TextSource.PIXELS
        assert texts(analysis) == list(SENTENCES)

    @pytest.mark.parametrize("fault", ["shifted", "unmapped", "private", "mojibake", "elsewhere", "unseen", "few"])
    def test_bad_words_are_not(self, engine: EmbeddedEngine, fault: str) -> None:
        page = page_with_words()
        words = page.text_layer or ()
        wrong = {
            "shifted": [replace(w, text="".join(chr(ord(c) + 3) for c in w.text)) for w in words],
            "unmapped": [replace(w, confidence=0.0) for w in words],
            "private": [replace(w, text="".join(chr(0xE000 + ord(c)) for c in w.text)) for w in words],
            "mojibake": [replace(w, text="é".encode().decode("latin-1") * len(w.text)) for w in words],
            "elsewhere": [replace(w, text=v.text) for w, v in zip(words, [*words[7:], *words[:7]], strict=True)],
            "unseen": [replace(w, box=Box(w.box.x0, 250, w.box.x1, 275)) for w in words],
            "few": words[:1],
        }
        analysis = read(engine, replace(page, text_layer=tuple(wrong[fault])))
        assert analysis.text_source is TextSource.PIXELS
        assert texts(analysis) == list(SENTENCES)

    def test_words_for_a_part_of_the_page_leave_the_rest_to_be_read(self, engine: EmbeddedEngine) -> None:
        page = page_with_words()
        first = tuple(word for word in page.text_layer or () if word.box.y0 < 110)
        analysis = read(engine, replace(page, text_layer=first))
        assert analysis.text_source is TextSource.BOTH
        assert texts(analysis) == list(SENTENCES)

    @pytest.mark.parametrize("turns", [1, 2, 3])
    def test_a_page_on_its_side_has_its_words_turned(self, engine: EmbeddedEngine, turns: int) -> None:
        upright = page_with_words()
        pixels = np.ascontiguousarray(np.rot90(upright.pixels, k=turns))
        # The page as given stands a number of quarter turns anticlockwise of the upright one.
        to_upright = PageTransform(turns, 1.0, float(pixels.shape[1]), float(pixels.shape[0]))
        words = tuple(replace(w, box=to_upright.to_source(w.box)) for w in upright.text_layer or ())
        analysis = read(engine, Page(pixels, "turned.pdf", text_layer=words))
        assert analysis.rotation == 90 * turns
        assert {line.text for line in analysis.lines} == set(SENTENCES)
        first = next(line for line in analysis.lines if line.text == SENTENCES[0])
        assert all(first.box.expanded(1).contains(*word.box.center) for word in first.words)

    def test_a_table_of_a_pdf_is_exact(self, engine: EmbeddedEngine) -> None:
        with open_document(table_pdf(), name="note.pdf") as document:
            analysis = read(engine, document.page(1), Part.TEXT, Part.TABLES)
        assert analysis.text_source is TextSource.TEXT_LAYER
        (table,) = analysis.tables
        assert table.rows() == [list(row) for row in TABLE_ROWS]

    def test_the_setting_switches_it_off(self, models_dir: Path) -> None:
        engine = EmbeddedEngine(load_settings(models=models_dir, pdf={"text_layer": False}))
        engine.load()
        try:
            assert not engine.reads_text_layer
            assert read(engine, page_with_words()).text_source is TextSource.PIXELS
        finally:
            engine.close()


def test_a_layer_of_a_born_digital_page_is_whole() -> None:
    data = text_pdf([PdfPage([PdfText(s, y=700 - 40 * n) for n, s in enumerate(SENTENCES)])])
    with open_document(data, name="a.pdf") as document:
        page = document.page(1)
    layer = layer_of(page.text_layer or (), page.pixels)
    assert layer is not None
    assert layer.is_whole
    assert [line.text for line in layer.lines] == list(SENTENCES)


def test_columns_and_cells_are_lines_of_their_own() -> None:
    words = [
        Word(f"{name}{i}{j}", Box(x + 45 * j, 20 + 25 * i, x + 45 * j + 40, 36 + 25 * i))
        for name, x in (("a", 0), ("b", 300))
        for i in range(3)
        for j in range(4)
    ]
    assert [line.text for line in lines_of(words)] == [
        f"{name}{i}0 {name}{i}1 {name}{i}2 {name}{i}3" for i in range(3) for name in "ab"
    ]


def test_chinese_has_no_spaces_between_words() -> None:
    words = [Word("第一", Box(0, 0, 40, 20)), Word("季度", Box(44, 0, 84, 20)), Word("2024", Box(90, 2, 130, 18))]
    assert [line.text for line in lines_of(words)] == ["第一季度 2024"]


BOXES = st.tuples(st.integers(0, 500), st.integers(0, 300), st.integers(4, 80), st.integers(6, 30))


@given(st.lists(st.tuples(st.text("abc中", min_size=1, max_size=5), BOXES), min_size=1, max_size=30))
def test_every_word_is_in_one_line_from_left_to_right(placed: list[tuple[str, tuple[int, int, int, int]]]) -> None:
    words = [Word(text, Box(x, y, x + w, y + h)) for text, (x, y, w, h) in placed]
    lines = lines_of(words)
    found = [(word.text, word.box) for line in lines for word in line.words]
    assert sorted(found) == sorted((word.text, word.box) for word in words)
    for line in lines:
        assert line.box == Box.around(word.box for word in line.words)
        assert all(a.box.x0 <= b.box.x0 for a, b in pairwise(line.words))


def test_a_script_that_cannot_be_read_is_taken_at_its_word() -> None:
    words = [Word("שלום", Box(10, 10, 60, 30)), Word("עולם", Box(70, 10, 120, 30))]
    assert says_what_is_shown(lines_of(words), lambda _boxes: pytest.fail("nothing can be read here"), LETTERS)


def test_a_few_odd_places_do_not_cost_the_layer() -> None:
    words = [Word(f"sample number {n}".replace(" ", ""), Box(10, 40 * n, 130, 40 * n + 20)) for n in range(30)]
    asked: list[int] = []

    def texts_at(boxes: list[Box]) -> list[str]:
        asked.append(len(boxes))
        right = [f"sample number {round((box.y0 + 3) / 40)}" for box in boxes]
        return ["??", *right[1:]]

    assert says_what_is_shown(lines_of(words), texts_at, LETTERS)  # type: ignore[arg-type]
    assert len(asked) == 2
    assert not says_what_is_shown(lines_of(words), lambda boxes: ["other"] * len(boxes), LETTERS)
