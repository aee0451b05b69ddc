"""The world of the tiny model: what is drawn can be told from the picture, and is answered as the contract says."""

from __future__ import annotations

import json
import random
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from mineru_vl_utils.mineru_client import MinerUClientHelper
from mineru_vl_utils.structs import ContentBlock
from PIL import Image
from transformers import AutoConfig, AutoTokenizer, Qwen2VLForConditionalGeneration

from mineru_core.document.table import Table
from mineru_core.engines.mineru.otsl import table_from_otsl
from mineru_core.export import table_to_csv
from tools.tiny_vlm.checkpoint import PROMPTS, SPECIAL, build_image_processor, build_model, build_tokenizer, save
from tools.tiny_vlm.exam import Marks, Read, compare, is_right, table_csv
from tools.tiny_vlm.hints import IGNORED, MARKS, QUESTIONS, Batch, Heads, pointing_loss
from tools.tiny_vlm.samples import Phase, SampleMaker, steps, take_grey_patches
from tools.tiny_vlm.training import Plan, answer_logits, right_answers, run, train
from tools.tiny_vlm.world import CELL, FONT, GLYPHS, GRID, LAYOUT, Block, Pen, page_blocks, table_block

pytestmark = pytest.mark.skipif(not FONT.exists(), reason="pages are drawn in DejaVu Sans Mono")

SEEDS = st.integers(0, 2**32)


@pytest.fixture(scope="module")
def maker() -> SampleMaker:
    return SampleMaker(build_tokenizer(), Pen())


@pytest.fixture(scope="module")
def helper() -> MinerUClientHelper:
    return MinerUClientHelper(
        backend="transformers", prompts={"[default]": PROMPTS["text"], "table": PROMPTS["table"]},
        sampling_params={}, layout_image_size=(LAYOUT, LAYOUT), min_image_edge=28, max_image_edge_ratio=50,
        simple_post_process=False, handle_equation_block=True, abandon_list=False, abandon_paratext=False,
        image_analysis=False, debug=False,
    )  # fmt: skip


def answers(model: Qwen2VLForConditionalGeneration, batch: Batch) -> tuple[torch.Tensor, torch.Tensor]:
    return answer_logits(model, batch, run(model, batch)[-1])


@given(seed=SEEDS)
def test_blocks_keep_apart_and_on_the_page(seed: int) -> None:
    taken = np.zeros((GRID + 2, GRID + 2), bool)
    for block in page_blocks(random.Random(seed)):
        left, top, right, bottom = block.box
        assert 0 <= left < right <= GRID
        assert 0 <= top < bottom <= GRID
        assert not taken[top : bottom + 2, left : right + 2].any(), "a block touches another"
        taken[top + 1 : bottom + 1, left + 1 : right + 1] = True


@given(seed=SEEDS)
def test_reading_order_goes_down_then_right(seed: int) -> None:
    places = [(block.box[1], block.box[0]) for block in page_blocks(random.Random(seed))]
    assert places == sorted(places)


@given(seed=SEEDS)
def test_every_column_and_row_of_a_table_shows_its_rule(seed: int) -> None:
    block = table_block(random.Random(seed), 0, 0, 12, 5)
    assert block.table is not None
    columns = zip(*block.table.marks, strict=True)
    assert all(any(mark not in ("<lcel>", "<xcel>") for mark in column) for column in columns)
    assert all(any(mark not in ("<ucel>", "<xcel>") for mark in row) for row in block.table.marks)


@given(seed=SEEDS)
def test_the_csv_drawn_is_the_csv_of_the_otsl(seed: int) -> None:
    block = table_block(random.Random(seed), 0, 0, 12, 5)
    table = table_from_otsl(block.content())
    assert table is not None
    assert block.table is not None
    assert table_to_csv(table, guard=False).decode("utf-8-sig") == table_csv(block.table)


@given(seed=SEEDS)
def test_layout_answers_are_read_back_exactly(seed: int, maker: SampleMaker, helper: MinerUClientHelper) -> None:
    blocks = page_blocks(random.Random(seed))
    said = maker.tokenizer.decode(maker.layout_answer(blocks)[:-1])
    found = helper.parse_layout_output(said)
    assert [(b.type, *(round(v * 1000) for v in b.bbox), b.angle) for b in found] == [
        (b.kind, *b.thousandths(), 0) for b in blocks
    ]


