"""Values of the fields that were asked for, from labels beside them."""

from __future__ import annotations

from collections.abc import Sequence

from mineru_core.document.analysis import PageAnalysis
from mineru_core.document.task import FieldValue


def read_fields(pages: Sequence[PageAnalysis], names: Sequence[str], language: str) -> tuple[FieldValue, ...]:
    """One value a name, in the order asked; one that was not found has no page."""
    return tuple(FieldValue(name=name) for name in names)
