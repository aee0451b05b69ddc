"""What corrections of tables and of charts have in common: their texts, and how they are read."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Annotated, TypeVar

from pydantic import BeforeValidator, Field, TypeAdapter, ValidationError

from mineru_core.errors import InvalidRequest

T = TypeVar("T")

MAX_TEXT = 32_767
"""Characters of one text: what a cell of a workbook can hold."""

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f\ud800-\udfff\ufffe\uffff]")


def clean_text(text: object) -> object:
    """A text with line feeds alone as its ends of line, and without what no file can hold; others as they are."""
    if not isinstance(text, str):
        return text
    return _CONTROL.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))


Text = Annotated[str, BeforeValidator(clean_text), Field(max_length=MAX_TEXT)]


def parse_change(operations: TypeAdapter[T], data: str | bytes | Mapping[str, object]) -> T:
    """The operation written as JSON or as the fields of it. Raises ``InvalidRequest`` where it is none."""
    try:
        if isinstance(data, str | bytes):
            return operations.validate_json(data)
        return operations.validate_python(data)
    except ValidationError as error:
        first = error.errors(include_url=False, include_input=False, include_context=False)[0]
        where = ".".join(str(step) for step in first["loc"]) or "operation"
        raise InvalidRequest(
            f"The change cannot be read: {where}: {first['msg']}"[:300], "Correct the named field of the operation."
        ) from error
