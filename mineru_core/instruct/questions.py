"""Lines that answer a question, quoted with their places; none is put together from others, and none made up."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from rapidfuzz import fuzz

from mineru_core.document.analysis import BlockType, PageAnalysis
from mineru_core.document.geometry import Box
from mineru_core.document.table import Table
from mineru_core.document.task import Quote
from mineru_core.instruct.field_names import ValueType
from mineru_core.instruct.fields import read_fields
from mineru_core.instruct.normalize import has_han, key
from mineru_core.instruct.passages import Passage, passages
from mineru_core.instruct.table_choice import header_rows, headers
from mineru_core.instruct.tokens import tokens
from mineru_core.instruct.values import spans

MOST_QUOTES = 3
_LEAST = 0.5
"""Share of the question's words, by their weight, that a line must have; less where it has the value asked for."""

_K1, _B = 1.2, 0.4  # BM25: how soon a repeated word counts no more; how much a long line is held against it
_ALIKE = 86.0  # likeness (0..100) of two long words that differ by an ending or a letter misread


class _Wanted(StrEnum):
    """What sort of thing the question word asks for."""

    DATE = "date"
    AMOUNT = "amount"
    NUMBER = "number"
    SHARE = "share"
    DURATION = "duration"
    NAME = "name"
    PLACE = "place"
    REASON = "reason"
    ANY = "any"


_ASKED = (
    (_Wanted.SHARE, r"\bpercent(?:age)?\b|\bproportion\b|\bshare\b|\brate\b|百分|比例|占比|比率|率是|率为|率多少"),
    (
        _Wanted.DURATION,
        r"\bhow\s+(?:long|many\s+(?:days|weeks|months|years|hours))\b|多[久长]|几[年天]|几个月|多少[天年]|期限",
    ),
    (
        _Wanted.AMOUNT,
        r"\bhow\s+much\b|\bprice\b|\bcosts?\b|\bfees?\b|\bamount\b|多少[钱元]|金额|价格|价款|费用|总价|押金|定金|租金",
    ),
    (
        _Wanted.DATE,
        r"\bwhen\b|\b(?:what|which)\s+(?:date|day|year|month|time)\b|\bdeadline\b|什么时[候间]|何时|几时|几月|几号|几点|哪[一]?[年天月]|"
        r"日期|时间",
    ),
    (
        _Wanted.NUMBER,
        r"\bhow\s+(?:many|old|far|big|large|high|tall|often|fast)\b|\bnumber\s+of\b|多少|几[个名位人次家岁]|多[大高远快重]",
    ),
    (_Wanted.NAME, r"\bwho(?:m|se)?\b|\bwhich\s+(?:company|person|party|bank|firm)\b|谁|哪[个位家]"),
    (_Wanted.PLACE, r"\bwhere\b|\bwhich\s+(?:city|country|place|address)\b|哪里|哪儿|何处|在哪|地点|什么地方"),
    (_Wanted.REASON, r"\bwhy\b|\breasons?\b|\bhow\s+come\b|为什么|为何|原因|为啥"),
)
_SHOWS = {
    _Wanted.SHARE: re.compile(r"\d\s?[%％‰]|百分之|\bper\s?cent\b"),
    _Wanted.DURATION: re.compile(
        r"(?:\d|\b(?:one|two|three|four|five|six|seven|ten|twelve|thirty|ninety)\b|[一二三四五六七八九十百半两])\s*\)?\s*-?(?:个)?"
        r"(?:business\s+|working\s+|calendar\s+)?(?:days?|weeks?|months?|years?|hours?|minutes?|年|月|天|日|周|小时|工作日)",
        re.IGNORECASE,
    ),
    _Wanted.NUMBER: re.compile(
        r"\d|[一二三四五六七八九十百千万两]+[个名位人次家份岁]|\b(?:two|three|four|five|six|seven|eight|nine|ten|twelve|dozen|hundred|"
        r"thousand)\b",
        re.IGNORECASE,
    ),
    _Wanted.NAME: re.compile(
        r"\b[A-Z][\w'.-]+(?:\s+[A-Z][\w'.-]+)+|公司|先生|女士|经理|主任|[:：]\s*[\u4e00-\u9fff]{2,4}\b|部|局|银行|方"
    ),
    _Wanted.PLACE: re.compile(
        r"\b(?:in|at|near)\s+[A-Z]|\d+\s+\w+\s+(?:street|st|road|rd|avenue|ave|lane)\b|[省市区县镇路街号楼室]",
        re.IGNORECASE,
    ),
    _Wanted.REASON: re.compile(
        r"\bbecause\b|\bdue\s+to\b|\bsince\b|\bowing\s+to\b|\bas\s+a\s+result\b|\bcaused\b|\bdriven\b|因为?|由于|原因|所致|"
        r"导致|为了",
        re.IGNORECASE,
    ),
}
_STANDS_FOR = {
    "expir": ("end", "terminat", "due"),
    "pric": ("cost", "amount"),
    "cost": ("pric", "fee", "charg"),
    "land": ("lessor",),
    "boss": ("ceo",),
    "start": ("begin", "commenc", "effectiv"),
    "begin": ("start", "commenc", "effectiv"),
    "end": ("expir", "terminat"),
    "sign": ("execut",),
    "pay": ("payment", "payabl"),
    "buyer": ("purchas", "customer"),
    "seller": ("vendor", "suppl"),
    "到期": ("届满", "终止", "截止"),
    "签订": ("签署",),
    "签署": ("签订",),
    "付款": ("支付",),
    "支付": ("付款",),
    "开始": ("起至", "日起", "生效"),
    "电话": ("手机",),
    "总价": ("总额", "合计", "总金"),
    "租期": ("租赁", "期限"),
}
"""Words that count, less, for another one: stems as by ``tokens``."""

