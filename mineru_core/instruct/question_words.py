"""Whether a summary, a comparison or the answer to a question is wanted, out of the words of a wish."""

from __future__ import annotations

import re

from mineru_core.instruct import vocabulary as v
from mineru_core.instruct.names import trim
from mineru_core.instruct.reader import Reader

_SUMMARY = re.compile(
    r"\bsum+ar(?:y|ies|i[sz]e[sd]?|i[sz]ing|i[sz]ation)\b(?!\s+(?:tables?|sheets?|rows?|columns?|statements?))|"
    r"\bsum\s+(?:it\s+|this\s+|that\s+)?up\b|"
    r"\b(?:overview|briefly|run-?down|synopsis|gist|recap|digest|précis)\b|\btl\s*;?\s*dr\b|\bin\s+(?:(?:a\s+couple\s+of|one|two|three|four|five|\d+)\s+(?:short\s+)?(?:sentences?|words|lines|bullets?|points)|brief|short|a\s+nutshell|"
    r"a\s+few\s+(?:words|sentences))\b|"
    r"\b(?:key|main|important|major|central|essential)\s+(?:points?|takeaways?|ideas?|messages?|findings?|"
    r"highlights?|conclusions?|contents?|"
    r"arguments?|topics?|sentences?|parts?)\b|\btake-?aways?\b|\bhighlights\b|\b(?:condense|shorten|abridge|"
    r"boil\s+\w*\s*down)\b|\bbrief\s+me\b|"
    r"\bshort(?:er)?\s+version\b|\bwhat(?:'?s|\s+is|\s+are|\s+was|\s+does)?\b[^?]*\babout\b\s*\??$|"
    r"\bthe\s+point\s+of\s+(?:this|the|it)\b|"
    r"\bmost\s+important\s+(?:sentences?|points?|things?|parts?)\b|\bmain\s+idea\b|"
    r"总结(?!表)|概括|摘要|归纳|概述|概要|综述|要点|重点(?:是|内容|有|在|提|$|[,.?!])|主要(?:的)?(?:内容|观点|意思|结论|讲|说|思想)|核心(?:的)?(?:内容|观点|思想)|"
    r"大意|(?:大致|大概|大体)(?:的)?(?:内容|意思|情况)|中心思想|梗概|简述|简要(?:说|介绍|概|描)|(?:讲|说|谈)(?:了|的是|的)(?:些|点)?(?:什么|啥)|关于什么|是关于|(?:讲|说)(?:什么|啥)|提炼|浓缩|精简|缩写|一句话|"
    r"划重点|太长不看|长话短说|梳理|[几一两三]句话|三言两语|简单(?:说|介绍|概|讲)|摘录(?!出|一下|下|到)|提要|主旨|重要的?(?:句子|内容)"
)
_SUMMARY_OF_NOTHING = re.compile(
    r"^\W*(?:what(?:'s|\s+is)\s+(?:this|it|that)|这是(?:个)?(?:什么|啥)|这个?(?:文件|文档|图)是(?:什么|啥))\W*$"
)

