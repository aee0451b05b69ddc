"""The chat around a picture and its prompt, as token ids."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import torch
from mineru_vl_utils.vlm_client.base_client import DEFAULT_SYSTEM_PROMPT
from torch import Tensor

_PROMPTS_KEPT = 64


@dataclass(frozen=True, slots=True)
class PromptIds:
    """Token ids before and after the visual tokens of the one picture."""

    before: tuple[int, ...]
    after: tuple[int, ...]

    def positions(self, rows: int, columns: int) -> Tensor:
        """Place in time, height and width of each token, [3, tokens], round a picture of so many visual tokens.

        Words count on in all three; the picture stands at one time, its tokens at their row and column.
        """
        start = len(self.before)
        grid = torch.stack(
            torch.meshgrid(torch.zeros(1, dtype=torch.long), torch.arange(rows), torch.arange(columns), indexing="ij")
        ).flatten(1)
        end = start + max(rows, columns)
        words = (torch.arange(start), torch.arange(end, end + len(self.after)))
        return torch.cat((words[0].expand(3, -1), grid + start, words[1].expand(3, -1)), dim=1)


class Prompts:
    """Renders prompts by the checkpoint's own chat template and tokenizer."""

    def __init__(self, processor: Any, image_token: int) -> None:
        self._processor, self._image_token = processor, image_token
        self.ids = lru_cache(_PROMPTS_KEPT)(self._ids)

    def _ids(self, prompt: str) -> PromptIds:
        """Token ids of the contract's conversation: system prompt, picture, then these words."""
        content = [{"type": "image"}, {"type": "text", "text": prompt}]
        messages = [{"role": "system", "content": DEFAULT_SYSTEM_PROMPT}, {"role": "user", "content": content}]
        text = self._processor.apply_chat_template(messages, tokenize=False, add_generation_prompt=True)
        ids = self._processor.tokenizer(text)["input_ids"]
        at = ids.index(self._image_token)
        return PromptIds(tuple(ids[:at]), tuple(ids[at + 1 :]))
