from __future__ import annotations

import json
from pathlib import Path

import pytest

from mineru_core.engines.mineru.checkpoint import (
    KNOWN_MODELS,
    ORIGIN,
    checkpoint_folder,
    installed,
    is_folder,
    known_model,
    open_checkpoint,
)
from mineru_core.errors import EngineUnavailable, ModelMissing
from mineru_core.settings import load_settings
from tests.engines.mineru.checkpoints import checkpoint_files, write_checkpoint


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_checkpoint(tmp_path / "model")


@pytest.mark.parametrize("shards", [1, 3])
def test_a_whole_folder_is_a_checkpoint(tmp_path: Path, shards: int) -> None:
    found = open_checkpoint(write_checkpoint(tmp_path / "own", checkpoint_files(shards=shards)))
    assert (found.title, found.licence, found.revision) == ("own", "unknown", "")
    assert (found.layout_size, found.analyses_images) == ((1036, 1036), False)
    assert found.size > shards * 100_000


@pytest.mark.parametrize("name", sorted(checkpoint_files(shards=2).keys() - {"chat_template.jinja"}))
def test_without_one_of_its_files_it_is_not_whole(tmp_path: Path, name: str) -> None:
    folder = write_checkpoint(tmp_path / "model", checkpoint_files(shards=2))
    (folder / name).unlink()
    with pytest.raises(ModelMissing) as caught:
        open_checkpoint(folder)
    assert "models install mineru" in caught.value.hint


@pytest.mark.parametrize("keep", [0, 7, 40, 5_000, -1])
def test_weights_that_are_cut_off_are_told(folder: Path, keep: int) -> None:
    weights = folder / "model.safetensors"
    weights.write_bytes(weights.read_bytes()[:keep])
    with pytest.raises(ModelMissing, match="cut off or damaged"):
        open_checkpoint(folder)


def test_weights_in_another_form_are_not_read(folder: Path) -> None:
    (folder / "model.safetensors").rename(folder / "pytorch_model.bin")
    with pytest.raises(ModelMissing, match="other forms than safetensors"):
        open_checkpoint(folder)


def test_an_index_cannot_name_files_of_other_folders(folder: Path) -> None:
    index = {"weight_map": {"w": "../model/model.safetensors"}}
    (folder / "model.safetensors.index.json").write_text(json.dumps(index))
    with pytest.raises(ModelMissing, match="other folders"):
        open_checkpoint(folder)


@pytest.mark.parametrize(
    ("config", "named"),
    [({"architectures": ["LlamaForCausalLM"]}, "LlamaForCausalLM"), ({"model_type": "bert"}, "bert")],
)
def test_another_architecture_is_named(folder: Path, config: dict[str, object], named: str) -> None:
    (folder / "config.json").write_text(json.dumps(config))
    with pytest.raises(EngineUnavailable, match=named) as caught:
        open_checkpoint(folder)
    assert KNOWN_MODELS[0].repository in caught.value.hint


@pytest.mark.parametrize("text", ["", "{", "[]"])
def test_a_configuration_that_cannot_be_read_is_told(folder: Path, text: str) -> None:
    (folder / "config.json").write_text(text)
    with pytest.raises(ModelMissing, match=r"config\.json cannot be read"):
        open_checkpoint(folder)


def test_the_folder_says_what_it_is(folder: Path) -> None:
    options = {"layout_size": [224, 448], "analyses_images": True, "licence": "MIT", "title": "small"}
    (folder / "workbench.json").write_text(json.dumps(options))
    found = open_checkpoint(folder)
    assert (found.layout_size, found.analyses_images, found.licence, found.title) == ((224, 448), True, "MIT", "small")


def test_a_fetched_model_is_known_by_its_repository(folder: Path) -> None:
    pro = KNOWN_MODELS[-1]
    (folder / ORIGIN).write_text(json.dumps({"repository": f"OpenDataLab/{pro.title}", "revision": "abc"}))
    assert open_checkpoint(folder).title == "model"
    name = pro.repository.split("/")[1]
    (folder / ORIGIN).write_text(json.dumps({"repository": f"OpenDataLab/{name}", "revision": "abc"}))
    found = open_checkpoint(folder)
    assert (found.title, found.licence, found.revision) == (pro.title, pro.licence, "abc")
    assert found.analyses_images


def test_the_digest_changes_with_the_content_and_not_with_the_place(folder: Path, tmp_path: Path) -> None:
    digest = open_checkpoint(folder).digest
    assert open_checkpoint(write_checkpoint(tmp_path / "copy")).digest == digest
    files = checkpoint_files()
    weights = bytearray(files["model.safetensors"])
    weights[-1] ^= 1
    other = write_checkpoint(tmp_path / "other", files | {"model.safetensors": bytes(weights)})
    assert open_checkpoint(other).digest != digest
    (folder / "tokenizer.json").write_text('{"a": 1}')
    assert open_checkpoint(folder).digest != digest


@pytest.mark.parametrize("known", KNOWN_MODELS, ids=lambda known: known.title)
def test_a_known_model_is_known_under_the_names_it_goes_by(known: object) -> None:
    repository = getattr(known, "repository", "")
    name = repository.split("/")[1]
    for spelling in (repository, f"OpenDataLab/{name}", f"/models/{name}/", f"opendatalab--{name}@main"):
        assert known_model(spelling) is known
    assert known_model("someone/else") is None


def test_where_the_chosen_model_lies(tmp_path: Path) -> None:
    settings = load_settings(models=tmp_path, mineru={"model": "owner/name"})
    assert checkpoint_folder(settings) == tmp_path / "mineru" / "owner--name"
    pinned = load_settings(models=tmp_path, mineru={"model": "owner/name", "revision": "refs/pr/1"})
    assert checkpoint_folder(pinned).name == "owner--name@refs-pr-1"
    own = load_settings(models=tmp_path, mineru={"model": str(tmp_path / "x" / "y")})
    assert checkpoint_folder(own) == tmp_path / "x" / "y"
    assert [is_folder(name) for name in ("owner/name", "./name", "/a/b", "name", "a/b/c")] == [
        False,
        True,
        True,
        True,
        True,
    ]


def test_installed_or_not(tmp_path: Path, folder: Path) -> None:
    assert installed(load_settings(models=tmp_path)) is None
    found = installed(load_settings(models=tmp_path, mineru={"model": str(folder)}))
    assert found is not None
    assert found.folder == folder
