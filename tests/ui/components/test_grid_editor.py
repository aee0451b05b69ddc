from __future__ import annotations

import pytest

from mineru_core.api.grid_data import FORM_VERSION
from mineru_core.errors import InvalidRequest
from mineru_core.ui.components.grid_editor import CODE, MAX_CHANGES, grid_words, parse_edits
from mineru_core.ui.i18n import CATALOGUES, Translator


def test_the_browser_has_the_same_bounds_and_form() -> None:
    assert f"const FORM = {FORM_VERSION};" in CODE
    assert f"const MOST_CHANGES = {MAX_CHANGES};" in CODE


@pytest.mark.parametrize("language", sorted(CATALOGUES))
def test_the_component_gets_every_string_of_its_own(language: str) -> None:
    words = grid_words(Translator(language))
    of_both = {f"grid.{said}_{kind}" for said in ("other", "foreign") for kind in ("table", "chart")}
    said_in_python = {"grid.refused", "grid.too_large", *of_both}
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
