from __future__ import annotations

import pytest

from mineru_core.api.grid_data import FORM_VERSION
from mineru_core.ui.components.edits import MAX_CHANGES
from mineru_core.ui.components.grid_editor import SCRIPT, grid_words
from mineru_core.ui.i18n import CATALOGUES, Translator


def test_the_browser_has_the_same_bounds_and_form() -> None:
    assert f"const FORM = {FORM_VERSION};" in SCRIPT
    assert f"const MOST_CHANGES = {MAX_CHANGES};" in SCRIPT


@pytest.mark.parametrize("language", sorted(CATALOGUES))
def test_the_component_gets_every_string_of_its_own(language: str) -> None:
    words = grid_words(Translator(language))
    of_both = {
        f"grid.{said}_{kind}" for said in ("other", "foreign_undo", "foreign_redo") for kind in ("table", "chart")
    }
    said_in_python = {"grid.refused", "grid.too_large", *of_both}
    assert {f"grid.{name}" for name in words} == {k for k in CATALOGUES[language] if k[:5] == "grid."} - said_in_python
