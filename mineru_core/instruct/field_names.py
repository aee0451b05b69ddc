"""Fields that documents commonly have: their labels in English and Chinese, and what their values look like."""

from __future__ import annotations

import tomllib
from enum import StrEnum
from functools import cache, lru_cache
from importlib.resources import files

from pydantic import BaseModel, ConfigDict
from rapidfuzz import fuzz

from mineru_core.instruct.normalize import has_han, letters


class ValueType(StrEnum):
    """What a value looks like."""

    ANY = "any"
    AMOUNT = "amount"
    DATE = "date"
    NUMBER = "number"
    PHONE = "phone"
    EMAIL = "email"
    CODE = "code"
    NAME = "name"
    ADDRESS = "address"
    CURRENCY = "currency"


class FieldKind(BaseModel):
    """A field by its labels in both languages, the surest first.

    ``never`` are words that, beside a label, make it another field's ("sub" beside "total"); ``with_colon`` are labels
    only where a colon follows ("Invoice: 12").
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    type: ValueType
    en: tuple[str, ...] = ()
    zh: tuple[str, ...] = ()
    never: tuple[str, ...] = ()
    with_colon: tuple[str, ...] = ()


class _Fields(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    field: tuple[FieldKind, ...]
    common: dict[str, tuple[str, ...]]


@cache
def _fields() -> _Fields:
    return _Fields.model_validate(tomllib.loads(files(__package__).joinpath("fields.toml").read_text("utf-8")))


def common_fields(language: str) -> tuple[str, ...]:
    """What is looked for when the key fields are asked for without naming any ("zh" or "en")."""
    return _fields().common[language]


@cache
def _by_label() -> dict[str, FieldKind]:
    """Kinds by the key of each label; where two kinds share one, the kind that puts it further to the front has it."""
    best: dict[str, tuple[int, FieldKind]] = {}
    for kind in _fields().field:
        for rank, label in [(0, kind.name), *enumerate(kind.en), *enumerate(kind.zh)]:
            name = _bare(label)
            if name not in best or rank < best[name][0]:
                best[name] = (rank, kind)
    return {name: kind for name, (_, kind) in best.items()}


def _bare(label: str) -> str:
    """A label as labels are compared, 的 left out."""
    text = letters(label).text
    return text.replace("的", "") if has_han(text) else text


@lru_cache(maxsize=4096)
def known_kind(name: str) -> FieldKind | None:
    """The kind of field a user means by ``name``; slips of one letter are forgiven. None for an unknown one."""
    bare = _bare(name)
    kinds = _by_label()
    for spelling in (bare, bare.removesuffix("s"), bare.removesuffix("es")):
        if spelling in kinds:
            return kinds[spelling]
    of_the = name.lower().split(" of the ")
    if len(of_the) == 2 and (turned := _bare(" ".join(reversed(of_the)))) in kinds:
        return kinds[turned]
    shortest = 3 if has_han(bare) else 5
    if len(bare) < shortest:
        return None
    scored = (
        (fuzz.ratio(bare, label), label) for label in kinds if abs(len(label) - len(bare)) <= 1 and len(label) > 3
    )
    score, label = max(scored, default=(0.0, ""))
    allowed = 100 * (1 - 1.01 / max(len(bare), 4)) if not has_han(bare) else 100 * (1 - 0.5 / 2)
    return kinds[label] if score >= allowed else None


def is_known_field(name: str) -> bool:
    """Whether ``name`` is a field this package knows, in English or Chinese."""
    return known_kind(name) is not None


def is_label(bare: str) -> bool:
    """Whether letters (as by ``letters``) are exactly a label of some known field."""
    return bare in _by_label()
