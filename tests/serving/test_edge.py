"""Documents that were read at the edge, put together here."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from mineru_core.client.edge import Terms
from mineru_core.document.analysis import BlockType
from mineru_core.document.geometry import Box
from mineru_core.document.parts import Part
from mineru_core.document.task import Region
from mineru_core.engines.base import Engine
from mineru_core.engines.echo import EchoEngine
from mineru_core.errors import InvalidRequest
from mineru_core.export.result import DocumentResult
from mineru_core.intake.edge import EdgeFile, write_edge_file
from mineru_core.serving.analyzer import Analyzer
from mineru_core.serving.edge import PART_OF_BLOCK
from mineru_core.settings import CacheSettings, LimitSettings, Settings
from tests.documents import PdfPage, PdfText, draw_lines, png_bytes, table_pdf, text_pdf
from tests.edge import FORMULA_BOX, TABLE_BOX, BlockEngine, EdgeEngine, edge_file, page_with_blocks

PICTURE = png_bytes(draw_lines(["one", "two"]))
BLOCKS = png_bytes(page_with_blocks())
PDF = text_pdf([PdfPage([PdfText(f"page {n}", 100, 100)]) for n in (1, 2, 3)])
ALL_CROPS = Terms(version=1, engine="mineru-server", crops=tuple(PART_OF_BLOCK))


@pytest.fixture
def analyzer(tmp_path: Path) -> Iterator[Analyzer]:
    with reader(tmp_path, EchoEngine()) as made:
        yield made


def reader(home: Path, engine: Engine) -> Analyzer:
    return Analyzer(Settings(home=home, cache=CacheSettings(enabled=True)), engine)


def read(analyzer: Analyzer, data: bytes, words: str = "", **options: object) -> DocumentResult:
    with analyzer.open(data, name="a") as document:
        return analyzer.analyze(document, words, **options)  # type: ignore[arg-type]


def same_but_for_time(result: DocumentResult) -> DocumentResult:
    pages = tuple(page.model_copy(update={"timings": {}}) for page in result.analysis.pages)
    return result.model_copy(
        update={"timings": {}, "analysis": result.analysis.model_copy(update={"pages": pages, "source": "a"})}
    )


@pytest.mark.parametrize(
    "words", ["", "text", "extract the tables", "page 2", "find one", "last page", "pages 2 and 7"]
)
@pytest.mark.parametrize("data", [PICTURE, PDF, table_pdf()], ids=["picture", "pdf", "table"])
def test_the_answer_is_the_one_to_the_document(analyzer: Analyzer, data: bytes, words: str) -> None:
    if "2" in words and data != PDF:
        return
    sent = read(analyzer, edge_file(data, words), words)
    assert same_but_for_time(sent) == same_but_for_time(read(analyzer, data, words))


@pytest.mark.parametrize(
    "regions",
    [
        [Region(page=1, box=Box(10.5, 10, 300, 150))],
        [Region(page=1, box=Box(0, 0, 10, 10)), Region(page=1, box=Box(-5, 50, 2000, 100))],
    ],
)
def test_regions_are_those_of_the_document(analyzer: Analyzer, regions: list[Region]) -> None:
    sent = read(analyzer, edge_file(PICTURE, "text", regions=regions), "text", regions=regions)
    assert same_but_for_time(sent) == same_but_for_time(read(analyzer, PICTURE, "text", regions=regions))


def test_a_reduced_page_has_places_of_the_page(analyzer: Analyzer) -> None:
    large = png_bytes(draw_lines(["word " * 12] * 30, size=60, width=2600))
    sent = read(analyzer, edge_file(large, "text"), "text")
    (page,) = EdgeFile(edge_file(large, "text"), LimitSettings()).document.pages
    assert page.read[0].seen_width < page.width
    assert same_but_for_time(sent) == same_but_for_time(read(analyzer, large, "text"))


def test_a_page_that_failed_there_has_failed_here(analyzer: Analyzer) -> None:
    sent = read(analyzer, edge_file(PDF, "text", engine=EchoEngine(fail_pages=[2])), "text")
    (failure,) = sent.failures
    assert (failure.page, failure.code) == (2, "engine-failed")
    assert [page.page for page in sent.analysis.pages] == [1, 3]


def test_nothing_that_came_from_outside_is_kept_for_others(tmp_path: Path) -> None:
    """Neither under the pixels nor under the document that a file says it is of."""
    honest = EdgeFile(edge_file(PICTURE, "text"), LimitSettings()).document
    reading = honest.pages[0].read[0].readings[1]
    lie = reading.model_copy(update={"lines": (reading.lines[0].model_copy(update={"text": "a lie"}),)})
    page = honest.pages[0]
    read_there = page.read[0].model_copy(update={"readings": (page.read[0].readings[0], lie)})
    lying = honest.model_copy(update={"pages": (page.model_copy(update={"read": (read_there,)}),)})
    assert {r.part for r in read_there.readings} == {Part.LAYOUT, Part.TEXT}
    with reader(tmp_path, EchoEngine()) as analyzer:
        assert read(analyzer, write_edge_file(lying), "text").text == "a lie"
        assert read(analyzer, PICTURE, "text").text != "a lie"
        assert read(analyzer, write_edge_file(honest), "text").text != "a lie"
        assert read(analyzer, write_edge_file(lying), "text").text == "a lie"


def test_what_was_not_sent_is_said(analyzer: Analyzer) -> None:
    only_text = edge_file(BLOCKS, "text", engine=EdgeEngine())
    with reader(analyzer.settings.home, EdgeEngine()) as server:
        found = read(server, only_text, "extract the tables")
        assert [(f.page, f.component, f.code) for f in found.failures] == [(1, "edge", "invalid-request")]
        assert "tables" in found.failures[0].message
        assert not found.success
        assert found.blocks[0].type is BlockType.TEXT  # what is there is answered from
        assert read(server, only_text, "text").success
    one_page = edge_file(PDF, "page 2")
    other = read(analyzer, one_page, "page 3")
    assert ([f.page for f in other.failures], other.analysis.pages) == ([3], ())
    region = [Region(page=1, box=Box(0, 0, 50, 50))]
    assert "region" in read(analyzer, edge_file(PICTURE), "text", regions=region).failures[0].message
    assert "whole" in read(analyzer, edge_file(PICTURE, regions=region), "text").failures[0].message


def test_readings_that_no_engine_makes_fail_their_page(analyzer: Analyzer) -> None:
    honest = EdgeFile(edge_file(PICTURE, "text"), LimitSettings()).document
    page = honest.pages[0]
    empty = tuple(reading.model_copy(update={"lines": ()}) for reading in page.read[0].readings)
    there = page.read[0].model_copy(update={"readings": empty})
    broken = honest.model_copy(update={"pages": (page.model_copy(update={"read": (there,)}),)})
    (failure,) = read(analyzer, write_edge_file(broken), "text").failures
    assert failure.component == "edge"


def test_an_engine_that_is_not_here_is_refused(analyzer: Analyzer) -> None:
    with pytest.raises(InvalidRequest, match="mineru-server"):
        read(analyzer, edge_file(BLOCKS, "text", engine=BlockEngine()), "text")


class TestCrops:
    """The server's engine is another one: it reads the pictures of blocks, and the rest is as it was read there."""

    def sent(self) -> bytes:
        return edge_file(BLOCKS, engine=EdgeEngine(), terms=ALL_CROPS)

    def test_blocks_are_what_the_server_reads_in_them(self, tmp_path: Path) -> None:
        engine = BlockEngine()
        with reader(tmp_path, engine) as server:
            found = read(server, self.sent())
        assert engine.seen == [(328, 128), (328, 58)]  # a margin of 4 around each
        assert [block.type for block in found.blocks] == [BlockType.TEXT, BlockType.TABLE, BlockType.EQUATION]
        assert found.blocks[0].text == "Heading"
        (table,) = found.tables
        assert (table.rows(), table.caption, table.page) == ([["server", "328x128"]], "Table 1", 1)
        assert table.box == TABLE_BOX.expanded(4)
        assert (found.blocks[2].text, found.blocks[2].box, found.blocks[2].confidence) == ("E = mc^2", FORMULA_BOX, 0.9)
        assert found.engine == "embedded/stand-in + mineru-server/stand-in"
        assert found.success
        assert "formulas-unsupported" not in {note.code for note in found.answer.notes}

    def test_only_what_is_asked_for_is_read(self, tmp_path: Path) -> None:
        engine = BlockEngine()
        with reader(tmp_path, engine) as server:
            assert read(server, self.sent(), "text").text
            assert engine.seen == []
            assert not server.loaded
            read(server, self.sent(), "extract the tables")
            assert engine.seen == [(328, 128)]

    def test_what_was_read_of_a_picture_is_kept(self, tmp_path: Path) -> None:
        engine = BlockEngine()
        with reader(tmp_path, engine) as server:
            first = read(server, self.sent(), "extract the tables")
            second = read(server, self.sent(), "extract the first table")
        assert len(engine.seen) == 1
        assert first.tables == second.tables

    def test_a_block_that_cannot_be_read_stays_as_it_was(self, tmp_path: Path) -> None:
        with reader(tmp_path, BlockEngine(refuses=frozenset({Part.TABLES}))) as server:
            found = read(server, self.sent())
        assert [table.rows() for table in found.tables] == [[["edge"]]]
        assert [failure.code for failure in found.failures] == ["engine-failed"]
        assert found.blocks[2].text == "E = mc^2"

    def test_a_picture_that_is_none_fails_its_block(self, tmp_path: Path) -> None:
        file = EdgeFile(self.sent(), LimitSettings())
        bad = write_edge_file(file.document, [b"GIF89a", b"GIF89a"])
        with reader(tmp_path, BlockEngine()) as server:
            found = read(server, bad)
        assert [failure.component for failure in found.failures] == ["intake", "intake"]
        assert [table.rows() for table in found.tables] == [[["edge"]]]

    def test_regions_take_the_blocks_in_them(self, tmp_path: Path) -> None:
        engine = BlockEngine()
        region = [Region(page=1, box=Box(0, 80, 400, 230))]
        data = edge_file(BLOCKS, engine=EdgeEngine(), terms=ALL_CROPS, regions=region)
        with reader(tmp_path, engine) as server:
            read(server, data, regions=region)
        assert engine.seen  # of a region a stand-in reads the same blocks, some of them outside
        assert all(width <= 400 for width, _ in engine.seen)

    def test_an_engine_of_the_same_name_reads_nothing_again(self, tmp_path: Path) -> None:
        with reader(tmp_path, EdgeEngine()) as server:
            found = read(server, self.sent())
            assert not server.loaded
        assert [table.rows() for table in found.tables] == [[["edge"]]]
        assert found.engine == "embedded/stand-in"
