"""The sentences that matter, as they stand in the document: chosen by the words they share, never written anew."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from mineru_core.document.analysis import BlockType, PageAnalysis
from mineru_core.document.task import Quote
from mineru_core.instruct.normalize import has_han
from mineru_core.instruct.passages import Passage, passages
from mineru_core.instruct.tokens import tokens

FEWEST, MOST = 3, 7
"""Sentences of a summary; a fifth of the document in between."""

_WORD = re.compile(r"[^\W\d_]+")
_ADDRESS = re.compile(
    r"\b(?:jalan|jln|lorong|taman|persiaran|lot|street|str|road|rd|avenue|ave|lane|boulevard|blvd|drive|highway|suite|"
    r"floor|p\.?\s?o\.?\s*box)\b|\bno\.?\s*\d+[a-z]?\s*,",
    re.IGNORECASE,
)
_POSTCODE = re.compile(r",\s*\d{4,6}\b|^\d{5,6}\s+[^\W\d_]")
_HAN_ADDRESS = re.compile(r"[省市区县镇乡].*[路街道巷村].*\d+\s*[号弄室楼栋幢座]|[路街道巷]\s*\d+\s*[号弄][^。！？]*$")

_MOST_READ = 2_000
_DAMPING, _ROUNDS = 0.85, 20
_ALIKE = 0.6  # share of common words above which a sentence says what another one says


def summarize(pages: Sequence[PageAnalysis]) -> tuple[Quote, ...]:
    """The most telling sentences in the order they stand in; () where nothing is written.

    A sentence weighs as much as those that share its words (TextRank); one that begins a document or paragraph, or that
    says what a title says, weighs more. The confidence is the weight beside the heaviest, times that of the reading.
    """
    every = passages(pages)[:_MOST_READ]
    titles = {word for passage in every if passage.kind is BlockType.TITLE for word in tokens(passage.text)}
    below = [p for p in every if p.kind is not BlockType.TITLE] or every
    addresses = _addresses([p.text for p in below])
    telling = [p for p, is_address in zip(below, addresses, strict=True) if not is_address] or below
    sentences = [p for p in telling if _is_sentence(p.text) and p.kind is not BlockType.TITLE] or telling
    if not sentences:
        return ()
    words = [tokens(sentence.text) for sentence in sentences]
    weights = [
        rank * _place_weight(i, sentences) * (1 + 0.5 * _overlap(set(own), titles))
        for i, (rank, own) in enumerate(zip(_ranks(words), words, strict=True))
    ]
    count = min(max(FEWEST, math.ceil(len(sentences) / 5)), MOST, len(sentences))
    chosen = _chosen(weights, words, count)
    top = max(weights) or 1.0
    return tuple(sentences[i].quote(0.5 + 0.5 * weights[i] / top) for i in sorted(chosen))


def _is_sentence(text: str) -> bool:
    """Whether it says something: long enough, and mostly words."""
    if sum(c.isalpha() for c in text) < 0.5 * len("".join(text.split())):
        return False
    return len(text) >= 10 if has_han(text) else len(text.split()) >= 5


def _addresses(texts: Sequence[str]) -> list[bool]:
    """Which lines are of a postal address: those that look so, and untied ones that a comma joins to them."""
    found = [_is_address(text) for text in texts]
    for places in (range(1, len(texts)), range(len(texts) - 1, 0, -1)):
        for place in places:
            joins = texts[place - 1].rstrip().endswith(",") and not (_tied(texts[place - 1]) or _tied(texts[place]))
            if joins and (found[place - 1] or found[place]):
                found[place - 1] = found[place] = True
    return found


def _tied(text: str) -> bool:
    """Whether a word ties the others together: one that begins with a small letter."""
    return any(word[0].islower() for word in _WORD.findall(text))


def _is_address(text: str) -> bool:
    """Whether a line is one of a postal address: names and numbers without a word that ties them together."""
    if not any(c.isdigit() for c in text):
        return False
    if has_han(text):
        return len(text) <= 40 and _HAN_ADDRESS.search(text) is not None
    named = _ADDRESS.search(text) is not None or text.rstrip().endswith(",") or _POSTCODE.search(text) is not None
    return named and not _tied(text) and _WORD.search(text) is not None


def _ranks(words: Sequence[Sequence[str]]) -> list[float]:
    """How much each sentence is shared by the others, 1 on average, by power iteration over their likeness."""
    holders: dict[str, list[int]] = {}
    for i, own in enumerate(words):
        for word in set(own):
            holders.setdefault(word, []).append(i)
    links: list[dict[int, float]] = [{} for _ in words]
    for word, places in holders.items():
        if len(places) < 2 or len(places) > 200:
            continue  # a word of every sentence tells none from another
        weight = math.log(1 + len(words) / len(places)) * min(len(word), 6)
        for i in places:
            for j in places:
                if i != j:
                    shared = weight / (math.log(2 + len(words[i])) + math.log(2 + len(words[j])))
                    links[i][j] = links[i].get(j, 0.0) + shared
    ranks = [1.0] * len(words)
    totals = [sum(own.values()) for own in links]
    for _ in range(_ROUNDS):
        new = [1 - _DAMPING] * len(words)
        for i, linked in enumerate(links):
            for j, weight in linked.items():
                new[j] += _DAMPING * ranks[i] * weight / totals[i]
        ranks = new
    return ranks


def _place_weight(place: int, sentences: Sequence[Passage]) -> float:
    weight = 1.3 if place == 0 else 1.15 if place < 0.1 * len(sentences) else 1.0
    weight *= 1.1 if sentences[place].first else 1.0
    length = len(sentences[place].text) * (3 if has_han(sentences[place].text) else 1)
    return weight * (1.0 if 40 <= length <= 400 else 0.7)


def _overlap(one: set[str], other: set[str]) -> float:
    return len(one & other) / max(1, min(len(one), len(other)))


def _chosen(weights: Sequence[float], words: Sequence[Sequence[str]], count: int) -> list[int]:
    """The heaviest sentences, none of which says again what a heavier one says."""
    chosen: list[int] = []
    for i in sorted(range(len(weights)), key=lambda i: (-weights[i], i)):
        if all(_overlap(set(words[i]), set(words[j])) < _ALIKE for j in chosen):
            chosen.append(i)
        if len(chosen) == count:
            break
    return chosen
