"""Two catalogues of every string the app shows, and the translator that picks from one."""

from __future__ import annotations

from dataclasses import dataclass

from mineru_core.ui.i18n.en import EN
from mineru_core.ui.i18n.en_errors import EN_ERRORS
from mineru_core.ui.i18n.en_load import EN_LOAD
from mineru_core.ui.i18n.zh import ZH
from mineru_core.ui.i18n.zh_errors import ZH_ERRORS
from mineru_core.ui.i18n.zh_load import ZH_LOAD

CATALOGUES: dict[str, dict[str, str]] = {"zh": ZH | ZH_ERRORS | ZH_LOAD, "en": EN | EN_ERRORS | EN_LOAD}
LANGUAGE_NAMES: dict[str, str] = {"zh": "中文", "en": "English"}


@dataclass(frozen=True, slots=True)
class Translator:
    """Strings in one language ("zh" or "en")."""

    language: str

    def __call__(self, key: str, /, **fields: object) -> str:
        """The string of ``key`` with its placeholders filled. Raises KeyError for a key no catalogue has."""
        return CATALOGUES[self.language][key].format(**fields)

    def has(self, key: str) -> bool:
        """Whether the catalogue has the key."""
        return key in CATALOGUES[self.language]

    def or_else(self, key: str, fallback: str, /, **fields: object) -> str:
        """The string of ``key``, or ``fallback`` as it stands where the catalogue lacks the key."""
        return self(key, **fields) if self.has(key) else fallback


def language_of(locale: str | None) -> str:
    """The app's language for a browser locale such as "zh-CN"; English where it is unknown."""
    return "zh" if (locale or "").lower().startswith("zh") else "en"
