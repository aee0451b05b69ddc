from __future__ import annotations

import pytest

from mineru_core.document.table import Cell, Table
from mineru_core.errors import InvalidRequest
from mineru_core.ui.components.grid_editor import (
    DOUBTFUL,
    EDITED,
    HEADER,
    MAX_CHANGES,
    grid_table,
    grid_words,
    parse_edits,
)
from mineru_core.ui.i18n import CATALOGUES, Translator


def test_cells_go_with_their_spans_and_what_is_known_of_them() -> None:
    table = Table(
        n_rows=2,
        n_cols=2,
        cells=(
            Cell(row=0, col=0, colspan=2, text="head", header=True),
            Cell(row=1, col=0, text="<img src=x onerror=alert(1)>", confidence=0.62),
            Cell(row=1, col=1, text=" ", confidence=0.1, edited=True),
        ),
    )
    assert grid_table(table) == {
        "rows": 2,
        "cols": 2,
        "cells": [
            [0, 0, 1, 2, "head", HEADER, 100],
            [1, 0, 1, 1, "<img src=x onerror=alert(1)>", DOUBTFUL, 62],
            [1, 1, 1, 1, " ", EDITED, 10],
        ],
    }


@pytest.mark.parametrize("language", sorted(CATALOGUES))
def test_the_component_gets_every_string_of_its_own(language: str) -> None:
    words = grid_words(Translator(language))
    said_in_python = {"grid.refused", "grid.other_table", "grid.too_large"}
    assert {f"grid.{name}" for name in words} == {k for k in CATALOGUES[language] if k[:5] == "grid."} - said_in_python


def test_what_the_browser_sends_is_read() -> None:
    edits = parse_edits({"id": "a-1", "version": 3, "changes": [{"op": "undo"}]})
    assert (edits.id, edits.version, edits.changes) == ("a-1", 3, ({"op": "undo"},))


@pytest.mark.parametrize(
    "sent",
    [
        [],
        {"id": "a-1", "version": -1, "changes": []},
        {"id": "x" * 65, "version": 0, "changes": []},
        {"id": "a-1", "version": 0, "changes": ["undo"]},
        {"id": "a-1", "version": 0, "changes": [{}] * (MAX_CHANGES + 1)},
    ],
)
def test_a_malformed_message_is_refused(sent: object) -> None:
    with pytest.raises(InvalidRequest):
        parse_edits(sent)
