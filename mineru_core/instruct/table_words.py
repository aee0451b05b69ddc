"""Which tables, which of their columns, and whether as one table, out of the words of a wish."""

from __future__ import annotations

import re

from mineru_core.instruct import vocabulary as v
from mineru_core.instruct.names import is_ruled_out, listed
from mineru_core.instruct.numbers import MOST, expand, number
from mineru_core.instruct.reader import Reader

_ALL_TABLES = (
    r"(?:(?:all|every|both|these|those|the|of|data|equal|similar|same)\s+)*(?:\d+\s+|two\s+|three\s+)?"
    r"(?:tables?|them|sheets?)\b"
)
_MERGED = re.compile(
    r"\b(?:as|in(?:to)?|to|for)\s+(?:just\s+|only\s+)?(?:one|a\s+single|one\s+single|1|a\s+combined|a\s+merged|"
    r"one\s+big|one\s+large|a\s+big|"
    r"one\s+combined|the\s+same)\s*(?:table|sheet|csv|spreadsheet|list)?\b(?!\s*(?:page|file|pdf))|"
    rf"\b(?:merg(?:e|ed|ing)|combin(?:e|ed|ing)|join(?:ed|ing)?|concat(?:enate)?d?|stack|unite|append|"
    rf"consolidate)(?=\s+{_ALL_TABLES})|"
    r"\bone\s+(?:big|single|large|long|combined)\s+table\b|\b(?:one|a\s+single)\s+table\b(?=\s+(?:out|from|of)\b)|"
    r"\bmake\s+(?:it|them|this|these)\s+(?:into\s+)?one\s+table\b|(?:合|放|拼|并|凑)(?:在|到)一起|"
    rf"\b(?:put|stitch|glue|paste)\s+{_ALL_TABLES}\s+together\b|\bmake\s+(?:it|them|this|these)\s+(?:into\s+)?one\b|\b(?:merge|join|combine|reassemble|reunite|unite)\s+(?:the\s+|these\s+|this\s+)?(?:\w+\s+)?tables?\b|\b(?:merge|combine|join)\s+(?:it|them|everything|those|these)\b|\b(?:want|need|get|give\s+me|make|as|be|becomes?)\s+(?:just\s+|only\s+)?(?:one|a\s+single)\s+table\b|\b(?:merged|combined|consolidated|single|continuous)\s+table\b|"
    r"\b(?:put|stitch|glue|piece|join|bring|tape|sew|paste)\w*\s+(?:it|them|(?:the|these|those)(?:\s+\w+){0,2})\s+(?:back\s+)?together\b|"
    r"(?:接|连|缝|粘|黏|串)(?:成|为|到|在|起来)(?:同)?(?:一[张个份])?|(?:变|做|弄|整|当|还原|恢复)(?:成|作|为)同?一[张个份](?:大|完整|整|连续)?的?(?:大)?表格?|"
    r"(?:接|连|拼|合)(?:上|好|起来|回去?)(?:同)?(?:一[张个份])?|(?:合并|拼接|拼)(?:一下|下|起来|好)?(?=\s*$|[,.!?])|"
    r"(?:(?:合并|拼接|汇总|整合|连接|归并)(?:起来)?(?:成为?|为|到|在|进|入)?|(?:合|拼|并|汇|集中|放|归|凑|统一)(?:成|为|到|在|进|入))(?:同)?[一1]"
    r"(?:(?:个|张|份)(?:大|完整|总)?(?:的)?(?:表格?|表单|excel表?|csv)?|(?:大|整|总)?表格?|$)(?:里|中|内)?|"
    r"(?:合并|拼接|整合|连接|归并)(?:一下)?(?=.{0,14}表)|表格?(?:都|全部)?(?:合并|拼接|整合|拼)(?:起来|一下|在一起|到一起)?"
)

