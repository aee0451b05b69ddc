"""Words of a text as they are counted: English ones by their stem, Chinese ones as pairs of characters."""

from __future__ import annotations

import re

from mineru_core.instruct.normalize import fold, lowered

_TOKEN = re.compile(r"[a-z]+(?:'[a-z]+)?|\d+(?:[.,:/-]\d+)*%?|[\u3400-\u4dbf\u4e00-\u9fff]+")
_STOP = frozenset(
    " ".join(
        (
            "a an the and or but if of to in on at by for from with without as is are was were be been being am",
            "it its this that these those there here he she they we you i me my your our their his her them us",
            "who whom whose which what when where why how do does did done doing have has had having can could",
            "will would shall should may might must not no nor so than then too very just only also any all each",
            "every some such more most other own same into over under between about after before during up down",
            "out off again s t re ll ve d m tell please say says said many much long per via",
        )
    ).split()
)
_HAN_STOP = re.compile(
    "多少钱|的|了|是|在|和|与|及|或|有|为|之|其|被|把|将|就|都|而|也|很|这|那|"
    "该|此|个|吗|呢|吧|啊|请问|请|什么|多少|怎么|怎样|如何|为什么|为何|谁|哪里|哪个|"
    "哪些|哪|几|何时|何|时候|多长|多久|多大|多高|能不能|可不可以|是否|有没有|可以|告诉|"
    "我们|我|你|您|他|她|它"
)
_ENDINGS = ("ations", "ation", "ments", "ment", "ings", "ing", "ies", "ied", "ers", "ed", "es", "er", "s", "y", "e")


def tokens(text: str) -> list[str]:
    """The words that carry meaning, in order: stems, numbers, pairs of Chinese characters."""
    found: list[str] = []
    for piece in _TOKEN.findall(lowered(fold(text))):
        if piece[0].isascii():
            word = piece.removesuffix("'s")
            if word not in _STOP:
                found.append(stem(word))
        else:
            for run in _HAN_STOP.split(piece):
                found.extend([run] if len(run) == 1 else [run[i : i + 2] for i in range(len(run) - 1)])
    return found


def stem(word: str) -> str:
    """The word without its ending, so that "signed" is "sign" and "deliveries" "deliver"."""
    if len(word) < 4 or not word.isalpha():
        return word
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            bare = word[: -len(ending)]
            return bare[:-1] if len(bare) > 3 and bare[-1] == bare[-2] and ending in ("ing", "ed", "er") else bare
    return word
