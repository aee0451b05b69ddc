"""Which rows of a table are meant, out of the words of a wish."""

from __future__ import annotations

import re

from mineru_core.document.task import RowFilter, RowTest
from mineru_core.instruct import vocabulary as v
from mineru_core.instruct.names import is_ruled_out, listed
from mineru_core.instruct.reader import Reader

_NO = (
    r"(?P<no>(?:\b(?:except(?:\s+for)?|but\s+not|other\s+than|excluding|not)\s+(?:those|the\s+ones|ones|"
    r"rows)\b\s*(?:(?:that|which)\s+)?)|"
    r"\b(?:do(?:es)?\s+not|don'?t|doesn'?t|not|without|never)\b\s*)?"
)
_HAN_NO = r"(?P<no>不|没有?|未)?"
_ROWS = (
    r"\b(?:(?:table|data)\s+)?(?:rows?|records?|entries|entry|lines?(?=\s+(?:(?:of|in)\s+(?:the|"
    r"this)\s+tables?\s+)?(?:that|which|where|containing|with|whose|including|mentioning|showing|about|in\s+which)))"
    r"\b(?:\s+(?:of|in|from)\s+(?:the|this|that|each)\s+tables?)?"
)
_END = (
    r"\s*(?=,?\s*$|[;?!]\s*|\.(?!\d)|,\s*(?:please|pls|thanks|only|just|and|with|columns?|keep|show|export)\b|,\s*只|,\s*(?:导出|保留)|"
    r"\b(?:please|pls|only|thanks|from|out\s+of|as|into|on\s+(?:the|this)|in\s+(?:the|this|that|all|my|every|table|tables)|"
    r"of\s+(?:the|this|that)|to\s+(?:csv|excel)|and\s+(?:export|save|give|show|only|just|the\s+columns?|columns?|"
    r"keep))\b)"
)
_IS_EN = (
    r"(?P<op>(?:is|are)\s+not|isn'?t|aren'?t|!=|<>|≠|does\s+not\s+equal|is\s+different\s+from|"
    r"(?:is|are)?\s*(?:greater|more|larger|higher|bigger|later)\s+than\s+or\s+equal\s+to|(?:is|are)?\s*at\s+least|>=|≥|"
    r"(?:is|are)?\s*(?:less|smaller|lower|fewer)\s+than\s+or\s+equal\s+to|(?:is|are)?\s*at\s+most|<=|≤|"
    r"(?:is|are)?\s*(?:greater|more|larger|higher|bigger)\s+than|(?:is|are)?\s*(?:over|above)|exceeds?|>|"
    r"(?:is|are)?\s*(?:less|smaller|lower|fewer)\s+than|(?:is|are)?\s*(?:under|below)|<|"
    r"does\s+not\s+contain|doesn'?t\s+contain|contains?|includes?|mentions?|has|"
    r"(?:is|are)\s+equal\s+to|equals?|matches|says|reads|is|are|was|were|==?|:)"
)
_IS_HAN = (
    r"(?P<op>不等于|不是|不为|≠|!=|大于等于|大于或等于|不小于|不少于|不低于|至少|>=|≥|小于等于|小于或等于|不大于|不超过|不高于|至多|<=|≤|"
    r"大于|超过|高于|多于|>|小于|低于|少于|不足|<|不包含|不含|包含有?|含有|包括|等于|叫做?|写着|为(?!空)|是|==?|:)"
)
_HAN_ROWS = (
    r"(?:那|这|所有|全部|每)?(?:[一几些两二三\d])?(?:个)?(?:数据行|行(?!业|政|为|程|数|号|列|情|动|人)数?据?|记录|条目)"
)
_NAME = r"(?:\x00|[^,;.?!]|(?<=\d)[.,](?=\d))"

