"""Which lines of a chart and which of its values are meant, out of the words of a wish."""

from __future__ import annotations

import re

from mineru_core.instruct import vocabulary as v
from mineru_core.instruct.field_list import may_be_a_name
from mineru_core.instruct.names import listed, pieces, trim
from mineru_core.instruct.reader import QUOTE, Reader

COLOURS: dict[str, tuple[str, tuple[int, int, int]]] = {
    "red": ("红", (214, 39, 40)),
    "orange": ("橙", (255, 127, 14)),
    "yellow": ("黄", (240, 210, 40)),
    "green": ("绿", (44, 160, 44)),
    "cyan": ("青", (23, 190, 207)),
    "blue": ("蓝", (31, 119, 220)),
    "purple": ("紫", (148, 103, 189)),
    "pink": ("粉", (240, 130, 190)),
    "brown": ("棕", (140, 86, 75)),
    "grey": ("灰", (127, 127, 127)),
    "black": ("黑", (0, 0, 0)),
    "white": ("白", (255, 255, 255)),
}
"""Colours by their English name: the Chinese one, and a usual shade (red, green, blue, 0..255)."""

_ALIASES = {"gray": "grey", "violet": "purple", "magenta": "pink", "teal": "cyan", "turquoise": "cyan", "navy": "blue"}
_HAN_ALIASES = {
    "橘": "橙",
    "褐": "棕",
    "咖啡": "棕",
    "粉红": "粉",
    "天蓝": "蓝",
    "深蓝": "蓝",
    "浅蓝": "蓝",
    "深绿": "绿",
    "浅绿": "绿",
}

_EN_COLOUR = rf"(?:(?:dark|light|pale|bright|deep)[\s-]+)?(?:{'|'.join([*COLOURS, *_ALIASES])})"
_HAN_COLOUR = rf"(?:{'|'.join([*_HAN_ALIASES, *(han for han, _ in COLOURS.values())])})色?"
_COLOUR = rf"(?:{_EN_COLOUR}\b|{_HAN_COLOUR})"
_MARKS = (
    r"(?:lines?|bars?|curves?|series|slices?|areas?|dots?|segments?|wedges?|sectors?|plots?|data|one|ones|part|parts)"
)
_LINK = r"\s*(?:,|/|&|\band\b|\bor\b|和|与|及|或|跟)\s*(?:the\s+)?"
_COLOURED = re.compile(
    rf"(?:\b(?:dashed|solid|dotted|thick|thin)\s+)?(?P<it>{_COLOUR}(?:{_LINK}{_COLOUR})*)(?:"
    rf"[\s-]*(?:colou?red\s+)?(?:{_MARKS}\b|(?:column|point)s?\b(?!\s*(?:of|in|from)\s+the\s+table))|"
    r"\s*的?(?:那|这)?(?:[一两二三几])?[条根个些块]?(?:的)?(?:折线|曲线|直线|线条|线(?!上|下|性|索)|柱状|柱子|柱形|柱|条形|条|系列|扇形|扇区|部分|区域|数据)"
    r"(?:图形|部分)?)"
)
_COLOUR_SPLIT = re.compile(_LINK)

_TIMES_EN = (
    r"(?:(?:fy|cy)\s*'?)?(?:19|20)\d\d(?:\s*/\s*\d\d)?(?:\s*(?:q[1-4]|h[12])\b)?|\b[qh][1-4]\b(?:\s*(?:of\s+)?(?:19|"
    r"20)\d\d)?|"
    r"\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?|"
    r"nov(?:ember)?|dec(?:ember)?)\b(?:\s+(?:19|20)\d\d)?|"
    r"\b(?:first|second|third|fourth|last)\s+(?:quarter|half)\b|\b(?:mon|tues|wednes|thurs|fri|satur|sun)day\b"
)
_TIMES_HAN = (
    r"(?:(?:19|20)\d\d\s*年\s*)?(?:\d{1,2}|[一二三四五六七八九十]{1,2})\s*月份?|"
    r"(?:(?:19|20)\d\d\s*年?\s*)?第?[一二三四]\s*季度?|(?:19|20)\d\d\s*年"
)
_TIME = rf"(?:{_TIMES_HAN}|{_TIMES_EN})"
_TIME_LINK = (
    r"(?:\s*年?度?\s*(?:,|/|&|\band\b|\bto\b|\bthrough\b|\buntil\b|-|~|和|与|及|跟|到|至)\s*(?:the\s+year\s+)?)"
)
_TIMES = rf"(?:{_TIME}(?:{_TIME_LINK}{_TIME})*)"

