"""From words to a task, and from a task to its answer."""

from mineru_core.instruct.alternatives import alternatives
from mineru_core.instruct.answer import answer
from mineru_core.instruct.compare import compare
from mineru_core.instruct.describe import describe
from mineru_core.instruct.parse import parse_words

__all__ = ["alternatives", "answer", "compare", "describe", "parse_words"]
