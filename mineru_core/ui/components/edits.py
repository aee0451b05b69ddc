"""What the editors of tables and charts are told, and what they send."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import streamlit as st
from pydantic import Field, ValidationError

from mineru_core.document.model import Model
from mineru_core.errors import InvalidRequest

MAX_CHANGES = 500
"""Of one message; the browser sends more in several (``MOST_CHANGES`` of delivery.js)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Editor:
    """What the browser is told for either editor.

    ``version`` is that of the corrections; ``answered`` the id of the message that was taken last, ``done`` how many of
    its changes were made, ``error`` and ``code`` why no more were, ``note`` what else there is to say of it.
    """

    version: int
    label: str
    words: Mapping[str, str]
    can_undo: bool = False
    can_redo: bool = False
    answered: str = ""
    done: int = 0
    error: str = ""
    code: str = ""
    note: str = ""


class Edits(Model):
    """What the browser sends: changes, in their order, to the table or chart as it is at ``version``. Each has the
    fields of an operation of ``document/table_edits.py`` or ``document/chart_edits.py``, or is "undo", "redo" or
    "paste" with the forms of the clipboard."""

    id: str = Field(max_length=64)
    version: int = Field(ge=0)
    changes: tuple[dict[str, Any], ...] = Field(max_length=MAX_CHANGES)


def edits_of(key: str) -> Edits | None:
    """What the component with that key has just sent, if anything. Raises ``InvalidRequest`` where it is malformed."""
    sent = st.session_state[key].get("edits")
    return None if sent is None else parse_edits(sent)


def parse_edits(sent: object) -> Edits:
    """The message as data. Raises ``InvalidRequest`` where it is malformed."""
    try:
        return Edits.model_validate(sent)
    except ValidationError as error:
        raise InvalidRequest("The changes cannot be read.", "Reload the page.") from error