_VALUES_EN = (
    r"(?:values?|numbers?|figures?|data(?:\s*points?)?|points?|readings?|percentages?|shares?|heights?|amounts?)"
)
_VALUES_HAN = r"(?:数值|数据点|数据|数字|取值|值|占比|比例|百分比|份额|读数|多少|是多少)"
_PERIOD = r"(?:the\s+)?(?:years?\s+|months?\s+(?:of\s+)?|quarters?\s+)?"
_TIME_POINTS = re.compile(
    rf"\b{_VALUES_EN}\s+(?:for|of|in|at|from|during|on|between)\s+{_PERIOD}(?P<it>{_TIMES})|"
    rf"(?P<before>{_TIMES})\s*(?:年度?)?\s*(?:所?对应)?(?:的\s*)?(?:{_VALUES_HAN}|{_VALUES_EN}\b)"
)
_BARE_TIMES = re.compile(rf"(?:\b(?:for|in|at|of|from|during|between)\s+{_PERIOD}|在)?(?P<it>{_TIMES})\s*年?度?")

_CHART_EN = r"(?:(?:bar|line|pie|area|column|scatter|donut)\s*)?(?:charts?|graphs?|plots?|diagrams?)"
_NAMED_POINTS = re.compile(
    rf"\b{_VALUES_EN}\s+(?:for|of|at)\s+(?:the\s+)?(?:categor(?:y|ies)\s+|labels?\s+)?(?P<it>[^;.?!]+?)\s*"
    rf"(?=$|[;.?!]|\b(?:in|on|from|of)\s+(?:the\s+|this\s+|that\s+)?{_CHART_EN}|\bplease\b|\bas\b)|"
    rf"\b{_CHART_EN}\b.*\bfor\s+(?:the\s+)?(?P<shown>[^;.?!]+?)\s*(?=$|[;.?!]|\bplease\b|\bas\b)"
)
_NAMED_POINTS_HAN = re.compile(
    r"图(?:表|形|像|片)?+\s*\d*+(?:中|里|上|内)?+(?:面)?的?(?P<it>[^,;.?!图]{1,24}?)(?:所?对应)?的?"
    r"(?:数值|数据点|数据|数字|取值|(?<!数)值(?!得)|占比|比例|百分比|份额)|"
    r"(?P<shown>\x00|[^,;.?!的图]{1,14}?)在(?:这[个张]?|该)?[^,;.?!的图]{0,3}图(?:表)?(?:中|里|上)?(?:面)?的?(?:数值|数据|值|占比|比例)"
)
_VALUES_OF = re.compile(
    rf"\b{_VALUES_EN}\s+(?:for|of)\s+(?:the\s+)?(?P<it>[^,;.?!]{{1,40}})$|(?P<before>[^,;.?!]{{1,24}}?)\s*的\s*{_VALUES_HAN}$"
)
_A_TIME = re.compile(_TIME)
_OF_A_CHART = re.compile(
    r"\bcurves?\b|\bseries\b|\b(?:trend|data)\s+lines?\b|图[里中上]|曲线|折线|线条|[条根]线|柱子|系列|扇区"
)
_NAME_SPLIT = re.compile(r"[,;:()/&+\n.?!]|\b(?:and|plus)\b|以及|还有|[和与及跟]")
_AROUND_A_NAME = re.compile(
    rf"\b{_CHART_EN}\b(?:'s)?|\b{_VALUES_EN}(?!\s+(?:growth|revenue|tax|volume))\b|\b(?:for|of|in|at|on|from|off|to|into|as|during|between|by|per|within|the|a|an|this|that|these|those|my|its|"
    r"only|just|please|pls|thanks|me|us|i|we|you|it|is|are|was|were|what(?:'?s)?|which|how|much|many|does|do|did|says?|tells?|show|shows|shown|give|get|gets|read|extract|pull|tell|need|want|"
    r"like|can|could|would|list|take|grab|find|look|see|export|digiti[sz]e|convert|turn|out|up|down|both|each|every|all|years?|months?|quarters?|"
    r"lines?|bars?|columns?|slices?|curves?|series|one|ones|label(?:led|s)?|exact|approximate|respective|corresponding|page|csv|excel|then|also|with|have|has|figures?|readings?|reading)\b|"
    rf"[^,;.?!\s\x00]{{0,2}}图(?:表|形|像)?(?:里|中|上|内)?面?的?|{_VALUES_HAN}|(?:在|里|中|上|内|的|了|把|将|给我|帮我|我要|我想要?|请|麻烦|只要|只|读出来?|读一?下|读给我|提取|导出|显示|告诉我|看看?|查一?下|"
    r"列出来?|弄出来|拿出来|各个?|每个?|所有|全部|那[条根个]?|这[条根个]?|曲线|折线|线条|柱子|系列|对应|分别|年份?度?|月份?|季度|多少|是|有|要|都|出来|一下|就行)"
)
_NO_NAME = re.compile(
    r"(?:me|us|you|the|all|every|each|these|this|that|my|it|them|chart|graph|plot|data|figure|bar|line|pie|全部|所有|各|"
    r"每|具体|原始|这些|"
    r"各项|各类|各块|每一?[根条块项类]|个|点|[一根条块]|柱子|占|比|every|each|各个|各部分|每个|里|中|的|数|取|表|[\s,])*"
)