_WHERE = re.compile(
    rf"(?:{_ROWS}|\bfilter(?:ed)?\b(?:\s+(?:the|this|all|by|on|for|rows|tables?))*|\b(?:only|table|tables|items?|"
    rf"products?|data|everything)\b)"
    rf",?\s*(?:(?:where|in\s+which|for\s+which|whose|when|with|having|by|on|(?:that\s+|which\s+)?(?:have|"
    rf"has))\s+)(?:the\s+|their\s+|its\s+|a\s+)?"
    rf"(?P<col>\x00|[^\s,;.?!][^,;.?!]{{0,39}}?)\s*(?:\bcolumns?\s*|"
    rf"\bfield\s*)?(?<![a-z]){_IS_EN}(?![a-z])\s*(?:the\s+)?(?P<it>(?!\s){_NAME}+?){_END}"
)
_FILTER = re.compile(
    rf"\bfilter(?:ed)?\b(?:\s+(?:the|this|all|by|on|for|rows|tables?))*\s+(?P<col>\x00|"
    rf"[^,;.?!\s]{{1,30}})\s*{_IS_EN}\s*(?P<it>(?!\s){_NAME}+?){_END}"
)
_CONTAINING = re.compile(
    rf"{_ROWS}\s*(?:(?:that|which)\s+)?{_NO}(?P<with>contain(?:s|ing|ed)?|includ(?:es?|ing)|hav(?:e|ing)|has|"
    rf"with(?:out)?|show(?:s|ing)?|"
    r"mention(?:s|ing|ed)?|for|of|about|on|lack(?:s|ing)?|match(?:es|ing)?|say(?:s|ing)?|from(?!\s+(?:(?:the|this|all)\s+)?(?:tables?|pages?|documents?)\b)|start(?:s|ing)?\s+with|"
    r"labell?ed|marked|flagged|tagged|named|called)\s+"
    rf"(?:(?:the|a|an|any\s+of|either)\s+)?(?:(?:words?|texts?|values?|terms?|phrases?|names?|"
    rf"labels?)\s+)?(?P<it>(?!\s){_NAME}+?){_END}"
)
_NAMED = re.compile(
    r"\b(?:the|only|just)\s+(?P<it>\x00|(?!the\b|only\b|just\b)[^,;.?!\s]+(?:\s+(?:and|or)\s+[^,;.?!\s]+|"
    r"\s+[^,;.?!\s]+)?)\s+rows?\b"
)
_HAN_WHERE = re.compile(
    rf"(?P<col>\x00|[^\s,;.?!\x00][^,;.?!\x00]{{0,23}}?)(?:这?一?[列栏])?\s*{_IS_HAN}\s*(?P<it>(?!\s){_NAME}{{1,30}}?)\s*的\s*{_HAN_ROWS}"
)
_HAN_FILTER = re.compile(
    rf"(?:筛选|过滤|挑选|挑)(?:出|一下)?(?P<col>\x00|[^\s,;.?!\x00][^,;.?!\x00]{{0,19}}?)(?:这?一?[列栏])?\s*{_IS_HAN}\s*(?P<it>(?!\s){_NAME}{{1,30}}?)"
    rf"(?:的(?:{_HAN_ROWS}|数据|内容|表格?)?)?(?=$|[,;.?!])"
)
_HAN_CONTAINING = re.compile(
    rf"{_HAN_NO}(?P<with>包含|含有|包括|带有|提到|提及|出现|写着|写有|含|带|"
    rf"(?<![没所拥])有(?=\x00|.{{1,8}}字样))(?:了|着|过|"
    rf"关键[词字])?\s*(?P<it>(?!\s){_NAME}{{1,30}}?)\s*"
    rf"(?:字样|字眼|这个词|二字|两字|几个字)?的\s*{_HAN_ROWS}"
)
_HAN_ROWS_WITH = re.compile(
    rf"(?<![一银同发进执举])行(?:中|里|内)?(?:面)?{_HAN_NO}(?P<with>包含|含有|包括|带有|提到|出现|写有?|显示|有|含)(?:了|着|过|"
    rf"的是)?(?P<it>(?!\s){_NAME}{{1,30}}?)(?:的|字样)?(?=$|[,;.?!])"
)
_HAN_BUT = re.compile(
    rf"除(?:了|去|开)?(?:包含|含有?|带有?)?(?P<it>(?!\s){_NAME}{{1,20}}?)(?:的?(?:那|这)?[一几些]?行)?(?:以外|之外|外)(?:的|,)?(?:所有|全部|"
    rf"其[他它余])?的?\s*{_HAN_ROWS}"
)
_HAN_NAMED = re.compile(
    rf"(?P<it>\x00|[^,;.?!\x00的]{{1,20}}?)(?:(?:的|所在的?|对应的?)\s*{_HAN_ROWS}|(?:那|这)[一几些]?行)|(?P<it2>\x00|合计|总计|小计|汇总|"
    rf"总和)\s*行"
)
_ANY_PLACE = re.compile(
    r"(?:.*\s)?(?:first|last|top|bottom|second|third|next|header|heading|all|every|each|these|those|other|same|"
    r"whole|table|\d+|two|"
    r"three|following)(?:\s+\w+)?|.*(?:第.{1,3}|前.{1,3}|后.{1,3}|最后.?|首|末|每|所有|全部|各|[一两二三几\d])"
)
_OPPOSITE = {
    RowTest.CONTAINS: RowTest.LACKS,
    RowTest.LACKS: RowTest.CONTAINS,
    RowTest.IS: RowTest.IS_NOT,
    RowTest.IS_NOT: RowTest.IS,
    RowTest.MORE: RowTest.AT_MOST,
    RowTest.LESS: RowTest.AT_LEAST,
    RowTest.AT_LEAST: RowTest.LESS,
    RowTest.AT_MOST: RowTest.MORE,
}
_OPS = (
    (RowTest.IS_NOT, r"(?:is|are)\s+not|isn|aren|!=|<>|≠|not\s+equal|different|不等于|不是|不为"),
    (RowTest.LACKS, r"not\s+contain|n'?t\s+contain|不包含|不含"),
    (RowTest.AT_LEAST, r"than\s+or\s+equal|at\s+least|>=|≥|大于等于|大于或等于|不小于|不少于|不低于|至少"),
    (RowTest.AT_MOST, r"at\s+most|<=|≤|小于等于|小于或等于|不大于|不超过|不高于|至多"),
    (RowTest.MORE, r"greater|more|larger|higher|bigger|later|over|above|exceed|>|大于|超过|高于|多于"),
    (RowTest.LESS, r"less|smaller|lower|fewer|under|below|<|小于|低于|少于|不足"),
    (RowTest.CONTAINS, r"contain|include|mention|has|包含|含有|包括|写着"),
)
_VALUE_SPLIT = re.compile(r",(?!\d)|(?<!\d),|;|\s/\s|\b(?:or|and)\b|或者?|以及|和|与|及|、")
_VALUE_HEAD = re.compile(
    r"^(?:\s|[,.:])+|^(?:either|the|to|than|a|an)\b|^(?:words?|texts?|values?|terms?)\b(?=\s*\x00)|^(?:关键词|关键字|文字|"
    r"字样|“)|"
    r"^(?:我(?!们|司|方)|请|把|将|只要|只需要?|只看|只需|只保留|保留|只|提取|筛选出?|过滤出?|找出|查找|列出|导出|显示|给我|帮我|我要|我想要|要|输出)|"
    r"^(?:第?.{0,3}[个张])?表格?(?:中|里|内|上)?(?:面)?的?|^(?:[中里上内]面?的|(?:所有|全部|那些|这些|哪些)的?)"
)
_VALUE_TAIL = re.compile(r"(?:\s|[,.:?!])+$|(?:字样|字眼|这个词|的)$|\b(?:in\s+(?:it|them)|please|at\s+all)$")
_COLUMN_HEAD = re.compile(_VALUE_HEAD.pattern + r"|^(?:rows?|where|whose|with|in|which|their|its)\b")
_COLUMN_TAIL = re.compile(r"(?:\s|[,.:])+$|\b(?:column|field|value)$|(?:列|栏|一|这|的|值)$")


