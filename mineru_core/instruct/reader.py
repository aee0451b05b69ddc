"""The user's words as they are understood: quotes set aside, slips of key words mended, used-up parts blanked."""

from __future__ import annotations

import re
from collections.abc import Callable

from rapidfuzz.distance import OSA

from mineru_core.instruct.normalize import fold, lowered

QUOTE = "\x00"
"""Stands for one quoted phrase in ``Reader.text``; folding has removed this character from what the user wrote."""

MOST_CHARACTERS = 400
"""A wish is said in fewer; what is pasted beyond them is not read, so that no text takes long."""

_QUOTED = re.compile(r"\"\s*([^\s\"][^\"]*)\"|(?<![A-Za-z0-9])'\s*([^\s'][^']*)'(?![A-Za-z0-9])")
_LATIN = re.compile(r"[a-z]{3,}")
# Where a Latin word touches a Chinese character: for regular expressions no word begins or ends there.
_SEAM = re.compile(
    r"(?<=[\u4e00-\u9fff])(?=[a-z0-9]*[a-z])|(?<=[a-z])(?=[\u4e00-\u9fff])|(?<=[a-z][0-9])(?=[\u4e00-\u9fff])"
)


def _words(*lines: str) -> tuple[str, ...]:
    return tuple(" ".join(lines).split())


_KEY_WORDS = _words(
    "table tables chart charts graph graphs formula formulas equation equations spreadsheet everything",
    "text find page pages search locate extract export convert transcribe please first second third last",
    "summary summarize summarise compare difference differences changed column columns regex merge combine",
)
# Words in their own right that are one letter away from a key word.
_REAL_WORDS = _words(
    "cable cables fable fables gable gables sable stable stables tablet tabled tale tales charm charms chars chant",
    "chants chary grape grapes grasp starch wage wages cage cages sage sages pager pagers paces panes page pages fist",
    "firs locale expert experts convent covert lease leased pleas pleased thirds seconds exporter located searched",
    "test tests next tex fin fine kind fund bind wind mind pace rage lasts fast past list cast latex graphic",
    "extracts exports converts equation finds texts least change changes charged changer chained summaries compared",
    "compares combined combines columned merged merges merger verge coloumns",
)
_FORM_FOR_FROM = re.compile(
    r"(?<=[a-z0-9,\x00]\s)(?<!\bthe\s)(?<!\bthis\s)(?<!\bthat\s)(?<!\ba\s)(?<!\bmy\s)(?<!\bour\s)(?<!\byour\s)(?<!\bthese\s)"
    r"(?<!\bentry\s)(?<!\border\s)(?<!\bapplication\s)(?<!\bin\s)form(?=\s+(?:the|this|that|these|those|my|our|your|attached|page)\b)"
)
_ROW_TRADITIONAL = re.compile("(?<=[的一这那几笔])列(?![出表印举入])")
_HAN_SLIPS = {
    "表各": "表格", "表哥": "表格", "标格": "表格", "图标数据": "图表数据", "提取图标": "提取图表", "提去": "提取",
    "题取": "提取", "查照": "查找", "搜所": "搜索", "文子": "文字", "公试": "公式", "号吗": "号码", "擷取": "提取",
    "总节": "总结", "总洁": "总结", "概扩": "概括", "摘药": "摘要", "比交": "比较", "对笔": "对比",
    "合井": "合并", "正责": "正则", "搜寻": "搜索", "合並": "合并", "合幷": "合并",
    "汇出": "导出", "輸出": "导出", "输出": "导出",
}  # fmt: skip


