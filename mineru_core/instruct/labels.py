"""Where the label of a field is printed, and how surely it is that field's."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from rapidfuzz import fuzz

from mineru_core.instruct.field_names import FieldKind, is_label, known_kind
from mineru_core.instruct.normalize import Key, has_han, key, letters
from mineru_core.instruct.places import is_word_edge

_FUZZY_DISCOUNT = 0.85
_HARMLESS = frozenset(
    re.split(
        r"\s+",
        "no number num code rm usd rmb cny myr eur the of amount total sales rounded payable due "
        "is tax invoice order grand net your our this customer date bill issue company name s",
    )
)


# Asked for by these, a document's more telling label ("grand total") is meant rather than the very word.
_VAGUE = frozenset(("total", "amount", "金额"))
_INCLUSIVE = re.compile(
    r"\b(?:incl|inclusive|including|after|with)\b[.\s]*(?:of\s+)?(?:gst|tax|vat|sst)?", re.IGNORECASE
)


@dataclass(frozen=True, slots=True)
class Wanted:
    """A field to look for: what the user called it, its kind if it is a known one, and its labels with weights.

    Labels are letters only, the longest first; those of ``with_colon`` count only before a colon. ``pattern`` meets
    any of them.
    """

    name: str
    kind: FieldKind | None
    labels: tuple[tuple[str, float], ...]
    with_colon: frozenset[str]
    pattern: re.Pattern[str]


@dataclass(frozen=True, slots=True)
class LabelHit:
    """A label in a line's text, its span, and how well its wording fits, 0..1."""

    start: int
    end: int
    wording: float


def wanted_field(name: str) -> Wanted:
    """What to look for when a user asks for ``name``: its own words first, then the synonyms of a known field."""
    kind = known_kind(name)
    asked = letters(name).text
    weights = {} if asked in _VAGUE else {asked: 0.97}
    for labels in () if kind is None else (kind.en, kind.zh):
        for rank, label in enumerate(labels):
            weights.setdefault(letters(label).text, max(0.97 - 0.01 * rank, 0.75))
    with_colon = {letters(label).text for label in kind.with_colon} - set(weights) if kind is not None else set()
    weights |= dict.fromkeys(with_colon, 0.85)
    weights.pop("", None)
    ordered = sorted(weights.items(), key=lambda item: -len(item[0]))  # the longest label at a place is the one meant
    pattern = re.compile("|".join(re.escape(label) for label, _ in ordered) or r"(?!)")
    return Wanted(name, kind, tuple(ordered), frozenset(with_colon), pattern)


def label_hits(text: str, found: Key, wanted: Wanted, *, fuzzy: bool) -> Iterator[LabelHit]:
    """Labels of the field in one line, the longest at each place; ``fuzzy`` also takes those with a slip.

    ``found`` are the letters of ``text``.
    """
    if not fuzzy and wanted.pattern.search(found.text) is None:
        return
    taken: list[tuple[int, int]] = []
    for label, weight in wanted.labels:
        for start, end, likeness in _places(found, label, fuzzy):
            first, last = found.source_span(start, end)
            if any(first < b and a < last for a, b in taken):
                continue
            if not (is_word_edge(text, first) and is_word_edge(text, last)):
                continue
            if label in wanted.with_colon and not re.match(r"\s*[:：#]", text[last:]):
                continue  # a heading, not a label
            taken.append((first, last))
            wording = weight * likeness * _surroundings(text, first, last, wanted)
            if wording > 0.2:
                yield LabelHit(first, last, wording)


def _places(found: Key, label: str, fuzzy: bool) -> Iterator[tuple[int, int, float]]:
    at = found.text.find(label)
    while at >= 0:
        yield at, at + len(label), 1.0
        at = found.text.find(label, at + len(label))
    if not fuzzy or len(found.text) < len(label) - 1 or label in found.text:
        return
    if len(label) < (4 if has_han(label) else 6):  # short words have too many neighbours
        return
    cutoff = 100 * (1 - 1.01 / len(label))
    near = fuzz.partial_ratio_alignment(label, found.text, score_cutoff=cutoff)
    if near is None or near.dest_end - near.dest_start < len(label) - 1:
        return
    met = found.text[near.dest_start : near.dest_end]
    if met[0] == label[0] and met[-1] == label[-1] and not is_label(met):  # else it is another word, or cut from one
        yield near.dest_start, near.dest_end, near.score / 100 * _FUZZY_DISCOUNT


def _surroundings(text: str, start: int, end: int, wanted: Wanted) -> float:
    """How much the words beside the label leave it the label of this field, 0..1."""
    before = re.split(r"[:：;；|]|\s{3,}", text[:start])[-1]
    after = re.split(r"[:：;；|]|\d|\s{3,}|[$¥￥]", text[end:])[0]
    never = wanted.kind.never if wanted.kind is not None else ()
    if "incl" not in never:  # "Total incl. GST" is a total, though no tax
        before, after = _INCLUSIVE.sub(" ", before), _INCLUSIVE.sub(" ", after)
    own = letters(text[start:end]).text
    for word in never:
        if word not in own and _says(word, before, after):
            return 0.25
    return _plainness(before) * _plainness(after) * (1.0 if _colon_follows(text[end:]) else 0.97)


def _says(word: str, before: str, after: str) -> bool:
    if has_han(word):
        return word in key(before).text or word in key(after).text
    return re.search(rf"(?<![a-z]){re.escape(word)}(?![a-z])", f"{before} | {after}".lower()) is not None


def _plainness(beside: str) -> float:
    """1 where nothing telling stands beside the label, less the more foreign words do (running text)."""
    if has_han(beside):
        others = sum(1 for c in key(beside).text if c.isalpha())
        return 1.0 if others <= 1 else 0.85 if others <= 5 else 0.5
    words = [w for w in re.findall(r"[a-z]+", beside.lower()) if w not in _HARMLESS]
    return 1.0 if not words else 0.85 if len(words) == 1 else 0.7 if len(words) <= 3 else 0.4


def _colon_follows(rest: str) -> bool:
    return re.match(r"[^:：\d]{0,14}[:：]", rest) is not None


def next_label(text: str) -> int:
    """Where another label ("Date:") begins in ``text`` after its start; its length where there is none."""
    for match in re.finditer(r"[:：]", text):
        head = text[: match.start()]
        if re.search(r"\d\s*$", head) or text[match.end() : match.end() + 2] == "//":
            continue  # a time or an address on the web
        words = list(re.finditer(r"\S+", head))
        if not words:
            continue
        first = len(words) - 1
        if first > 0 and looks_like_label(head[words[first - 1].start() :]):
            first -= 1
        if words[first].start() > 0:
            return words[first].start()
    return len(text)


@lru_cache(maxsize=4096)
def looks_like_label(text: str) -> bool:
    """Whether the text is nothing but a label: a known field's name, or a short phrase that ends in a colon."""
    bare = text.strip()
    if len(bare) > 40:
        return False
    return bare.endswith((":", "：")) or known_kind(bare.rstrip(" .#")) is not None


def has_own_label(text: str) -> bool:
    """Whether the text is a label, or begins with one of its own ("Cash: 5.00"): no value of another label."""
    return looks_like_label(text) or re.match(r"\s*[^\W\d_][^:：\d]{0,30}[:：]", text) is not None
