"""A document as it is asked for: the task in its words, the key its answers are kept under, its readings as one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mineru_core.document.analysis import DocumentAnalysis, PageAnalysis, PageFailure
from mineru_core.document.assemble import assemble
from mineru_core.document.task import Region, Task
from mineru_core.instruct import parse_words
from mineru_core.serving.cache import document_key

if TYPE_CHECKING:
    from mineru_core.intake import Document


def assembled(document: Document, readings: Sequence[PageAnalysis | PageFailure]) -> DocumentAnalysis:
    """The document's readings as one analysis."""
    return assemble(
        readings,
        source=document.name,
        sha256=document.sha256,
        media_type=document.media_type,
        page_count=document.page_count,
    )


def answers_key_of(document: Document) -> str | None:
    """Under which answers about the document are kept; None: they are not."""
    return None if document.decoding is None else document_key(document.sha256, document.decoding)


def task_of(words: str | Task, regions: Sequence[Region]) -> Task:
    """What the words ask, or the task that is given, of the regions where there are any."""
    task = words if isinstance(words, Task) else parse_words(words)
    return task.model_copy(update={"regions": tuple(regions)}) if regions else task