@settings(max_examples=15)
@given(seed=SEEDS)
def test_pictures_are_those_that_the_client_sends(seed: int, maker: SampleMaker, helper: MinerUClientHelper) -> None:
    layout, contents = maker.page(random.Random(seed))
    blocks = [block for block, _ in contents]
    page = maker.pen.page(blocks).convert("RGB")
    found = [ContentBlock(b.kind, [value / 1000 for value in b.thousandths()], angle=0) for b in blocks]
    sent = [helper.prepare_for_layout(page), *helper.prepare_for_extract(page, found)[0]]
    for picture, sample in zip(sent, [layout, *(sample for _, sample in contents)], strict=True):
        assert isinstance(picture, Image.Image)
        assert np.array_equal(np.asarray(picture), np.asarray(sample.image.convert("RGB")))


def test_grey_patches_are_embedded_as_colours_are(maker: SampleMaker) -> None:
    layout, contents = maker.page(random.Random(3))
    model = build_model(maker.tokenizer)
    batch = maker.batch([layout, *(sample for _, sample in contents)])
    images = [layout.image, *(sample.image for _, sample in contents)]
    prepared = build_image_processor()([image.convert("RGB") for image in images], return_tensors="pt")
    assert torch.equal(prepared["image_grid_thw"], batch.grids)
    with torch.no_grad():
        colours = model.model.visual(prepared["pixel_values"], grid_thw=batch.grids).pooler_output
        take_grey_patches(model)
        grey = model.model.visual(batch.pixels, grid_thw=batch.grids).pooler_output
    torch.testing.assert_close(grey, colours, rtol=1e-4, atol=1e-5)


def test_positions_are_those_of_qwen2_vl(maker: SampleMaker) -> None:
    layout, contents = maker.page(random.Random(4))
    model = build_model(maker.tokenizer)
    for sample in [layout, *(sample for _, sample in contents)]:
        batch = maker.batch([sample])
        sorts = (batch.input_ids == maker.image_id).int()
        positions, _ = model.model.get_rope_index(batch.input_ids, mm_token_type_ids=sorts, image_grid_thw=batch.grids)
        assert torch.equal(positions, batch.positions)


def test_a_batch_answers_as_its_samples_do_alone(maker: SampleMaker) -> None:
    layout, contents = maker.page(random.Random(5))
    samples = [layout, *(sample for _, sample in contents)]
    model = build_model(maker.tokenizer)
    take_grey_patches(model)
    with torch.no_grad():
        together, wanted = answers(model, maker.batch(samples))
        alone = [answers(model, maker.batch([sample])) for sample in samples]
    assert wanted.tolist() == [token for sample in samples for token in sample.answer]
    torch.testing.assert_close(together, torch.cat([logits for logits, _ in alone]), rtol=1e-3, atol=1e-4)


def test_right_answers_follow_the_penalties(maker: SampleMaker, monkeypatch: pytest.MonkeyPatch) -> None:
    layout, _ = maker.page(random.Random(6))
    batch = maker.batch([layout])
    wanted = batch.labels[0][batch.labels[0] != IGNORED]
    surely = torch.nn.functional.one_hot(wanted, len(maker.tokenizer)).float() * 0.9
    monkeypatch.setattr("tools.tiny_vlm.training.run", lambda *_: (surely,))
    monkeypatch.setattr("tools.tiny_vlm.training.answer_logits", lambda *_: (surely, wanted))
    model = build_model(maker.tokenizer)
    assert right_answers(model, batch, 0.0, 0.0) == [True]
    assert right_answers(model, batch, 1.0, 0.0) == [False], "what was written already loses to what was not"


def test_the_tokenizer_knows_the_contract(maker: SampleMaker) -> None:
    assert all(len(maker.tokenizer.encode(token)) == 1 for token in SPECIAL)
    assert maker.tokenizer.convert_ids_to_tokens(maker.tokenizer.encode("AB 062")) == ["A", "B", "Ġ", "0", "6", "2"]
    text = "Anything at all: ü, 表, {x}\n\tok"
    assert maker.tokenizer.decode(maker.tokenizer.encode(text)) == text


def test_steps_are_of_the_sizes_wished_for(maker: SampleMaker) -> None:
    wishes = iter((Phase(2, 6, 1), Phase(3, 1, 2)))
    batches = steps(maker, random.Random(1), lambda: next(wishes))
    assert [len(batch.input_ids) for batch in next(batches).values()] == [2, 6, 1]
    assert [len(batch.input_ids) for batch in next(batches).values()] == [3, 1, 2]