_LATIN = r"(?<![a-z0-9])[a-z][a-z0-9 &.'/%-]{0,40}?"
_SERIES_AFTER = re.compile(
    r"\b(?:lines?|curves?|bars?|slices?)\s+(?:for|named|called|labell?ed|of)\s+(?:the\s+)?(?P<of>(?!(?:19|20)\d\d|every|each|all)[^;.?!,]{1,30}?)\s*(?=$|[;.?!,]|\b(?:in|on|from|for|as|please|only)\b)|"
    r"\b(?:data\s+)?series\s+(?:named\s+|called\s+|labell?ed\s+)?(?:the\s+)?(?!(?:in|on|from|of|for|as|please|only)\b)(?P<it>[^;.?!,]+?(?:\s*(?:,|"
    r"\band\b)\s*[^;.?!,]+?)*)\s*"
    r"(?=$|[;.?!]|\b(?:in|on|from|of|for|as|please|only)\b)|(?:数据)?系列(?:名为|叫|为|是|:)?\s*(?P<han>\x00|[^,;.?!的]{1,12})"
)
_SERIES_BEFORE = re.compile(
    r"(?:^\s*|,\s*|\b(?:only|just|the|get|give\s+me|show|extract|data\s+(?:of|for|from|behind)|values\s+(?:of|for|on)|of|for|"
    r"from)\s+)(?:the\s+)?"
    r"(?P<it>(?!the\b)[^;.?!,]{1,40}?)\s+(?:lines?|curves?|bars|series|slices?)\b(?!\s*(?:charts?|graphs?|plots?|"
    r"items?))|"
    rf"(?P<han>\x00|{_LATIN}(?:\s*[,和与及跟]\s*{_LATIN})*|(?:[^,;.?!的这那里中上]{{1,8}},)*[^,;.?!的这那里中上]{{1,10}}?)\s*(?:的?(?:这|那)[一两三四几]?[条根个]|[两三四][条根])(?:折线|曲线|线|柱子|柱|系列)|"
    r"图(?:表)?(?:里|中|上)?面?(?:只要|只看|只需要?|仅要)\s*(?P<han3>\x00(?:[,和与]\s*\x00)*)|图(?:表)?(?:里|中|上)?面?的?(?P<han4>\x00)[这那][一两]?[条根个]|"
    rf"(?P<han2>\x00|{_LATIN}|[^,;.?!的里中上]{{1,10}})\s*(?:系列|曲线|折线(?!图)|线条)(?!图)"
)
_A_CURVE = re.compile(r"[条根]线|\bseries\s*(?:$|[,.;])|\bcurves?\b|曲线|折线|线条|系列(?:的[数值]|\s*$)")
_SERIES_HEAD = re.compile(
    r"^.*\b(?:charts?|graphs?|plots?|diagrams?)\b|^.*\b(?:values?|numbers?|figures?|data|points?)\s+(?:of|for|on|from|behind)\b|"
    r"^(?:\s|[,.:])+|^'s\b|^(?:digiti[sz]e|read|pull|plot|export|list|convert|turn|take|grab)\b(?=\s+(?:the|all|me|out|only|just|data)\b)|^(?:need|want|i|the|only|just|get|show|extract|give|me|data|values?|of|for|from|and|please)\b|"
    r"^(?:只要|只需|只看|看|我(?!们|司|方)|只|提取|请|把|将|给我|我要|要|显示|导出|图表?|[柱折饼线条状]{2}图|的|里|中|上|面)"
)
_SERIES_TAIL = re.compile(r"(?:\s|[,.:])+$|(?:这|那|的|data|数据)$")
_JUST_MARKS = re.compile(
    r"(?:\s|what|which|how|digiti[sz]e|read|the|all|every|each|first|last|second|third|top|bottom|of|bar|line|in|and|two|\d|[一二三四两每各所有全部这那第]|折|曲|直)*"
)