class Reader:
    """Words to read from. ``clean`` is the folded text with its case; ``text`` is what patterns are tried on.

    ``negated`` and ``outputs`` are noted on the way: whether something was ruled out, and the forms that were named.
    """

    def __init__(self, words: str) -> None:
        self.clean = fold(words[: 4 * MOST_CHARACTERS])[:MOST_CHARACTERS].rstrip()
        self.quotes: list[str] = []
        self._quotes_at: dict[int, str] = {}
        self.negated = False
        self.outputs: list[str] = []
        self._origin: list[tuple[int, int]] = []
        low, place = lowered(self.clean), 0
        self._seams = {seam.start() for seam in _SEAM.finditer(low)}
        pieces: list[str] = []
        for quoted in _QUOTED.finditer(self.clean):
            self._copy(pieces, low, place, quoted.start())
            self.quotes.append((quoted[1] or quoted[2]).strip())
            self._quotes_at[len(self._origin)] = self.quotes[-1]
            pieces.append(QUOTE)
            self._origin.append(quoted.span())
            place = quoted.end()
        self._copy(pieces, low, place, len(low))
        self.text = "".join(pieces)
        self.text = _FORM_FOR_FROM.sub("from", self.text)  # a slip that is a word of its own, told by what follows
        if low != self.clean.lower() and len(low) == len(self.clean):  # in traditional Chinese a row is 列, a column 欄
            self.text = _ROW_TRADITIONAL.sub("行", self.text)

    def _copy(self, pieces: list[str], low: str, start: int, end: int) -> None:
        """Copy ``low[start:end]``, mending slips of key words."""
        place = start
        for word in _LATIN.finditer(low, start, end):
            self._plain(pieces, low, place, word.start())
            self._seam(pieces, word.start())
            mended = _mend(word.group())
            pieces.append(mended)
            length = len(word.group())
            spans = [(word.start() + min(i, length - 1),) * 2 for i in range(len(mended))]
            self._origin.extend((a, b + 1) for a, b in spans[:-1])
            self._origin.append((min(spans[-1][0], word.end() - 1), word.end()))
            place = word.end()
        self._plain(pieces, low, place, end)

    def _plain(self, pieces: list[str], low: str, start: int, end: int) -> None:
        text = low[start:end]
        for slip, meant in _HAN_SLIPS.items():
            text = text.replace(slip, meant)  # of equal length
        for place, char in enumerate(text, start):
            self._seam(pieces, place)
            pieces.append(char)
            self._origin.append((place, place + 1))

    def _seam(self, pieces: list[str], place: int) -> None:
        if place in self._seams:
            pieces.append(" ")
            self._origin.append((place, place))

    def take(self, pattern: re.Pattern[str], *, where: Callable[[re.Match[str]], bool] | None = None) -> list[str]:
        """Blank out every match and return the group ``it`` of each (the whole match where there is none)."""
        found: list[str] = []

        def blank(match: re.Match[str]) -> str:
            if where is not None and not where(match):
                return match.group()
            found.append(match.group("it") if "it" in pattern.groupindex else match.group())
            return " " * len(match.group())

        self.text = pattern.sub(blank, self.text)
        return found

    def name(self, start: int, end: int) -> str:
        """What is meant by ``text[start:end]``: the phrase that is quoted there, else what the user wrote."""
        quoted = [phrase for place, phrase in self._quotes_at.items() if start <= place < end]
        return quoted[0] if quoted else self.original(start, end)

    def blank(self, start: int, end: int) -> None:
        """Take ``text[start:end]`` as read."""
        self.text = self.text[:start] + " " * (end - start) + self.text[end:]

    def has(self, pattern: re.Pattern[str]) -> bool:
        """Whether the pattern occurs in what is left."""
        return pattern.search(self.text) is not None

    def original(self, start: int, end: int) -> str:
        """What the user wrote for ``text[start:end]``, folded, without the space around it."""
        if end <= start:
            return ""
        return self.clean[self._origin[start][0] : self._origin[end - 1][1]].strip(" \"'")


def _mend(word: str) -> str:
    """The key word this is a one-letter slip of, else the word itself."""
    if word in _KEY_WORDS or word in _REAL_WORDS:
        return word
    for known in _KEY_WORDS:
        if OSA.distance(word, known, score_cutoff=1) <= 1 and _is_slip(word, known):
            return known
    return word


def _is_slip(word: str, known: str) -> bool:
    """Short words have many neighbours: of those, only a swapped, doubled or dropped inner letter is a slip."""
    if len(known) >= 5:
        return len(word) >= 4
    same_ends = word[0] == known[0] and word[-1] == known[-1]
    return same_ends and (sorted(word) == sorted(known) or len(word) != len(known))
