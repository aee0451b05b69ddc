"""A checkpoint folder to a generator: where its weights go and in which form they are multiplied."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from mineru_core.engines.base import LoadListener
from mineru_core.engines.facts import needs_extra
from mineru_core.errors import EngineUnavailable
from mineru_core.runtime.heap import trim_heap
from mineru_core.settings import MineruSettings

if TYPE_CHECKING:
    import torch
    from torch import Tensor, nn

    from mineru_core.engines.mineru.generation import LocalGenerator, ModelParts
    from mineru_core.engines.mineru.limits import Limits

Form = Literal["native", "widening", "int16", "int8"]
"""Weights as torch multiplies them itself; of 16 bits and brought to float32 as they are used; or of twice or once 8
bits, multiplied as integers."""

_log = logging.getLogger(__name__)


def load_generator(
    folder: Path,
    settings: MineruSettings,
    progress: LoadListener | None = None,
    limits: Limits | None = None,
) -> LocalGenerator:
    """Load a checkpoint folder (safetensors, no code of its own) as the settings say.

    ``progress`` is told of the stage ``weights``. ``limits`` of the texts are by default as long as the settings say.
    Raises ``EngineUnavailable`` where the packages are missing, the weights do not fit the model, or the device or
    the precision asked for is not to be had here.
    """
    with needs_extra():
        import torch

        from mineru_core.engines.mineru.generation import LocalGenerator
        from mineru_core.engines.mineru.limits import Limits
        from mineru_core.engines.mineru.processor import load_processor

    def report(share: float) -> None:
        if progress is not None:
            progress("weights", share)

    report(0.0)
    device = _device(settings.device)
    processor = load_processor(folder)
    model = load_model(folder, device)
    forms = _forms(settings.precision, device, next(model.parameters()).dtype)
    if settings.precision == "fp32":
        model = model.float()
    stored = next(model.parameters()).dtype
    dtypes = {half: stored if form == "native" else torch.float32 for half, form in forms.items()}
    if device.type == "cpu":
        _prepare(model, forms, report)
    parts = _parts(model, processor, dtypes)
    trim_heap()
    report(1.0)
    precision = _told(forms, stored)
    _log.info("the MinerU model is loaded", extra={"device": device.type, "precision": precision})
    return LocalGenerator(
        parts,
        limits=limits or Limits(most=settings.max_new_tokens),
        memory_bytes=settings.vision_cache_bytes,
        precision=precision,
    )


def resolved_precision(settings: MineruSettings, stored: str) -> str:
    """Device and form of the weights that the settings come to on this machine, without loading any.

    ``stored`` is the type of the weights in the file, by its name in torch. Raises ``EngineUnavailable`` where
    ``load_generator`` would for the device or the precision, and ``ImportError`` without torch.
    """
    import torch

    device = _device(settings.device)
    dtype: torch.dtype = getattr(torch, stored)
    forms = _forms(settings.precision, device, dtype)
    return f"{device.type}: {_told(forms, torch.float32 if settings.precision == 'fp32' else dtype)}"


def load_model(folder: Path, device: torch.device) -> Any:
    """The model as its file has it, of 16 bits still mapped from there. Raises ``EngineUnavailable``."""
    from safetensors import SafetensorError
    from transformers import AutoConfig, PretrainedConfig, Qwen2VLForConditionalGeneration

    try:
        config = AutoConfig.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        raw, _ = PretrainedConfig.get_config_dict(folder, local_files_only=True)
        text = config.get_text_config(decoder=True)
        # without this, a head that shares the embeddings' weights is begun at random by transformers 5
        text.tie_word_embeddings = config.tie_word_embeddings = raw.get("tie_word_embeddings", text.tie_word_embeddings)
        with _without_bars():
            loaded: Any = Qwen2VLForConditionalGeneration.from_pretrained(
                folder, config=config, dtype="auto", use_safetensors=True, local_files_only=True,
                attn_implementation="sdpa", output_loading_info=True,
            )  # fmt: skip
    except (OSError, ValueError, KeyError, TypeError, AttributeError, RuntimeError, SafetensorError) as error:
        raise EngineUnavailable(f"The weights of the model could not be loaded: {error}") from error
    model, info = loaded
    wrong = [*info["missing_keys"], *info["mismatched_keys"], *info["unexpected_keys"]]
    if wrong:
        raise EngineUnavailable(
            f"The weights do not fit the model: {len(wrong)} of them are missing or too many, such as {wrong[0]}.",
            "Fetch the weights again: mineru-workbench models install mineru.",
        )
    return model.eval().requires_grad_(False).to(device)


def _device(asked: str) -> torch.device:
    import torch

    there = {"cuda": torch.cuda.is_available(), "mps": torch.backends.mps.is_available(), "cpu": True}
    if asked == "auto":
        return torch.device(next(name for name, available in there.items() if available))
    if not there[asked]:
        raise EngineUnavailable(
            f"The device {asked} is not to be had here.", "Set MINERU_WORKBENCH_MINERU__DEVICE to auto or cpu."
        )
    return torch.device(asked)


def _forms(precision: str, device: torch.device, dtype: torch.dtype) -> dict[str, Form]:
    """How the weights of either half are kept; the measurements behind it are in docs/performance.md."""
    import torch

    from mineru_core.engines.mineru.linear import int8_available, native_bf16

    half = dtype in (torch.bfloat16, torch.float16)
    if device.type != "cpu" or precision == "fp32":
        if precision == "int8":
            raise EngineUnavailable(
                "int8 is for CPUs.", "Set MINERU_WORKBENCH_MINERU__PRECISION to auto or bf16 on this device."
            )
        return {"vision": "native", "language": "native"}
    if precision == "int8":
        if not int8_available():
            raise EngineUnavailable(
                "This build of torch cannot multiply int8 on this processor.",
                "Set MINERU_WORKBENCH_MINERU__PRECISION to auto or bf16.",
            )
        return {"vision": "int8", "language": "int8"}
    as_stored: Form = "widening" if half and not native_bf16() else "native"
    if precision == "auto" and half and int8_available():
        return {"vision": as_stored, "language": "int16"}
    return {"vision": as_stored, "language": as_stored}


def _told(forms: dict[str, Form], stored: torch.dtype) -> str:
    """The forms in words; weights that torch multiplies itself are named by their type."""
    names = {"native": str(stored).removeprefix("torch."), "widening": "16-bit", "int16": "int16", "int8": "int8"}
    return ", ".join(f"{half} {names[form]}" for half, form in forms.items())


def _prepare(model: Any, forms: dict[str, Form], report: Callable[[float], None]) -> None:
    """Put each half's products into their form, and what is not a product's weight into float32 with them."""
    from torch import nn

    from mineru_core.engines.mineru.linear import Int8Linear, Scratch, WideningLinear
    from mineru_core.engines.mineru.mapped import MappedWeights

    scratch, mapped = Scratch(), MappedWeights()

    def let_go(packed: Tensor) -> None:
        mapped.let_go(packed)
        trim_heap()  # packing leaves holes of the weight's size; left alone they add up to all of the model

    halves = {"vision": [model.model.visual], "language": [model.model.language_model, model]}
    done, total = 0, sum(isinstance(module, nn.Linear) for module in model.modules())
    for half, roots in halves.items():
        form = forms[half]
        if form == "native":
            continue
        for owner, name, linear in [found for root in roots for found in _linears(root)]:
            weight, bias = linear.weight.detach(), linear.bias
            if form in ("int8", "int16"):
                setattr(owner, name, Int8Linear(weight, bias, fine=form == "int16", done=let_go))
            else:
                setattr(owner, name, WideningLinear(weight, bias, scratch))
            done += 1
            report(done / total)
        for module in roots[0].modules():
            if not isinstance(module, nn.Embedding | WideningLinear):
                for parameter in module.parameters(recurse=False):
                    parameter.data = parameter.data.float()


def _linears(root: nn.Module) -> list[tuple[nn.Module, str, nn.Linear]]:
    """Owner, name and module of each product below ``root``; of the whole model, its head alone."""
    from torch import nn

    owners = [root] if hasattr(root, "lm_head") else root.modules()
    return [
        (owner, name, child)
        for owner in owners
        for name, child in owner.named_children()
        if isinstance(child, nn.Linear)
    ]


def _parts(model: Any, processor: Any, dtypes: dict[str, torch.dtype]) -> ModelParts:
    """The halves of the model and its special tokens, as mineru-vl-utils' own client takes them from there."""
    from mineru_core.engines.mineru.decoder import Decoder
    from mineru_core.engines.mineru.generation import ModelParts
    from mineru_core.engines.mineru.linear import WideningLinear
    from mineru_core.engines.mineru.mapped import MappedWeights
    from mineru_core.engines.mineru.vision import VisionTower

    mapped = MappedWeights()

    def let_go(layer: nn.Module) -> None:
        # the system keeps what it has read of the file while there is room, and takes a layer up again in no time;
        # the tower, half of the model, need not count as this process's memory for that
        for module in layer.modules():
            if isinstance(module, WideningLinear):
                mapped.let_go(module.weight)

    text = model.config.get_text_config(decoder=True)
    sources = (model.generation_config, text, processor.tokenizer)
    names = ("bos_token_id", "eos_token_id", "pad_token_id")
    left_out = frozenset[int]().union(*(_ids(getattr(source, name, None)) for source in sources for name in names))
    return ModelParts(
        vision=VisionTower(model.model.visual, dtypes["vision"], let_go),
        decoder=Decoder(model.model.language_model, model.lm_head, dtypes["language"]),
        processor=processor,
        image_token=model.config.image_token_id,
        stop_ids=_ids(model.generation_config.eos_token_id),
        left_out=left_out,
    )


def _ids(value: Any) -> frozenset[int]:
    if value is None:
        return frozenset()
    return frozenset(value) if isinstance(value, list | tuple) else frozenset({int(value)})


@contextmanager
def _without_bars() -> Iterator[None]:
    """transformers draws a bar while it loads; a service has no use for it."""
    from transformers.utils import logging

    their_logging: Any = logging

    shown = their_logging.is_progress_bar_enabled()
    their_logging.disable_progress_bar()
    try:
        yield
    finally:
        if shown:
            their_logging.enable_progress_bar()
