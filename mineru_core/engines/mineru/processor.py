"""Tokenizer, chat template and image processor of a checkpoint, with or without torchvision."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from transformers import AutoImageProcessor, AutoTokenizer, ProcessorMixin, Qwen2VLProcessor
from transformers.utils.import_utils import is_torchvision_available

from mineru_core.errors import EngineUnavailable


class PictureProcessor(Qwen2VLProcessor):
    """Qwen2-VL's processor without its part for videos, which does not load where torchvision does not."""

    def __init__(self, image_processor: Any = None, tokenizer: Any = None, chat_template: str | None = None) -> None:
        self.image_token, self.video_token = "<|image_pad|>", "<|video_pad|>"
        self.image_token_id = tokenizer.convert_tokens_to_ids(self.image_token)
        self.video_token_id = tokenizer.convert_tokens_to_ids(self.video_token)
        ProcessorMixin.__init__(self, image_processor, tokenizer, chat_template=chat_template)  # type: ignore[no-untyped-call]


def load_processor(folder: Path) -> PictureProcessor:
    """The processor of a checkpoint folder, without code of its own. Raises ``EngineUnavailable``.

    Pictures are prepared by torchvision where it loads, as mineru-vl-utils has it, else by Pillow.
    """
    backend = "torchvision" if is_torchvision_available() else "pil"
    try:
        tokenizer = AutoTokenizer.from_pretrained(folder, local_files_only=True, trust_remote_code=False)
        images = AutoImageProcessor.from_pretrained(  # type: ignore[no-untyped-call]
            folder, local_files_only=True, trust_remote_code=False, backend=backend
        )
        template = tokenizer.chat_template or _old_template(folder)
    except (OSError, ValueError, KeyError, TypeError, ImportError) as error:
        raise EngineUnavailable(f"Tokenizer or image processor of the model could not be loaded: {error}") from error
    return PictureProcessor(images, tokenizer, template)


def _old_template(folder: Path) -> str | None:
    """The chat template where transformers 4 kept it."""
    file = folder / "chat_template.json"
    return json.loads(file.read_text(encoding="utf-8"))["chat_template"] if file.exists() else None