def take_series(reader: Reader, of_a_chart: bool = False) -> tuple[str, ...]:
    """Names or colours of the series that are meant, their words blanked out.

    A colour names a series whatever else is said; another name only where a chart is spoken of, or "series", or
    ``of_a_chart`` says that the words are about one.
    """
    found: list[str] = []
    charts = of_a_chart or v.CHARTS.search(reader.text) is not None
    while (match := _COLOURED.search(reader.text)) is not None:
        for start, end in pieces(reader.text, *match.span("it"), _COLOUR_SPLIT):
            found.append(_colour(reader.text[start:end].strip()))
        reader.blank(*match.span())
    for pattern in (_SERIES_AFTER, _SERIES_BEFORE) if not found else ():
        match = pattern.search(reader.text)
        if match is None:
            continue
        span = next(match.span(name) for name in match.re.groupindex if match[name] is not None)
        said = reader.text[span[0] : span[1]]
        clear = charts or QUOTE in said or _A_CURVE.search(match.group() + reader.text[match.end() :][:3]) is not None
        if not clear or _JUST_MARKS.fullmatch(said):
            continue
        names = listed(reader, *span, v.FIELD_SPLIT, _SERIES_HEAD, _SERIES_TAIL)
        names = tuple(
            name for name in names if not _JUST_MARKS.fullmatch(name.lower()) and not _A_TIME.fullmatch(name.lower())
        )
        if names:
            reader.blank(*match.span())
            return names
    return tuple(dict.fromkeys(found))


def take_times(reader: Reader) -> tuple[str, ...]:
    """Years, quarters, months and days whose values are wanted, blanked out: those that stand beside "values" or "data"

    and, where a chart or one of its lines is spoken of, any others.
    """
    of_a_chart = v.CHARTS.search(reader.text) is not None or _OF_A_CHART.search(reader.text) is not None
    if not of_a_chart and v.TABLES.search(reader.text):
        return ()
    match = _TIME_POINTS.search(reader.text)
    if match is None and (of_a_chart or _COLOURED.search(reader.text)):
        match = _BARE_TIMES.search(reader.text)
    if match is None:
        return ()
    group = "it" if match["it"] is not None else "before"
    found = _times(reader, *match.span(group), between="between" in match.group())
    reader.blank(*match.span())
    return found