_LIST_END = (
    r"\s*(?=$|[;?!]|(?<!\bno)\.|,\s*(?:and\s+)?(?:export|as|only|just|rows?|please|save|give)\b|"
    r"\b(?:please|pls|from|of|in|on|as|where|for|into|only|thanks|out|to\s+(?:csv|excel|xlsx)|and\s+(?:export|save|"
    r"give|show|the\s+rows?|rows?))\b)"
)
_COLUMNS_AFTER = re.compile(
    r"\b(?:the\s+)?(?:columns?|cols?)\b(?!\s*(?:charts?|graphs?|plots?))\s*(?:(?:with\s+)?(?:the\s+)?(?:names?|"
    r"headers?|headings?|titles?)"
    r"(?=\s*(?::|are\b|is\b|=|\x00))|(?:that\s+(?:are|is)\s+)?(?:named|called|titled|labell?ed|headed|entitled)|for|"
    r"with)?\s*(?:are\b|is\b|=|:|-)?\s*"
    r"(?:the\s+)?(?!\s*(?:has|have|contains?|is|are|shows?|do|does|and|from|of|in|on|as|where|for|into|only|please|pls|out|to|that|which)\b)"
    rf"(?P<it>(?:\x00|(?<=\bno)\.|[^;.?!:])+?){_LIST_END}"
)
_COLUMN_WORD = re.compile(r"\s*\b(?:columns?|cols?)\b(?!\s*(?:charts?|graphs?|plots?))")
_BEFORE_COLUMNS = re.compile(
    r"\b(?:with|only|just|keep|show|extract|get|give\s+me|export|want|need|from|of|table|tables|take|pull|all|read|is|are|me|in|"
    r"list|return|what|select|output|include|including|has|have|without|except|drop|remove|exclude|excluding|hide|delete|omit|"
    r"ignore|skip|no(?!\.))\b"
)
_HAN_COLUMNS_AFTER = re.compile(
    r"(?<![排系数并陈下罗行])列(?:名|标题)?(?:名?为|是|:|包括|有|叫做?)\s*(?P<it>(?:\x00|[^;.?!])+?)(?=$|[;.?!]|,\s*(?:导出|请|只))"
)
_HAN_KEPT = re.compile(  # quoted names that a table is cut down to, without a word for columns
    r"(?<![图代])表格?(?:里|中|上|内)?面?(?:我)?(?:只|仅)(?:要|看|留|保留|需要?|提取)?\s*(?P<it>\x00(?:[,/\s和与跟及]*\x00)+)(?!\s*[两三这那几\d]*个?[列栏行])"
)
_HAN_COLUMN_WORD = re.compile(
    r"(?:这|那|的)?(?:(?<!第)[一二两三四五六七八九几]{1,2}|(?<![\d第])\d)?\s*个?(?<![排系数并陈下罗行])[列栏](?!一?下|成|清|全|好|出|举|印|入|明|车|队|支|目)"
)
_BEFORE_HAN_COLUMNS = re.compile(
    r"只要|只需要?|只想要|只保留|保留|只?留下?|只看|只|提取|导出|抽取|选取?|取|仅需要?|仅要|仅|显示|给我|看|把|将|要|中的?|里的?|里面的?|"
    r"表格?的|其中的?|名为|叫"
)
_BREAK = re.compile(r"[;?!:]|(?<!\bno)\.")  # "Item No." goes on
_SPLIT = re.compile(
    r"[,;&+\n]|(?<=\x00)\s*(?=\x00)|\s/\s|\b(?:and|plus|as\s+well\s+as|along\s+with|or)\b|以及|还有|[和与及跟]"
)
_HEAD = re.compile(
    r"^(?:\s|[,.:\-])+|^'?s\b(?=\s+\S)|^(?:the|an?)\b(?=\s+\S)|^(?:please|only|just|the|with|keep|show|me|extract|"
    r"get|give|of|from|these|those|its|this|that|two|three|and|"
    r"i|need|want|care|about|after|interested|really|named|called|columns?|can|could|you|us|table|tables?|export|select|headers?|for|without|except|"
    r"drop|remove|exclude)\b|"
    r"^(?:取(?!样|消|值)|[挑选摘抽抠提拿](?:选|取)?出来?|去掉|删除|删掉|去除|除了|除去|不要|不需要|剔除|忽略|隐藏|不显示|移除|排除|请|只要|只需要?|只想[要看]|只保留|只?留下?|只|仅需要?|仅要|提取|保留|导出|把|将|给我|帮我|我要|"
    r"我想[要看]|我|想[要看]|需要|要|名为|叫做?|标题为|列|栏|(?:第?.{0,3}[个张份])?(?:表格(?:中|里|内|上)?面?的?|表(?:[中里内上]面?的?|的))|"
    r"表$|的|[里中上]面?的?)"
)
_TAIL = re.compile(
    r"(?:\s|[,.:?!\-])+$|\b(?:please|pls|only|columns?|thanks|too|in|of|from|for|table|the)$|的(?:数据|内容|部分|信息|值)$|"
    r"(?:这|那|的|[这那]?[一二两三四五六七八九几\d]?[列栏]|就行|就好|即可|吧|都要|给我)$"
)
_NO_COLUMN = re.compile(
    r"(?:rows?|row\s+and|all|every|each|the|how\s+many|which|what|any|some|no|other|same|\d*\s*(?:bar|stacked)|"
    r"rows\s+and|列|行|"
    r"所有|全部|每|各|哪|几|多少|有几|有多少|共有?)*"
)


