"""What is to be found, out of the words of a wish: a phrase, or a regular expression."""

from __future__ import annotations

import re

from mineru_core.document.task import FindMode
from mineru_core.instruct import vocabulary as v
from mineru_core.instruct.field_list import may_be_a_name
from mineru_core.instruct.field_names import is_known_field
from mineru_core.instruct.names import trim
from mineru_core.instruct.numbers import HAN, ORDINAL
from mineru_core.instruct.reader import QUOTE, Reader

_SEARCH = (
    r"(?:find|search(?:\s+for)?|look(?:ing)?\s+for|locate|grep|match(?:es|ing)?|查找|搜索|查询|检索|匹配|找出?|搜)"
)
_REGEX_WORD = (
    r"(?:\b(?:a\s+|the\s+|this\s+)?(?:regular\s+expressions?|reg\s?ex(?:es|p|ps)?)\b(?:\s+pattern)?|"
    r"正则(?:表达)?式?(?:表达式)?|\bpattern\b(?=\s*(?:/|\x00)))"
)
_REGEX = re.compile(
    rf"(?:\b(?:please|pls|can\s+you|could\s+you)\s+)?(?:(?:请|帮我|用|以|按|按照|使用|通过|一下|符合|满足|{_SEARCH}|"
    rf"\b(?:all|everything|text|lines|with|by|using|use|the|that|for|me)\b)\s*)*{_REGEX_WORD}\s*"
    rf"(?:(?:来|去)?{_SEARCH}(?:一下)?)?\s*(?:为|是|:|=)?\s*(?P<it>\S.*)"
)
_SLASHES = re.compile(
    rf"(?:^|\b{_SEARCH}\b.*\s|[匹配找索搜用按以]\s*:?\s*)/(?P<it>[^\s/](?:.*[^\s])?)/[gimsu]*(?=\s|[,.?!的搜查找匹检]|在|$)"
)
_PAGE_TAIL = re.compile(
    r"\s*(?:(?:来|去)?(?:查找|搜索|检索|匹配|查询|找出?|搜)|,|\b(?:on|in|of|from|at)\b|在|于)\s*(?:the\s+)?(?:(?:first|last|second|"
    r"third)\s+)?"
    r"(?:.{0,6}$|pages?\b|第?\s*[\d一二三四五六七八九十]+\s*页|最后一页|首页|末页|(?:this|the)\s+(?:document|text|file|pdf)\b).*$"
)
_REGEX_TAIL = re.compile(
    rf"(?:\s*(?:来|去|进行)?{_SEARCH}(?:一下)?|\s*的?(?:内容|文字|文本|地方|行|字符串|结果|所有)|\s+please|\s*[?!。]|\s*的)+$"
)

_FUZZY = re.compile(
    r"\bfuzz(?:y|ily)\b(?:\s+(?:for|match(?:ing|es)?)\b)?|\bapproximate(?:ly)?\b|\bsimilar\s+to\b|\bsomething\s+like\b|"
    r"\b(?:nearly|roughly)\s+(?=find|match)|模糊(?:地|的)?(?:匹配)?|近似(?:地|的)?|大致|类似(?:于)?(?=\x00|.{1,12}的(?:词|文字|内容))"
)
_EXACT = re.compile(
    r"\bexact(?:ly)?\b(?:\s+(?:match(?:es)?(?:\s+(?:of|for))?|the\s+(?:phrase|words?|text)|phrases?|words?)\b)?|"
    r"\bverbatim\b|"
    r"\bliteral(?:ly)?\b|[精严](?:确|格)(?:地|的)?(?:匹配)?|准确(?:地|的)?(?=查|搜|找)|完全(?:匹配|一致)(?:的|地)?|一字不差(?:的|地)?"
)
_LOOKED_UP = re.compile(r"查(?:一?下|一查)?\s*$|查出来?\s*$")  # values are looked up, words are searched for
_IS_A_SEARCH = re.compile(rf"{_SEARCH}|match|匹配|\x00")