def take_named_with_times(reader: Reader) -> tuple[str, ...]:
    """The series in "chart: Revenue, 2019 and 2020": what is left beside a chart and its times, if it is like a name.

    Its words are blanked out. To be asked only when times were taken and no series was.
    """
    if not (reader.has(v.CHARTS) or reader.has(_OF_A_CHART)):
        return ()
    text = _AROUND_A_NAME.sub(lambda found: "," + " " * (len(found.group()) - 1), reader.text)
    names: list[str] = []
    for start, end in pieces(text, 0, len(text), _NAME_SPLIT):
        first, last = trim(text, start, end, _SERIES_HEAD, _SERIES_TAIL)
        name = reader.name(first, last) if first < last else ""
        if name and not _NO_NAME.fullmatch(name.lower()) and may_be_a_name(name):
            names.append(name)
    return tuple(dict.fromkeys(names)) if len(names) <= 3 else ()


def _colour(word: str) -> str:
    """The plain name of a colour, in the language it is said in: "gray" is "grey", "蓝" is "蓝色"."""
    if re.search(r"[a-z]", word):
        word = re.split(r"[\s-]+", word)[-1]
        return _ALIASES.get(word, word)
    word = word.removesuffix("色")
    return f"{_HAN_ALIASES.get(word, word)}色"


def colour_of(name: str) -> tuple[int, int, int] | None:
    """The shade a series' name means where it is a colour, else None."""
    for english, (han, shade) in COLOURS.items():
        if name.lower() in (english, han, f"{han}色"):
            return shade
    return None


def take_points(reader: Reader, charts: bool) -> tuple[str, ...]:
    """Categories whose values are wanted, blanked out; () unless ``charts`` says that a chart is spoken of.

    For those that are times see ``take_times``.
    """
    for pattern in (_NAMED_POINTS, _NAMED_POINTS_HAN) if charts else ():
        match = pattern.search(reader.text)
        group = "it" if match is None or match["it"] is not None else "shown"
        if match is None or _NO_NAME.fullmatch(match[group]):
            continue
        names = listed(reader, *match.span(group), v.FIELD_SPLIT, v.FIELD_HEAD, v.FIELD_TAIL)
        names = tuple(
            name
            for name in names
            if not _NO_NAME.fullmatch(name.lower()) and not v.CHARTS.search(name) and may_be_a_name(name)
        )
        if names:
            reader.blank(*match.span(group))
            return names
    return ()


def take_values_of(reader: Reader) -> tuple[str, ...]:
    """The name in "the values of Cooking" or "女性的数据", which may be a field's or that of a chart's series or
    category; () for other words."""
    match = _VALUES_OF.search(reader.text.strip(" ,.?!"))
    if match is None:
        return ()
    offset = len(reader.text) - len(reader.text.lstrip(" ,.?!"))
    start, end = match.span("it" if match["it"] is not None else "before")
    names = listed(reader, start + offset, end + offset, v.FIELD_SPLIT, v.FIELD_HEAD, v.FIELD_TAIL)
    return names if len(names) == 1 and may_be_a_name(names[0]) else ()


def _times(reader: Reader, start: int, end: int, *, between: bool) -> tuple[str, ...]:
    """Years, quarters, months as written, a year without 年; a run of years is told one by one."""
    found: list[str] = []
    place = start
    for match in _A_TIME.finditer(reader.text, start, end):
        name = reader.original(*match.span())
        name = re.sub(r"\s*年$|(?<=月)份$", "", name)
        link = reader.text[place : match.start()]
        years = (found[-1], name) if found else ("", "")
        if (between or re.search(r"-|~|\b(?:to|through|until)\b|到|至", link)) and all(
            re.fullmatch(r"\d{4}", y) for y in years
        ):
            found.extend(str(year) for year in range(int(years[0]) + 1, int(years[1])))
        found.append(name)
        place = match.end()
    return tuple(dict.fromkeys(found))
