"""What both sides of the model's benchmark are given."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("mineru_vl_utils")

from benchmarks.vlm.job import FULL, QUICK, make_page, write_checkpoint
from mineru_core.engines.mineru.checkpoint import open_checkpoint, stored_dtype
from mineru_core.engines.mineru.processor import load_processor


def test_pages_are_as_large_as_the_scale_says_and_each_users_own() -> None:
    for scale in (FULL, QUICK):
        assert len(scale.crops) == 12
        page = make_page(scale, 0)
        assert page.layout.size == (scale.layout_edge, scale.layout_edge)
        assert tuple(crop.size for crop in page.crops) == scale.crops
    assert make_page(QUICK, 1).layout.tobytes() != make_page(QUICK, 2).layout.tobytes()
    assert make_page(QUICK, 1).layout.tobytes() == make_page(QUICK, 1).layout.tobytes()


@pytest.mark.long
def test_the_checkpoint_is_whole_and_brings_its_tokenizer(tmp_path: Path) -> None:
    write_checkpoint(tmp_path, replace(QUICK, vision_depth=1, language_layers=1))
    assert stored_dtype(open_checkpoint(tmp_path)) == "bfloat16"
    processor = load_processor(tmp_path)
    (crop, *_), picture = make_page(QUICK, 0).crops, processor.image_token
    prepared = processor(text=[picture], images=[crop], return_tensors="pt")
    assert (prepared["input_ids"] == processor.image_token_id).sum() == crop.width * crop.height // 28**2