def take_merged(reader: Reader) -> bool:
    """Whether the tables are wanted as one, the words blanked out."""
    whole = reader.text
    return bool(
        reader.take(
            _MERGED,
            where=lambda m: (
                re.search(r"[a-z]{3}|表|并|合|拼|csv|excel", m.group()) is not None
                or v.TABLES.search(whole) is not None
            ),
        )
    )


def take_columns(reader: Reader) -> tuple[tuple[str, ...], bool]:
    """Headers of columns as written and in their order, the words blanked out; and whether they are not wanted."""
    if re.search(r"\brows\s+and\s+columns\b", reader.text):
        return (), False
    for pattern in (_COLUMNS_AFTER, _HAN_COLUMNS_AFTER):
        match = pattern.search(reader.text)
        names = _names(reader, *match.span("it")) if match is not None else ()
        if match is not None and names:
            ruled_out = is_ruled_out(reader.text[: match.start("it")])
            reader.blank(match.start("it"), match.end())
            return names, ruled_out
    kept = _HAN_KEPT.search(reader.text)
    if kept is not None and len(names := _names(reader, *kept.span("it"))) > 1:
        reader.blank(*kept.span())
        return names, False
    word = _COLUMN_WORD.search(reader.text)
    if word is not None:
        verbs = list(_BEFORE_COLUMNS.finditer(reader.text, _clause(reader.text, 0, word.start()), word.start()))
        start = verbs[-1].end() if verbs else _clause(reader.text, 0, word.start())
        names = _names(reader, start, word.start())
        if names:
            ruled_out = is_ruled_out(reader.text[:start])
            reader.blank(start, word.end())
            return names, ruled_out
    return _han_columns(reader)


def _han_columns(reader: Reader) -> tuple[tuple[str, ...], bool]:
    """Columns that are named before 列, each or all of them: "地区列和销量列", "名称、数量两列"."""
    found: list[str] = []
    ruled_out, place = False, 0
    lone = reader.clean.count("列") == 1
    for word in _HAN_COLUMN_WORD.finditer(reader.text):
        said = word.group().strip()
        if len(said) == 1 and reader.text.startswith("给", word.end()) and "表" not in reader.clean and lone:
            continue  # "把姓名、电话列给我": a verb
        start = _clause(reader.text, place, word.start())
        verb = _BEFORE_HAN_COLUMNS.search(reader.text, start, word.start())
        names = _names(reader, verb.end() if verb is not None else start, word.start())
        if not names:
            continue
        found.extend(names)
        ruled_out = is_ruled_out(reader.text[: word.end()])
        reader.blank(verb.end() if verb is not None else start, word.end())
        place = word.end()
    return tuple(dict.fromkeys(found)), ruled_out


def _clause(text: str, start: int, end: int) -> int:
    """Where the clause that ``end`` stands in begins, ``start`` at the earliest."""
    return max((match.end() for match in _BREAK.finditer(text, start, end)), default=start)


def _names(reader: Reader, start: int, end: int) -> tuple[str, ...]:
    names = listed(reader, start, end, _SPLIT, _HEAD, _TAIL)
    names = tuple(name for name in names if not _NO_COLUMN.fullmatch(name.lower()))
    return names if all(len(name) <= 40 for name in names) else ()


def take_tables(reader: Reader) -> tuple[int, ...]:
    """Which tables are meant, 0 the first and -1 the last, and their words blanked out."""
    found: list[int] = []
    for pattern in (v.TABLES_BACK, v.HAN_TABLES_BACK):
        found.extend(-number(n) for n in reader.take(pattern))
    for pattern in (v.TABLES_FIRST, v.HAN_TABLES_FIRST):
        for count in reader.take(pattern):
            found.extend(range(min(number(count), MOST)))
    for pattern in (v.TABLES_LAST, v.HAN_TABLES_LAST):
        for count in reader.take(pattern, where=lambda m: m["it"] not in "一1"):
            found.extend(range(-min(number(count), MOST), 0))
    for pattern in (v.HAN_TABLES, v.HAN_TABLE_NTH, v.TABLE_ORDINALS, v.TABLE_LISTS, v.HAN_TABLE_NUMBERS):
        for numbers in reader.take(pattern):
            found.extend(n - 1 if n > 0 else n for n in expand(numbers))
    if reader.take(v.TABLE_FINAL):
        found.append(-1)
    return tuple(sorted({n for n in found if abs(n) < 10_000}, key=lambda n: (n < 0, n)))