_LABEL_ASKED = re.compile(
    r"^(?:what(?:'s|\s+is|\s+are|\s+was|\s+were)|who(?:'s|\s+is|\s+was)|when(?:'s|\s+is|\s+was)|how\s+much(?:'s|"
    r"\s+is|\s+was))\s+(?:the\s+|our\s+|my\s+|its\s+)?(?P<en>[^?]+?)\W*$|"
    r"^(?P<han>.{2,16}?)(?:分别|具体|各)?(?:是|为|有)?(?:多少钱?|什么(?:时[候间])?|谁|哪[家天里位儿]|几号|多[长久大]|几[年月天个]|何时|在哪里?)\W*$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class _Line:
    """A passage or a row of a table with its words; ``around`` are those of its title or header, and of the sentence
    before it."""

    passage: Passage
    words: tuple[str, ...]
    around: frozenset[str]


def read_answer(pages: Sequence[PageAnalysis], question: str, language: str) -> tuple[Quote, ...]:
    """Up to ``MOST_QUOTES`` lines that answer the question, the surest first; () where none does.

    A value under a label of the question's words comes first; else the lines that share its words, by BM25, those most
    that show what is asked for: a date for "when", a number for "how many". Confidence is the share of the question's
    words that a line has, less where it lacks what is asked for, times that of its reading.
    """
    lines = _lines(pages)
    wanted = next((kind for kind, pattern in _ASKED if re.search(pattern, question, re.IGNORECASE)), _Wanted.ANY)
    scored = _scored(lines, question, wanted)
    labelled = _labelled(pages, question, language, wanted)
    best = scored[0][0] if scored else 0.0
    quotes = [line.passage.quote(share) for score, share, line in scored if score >= 0.6 * best][:MOST_QUOTES]
    if labelled is not None and (not quotes or labelled.confidence >= 0.75 * quotes[0].confidence):
        quotes = [labelled, *(quote for quote in quotes if not _same(quote, labelled))][:MOST_QUOTES]
    return tuple(quotes)


def quotable(pages: Sequence[PageAnalysis]) -> list[Passage]:
    """Every line that an answer may quote: sentences and lines in reading order, then the rows of tables, from their
    headers on."""
    return [line.passage for line in _lines(pages, with_headers=True)]


def _same(one: Quote, other: Quote) -> bool:
    return one.page == other.page and key(one.text).text == key(other.text).text


def _lines(pages: Sequence[PageAnalysis], *, with_headers: bool = False) -> list[_Line]:
    found: list[_Line] = []
    for passage in passages(pages, furniture=True):
        if passage.kind is not BlockType.PAGE_NUMBER:
            before = frozenset(found[-1].words) if found and not passage.first else frozenset()
            found.append(_Line(passage, tuple(tokens(passage.text)), before | frozenset(tokens(passage.context))))
    for page in pages:
        for block in page.blocks:
            if block.table is not None:
                found.extend(_rows(block.table, page.page, block.box, with_headers=with_headers))
    return found


def _rows(table: Table, page: int, box: Box, *, with_headers: bool) -> Iterable[_Line]:
    """The rows of a table's body as lines, cells parted by a tab; the headers are what is around them."""
    around = frozenset(word for header in headers(table) for word in tokens(header)) | frozenset(tokens(table.caption))
    for row in range(0 if table.n_cols == 2 or with_headers else header_rows(table), table.n_rows):
        cells = [cell for cell in table.cells if cell.row <= row < cell.row + cell.rowspan and cell.text.strip()]
        if not cells:
            continue
        text = "\t".join(" ".join(cell.text.split()) for cell in cells)
        passage = Passage(
            text=text,
            page=page,
            box=Box.around(cell.box or table.box or box for cell in cells),
            confidence=min(cell.confidence for cell in cells),
            kind=BlockType.TABLE,
        )
        yield _Line(passage, tuple(tokens(text)), around)


def _scored(lines: Sequence[_Line], question: str, wanted: _Wanted) -> list[tuple[float, float, _Line]]:
    """(score, share of the question that is met, line) of the lines that meet enough, the best first."""
    asked = list(dict.fromkeys(tokens(question)))
    if not asked or not lines:
        return []
    said = [line.around.union(line.words) for line in lines]
    every = {word for words in said for word in words}
    spellings = {word: _spellings(word, every) for word in asked}
    own_words = {own for word in asked for own in spellings[word]}
    held = {word: sum(1 for words in said if spellings[word] & words) for word in asked}
    # A word that no line has still counts: without it the question is not met.
    weight = {word: math.log(1 + (len(lines) - held[word] + 0.5) / (held[word] + 0.5)) + 0.3 for word in asked}
    whole = sum(weight.values())
    subject = _subject(question)
    mean = sum(len(line.words) for line in lines) / len(lines) or 1.0
    found: list[tuple[float, float, _Line]] = []
    for line in lines:
        score = met = 0.0
        for word in asked:
            count = sum(1 for own in line.words if own in spellings[word])
            other = 0.75 if word not in line.words else 1.0  # another word for it, or another spelling
            near = 0.5 if not count and spellings[word] & line.around else 0.0
            if count:
                norm = _K1 * (1 - _B + _B * len(line.words) / mean)
                score += other * weight[word] * count * (_K1 + 1) / (count + norm)
            score += near * weight[word]
            met += weight[word] * (other if count else near)
        if subject is not None and subject.search(line.passage.text):
            score *= 1.4
        shown = _shows(wanted, line.passage.text)
        share = met / whole * (1.0 if shown else 0.6)
        if share >= (0.8 * _LEAST if shown else _LEAST) and _has_more(line, own_words, shown):
            found.append((score * (1.3 if shown else 0.8), share, line))
    return sorted(found, key=lambda one: -one[0])


def _label_asked(question: str) -> str:
    """What alone the question asks for: "rent" of "what is the rent"; "" where it asks otherwise."""
    match = _LABEL_ASKED.match(question)
    return (match["en"] or match["han"]).strip() if match is not None else ""


def _subject(question: str) -> re.Pattern[str] | None:
    """Where a line speaks of what the question is about: "the rent is …" for "what is the rent"."""
    name = _label_asked(question)
    return re.compile(rf"{re.escape(name)}\s*(?:is|are|was|were|:|：|=|为|是|(?=\d))", re.IGNORECASE) if name else None


def _shows(wanted: _Wanted, text: str) -> bool:
    """Whether a line has something of the sort that is asked for."""
    if wanted is _Wanted.ANY:
        return True
    if wanted is _Wanted.DATE:
        return (
            bool(spans(ValueType.DATE, text))
            or re.search(
                r"\b(?:19|20)\d\d\b|\d\s?[:：]\s?\d\d|\d+\s*[年月日]|\b(?:first|last)\s+day\b|\b(?:Jan|Feb|Mar|Apr|May|"
                r"Jun|Jul|Aug|Sep|Oct|Nov|Dec)",
                text,
            )
            is not None
        )
    if wanted is _Wanted.AMOUNT:
        return (
            bool(spans(ValueType.AMOUNT, text))
            or re.search(r"[\d一二三四五六七八九十百千万亿两]\s*(?:[%％]|元|万|dollars?|euros?)", text) is not None
        )
    return _SHOWS[wanted].search(text) is not None


def _has_more(line: _Line, asked: set[str], shown: bool) -> bool:
    """Whether the line says something beyond the words of the question: a bare label answers nothing."""
    return any(word not in asked for word in line.words) or (shown and bool(line.around))


def _spellings(word: str, every: set[str]) -> set[str]:
    """The words of the document that count as ``word``: itself, those it stands for, long ones a letter away."""
    found = {word, *_STANDS_FOR.get(word, ())} & every
    if len(word) >= 5 and not has_han(word) and word.isalpha():
        found |= {
            other
            for other in every
            if abs(len(other) - len(word)) <= 2 and other[:2] == word[:2] and fuzz.ratio(word, other) >= _ALIKE
        }
    return found


def _labelled(pages: Sequence[PageAnalysis], question: str, language: str, wanted: _Wanted) -> Quote | None:
    """The value beside or under a label that is what the question asks for ("what is the notice period")."""
    name = _label_asked(question)
    if not name or len(name) > 60:
        return None
    value = read_fields(pages, [name], language)[0]
    if not value.found or value.page is None or value.box is None or not value.label:
        return None
    sure = round(value.confidence * (1.0 if _shows(wanted, value.value) else 0.6), 4)
    own_page = [page for page in pages if page.page == value.page]
    line = next((p for p in passages(own_page, furniture=True) if _holds(p, value.value, value.box)), None)
    if line is not None and key(value.label).text in key(line.text).text:
        return line.quote(sure)
    # The label stands elsewhere on the page: both are quoted, parted as cells of a table are.
    return Quote(text=f"{value.label.strip(' :：')}\t{value.value}", page=value.page, box=value.box, confidence=sure)


def _holds(passage: Passage, value: str, box: Box) -> bool:
    return value in passage.text and box.covered_by(passage.box.expanded(2)) > 0.5