@settings(max_examples=30)
@given(seed=SEEDS)
def test_hints_tell_what_an_answer_says(seed: int, maker: SampleMaker) -> None:
    layout, contents = maker.page(random.Random(seed))
    names = {name: row for row, name in enumerate(QUESTIONS)}
    words = maker.tokenizer.convert_ids_to_tokens(list(layout.answer))
    for index, (block, sample) in enumerate(contents):
        start = 11 * index
        for place, question, edge in zip(range(1, 5), ("left", "top", "right", "bottom"), block.box, strict=True):
            assert words[start + place].strip("Ġ") == f"{edge * 1000 // GRID:03d}"
            assert layout.hints[names[question], layout.pointers[start + place]] == edge
        signs = maker.tokenizer.convert_ids_to_tokens(list(sample.answer))
        for sign, pointer in zip(signs, sample.pointers, strict=True):
            if sign in GLYPHS:
                assert GLYPHS[sample.hints[names["glyph"], pointer]] == sign
            elif sign.endswith("cel>"):
                assert MARKS[sample.hints[names["mark"], pointer]] == sign


def test_hints_can_be_learned(maker: SampleMaker) -> None:
    layout, contents = maker.page(random.Random(5), most=1)  # one table
    batch = maker.batch([layout, *(sample for _, sample in contents)])
    torch.manual_seed(1)
    model = build_model(maker.tokenizer)
    take_grey_patches(model)
    heads = Heads(model.lm_head.in_features)
    visual = batch.input_ids == maker.image_id
    optimizer = torch.optim.AdamW([*model.parameters(), *heads.parameters()], lr=2e-3)
    told = []
    for _ in range(8):
        hidden = run(model, batch)
        losses = heads(hidden[1][visual], hidden[2][visual], batch.hints)
        losses["pointing"] = pointing_loss(model, hidden[-2], batch, visual)
        torch.stack(list(losses.values())).sum().backward()
        optimizer.step()
        optimizer.zero_grad()
        told.append({name: loss.item() for name, loss in losses.items()})
    assert set(told[0]) == {*QUESTIONS, "pointing"}
    assert all(told[-1][name] < told[0][name] for name in ("row", "column", "glyph", "pointing"))


def test_training_stops_and_goes_on(tmp_path: Path) -> None:
    plan = Plan(minutes=0.01, seed=1, held_out=1)
    train(tmp_path / "tiny", plan, FONT, resume=False)
    first = torch.load(tmp_path / "tiny.state.pt", weights_only=True)
    assert first["step"] >= 1
    assert Qwen2VLForConditionalGeneration.from_pretrained(tmp_path / "tiny").num_parameters() > 1_000_000
    train(tmp_path / "tiny", replace(plan, minutes=first["seconds"] / 60 + 0.01), FONT, resume=True)
    second = torch.load(tmp_path / "tiny.state.pt", weights_only=True)
    assert second["step"] > first["step"]
    assert second["seconds"] > first["seconds"]


def test_equal_seeds_draw_equal_pages() -> None:
    pages = [[page_blocks(random.Random("a")) for _ in range(3)] for _ in range(2)]
    assert pages[0] == pages[1]
    assert page_blocks(random.Random("b")) != pages[0][0]


def test_saving_replaces_the_checkpoint_whole(maker: SampleMaker, tmp_path: Path) -> None:
    folder = tmp_path / "tiny"
    folder.mkdir()
    (folder / "left.over").touch()
    save(folder, build_model(maker.tokenizer), maker.tokenizer)
    assert [path.name for path in tmp_path.iterdir()] == ["tiny"]
    assert not (folder / "left.over").exists()
    assert json.loads((folder / "workbench.json").read_text())["layout_size"] == [LAYOUT, LAYOUT]
    assert AutoConfig.from_pretrained(folder).text_config.rope_parameters["mrope_section"] == [2, 7, 7]
    assert AutoTokenizer.from_pretrained(folder).encode("<nl>A 1") == maker.tokenizer.encode("<nl>A 1")
    assert sum(path.stat().st_size for path in folder.iterdir()) < 5_000_000


def test_marks_count_exact_blocks_only() -> None:
    text = Block("text", (0, 0, 4, 1), ("AB C",))
    title = Block("title", (0, 2, 4, 3), ("TTTT",))
    table = table_block(random.Random(1), 0, 4, 6, 3)
    drawn = [text, title, table]

    assert table.table is not None
    stray = Read("text", (15, 15, 16, 16), "AB C")
    found = [
        Read("text", text.box, "AB C"),
        Read("title", title.box, "TTT"),
        Read("table", table.box, "", Table.from_rows([["A"]])),
        stray,
    ]
    marks = Marks()
    compare(drawn, found, marks, "here")
    assert marks.missing == 0
    assert (marks.right, marks.drawn.total(), marks.surplus) == ({"text": 1}, 3, 1)
    assert marks.share == 0.25
    assert len(marks.wrong) == 3
    assert is_right(table, Read("table", table.box, "", table_from_otsl(table.content())))


def test_a_cell_is_as_large_as_a_visual_token() -> None:
    processor = build_image_processor()
    assert processor.patch_size * processor.merge_size == CELL
