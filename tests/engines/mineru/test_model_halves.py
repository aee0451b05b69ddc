"""The two halves run our way give what transformers' own forward passes give."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from mineru_core.engines.mineru.kv import LENGTH_RATIO, RowGroup, Shape, grouped
from mineru_core.engines.mineru.loading import load_model
from mineru_core.engines.mineru.pictures import PicturePreparation
from mineru_core.engines.mineru.processor import load_processor
from mineru_core.engines.mineru.prompts import Prompts
from mineru_core.engines.mineru.vision import VisionTower
from tests.engines.mineru.random_models import TABLE, TEXT, noise, random_checkpoint


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_checkpoint(tmp_path_factory.mktemp("random") / "fp32")


SIZES = [(224, 224), (56, 28), (28, 196), (140, 84)]


def test_visual_tokens_are_those_of_transformers(folder: Path) -> None:
    model = load_model(folder, torch.device("cpu"))
    preparation = PicturePreparation(load_processor(folder).image_processor)
    tower = VisionTower(model.model.visual, torch.float32)
    pictures = [preparation.patches(preparation.look(noise(*size))) for size in SIZES]
    with torch.no_grad():
        found = tower.features(pictures, lambda: None)
        for picture, features in zip(pictures, found, strict=True):
            grid = torch.tensor([[1, picture.rows, picture.columns]])
            expected = model.model.visual(picture.values, grid_thw=grid).pooler_output
            assert torch.allclose(features, expected, atol=1e-4)


@pytest.mark.parametrize("size", SIZES)
def test_positions_are_those_of_transformers(folder: Path, size: tuple[int, int]) -> None:
    model, processor = load_model(folder, torch.device("cpu")), load_processor(folder)
    preparation = PicturePreparation(processor.image_processor)
    picture = preparation.look(noise(*size))
    prompt = Prompts(processor, model.config.image_token_id).ids(TEXT)
    sequence = torch.tensor([[*prompt.before, *[model.config.image_token_id] * picture.tokens, *prompt.after]])
    grid = torch.tensor([[1, picture.rows * 2, picture.columns * 2]])
    kinds = (sequence == model.config.image_token_id).int()
    expected, deltas = model.model.get_rope_index(sequence, kinds, image_grid_thw=grid)
    positions = prompt.positions(picture.rows, picture.columns)
    assert torch.equal(positions, expected[:, 0])
    assert int(positions[0, -1]) + 1 == sequence.shape[1] + int(deltas[0])


def test_prompts_are_what_the_processor_makes_of_them(folder: Path) -> None:
    processor = load_processor(folder)
    prompts = Prompts(processor, processor.image_token_id)
    image = noise(112, 56)
    for prompt in (TEXT, TABLE, "\nWhat is it? <fcel>"):
        content = [{"type": "image"}, {"type": "text", "text": prompt}]
        chat = [{"role": "system", "content": "You are a helpful assistant."}, {"role": "user", "content": content}]
        text = processor.apply_chat_template(chat, tokenize=False, add_generation_prompt=True)
        expected = processor(text=[text], images=[image])["input_ids"][0]
        found = prompts.ids(prompt)
        assert [*found.before, *[processor.image_token_id] * 8, *found.after] == list(expected)


def test_a_picture_is_known_by_its_pixels_and_shape(folder: Path) -> None:
    preparation = PicturePreparation(load_processor(folder).image_processor)
    picture = noise(56, 112)
    reshaped = Image.frombytes("RGB", (112, 56), picture.tobytes())
    same, equal, other, turned = (
        preparation.look(image).key for image in (picture, picture.copy(), noise(56, 112, 1), reshaped)
    )
    assert same == equal
    assert len({same, other, turned}) == 3


@given(st.lists(st.integers(1, 2000), min_size=1, max_size=30))
def test_groups_hold_every_row_once_and_little_padding(lengths: list[int]) -> None:
    groups = list(grouped(lengths))
    assert sorted(place for group in groups for place in group) == list(range(len(lengths)))
    for group in groups:
        longest = max(lengths[place] for place in group)
        assert min(lengths[place] for place in group) >= LENGTH_RATIO * longest
        assert len(group) * longest - sum(lengths[place] for place in group) <= 0.15 * len(group) * longest


@given(st.lists(st.integers(1, 150), min_size=1, max_size=4), st.integers(1, 150), st.data())
def test_rows_keep_their_keys_while_others_leave(lengths: list[int], steps: int, data: st.DataObject) -> None:
    shape = Shape(layers=2, heads=1, head_dim=4, dtype=torch.float32, device=torch.device("cpu"))
    group = RowGroup(shape, list(range(len(lengths))), lengths)
    written = {name: torch.randn(2, 1, length, 4) for name, length in enumerate(lengths)}
    for name, keys in written.items():
        for layer in range(2):
            group.put(layer, name, 0, keys[layer], -keys[layer])
    for _ in range(min(steps, 70)):
        group.grow()
        newest = torch.randn(2, len(group.rows), 1, 4)
        for layer in range(2):
            group.attend(layer, torch.randn(len(group.rows), 3, 4), newest[layer], -newest[layer])
        for at, name in enumerate(group.rows):
            written[name] = torch.cat((written[name], newest[:, at, :, None]), dim=2)
        if len(group.rows) > 1 and data.draw(st.booleans()):
            group.keep(sorted(data.draw(st.sets(st.sampled_from(range(len(group.rows))), min_size=1))))
    for at, name in enumerate(group.rows):
        kept = group.first(at, group.lengths[at])
        assert torch.equal(kept[:, 0], written[name])
        assert torch.equal(kept[:, 1], -written[name])


@given(st.lists(st.integers(1, 40), min_size=1, max_size=4), st.integers(0, 99))
def test_each_row_attends_to_all_of_its_own_and_nothing_else(lengths: list[int], seed: int) -> None:
    torch.manual_seed(seed)
    shape = Shape(layers=1, heads=2, head_dim=4, dtype=torch.float32, device=torch.device("cpu"))
    group = RowGroup(shape, list(range(len(lengths))), lengths)
    rows = [(torch.randn(2, length, 4), torch.randn(2, length, 4)) for length in lengths]
    for at, (keys, values) in enumerate(rows):
        group.put(0, at, 0, keys, values)
    group.grow()
    q, k, v = torch.randn(len(rows), 6, 4), torch.randn(len(rows), 2, 4), torch.randn(len(rows), 2, 4)
    gathered = group.attend(0, q, k, v)
    for at, (keys, values) in enumerate(rows):
        every = torch.cat((keys, k[at][:, None]), 1).repeat_interleave(3, 0)
        held = torch.cat((values, v[at][:, None]), 1).repeat_interleave(3, 0)
        weights = (q[at][:, None] @ every.transpose(1, 2) / 2).softmax(-1)
        assert torch.allclose(gathered[at], (weights @ held)[:, 0], atol=1e-5)