_COMPARE = re.compile(
    r"\bcompar(?:e[ds]?|ing)\b|\bcomparison\b(?!\s+(?:tables?|charts?|graphs?))|\bdiff(?:s|er|ers|ering|ed)?\b|"
    r"\bhow\s+(?:has|have|did)\b.*\bchanged?\b|\bwhats\s+(?:changed|new|different)\b|有没有(?:改|变|动过)|(?:新版|新的|后一版|第二版).{0,4}(?:多|少|加|改|增|删)[了过]|\bany(?:thing)?\s+different\b|\bwhat\b.*\b(?:version|draft|revision|copy|edition)\b.*\bchanged?\b|\bwhich\b.*\bdifferent\b|\bdifferences\b|\bdifference\s+between\b|"
    r"\b(?:what|show|find|tell|spot|see|list|highlight)\b.*\bdifferen(?:ce|t)\b|\bhow\b.*\bdifferent\b|"
    r"\bwhat\b(?:'s|\s+(?:is|are|has|have|was|were|got|did|all))*(?:\s+(?:been|get|they|it|we))*\s+(?:changed?|new|"
    r"modified|added|removed|deleted|"
    r"updated|edited|altered|revised)\b|\bwhich\s+\w+\s+(?:were|was|are|have|has)\s+(?:been\s+)?(?:changed|added|"
    r"removed|deleted|modified)\b|"
    r"\bwhich\s+\w+(?:\s+\w+)?\s+changed\b|"
    r"\bchanges\s+(?:between|from|since|in|made|on|of|across)\b|"
    r"\b(?:show|list|find|highlight|spot|see|get|give|track|what|any|are)\b(?:\s+\w+){0,3}\s+changes\b|"
    r"^\W*changes\W*$|\b(?:has|have|did)\s+"
    r"(?:anything|something|it|they)\s+changed?\b|\b(?:is|are)\b.*\b(?:the\s+same(?:\s+as)?|identical)\b|\b(?:vs\.?|"
    r"versus)(?=\s|$)|"
    r"比较(?!好|大|小|多|少|高|低|长|短|重要|常|快|慢)|对比(?!图|度|表)|对照(?!表)|比一?[比下]|比对|核对差|差异(?!率|额|分析|化)|"
    r"(?:有|存在)?(?:什么|哪些|何|啥|多少|没有?)(?:的)?(?:不同|区别|差别|变化|变动|改动|修改|出入|更改|变更)|"
    r"(?:不同|区别|变化|改动|变更|修改|差别|变动)(?:之处|的?地方|在哪|点|处|是什么|有哪些|的?内容)|"
    r"(?:改|变|修改|更改|增加|删除|新增|删|变更|改动|更新)(?:动|化)?(?:了|过)(?:些|哪)?(?:什么|哪|啥|些)|(?:哪些?|什么)(?:地方|内容|里|儿)?.{0,4}(?:变了|改了|"
    r"改过|被改|变化|不一样|不同|被修改|有变)|"
    r"差在[哪什]|差(?:别|异)在哪|差哪|哪[里儿]?有?差|(?:有|没|无)(?:什么|啥|没有)?出入|有(?:没有|无|啥|没)?(?:改动|变动|变化|差别|差异|区别)|找不同|对一?[下对](?:这|两|前|新)|改了哪|变了哪|哪[里儿]?(?:改|变)[了过]|"
    r"跟?(?:上|前|原|旧)一?[版次稿份]比|不一样|一不一样|是否(?:一致|相同|一样)|一样吗|相同吗|一致吗|(?:找|列|看|标|指|说)出?.{0,10}(?:不同|区别|变化|改动)|(?:不同|区别)[.?!]?$"
)

_POLITE = (
    r"\b(?:please|pls|kindly|hi|hello|hey|so|and|ok(?:ay)?|well|now|then|also)\b|\b(?:can|could|would|"
    r"will)\s+you\s+(?:please\s+|kindly\s+)?"
    r"(?:tell|let|show|say|explain|answer|find\s+out|check)\b(?:\s+(?:me|us|for\s+me))?(?:\s+know)?|\b(?:tell|"
    r"let)\s+(?:me|us)(?:\s+know)?|\bdo\s+you\s+know\b|"
    r"\bi(?:'d|\s+would)?\s+(?:want|need|like|wish|wonder|am\s+wondering)(?:\s+to)?(?:\s+know)?|\bi'm\s+wondering\b|"
    r"\bquestion\b\s*:?|\banswer(?:\s+(?:this|me))?\b\s*:?|"
    r"\b(?:on|in|from|according\s+to)\s+(?:this|the)\s+(?:page|document|file|text|pdf|image|picture|contract)\b\s*,|"
    r"\bfind\s+out\b|\bcheck\b(?=\s+(?:if|whether|who|when))|"
    r"请问|请|麻烦(?:你|您)?|告诉我|你好|您好|帮我(?:看看?|查一?下|确认一?下|找一?下)?|我想(?:要)?(?:知道|问一?下|了解|确认)|想(?:知道|问|了解)(?:一下)?|我要知道|"
    r"问题:?|问一?下|回答(?:一下)?:?|看一?下|看看|根据(?:文档|文件|这页|本文|图片),?|(?:文档|文件|图片|文|合同)(?:中|里)面?,"
)
_HEAD = re.compile(rf"^(?:\s|[,.:;!?\-])+|^(?:{_POLITE})")
_TAIL = re.compile(r"(?:\s|[?!.,;:])+$|\b(?:please|pls|thanks|thank\s+you)$|(?:谢谢|多谢)$")

