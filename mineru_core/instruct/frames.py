"""What people say around a wish without asking for anything by it: greetings, limits, purposes, what is not needed."""

from __future__ import annotations

import re

from mineru_core.instruct.reader import Reader

_START = r"(?:^|(?<=[,.;!?])|(?<=\s-))\s*(?:(?:but|and|so|then)\b\s*)?"
_STOP = r"(?:\s+(?:please|pls|though|for\s+now|here|from\s+(?:it|this|here)))?\s*(?=$|[,.;!?]|\s-\s)"

# --- sorts of things that are ruled out, where the clause says nothing further ------------------------------------
_SORTS_EN = (
    r"(?:(?:any|the|all|of|those|these|my|your)\s+)*(?:tables?|charts?|graphs?|figures?|images?|pictures?|photos?|formulas?|formulae|equations?|"
    r"text|words|prose|captions?|headers?|footers?|logos?|stamps?|signatures?|footnotes?|watermarks?|diagrams?|drawings?)\b"
)
_SORT_LIST_EN = rf"{_SORTS_EN}(?:\s*(?:,|/|&|\band\b|\bor\b|\bnor\b)+\s*{_SORTS_EN})*"
_SORTS_HAN = (
    r"(?:正文|文字|文本|表格|表|图表|图片|图像|插图|配图|照片|图|公式|页眉|页脚|水印|"
    r"印章|公章|签名|脚注|标题|logo)(?:部分|内容)?"
)
_SORT_LIST_HAN = rf"{_SORTS_HAN}(?:\s*(?:,|/|和|与|跟|及|以及|还有|或)?\s*{_SORTS_HAN})*"
_NOT_NEEDED = re.compile(
    rf"{_START}(?:(?:i|we)\s+)?(?:(?:really|certainly)\s+)?(?:(?:do\s+not|don'?t)\s+(?:really\s+|actually\s+)?(?:need|want|care\s+(?:about|for)|require|bother\s+with|"
    rf"include|bring|give\s+me)|(?:not|no|without|minus|skip|ignore|omit|drop|exclude|excluding|except|leave|forget|never\s+mind)"
    rf"(?:\s+(?:out|off|aside|about|for))?)\s+{_SORT_LIST_EN}(?:\s+(?:out|alone|aside|though|please|at\s+all))*{_STOP}|"
    rf"{_START}{_SORT_LIST_EN}\s+(?:(?:is|are|can|may|should)(?:\s+(?:not|be|all))*|aren'?t|isn'?t|not)\s+(?:needed|required|necessary|"
    rf"wanted|ignored|skipped|left\s+out|dropped|omitted|of\s+interest|important|relevant){_STOP}|"
    rf"(?:^|(?<=[,.;!?]))\s*(?:但|而)?{_SORT_LIST_HAN}(?:什么的|之类的?|等)?(?:我)?(?:都|就|全|先|一律|统统|通通)?(?:不用|不要|不需要|不必|不管|别|甭|忽略|"
    rf"跳过|略过|略|无所谓|除外|去掉|不看|不提)(?:管|看|提取?|识别|导出?|给我?|给|要|理|动|弄|了|它们?|吧)*{_STOP}|"
    rf"(?:^|(?<=[,.;!?]))\s*(?:但|而)?(?:我)?(?:不用|不要|不需要|不必|别|甭|不管|忽略|跳过|略过|去掉)(?:管|看|提取?|识别|导出?|给我?|要|理|弄)?{_SORT_LIST_HAN}(?:了|吧)?{_STOP}"
)

