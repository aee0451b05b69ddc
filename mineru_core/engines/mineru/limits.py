"""How long a text may become, and when one goes round in circles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from mineru_vl_utils.mineru_client import DEFAULT_PROMPTS

_LEAST, _BY_VISUAL_TOKEN = 64, 8
"""A visual token covers 28 × 28 pixels; the smallest print that can be read has some five characters there."""

_STRUCTURED_LEAST, _STRUCTURED_BY_VISUAL_TOKEN = 256, 12
"""Tables have a token a cell besides, formulas several a symbol, and what is said of a chart needs words."""

_STRUCTURED = frozenset(DEFAULT_PROMPTS[kind] for kind in ("table", "equation", "image", "chart"))

_LONGEST_PERIOD = 32


def is_layout_prompt(prompt: str) -> bool:
    """Whether the prompt asks for the layout of a page, which is what its other prompts wait for."""
    return prompt == DEFAULT_PROMPTS["[layout]"]


@dataclass(frozen=True, slots=True)
class Limits:
    """When a text is ended.

    ``most`` tokens at most; fewer where the picture is small (``by_area``). ``loop_tokens`` in a row that each repeat
    the one a period before are a loop (``table_loop_tokens`` in tables, where rows of empty cells are no loop); None:
    loops are let run. The contract's ban on repeated runs of 100 tokens begins just above both.
    """

    most: int = 4096
    by_area: bool = True
    loop_tokens: int | None = 64
    table_loop_tokens: int | None = 96

    def cap(self, prompt: str, visual_tokens: int, asked: int | None = None) -> int:
        """Tokens the text may have: by the sort of block, which the prompt tells, and its area; ``asked`` at most."""
        cap = self.most
        if self.by_area and not is_layout_prompt(prompt):
            structured = prompt in _STRUCTURED
            least = _STRUCTURED_LEAST if structured else _LEAST
            rate = _STRUCTURED_BY_VISUAL_TOKEN if structured else _BY_VISUAL_TOKEN
            cap = min(cap, least + rate * visual_tokens)
        return cap if asked is None else min(cap, asked)

    def guard(self, prompt: str) -> LoopGuard | None:
        """Watches the text of one block; None where loops are let run."""
        tokens = self.table_loop_tokens if prompt == DEFAULT_PROMPTS["table"] else self.loop_tokens
        return None if tokens is None else LoopGuard(tokens)


class LoopGuard:
    """Tells when the end of a text is one run of at most 32 tokens over and over, four times at least."""

    def __init__(self, tokens: int) -> None:
        self._tokens = tokens
        self._runs = [0] * (_LONGEST_PERIOD + 1)  # by period: how many tokens at the end equal those a period before

    def looped(self, ids: Sequence[int]) -> int | None:
        """Look at the last of ``ids``, to be called after each token; how many tokens repeat, or None."""
        last, count = ids[-1], len(ids)
        for period in range(1, min(_LONGEST_PERIOD, count - 1) + 1):
            if ids[-1 - period] == last:
                self._runs[period] += 1
                if self._runs[period] >= max(self._tokens, 3 * period):
                    return self._runs[period]
            else:
                self._runs[period] = 0
        return None