_STRONG = re.compile(
    r"\bwho(?:m|se|'s)?\b|\bwhen\b|\bwhy\b|\bhow\s+(?:many|long|often|old|far|big|large|high|tall|soon|late|fast|"
    r"come|do|does|did|is|are|can|should|was|"
    r"were|much)\b|\bwhich\b(?!\s+(?:tables?|charts?|pages?))|"
    r"谁|什么时[候间]|何时|几时|几月|几号|几点|为什么|为何|为啥|怎么|怎样|如何|多[长久大高远快重宽]|哪[个家位些年天月种座里](?!表|图|页)|哪一?[个家位年天月种](?!表|图|页)|"
    r"还是(?=.)|([\u4e00-\u9fff])不\1(?!\1)|谁[^是的\W]|(?<![这那近好])(?<!(?<!提)前)几[个年月天名位人次家岁日周倍](?!表|图|页)|多少(?=[个名位人次家年月天元家页岁台件]|\S)"
)
_REASONS = re.compile(r"\bwhy\b|\bwho\b|\bhow\s+come\b|为什么|为何|为啥|谁")
_WEAK = re.compile(
    r"\bwhat(?!\s*(?:'s|is)?\s*(?:on|in)\s+(?:it|this|here|the\s+\w+)\s*$)(?!ever)|\bwhere\s+(?:was|were|does|do|"
    r"did)\b|\bwhere\b.*\b(?:located|based|headquartered|"
    r"live|work|held)\b|什么|啥|多少|哪|几[^何]?[^何]?(?:\?|$)|是否|是不是|有没有|能不能|可不可以|会不会|要不要|需不需要|吗\W*$|呢\W*$"
)
_AUXILIARY = re.compile(
    r"^(?:can|could|may|am|do|must|should|shall|will|would)\s+(?:i|we)\s+(?!(?:have|get(?!\s+an?\s+(?!list|copy|transcript|csv|table|text|version|file))|see|please|also|just|ask|only|kindly|trouble|request)\b)(?=\w+)|"
    r"^(?:is|are|was|were|does|do|did|has|have|had|can|may|must|should|shall|will|would|could)\s+(?!(?:you|i|we|"
    r"u)\b)(?=\w+\s+\w+)"
)
_POLITE_WISH = re.compile(
    rf"^(?:请问?)?(?:你|您)?(?:可以|能不能|能否|可否|能|可不可以)(?:请)?(?:你|您)?(?:帮|给|替|把|将|{v.VERBS_HAN})"
)
_WHO_DID = re.compile(r"谁[^是的\W]")
_NO_CONTENT = re.compile(
    r"(?:钱|\b(?:what|who|when|where|why|which|how|is|are|was|were|does|do|did|it|this|that|there|the|a|an|on|in|of|"
    r"about|have|has|here|here's|you|we|i|see|can|"
    r"say|says|written|much|many|me|to|s)\b|什么|啥|谁|哪|多少|里|中|上|有|是|的|这|那|个|了|些|写|吗|呢|页|内容|文档|文件|图片?|面|怎么|如何|[\W_])*"
)


def wants_summary(reader: Reader) -> bool:
    """Whether the sentences that matter are wanted, or what it is about."""
    return reader.has(_SUMMARY) or reader.has(_SUMMARY_OF_NOTHING)


def wants_comparison(reader: Reader) -> bool:
    """Whether what differs between pages, or versions, is wanted."""
    return reader.has(_COMPARE)


def is_about_reasons(reader: Reader) -> bool:
    """Whether somebody, or why, is asked for, which the numbers of a chart do not say."""
    return reader.has(_REASONS)


def question(reader: Reader, *, strong: bool = False) -> str:
    """The question that is asked, as the user wrote it without what is polite around it; "" where none is.

    ``strong``: only one that names of things ("who", "when", "why", "how many") cannot answer.
    """
    if _POLITE_WISH.match(reader.text.strip()):
        return ""
    start, end = trim(reader.text, 0, len(reader.text), _HEAD, _TAIL)
    asked = reader.text[start:end]
    if not asked or (_NO_CONTENT.fullmatch(asked) and not _WHO_DID.search(asked)):
        return ""
    told = _STRONG.search(asked) is not None
    if not strong:
        told = told or _WEAK.search(asked + ("?" if "?" in reader.text[end:] else "")) is not None
        told = told or _AUXILIARY.match(asked) is not None
    return reader.original(start, end) if told else ""
