"""What the drop zone is told, and what is made of what it says."""

from __future__ import annotations

import json
from dataclasses import asdict

import pytest

from mineru_core.errors import WorkbenchError
from mineru_core.intake.compression import POLICY
from mineru_core.ui.components.drop_zone import (
    ERRORS,
    MAX_FILES,
    WORDS,
    Dropped,
    DropZone,
    drop_errors,
    drop_words,
    file_kinds,
    parse_dropped,
)
from mineru_core.ui.i18n import Translator


def zone(language: str, *, compact: bool = False) -> DropZone:
    t = Translator(language)
    words = drop_words(t, 100, compact=compact)
    return DropZone(words, drop_errors(t), file_kinds(t), language, ".pdf", 100_000_000, compact=compact)


@pytest.mark.parametrize("language", ["en", "zh"])
def test_every_string_and_every_number_of_the_policy_reaches_the_browser(language: str) -> None:
    sent = json.loads(json.dumps(asdict(zone(language))))
    assert set(sent["words"]) == {*WORDS, "title"}
    assert "%name" in sent["words"]["retry"]
    assert {"%before", "%after"} <= set(sent["words"]["reduced"].replace(",", " ").split())
    assert not [text for text in sent["words"].values() if "{" in text]
    assert "100 MB" in sent["words"]["hint"]
    assert sent["policy"] == asdict(POLICY)
    assert sent["words"]["title"] != drop_words(Translator(language), 100, compact=True)["title"]


def test_codes_that_are_explained_are_codes_of_the_tree() -> None:
    codes, kinds = {WorkbenchError.code}, [WorkbenchError]
    while kinds:
        kinds += kinds.pop().__subclasses__()
        codes |= {kind.code for kind in kinds}
    assert set(ERRORS) <= codes
    assert set(drop_errors(Translator("en"))) == {*ERRORS, "network"}


def test_files_that_arrived_are_known_by_their_ids() -> None:
    said = {"ids": ["1-ab", "2-cd"], "pending": True, "failed": 1}
    assert parse_dropped(said) == Dropped(ids=("1-ab", "2-cd"), pending=True, failed=1)


MALFORMED = [None, "", [], {"ids": "1"}, {"ids": [1]}, {"ids": ["1"], "more": 1}, {"failed": -1}]


@pytest.mark.parametrize("said", [*MALFORMED, {"ids": ["1"] * (MAX_FILES + 1)}])
def test_what_is_malformed_is_no_file(said: object) -> None:
    assert parse_dropped(said) == Dropped()
