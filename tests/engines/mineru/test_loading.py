"""A checkpoint folder to a model: what is chosen where, and what is said when it cannot be."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import torch
from safetensors.torch import load_file, save_file

from mineru_core.engines.facts import EXTRA_COMMAND
from mineru_core.engines.mineru import linear
from mineru_core.engines.mineru.checkpoint import open_checkpoint, stored_dtype
from mineru_core.engines.mineru.linear import Int8Linear, WideningLinear, int8_available
from mineru_core.engines.mineru.loading import load_generator, resolved_precision
from mineru_core.engines.mineru.mapped import MappedWeights
from mineru_core.engines.mineru.processor import load_processor
from mineru_core.errors import EngineUnavailable
from mineru_core.settings import MineruSettings
from tests.engines.mineru.random_models import generator_of, noise, random_checkpoint, request_of


@pytest.fixture(scope="module")
def half_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_checkpoint(tmp_path_factory.mktemp("random") / "bf16", torch.bfloat16)


@pytest.fixture
def copy(half_folder: Path, tmp_path: Path) -> Path:
    """The checkpoint, to be spoilt."""
    for file in half_folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    return tmp_path


def forms(generator: Any) -> tuple[set[type], set[type]]:
    parts = generator._parts
    kinds = (Int8Linear, WideningLinear, torch.nn.Linear)

    def found(root: torch.nn.Module) -> set[type]:
        return {type(module) for module in root.modules() if isinstance(module, kinds)}

    return found(parts.vision._visual), found(parts.decoder._model) | {type(parts.decoder._head)}


@pytest.mark.parametrize(
    ("precision", "vision", "language"),
    [
        ("fp32", torch.nn.Linear, torch.nn.Linear),
        ("bf16", WideningLinear, WideningLinear),
        ("auto", WideningLinear, Int8Linear),
        ("int8", Int8Linear, Int8Linear),
    ],
)
def test_weights_take_the_form_that_is_asked_for(
    half_folder: Path, monkeypatch: pytest.MonkeyPatch, precision: str, vision: type, language: type
) -> None:
    monkeypatch.setattr(linear, "native_bf16", lambda: False)
    assert forms(generator_of(half_folder, precision=precision)) == ({vision}, {language})


def test_where_bf16_is_multiplied_natively_it_is(half_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "native_bf16", lambda: True)
    generator = generator_of(half_folder, precision="bf16")
    assert forms(generator) == ({torch.nn.Linear}, {torch.nn.Linear})
    assert "bfloat16" in generator.precision
    assert len(generator.generate([request_of(noise(56, 56)), request_of(noise(84, 56))])) == 2


def test_both_kinds_of_arithmetic_go_together(half_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "native_bf16", lambda: True)
    generator = generator_of(half_folder, precision="auto")
    assert generator.precision == "vision bfloat16, language int16"
    assert len(generator.generate([request_of(noise(56, 56)), request_of(noise(84, 56))])) == 2


def test_without_int8_the_weights_stay_as_they_are(half_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(linear, "native_bf16", lambda: False)
    monkeypatch.setattr(linear, "int8_available", lambda: False)
    assert forms(generator_of(half_folder, precision="auto")) == ({WideningLinear}, {WideningLinear})
    with pytest.raises(EngineUnavailable, match="int8"):
        generator_of(half_folder, precision="int8")


@pytest.mark.parametrize("precision", ["auto", "bf16", "fp32", "int8"])
@pytest.mark.parametrize("native", [False, True])
def test_the_precision_is_known_without_loading(
    half_folder: Path, monkeypatch: pytest.MonkeyPatch, precision: str, native: bool
) -> None:
    monkeypatch.setattr(linear, "native_bf16", lambda: native)
    stored = stored_dtype(open_checkpoint(half_folder))
    known = resolved_precision(MineruSettings.model_validate({"precision": precision, "device": "cpu"}), stored)
    assert known == f"cpu: {generator_of(half_folder, precision=precision).precision}"


def test_a_device_that_is_not_there_is_named(half_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch.cuda, "is_available", lambda: False)
    with pytest.raises(EngineUnavailable, match="cuda"):
        load_generator(half_folder, MineruSettings(device="cuda"))


def test_loading_tells_how_far_it_is(half_folder: Path) -> None:
    told: list[tuple[str, float]] = []
    settings = MineruSettings(precision="bf16", device="cpu")
    load_generator(half_folder, settings, lambda stage, share: told.append((stage, share)))
    shares = [share for _, share in told]
    assert {stage for stage, _ in told} == {"weights"}
    assert shares == sorted(shares)
    assert (shares[0], shares[-1]) == (0.0, 1.0)


@pytest.mark.parametrize("spoil", ["missing", "extra", "shape"])
def test_weights_that_do_not_fit_are_refused(copy: Path, spoil: str) -> None:
    file = copy / "model.safetensors"
    weights = {name: tensor.clone() for name, tensor in load_file(file).items()}
    name = next(name for name in weights if name.endswith("q_proj.weight"))
    if spoil == "missing":
        del weights[name]
    elif spoil == "extra":
        weights["model.unknown.weight"] = torch.zeros(2)
    else:
        weights[name] = weights[name][:-1].clone()
    save_file(weights, file, metadata={"format": "pt"})
    with pytest.raises(EngineUnavailable):
        generator_of(copy)


def test_half_a_file_is_refused(copy: Path) -> None:
    file = copy / "model.safetensors"
    file.write_bytes(file.read_bytes()[:-1000])
    with pytest.raises(EngineUnavailable):
        generator_of(copy)


def test_code_in_a_checkpoint_is_never_run(copy: Path) -> None:
    (copy / "evil.py").write_text("raise AssertionError('run')\nclass Evil: pass\n", encoding="utf-8")
    for name in ("config.json", "tokenizer_config.json", "preprocessor_config.json"):
        content = json.loads((copy / name).read_text(encoding="utf-8"))
        content["auto_map"] = {
            "AutoConfig": "evil.Evil", "AutoTokenizer": ["evil.Evil", None], "AutoImageProcessor": "evil.Evil",
        }  # fmt: skip
        (copy / name).write_text(json.dumps(content), encoding="utf-8")
    assert generator_of(copy).generate([request_of(noise(56, 56))])


def test_weights_pickled_by_torch_are_never_read(copy: Path) -> None:
    weights = load_file(copy / "model.safetensors")
    torch.save(weights, copy / "pytorch_model.bin")
    del weights
    (copy / "model.safetensors").unlink()
    with pytest.raises(EngineUnavailable):
        generator_of(copy)


def test_an_older_chat_template_is_found(copy: Path) -> None:
    template = load_processor(copy).chat_template
    (copy / "chat_template.jinja").unlink()
    config = json.loads((copy / "tokenizer_config.json").read_text(encoding="utf-8"))
    config.pop("chat_template", None)
    (copy / "tokenizer_config.json").write_text(json.dumps(config), encoding="utf-8")
    assert load_processor(copy).chat_template == template


def test_without_a_tokenizer_it_says_so(copy: Path) -> None:
    (copy / "tokenizer.json").unlink()
    with pytest.raises(EngineUnavailable):
        load_processor(copy)


@pytest.mark.skipif(not int8_available(), reason="this build of torch multiplies no int8")
def test_int8_writes_nearly_what_float32_writes(half_folder: Path) -> None:
    requests = [request_of(noise(112, 84, seed), tokens=1) for seed in range(8)]
    exact, rounded = (
        generator_of(half_folder, precision=precision).generate(requests) for precision in ("fp32", "int8")
    )
    gaps = [abs(a.logprobs[0] - b.logprobs[0]) for a, b in zip(exact, rounded, strict=True)]
    assert sum(a.token_ids == b.token_ids for a, b in zip(exact, rounded, strict=True)) >= 6
    assert max(gaps) < 0.5


def test_the_towers_layers_are_let_go_once_a_picture_was_seen(
    half_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(linear, "native_bf16", lambda: False)
    let_go: list[int] = []
    real = MappedWeights.let_go

    def noted(self: MappedWeights, tensor: torch.Tensor) -> bool:
        let_go.append(tensor.data_ptr())
        return real(self, tensor)

    generator = generator_of(half_folder, precision="bf16", vision_cache_bytes=0)
    monkeypatch.setattr(MappedWeights, "let_go", noted)
    first, second = (generator.generate([request_of(noise(84, 56))]) for _ in range(2))
    parts: Any = generator._parts
    tower = [module for module in parts.vision._visual.modules() if isinstance(module, WideningLinear)]
    assert sorted(let_go) == sorted(2 * [module.weight.data_ptr() for module in tower])
    assert first == second, "what was let go is read again from the file"


@pytest.mark.parametrize("package", ["torch", "transformers"])
def test_without_a_package_it_says_what_to_install(half_folder: Path, package: str) -> None:
    code = (
        f"import sys; sys.modules[{package!r}] = None\n"
        "from pathlib import Path\n"
        "from mineru_core.engines.mineru.loading import load_generator\n"
        "from mineru_core.errors import EngineUnavailable\n"
        "from mineru_core.settings import MineruSettings\n"
        f"try: load_generator(Path({str(half_folder)!r}), MineruSettings())\n"
        "except EngineUnavailable as error: print(error.message, error.hint)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert f"({package}" in done.stdout
    assert EXTRA_COMMAND in done.stdout