_SPOKEN_OF = re.compile(
    r"行|记录|条目|筛|过滤|挑|\b(?:rows?|records?|entr(?:y|ies)|lines?|filter(?:ed)?|where|whose|which|when|with)\b"
)
_PATTERNS = (
    _WHERE,
    _FILTER,
    _HAN_FILTER,
    _CONTAINING,
    _HAN_BUT,
    _HAN_WHERE,
    _HAN_CONTAINING,
    _HAN_ROWS_WITH,
    _NAMED,
    _HAN_NAMED,
)


def take_rows(reader: Reader) -> tuple[RowFilter, ...]:
    """What the wanted rows fulfil, the words blanked out: "rows where Region is North", "包含合计的行"."""
    found: list[RowFilter] = []
    if not reader.has(_SPOKEN_OF):
        return ()
    for pattern in _PATTERNS:
        match = pattern.search(reader.text)
        if match is None:
            continue
        group = "it2" if "it2" in pattern.groupindex and match["it"] is None else "it"
        values = listed(reader, *match.span(group), _VALUE_SPLIT, _VALUE_HEAD, _VALUE_TAIL)
        values = tuple(value for value in values if value.lower() not in ("both", "all"))
        if not values:
            continue
        if pattern in (_NAMED, _HAN_NAMED) and (
            any(_ANY_PLACE.fullmatch(value.lower()) or v.WISH.fullmatch(value.lower()) for value in values)
        ):
            continue
        column, test = "", RowTest.CONTAINS
        if "col" in pattern.groupindex:
            column = " ".join(listed(reader, *match.span("col"), re.compile("(?!)"), _COLUMN_HEAD, _COLUMN_TAIL))
            test = _test(match["op"])
            if not column and pattern is not _WHERE:
                continue
        elif "no" in pattern.groupindex and (match["no"] or re.match("without|lack", match["with"])):
            test = RowTest.LACKS
        if is_ruled_out(reader.text[: match.start("no" if pattern.groupindex.get("no") and match["no"] else group)]):
            test = _OPPOSITE[test]
        found.append(RowFilter(values=values, test=test, column=column))
        reader.blank(*match.span())
        break
    return tuple(found)


def _test(words: str) -> RowTest:
    return next((test for test, pattern in _OPS if re.search(pattern, words)), RowTest.IS)