# --- limits, thanks, purposes -------------------------------------------------------------------------------------
_THINGS_HAN = r"(?:列|行|栏|内容|东西|部分|字段|信息|项目?|线|线条|系列|数据|页|表格?|地方|图)"
_COUNT_HAN = r"(?:[一两二三四五六七八九十几俩仨\d]{1,2}|些)"
_LIMITS = re.compile(
    rf"{_START}(?:(?:and\s+)?(?:absolutely\s+|really\s+)?nothing\s+(?:else|more|other\s+than\s+that|besides|fancy)|no\s+more(?:\s+(?:and\s+)?no\s+less)?|that'?s\s+(?:it|all)|that\s+is\s+(?:it|all)|that\s+will\s+do|"
    r"that'?s\s+all\s+(?:that\s+)?(?:i|we)\s+(?:need|want)|(?:is\s+)?all\s+(?:that\s+)?(?:i|we)\s+need|not\s+the\s+(?:rest|others?)|"
    r"(?:(?:you\s+can|please|just)\s+)*(?:ignore|skip|drop|leave(?:\s+out)?|discard|forget|omit|delete|remove)\s+(?:the\s+(?:rest|others?|other\s+\w+|remaining\s+\w+)|everything\s+else|anything\s+else|all\s+else)"
    r"(?:\s+(?:out|alone|of\s+(?:it|them)))?|(?:the\s+(?:rest|others?|other\s+\w+)|everything\s+else)\s+(?:can|may|should|is|are|isn'?t|aren'?t|doesn'?t|does|do|don'?t)\b[^,.;!?]*|"
    r"(?:i|we)\s+(?:do\s+not|don'?t)\s+(?:really\s+)?(?:need|want|care\s+(?:about|for))\s+(?:anything\s+else|the\s+(?:rest|others?|other\s+\w+)|everything\s+else|any\s+(?:of\s+the\s+)?others?)|"
    r"(?:many\s+)?(?:thanks?|thx|tks|cheers|ta)(?:\s+(?:a\s+(?:lot|million|bunch)|so\s+much|very\s+much|in\s+advance|again|you|mate|guys))*|thank\s+(?:you|u)(?:\s+(?:very|so)\s+much|\s+in\s+advance)?|"
    r"in\s+(?:an?\s+)?editable\s+(?:form|format|version)|much\s+appreciated|(?:appreciate|appreciated)(?:\s+it)?|if\s+(?:possible|you\s+(?:can|could|don'?t\s+mind)|that'?s\s+ok(?:ay)?)|asap|when\s+you\s+(?:can|have\s+(?:time|a\s+(?:minute|moment|sec(?:ond)?)))|"
    r"(?:hi|hello|hey|dear)(?:\s+(?:there|all|team|everyone|guys|sir|madam|folks))?|good\s+(?:morning|afternoon|evening|day)|"
    r"(?:for|to)\s+(?:my|our)\s+(?:own\s+)?(?:boss|manager|records?|files?|accountant|accounts?|expenses?|homework|notes?|report|tax(?:es)?|database|system|crm|team|colleagues?)(?:\s+\w+){0,2})"
    rf"{_STOP}"
)
_PURPOSES = re.compile(
    r"[,;.\s]\s*(?:so\s+(?:that\s+)?(?:i|we|he|she|they)\s+(?:can|could|may|don'?t|do|won'?t)|because\s+(?:i|we|my)|in\s+order\s+to|in\s+(?:an?\s+)?editable\s+(?:form|format|version)|(?:i|we)(?:\s+(?:need|want|have)|'?(?:ll|d)\s+(?:need|like)|\s+will|'?m\s+(?:going|trying))\s+to\s+(?:paste|put|send|"
    r"type|copy|enter|fill|import|load|sort|check|forward|edit|reuse|add|file|use))\b[^?]*\??$"
)
_LIMITS_HAN = re.compile(
    rf"(?:^|(?<=[,.;!?]))\s*(?:(?:其[他它余]|别|剩下?|余下?|另外)的?{_THINGS_HAN}?(?:我)?(?:都|就|全|先|一律|统统|通通|可以)?(?:不用|不要|不需要|不必|不管|别|甭|忽略|无所谓|删|去|略|不看|跳过)"
    r"(?:管|看|提取?|识别|导出?|给我?|要|理|弄|掉|删除|除|略|过|去|了|它们?|吧)*|(?:不用|不要|别|忽略|去掉|删掉)(?:管|看|提取?|要)?(?:其[他它余]|别|剩下)的?"
    rf"{_THINGS_HAN}?(?:了|吧)?|(?:(?:其[他它余])的?)?(?:我)?(?:就|只)?(?:要)?(?:这|那)?{_COUNT_HAN}?(?:个|项|样|条|种|列|张)?(?:信息|内容|字段|数据)?(?:就|也就)?(?:行|好|可以|够|够用|成)(?:了|啦|吧)?|"
    rf"(?:就|只要?|只有|一共|总共)(?:是)?(?:这|那){_COUNT_HAN}?(?:个|项|样|条|种|列)?(?:就行|就好|即可)?|(?:非常|十分|万分|先)?(?:谢谢?|多谢|感谢|感激|辛苦|拜托|麻烦|劳烦|谢)(?:你|您|大家|老师|大佬|亲)?(?:了|啦|哈|咯|哦|不尽)*|"
    r"(?:你|您|大家)好|哈喽|嗨|在吗|老师(?:您|你)?好?|急(?:用|需|等)?(?:着用)?|尽快|越快越好|"
    r"(?:我|我们|老板|领导|公司|财务)?(?:要|得|想|好|准备|方便|用来|用于|拿来|拿去)?(?:我|后面|之后|一会)?(?:好|要)?(?:录|做|报|存|填|写|交|留|备|登|建|办|核|入|对|归|贴|打|发|上传)[^,.;!?]{0,7}?(?:用的?|存档|备案|备份|报销|入账|做账|作业|归档|登记|系统)(?:呢|哈)?)"
    r"(?=\s*(?:$|[,.;!?]))"
)
_TRAILING_HAN = re.compile(
    r"(?<=[^\s,.;!?只])(?:就(?:行|好|可以|够|成)(?:了|啦|吧)?|即可|(?:谢谢|多谢|谢啦)(?:你|您|了|啦|哈)*)(?=\s*(?:$|[,.;!?]))"
)

