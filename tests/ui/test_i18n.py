from __future__ import annotations

import re
from pathlib import Path
from string import Formatter

import pytest

from mineru_core import ui
from mineru_core.document.analysis import BlockType, Part
from mineru_core.document.notices import Notice
from mineru_core.errors import WorkbenchError
from mineru_core.jobs.model import JobState
from mineru_core.settings import Settings
from mineru_core.ui.analyse.problems import hint_of, notice_of, title_of
from mineru_core.ui.i18n import CATALOGUES, Translator, language_of

PACKAGE = Path(ui.__file__).parent
CORE = PACKAGE.parent


def placeholders(text: str) -> set[str]:
    return {name for _, name, _, _ in Formatter().parse(text) if name is not None}


def error_codes() -> set[str]:
    found, waiting = set(), [WorkbenchError]
    while waiting:
        kind = waiting.pop()
        found.add(kind.code)
        waiting.extend(kind.__subclasses__())
    return {code for code in found if not code.startswith("test-")}


def test_both_catalogues_have_the_same_keys() -> None:
    assert CATALOGUES["zh"].keys() == CATALOGUES["en"].keys()


def test_both_catalogues_have_the_same_placeholders() -> None:
    # Singular forms may say "1" in words, so only plural ones count there.
    for key, text in CATALOGUES["en"].items():
        assert placeholders(text) == placeholders(CATALOGUES["zh"][key]), key


@pytest.mark.parametrize("language", sorted(CATALOGUES))
def test_no_string_is_empty_or_left_in_the_other_language(language: str) -> None:
    for key, text in CATALOGUES[language].items():
        assert text.strip() == text != "", key
        if language == "en":
            assert not re.search(r"[\u4e00-\u9fff]", text), key


@pytest.mark.parametrize("language", sorted(CATALOGUES))
@pytest.mark.parametrize("code", sorted(error_codes()))
def test_every_error_code_is_explained(language: str, code: str) -> None:
    t = Translator(language)
    assert t.has(f"error.{code}.title")
    assert "{" not in title_of(code, t) + hint_of(code, t, Settings())


@pytest.mark.parametrize("language", sorted(CATALOGUES))
@pytest.mark.parametrize("notice", Notice)
def test_every_warning_of_an_engine_is_said_in_the_readers_language(language: str, notice: Notice) -> None:
    told = notice.told(count=3, labels="10; x", names="A {b}", kind="table")
    said = notice_of(told, Translator(language))
    assert all(word in said for word in ("3", "10; x", "A {b}") if word in told)
    assert (said[0].isascii()) == (language == "en")
    assert "{n" not in said


def test_a_warning_that_is_none_of_ours_is_said_as_it_stands() -> None:
    assert notice_of("The server says {hello}.", Translator("zh")) == "The server says {hello}."


def test_the_limit_of_the_settings_stands_in_the_hint() -> None:
    small = Settings.model_validate({"limits": {"max_pages": 17}})
    assert "17" in hint_of("too-many-pages", Translator("zh"), small)


def test_an_unknown_code_gets_the_general_words() -> None:
    t = Translator("en")
    assert title_of("brand-new", t) == t("error.internal.title")


@pytest.mark.parametrize("kind", list(BlockType))
def test_every_block_type_has_a_name(kind: BlockType) -> None:
    assert all(Translator(language).has(f"block.{kind.value}") for language in CATALOGUES)


@pytest.mark.parametrize("state", list(JobState))
def test_every_job_state_has_a_name(state: JobState) -> None:
    assert all(Translator(language).has(f"state.{state.value}") for language in CATALOGUES)


def stages() -> set[str]:
    """What engines and the analyzer say they are doing."""
    sources = [path.read_text("utf-8") for name in ("engines", "serving") for path in (CORE / name).rglob("*.py")]
    said = re.findall(r"""(?:\.stage\(|Progress\(stage=)"([a-z-]+)\"""", "\n".join(sources))
    return ({part.value for part in Part} | set(said)) - {"echo"}


@pytest.mark.parametrize("stage", sorted(stages()))
def test_every_stage_has_a_name(stage: str) -> None:
    assert all(Translator(language).has(f"stage.{stage}") for language in CATALOGUES)


def used_keys() -> tuple[set[str], set[str]]:
    """Keys written out in the sources, and beginnings of those put together from parts."""
    source = "\n".join(p.read_text("utf-8") for p in PACKAGE.rglob("*.py") if p.parent.name != "i18n")
    whole = set(re.findall(r"""["']((?:[a-z_]+\.)+[a-z_-]+)["']""", source))
    begun = set(re.findall(r"""f["']([a-z_]+\.)\{""", source))
    return {key for key in whole if not key.endswith((".png", ".css", ".js", ".svg"))}, begun


def test_every_key_in_the_sources_is_in_the_catalogues() -> None:
    catalogue = CATALOGUES["en"]
    groups = {key.split(".")[0] for key in catalogue}
    plural = {key.removesuffix(".one") for key in catalogue if key.endswith(".one")}
    missing = {k for k in used_keys()[0] if k.split(".")[0] in groups} - catalogue.keys() - plural
    assert missing == set()


def test_no_string_is_left_over() -> None:
    whole, begun = used_keys()
    left = {
        key
        for key in CATALOGUES["en"]
        if key.removesuffix(".one").removesuffix(".many") not in whole and not key.startswith(tuple(begun))
    }
    assert left == set()


@pytest.mark.parametrize(
    ("locale", "language"),
    [("zh-CN", "zh"), ("zh", "zh"), ("ZH-Hant-TW", "zh"), ("en-GB", "en"), ("de", "en"), ("", "en"), (None, "en")],
)
def test_the_language_follows_the_browser(locale: str | None, language: str) -> None:
    assert language_of(locale) == language