def take_regex(reader: Reader) -> str:
    """The regular expression to find, as the user wrote it, blanked out with the words that announce it; "" for none.

    It is taken before anything else is read: what stands in it means nothing.
    """
    for pattern in (_REGEX, _SLASHES):
        match = pattern.search(reader.text)
        if match is None:
            continue
        start, end = match.span("it")
        quote = reader.text.find(QUOTE, start, end)
        if quote >= 0 and not reader.text[start:quote].strip(" :"):
            start, end = quote, quote + 1
        elif reader.text[start] == "/" and (last := reader.text.rfind("/", start + 1, end)) > start + 1:
            start, end = start + 1, last
        elif pattern is _REGEX:
            tail = _PAGE_TAIL.search(reader.text, start, end)
            end = tail.start() if tail and tail.start() > start else end
            tail = _REGEX_TAIL.search(reader.text, start, end)
            end = tail.start() if tail and tail.start() > start else end
        found = reader.name(start, end)
        if found:
            reader.blank(match.start(), end)
            return found
    return ""


def take_mode(reader: Reader) -> FindMode:
    """Whether the phrase is to stand as written, or nearly; the words that say so are blanked."""
    if not reader.has(_IS_A_SEARCH):
        return FindMode.AUTO
    for mode, pattern in ((FindMode.FUZZY, _FUZZY), (FindMode.EXACT, _EXACT)):
        if reader.take(pattern):
            return mode
    return FindMode.AUTO


def take_query(reader: Reader, mode: FindMode = FindMode.AUTO) -> str:
    """The phrase to look for, "" where the words ask for something else; ``mode`` is what ``take_mode`` has said."""
    searched = False
    for pattern in v.FIND:
        match = pattern.search(reader.text)
        if match is None:
            continue
        searched = True
        start, end = trim(reader.text, *match.span("it"), v.QUERY_HEAD, v.QUERY_TAIL)
        wanted = reader.text[start:end]
        if QUOTE in wanted:
            return reader.name(start, end)
        if not wanted or _names_a_kind(wanted) or _asks_for_a_value(reader, match, wanted):
            continue
        return reader.original(start, end)
    only_quotes = reader.text.replace(QUOTE, "").strip(" ,.?!")
    if reader.quotes and QUOTE in reader.text and (mode is not FindMode.AUTO or not only_quotes):
        return reader.quotes[0]
    if searched or mode is FindMode.AUTO:
        return ""
    return reader.original(*trim(reader.text, 0, len(reader.text), v.QUERY_HEAD, v.QUERY_TAIL))


def _names_a_kind(wanted: str) -> bool:
    """Whether the object of "find …" is only a sort of thing ("all tables"); a number alone is none."""
    rest = wanted
    for pattern in (v.TABLES, v.CHARTS, v.FORMULAS, v.TEXT, v.EVERYTHING):
        rest = pattern.sub(" ", rest)
    if rest == wanted:
        return False
    rest = v.OUTPUTS.sub(" ", rest)
    rest = re.sub(
        r"\b(?:the|all|and|of|in|on|this|any|\d+|" + ORDINAL + r"|last)\b|[的和与,第\d个张]|" + HAN, " ", rest
    )
    return not rest.strip()


def _asks_for_a_value(reader: Reader, match: re.Match[str], wanted: str) -> bool:
    """Whether "find the invoice number" wants the number rather than the words."""
    if v.ASKS_PLACE.search(reader.text):
        return False
    parts = [p.strip() for p in v.FIELD_SPLIT.split(wanted) if p.strip()]
    known = all(is_known_field(p) for p in parts)
    if len(parts) > 1 and _LOOKED_UP.search(reader.text[: match.start("it")]):
        return all(may_be_a_name(part) for part in parts)
    likely = len(parts) > 2 or (len(parts) > 1 and any(is_known_field(part) for part in parts))
    if likely and QUOTE not in wanted and all(may_be_a_name(part) for part in parts):
        return True
    return known and (len(parts) > 1 or v.PICK_OUT.search(match.group()) is not None)