# --- the whole of it ----------------------------------------------------------------------------------------------
_WHOLE = re.compile(
    r"\b(?:do\s+not|don'?t|without|not|never)\s+(?:leave|leaving|miss|missing|skip|skipping|omit|omitting|drop|lose|forget)\s+(?:out\s+)?(?:anything|a\s+(?:thing|single\s+\w+|word|line)|one)(?:\s+out)?\b|"
    r"\bnothing\s+(?:(?:is\s+|should\s+be\s+|must\s+be\s+|gets\s+)?(?:skipped|missed|missing|omitted|left(?:\s+(?:out|behind))?|lost|dropped|excluded))\b|\b(?:miss|skip|omit)\s+nothing\b|"
    r"\b(?:the|a)\s+(?:whole\s+)?lot\b(?!\s+(?:number|no|size|of|code))|\b(?:whole|full|entire|complete)\s+(?:thing|shebang|lot|works|extraction|conversion|digiti[sz]ation|ocr|scan|contents?|dump|job|document|page|file)\b|"
    r"\b(?:whatever|what\s*ever|anything|everything|all)(?:\s+(?:that|which))?(?:'s|\s+(?:is|are|stands|there\s+is|you\s+(?:can|could|see|find|get)|it\s+(?:has|says|contains|holds)|is\s+(?:written|printed|shown)))"
    r"(?:\s+(?:see|find|get|read|extract|make\s+out|there|written|printed|shown))*(?:\s+(?:on|in|from|off|out\s+of)\s+(?:it|here|there|this|that|(?:the|this|that)\s+\w+))?\b|"
    r"\b(?:absolutely\s+)?(?:everything|all)\s+(?:on|in|off|from|of)\s+(?:here|it|this|that|(?:this|the|that)\s+(?:page|scan|document|doc|file|pdf|image|picture|photo|thing|sheet|slide|paper))\b(?!\s+(?:table|chart))|"
    r"\bevery\s+(?:last|single)\s+(?:thing|bit|word|detail)\b|(?:有的)?全给我(?:[弄提转导扒抓拿](?:下来|出来|过来))?(?=\s*$)|"
    r"\ball\s+(?:the\s+|of\s+the\s+)?(?:information|data|details|contents?)\s+(?:(?:that\s+(?:is|are)|contained|shown|present|printed)\s+)*(?:in|on|from)\s+(?:it|here|this|that|the)\b(?:\s+\w+){0,4}?(?=\s*(?:$|[.,;!?]))|"
    r"\bfrom\s+(?:top\s+to\s+bottom|start\s+to\s+finish|beginning\s+to\s+end|cover\s+to\s+cover|a\s+to\s+z)\b|\bin\s+(?:full|its\s+entirety)\b|\b(?:all|every)\s+(?:the\s+|of\s+the\s+)?(?:stuff|things?|bits?|pieces?)\b|"
    r"(?:一|半)[个点字样条丝处项张](?:儿)?(?:都|也)?(?:别|不要|不能|不可以?|不许|不|没)(?:能|要|许|准|得)?(?:漏|落|少|差|丢|遗漏|落下|拉下|放过)(?:掉|下)?(?:地|的|了)?|(?:不要|别|不能|勿|请勿|无|毫无|没有)(?:有)?(?:任何)?(?:遗漏|漏掉?|落下|缺漏|丢失)(?:地|的|了|任何\w*)?|"
    r"(?:都|全)不(?:能|要|可)(?:漏|少)|一字不[落漏差](?:地|的)?|图文(?:表)?(?=\s*都|全|完整)|(?:内容|东西|信息)(?:我)?(?:都|全|全都|统统)(?:要|给我)|(?:不管|无论)(?:是)?(?:什么|啥)|全(?:文档|文件|篇|本|书|册)(?=识别|提取|导出|转|解析)|从头到尾|一股脑(?:儿)?(?:地)?|一口气|(?:里面|上面|里头|图上|文中)?有(?:什么|啥)(?:就)?(?:都|全|统统)|全须全尾|原原本本(?:地)?|完完整整(?:地)?|有(?:什么|啥|多少)(?:就|都)?[^,.;!?]{1,3}(?:什么|啥|多少)|能[^,.;!?表图]{1,4}的(?:东西|内容)?(?:都|全|全都|全部)(?:给我|帮我)?[^,.;!?表图]{1,6}|"
    r"(?:里|上|中)面?(?:有)?的?(?:所有|全部|一切)?(?:东西|玩意)(?:儿)?|(?:所有|全部|一切|这些|任何)(?:的)?(?:东西|玩意)(?:儿)?|东西"
)


def take_frames(reader: Reader) -> None:
    """Blank what frames a wish, and note on the reader what is not wanted and whether the whole was spoken of."""
    for pattern in (_LIMITS, _LIMITS_HAN):
        for _ in range(2):  # a clause that was blanked frees the next one
            reader.take(pattern)
    reader.take(_PURPOSES)
    reader.negated = bool(reader.take(_NOT_NEEDED))
    reader.take(_TRAILING_HAN)


def take_whole(reader: Reader) -> bool:
    """Whether all there is was spoken of, however it is put ("the lot", "一个都别漏"); the words are blanked."""
    return bool(reader.take(_WHOLE))
