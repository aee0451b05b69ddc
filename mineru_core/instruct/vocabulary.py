"""The words that say what is wanted, as regular expressions over lower-case, half-width, simplified text."""

from __future__ import annotations

import re

from mineru_core.instruct.numbers import CARDINAL, HAN, LIST, ORDINAL, ORDINAL_LIST, han_list
from mineru_core.instruct.reader import QUOTE


def _any(*patterns: str) -> re.Pattern[str]:
    return re.compile("|".join(f"(?:{p})" for p in patterns))


# --- pages -------------------------------------------------------------------------------------------------------
_ON = r"(?:\b(?:on|of|from|in|for|at|across)\s+)?(?:\b(?:the|only)\s+)?"
PAGE_LISTS = _any(rf"{_ON}\b(?:pages?|slides?|pp?\.?|pgs?\.?)\s*(?:no\.?\s*|number\s+|#\s*)?(?P<it>{LIST})(?!\s*%)")
PAGE_ORDINALS = _any(rf"{_ON}\b(?P<it>{ORDINAL_LIST})\s+(?:pages?|slides?)\b")
PAGES_FIRST = _any(rf"{_ON}\bfirst\s+(?P<it>{CARDINAL})\s+pages\b")
PAGES_LAST = _any(rf"{_ON}\b(?:last|final)\s+(?P<it>{CARDINAL})\s+pages\b")
PAGES_BACK = _any(
    rf"{_ON}\b(?P<it>{ORDINAL})(?:\s+(?:to|from(?:\s+the)?)\s+|-to-|-)(?:the\s+)?last\s+page\b",
)
PAGE_TO_PAGE = _any(
    rf"{_ON}\b(?:pages?|p\.?)\s*(?P<it>{CARDINAL}\s*(?:-|~|\bto\b|\bthrough\b|\bthru\b|"
    rf"\buntil\b)\s*(?:the\s+)?pages?\s*{CARDINAL})"
)
PAGE_WITH = re.compile(r"\bwith(?=\s+(?:(?:the\s+)?pages?\b|\d))")
PAGE_ALSO = re.compile(
    rf"\b(?:from|to|with|and|vs\.?|than|against|as)\s+(?:the\s+)?(?P<it>{ORDINAL}|last|\d{{1,9}})(?:\s+one)?\s*(?=$|"
    rf"[?.!])"
)
PAGE_FINAL = _any(rf"{_ON}\b(?:very\s+last|final|last)\s+page\b", r"在?(?:最(?:后|末)(?:的)?一?页|末页|尾页)")
PAGE_FRONT = _any(r"在?(?:首页|头一页|封面页?)", rf"{_ON}\b(?:cover|front|title)\s+page\b")
HAN_PAGES = re.compile(rf"在?第\s*(?P<it>{han_list(r'页')})\s*(?:页(?!码)|张\s*(?:幻灯片|ppt|slide))")
HAN_PAGE_RANGES = re.compile(r"(?<![\d前后第这那共])(?P<it>\d{1,9}(?:\s*(?:-|~|到|至|,)\s*\d{1,9})*)\s*页(?!码)")
HAN_PAGES_FIRST = re.compile(rf"在?(?:前|头|开头)(?:面)?的?\s*(?P<it>{HAN})\s*页")
HAN_PAGES_LAST = re.compile(rf"在?(?:最后|后|末尾|末)(?:面)?的?\s*(?P<it>{HAN})\s*页")
HAN_PAGES_BACK = re.compile(rf"在?倒数第\s*(?P<it>{HAN})\s*页")
FIRST_TO_LAST = _any(
    r"从?(?:第一页|首页|头)(?:一直)?[到至](?:最后(?:的)?一?页|末页|尾页)",
    r"\b(?:from\s+)?(?:the\s+)?first\s+(?:page\s+)?(?:to|through)\s+(?:the\s+)?last\s+page\b",
)
PAGES_ALL = _any(
    rf"{_ON}\b(?:every|each|all)(?:\s+of)?(?:\s+the)?\s+pages?\b",
    r"\b(?:on|of|from|in)\s+(?:this|the(?:\s+(?:current|whole|entire))?)\s+page\b",
    r"(?:每一?|各|所有|全部|整个|这一?|本|该|当前)(?:的)?页(?:面)?(?:上|中|里|内)?",
)

# --- what the answer is wanted as: says nothing about what is looked for ------------------------------------------
_FORMATS = r"(?:csv|xlsx?|excel|json|html|markdown|md|tsv)"
SHEET_FORMATS = re.compile(r"csv|xlsx?|excel|tsv|spreadsheet|表格|table")
OUTPUTS = _any(
    rf"\b(?:(?:as|to|into|in)\s+)?(?:an?\s+)?(?:ms\s+|microsoft\s+)?{_FORMATS}\b(?:\s+(?:files?|format|form|workbook|"
    rf"sheet|tables?))?",
    r"\b(?:as|into|to)\s+(?:a|an)\s+(?:(?:data\s*)?table|spreadsheet)\b|\b(?:as|into|to)\s+(?:tables?|spreadsheets?)\b",
    rf"(?:导出|转换|转|另?存|保存|生成|整理|做|变|返回|给我)?(?:为|成|到|出)?\s*(?<![a-z]){_FORMATS}(?![a-z])\s*(?:文件|格式|表格|文档)?",
    r"(?:导出|转换|转|整理|做|变|导|弄|整|列|录|生成|还原)(?:为|成)(?:一?[个张])?(?:电子)?表格?(?:格式|形式)?",
    r"以(?:电子)?表格(?:的)?(?:格式|形式)",
    r"\b(?:as|to|into)\s+(?:an?\s+)?(?:pdf|word|docx?|pptx?|txt)\b(?:\s+(?:file|document|format))?",
    r"(?:导出|转换|转|另?存|保存|生成|变)(?:为|成)?\s*(?:pdf|word|docx?|pptx?)(?![a-z])\s*(?:文件|格式|文档)?",
)
NEGATED = _any(
    r",?\s*(?:\b(?:but|and)\s+)?\b(?:no|not|without|excluding|except|ignore|skip)\s+(?:(?:any|the|all|for)\s+)*"
    r"(?:tables?|charts?|graphs?|figures?|images?|pictures?|formulas?|equations?|text|headers?|footers?)\b",
    r",?(?:但|而)?(?:不要|不含|不包括|不需要|不带|无需|忽略|去掉|除了|除)(?:任何|所有)?(?:的)?"
    r"(?:表格?|图表|图片|图|公式|文字|文本|页眉|页脚)(?:以外|之外|外)?的?",
)

# --- which table -------------------------------------------------------------------------------------------------
_EN_TABLES = r"(?:data\s+)?tables?\b"
_HAN_TABLES = r"(?:个|张|份|幅)?\s*(?:数据)?(?:表格|表(?!示|明|达|面|现|单(?!独)|头)|table\b)"
TABLE_LISTS = _any(
    rf"\btables?\s*(?:no\.?\s*|number\s+|nr\.?\s*|#\s*)?(?P<it>{LIST})(?!\s*(?:%|pages?\b))",
)
TABLE_ORDINALS = re.compile(rf"\b(?P<it>{ORDINAL_LIST})\s+{_EN_TABLES}")
TABLES_FIRST = re.compile(rf"\b(?:first|top)\s+(?P<it>{CARDINAL})\s+{_EN_TABLES}")
TABLES_LAST = re.compile(rf"\b(?:last|final|bottom)\s+(?P<it>{CARDINAL})\s+{_EN_TABLES}")
TABLES_BACK = re.compile(rf"\b(?P<it>{ORDINAL})(?:\s+(?:to|from(?:\s+the)?)\s+|-to-|-)(?:the\s+)?last\s+{_EN_TABLES}")
TABLE_FINAL = _any(
    rf"\b(?:very\s+last|final|last)\s+{_EN_TABLES}", rf"最后(?:的)?[一那这]?{_HAN_TABLES}|末{_HAN_TABLES}"
)
HAN_TABLES = re.compile(rf"第\s*(?P<it>{han_list(r'(?:个|张|份|幅)(?:表格?)?')})\s*{_HAN_TABLES}")
HAN_TABLES_FIRST = re.compile(rf"(?:前|头)(?:面)?的?\s*(?P<it>{HAN})\s*{_HAN_TABLES}")
HAN_TABLES_LAST = re.compile(rf"(?:最后|后|末尾)(?:面)?的?\s*(?P<it>{HAN})\s*{_HAN_TABLES}")
HAN_TABLES_BACK = re.compile(rf"倒数第\s*(?P<it>{HAN})\s*{_HAN_TABLES}")
HAN_TABLE_NTH = re.compile(rf"表格?的?,?\s*第\s*(?P<it>{HAN})\s*[个张份]")
HAN_TABLE_NUMBERS = re.compile(rf"(?<![图列])表格?\s*(?P<it>{han_list(r'表格?')})(?![年月日号个张页])")

# --- sorts of things ---------------------------------------------------------------------------------------------
CHARTS = _any(
    r"\b(?:(?:bar|line|pie|area|column|scatter|donut|doughnut|radar|bubble)[\s-]*)?(?:charts?|graphs?|plots?)\b",
    r"\bhistograms?\b|\b(?:scatter|bar|line|box)\s*plots?\b|\bfigure(?:s|\s+\d+)?\s+data\b|\bdata\s+(?:of|from|in|"
    r"behind)\s+"
    r"(?:the\s+)?figures?\b",
    r"\b(?:data\s+)?tables?\s+(?:for|of|behind)\s+(?:the|this)\s+(?:(?:bar|pie|line)\s+)?(?:charts?|graphs?|plots?)\b|\bdata\s+points?\b|\b(?:every|each|all\s+the|the|these)\s+(?:bars?|slices?|wedges?|curves?|pie)\b(?!\s*code)|"
    r"\b(?:figure|image|picture|drawing)\s+(?:in)?to\s+(?:numbers|data|values)\b|柱子|扇区|曲线|折线|"
    r"图表|(?:柱状|柱形|条形|饼状|饼|折线|曲线|散点|面积|雷达|直方|统计|走势|趋势|环形)图",
    r"(?:图|图形|图片|图像)\s*\d*\s*(?:中|里|上|内)?的?(?:(?:每一?|各)[个条根项处块]?[^,;.?!的]{0,3}的)?(?:数据|数值|数字)(?:点)?(?!表)",
)
TABLES = _any(
    rf"\b{_EN_TABLES}|\btabular\b|\bspread\s*sheets?\b|\bline[\s-]items?\b|\brows\s+and\s+columns\b",
    r"\bbalance\s+sheets?\b|\bincome\s+statements?\b",
    r"(?<![代发外手列图仪电水钟怀地])表(?!示|明|现|达|面|演|扬|情|述|白|决|单|头|哥|弟|姐|妹|格?(?:中|里|内|上)的?$)格?",
    r"明细(?!表)|成绩单",
)
FORMULAS = _any(
    r"\bformula(?:s|e)?\b|\bequations?\b|\bmath(?:s|ematics)?\b|\blatex\b",
    r"公式|方程式?|数学式|(?<![a-z])latex(?![a-z])",
)
TEXT = _any(
    r"\b(?:(?:full|plain|raw|body|all|running)\s+)*texts?\b|\bocr\b|\btranscri(?:be|ption|pt)\b|\bwording\b|\bwords\b",
    r"\bprose\b|\bparagraphs?\b|\bwhat\s+(?:does|do)\s+(?:it|this|that|they|the\s+\w+)\s+say\b|\bwhat(?:'s|\s+is)\s+written\b",
    r"文字|文本|全文(?![档件])|原文|正文|文稿|段落|写(?:了|的)?(?:些)?(?:什么|啥)|(?<![a-z])(?:ocr|text)(?![a-z])|(?<=[的上里中内把光只要将些])字(?![段号体数典样符面节母条句迹画型])",
)
EVERYTHING = _any(
    r"\beverything\b|\bcontents?\b|\bdata\b|\binformation\b|\binfo\b|\ball\b|\b(?:whole|entire|complete)\s+\w+\b",
    r"\bcomplete(?:ly)?\b|\bfull(?:y)?\b|全[篇书套]|全部|全都|统统|通通|完整|整[份本篇]|所有|一切|整个|整页|内容|数据|信息",
)
KEY_FIELDS = _any(
    r"\b(?:key|main|important)[\s-]+(?:information|info|facts|data\s+points)\b|\b(?:key|main|important|all)[\s-]+(?:fields?|details)\b|\bkey[\s-]+values?"
    r"(?:\s+pairs?)?\b|\bfields\b",
    r"(?:关键|主要|重要|核心)(?:的)?(?:字段|信息|要素)|(?:全部|所有)(?:的)?(?:字段|要素)|字段|键值对?|要素",
)
UNSUPPORTED = _any(
    r"\b(?:translat\w+|explain\w*|paraphras\w+|re-?(?:write|word|phrase)\w*|proof-?read\w*|redact\w*|"
    r"correct\s+the\s+(?:grammar|spelling)|polish)\b",
    r"\b(?:in|into|to)\s+(?:english|chinese|french|german|spanish|japanese|korean|russian|"
    r"your\s+own\s+words)\s*[.?!]*$",
    r"翻译|翻成|译成|译为|解释|改写|润色|扩写|续写|校对|重写|改成(?:英文|中文|英语)|转成(?:英文|英语)",
)
TABLE_UNSUPPORTED = _any(
    rf"\b(?:first|last|top|bottom)\s+(?:{CARDINAL}\s+)?rows?\b|\b{ORDINAL}\s+rows?\b|\brows?\s*(?:no\.?\s*|number\s+|#\s*)?\d{{1,4}}\b",
    r"\b(?:sort|order)(?:ed)?\s+(?:\w+\s+){0,3}by\b|\b(?:ascending|descending)\b|\bgroup(?:ed)?\s+by\b",
    rf"(?:第|前|后|最后|倒数第|末)\s*{HAN}\s*行|(?:首|末|最后一)行|排序|升序|降序|(?:从大到小|从小到大|从高到低|从低到高)",
)
TYPED = re.compile(
    r"\b(?:type|typing|write|writing|copy|copying)\s+(?:\w+\s+)?(?:up|out|down)\b|打出来|敲出来|抄下来|誊写"
)
SEARCHES = re.compile(r"^\W*(?:search|find|look|locate|查找|搜索|搜|检索)")

# --- looking for a phrase ----------------------------------------------------------------------------------------
FIND = (
    re.compile(r"\b(?:find|search(?:\s+for)?|look(?:ing)?\s+(?:for|up)|locate|highlight|grep)\b(?:\s+me\b)?(?P<it>.*)"),
    re.compile(
        r"\bwhere(?:'s\b|\s+(?:is|are|can\s+(?:i|we)\s+(?:find|see)))(?P<it>(?:(?!\b(?:based|headquartered|"
        r"held)\b).)*?)"
        r"(?:\b(?:appears?|occurs?|mentioned|located|stands?|come\s+up|written|stated|defined|discussed|"
        r"described)\b.*)?$"
    ),
    re.compile(
        r"\bwhere\s+(?:was|were|does|do|did)(?P<it>.*?)\b(?:appear|occur|mentioned|stand|come\s+up|show\s+up|"
        r"written|stated|defined)\b.*$"
    ),
    re.compile(
        r"\b(?:which|what)\s+pages?\s+(?:mentions?|has|have|contains?|is|are|says?|includes?|talks?\s+about|"
        r"shows?)(?P<it>.*?)"
        r"(?:\bon\b\s*)?$"
    ),
    re.compile(
        r"\bwhere\s+(?P<it>(?!is\b|are\b|it\b|does\b|do\b).+?)\s+(?:appears?|occurs?|is\s+mentioned|shows?\s+up)\b.*"
    ),
    re.compile(
        r"\bhow\s+(?:many\s+times|often)\s+(?:does|do|is|are)\b(?P<it>.*?)\b(?:appear|occur|mentioned|used|come\s+up)\b.*"
    ),
    re.compile(r"(?P<it>\x00|[^\s,;.?!][^,;.?!]{0,40}?)(?:一共|总共)?出现(?:了|过)?(?:几|多少)次.*"),
    re.compile(r"\b(?:mentions?|occurrences?|instances?|references?)\s+(?:of|to)\b(?P<it>.*)"),
    re.compile(
        r"\b(?:every|each|all|any)\s+(?:the\s+)?(?:places?|spots?|times?|lines?|pages?)\s+(?:(?:where|in\s+which|that|on\s+which)\s+)?"
        r"(?P<it>.+?)\s+(?:appears?|occurs?|shows?\s+up|comes?\s+up|is\s+(?:mentioned|used|found|said))\b.*"
    ),
    re.compile(r"\bctrl\s*\+?\s*f\b(?P<it>.*)"),
    re.compile(
        r"(?:提到|提及|出现|写着|写有|写了|包含|含有|涉及|讲到|说到)(?:了|过|着)?(?P<it>\x00|[^,;.?!]{1,20}?)(?:这.{1,3})?的(?:所有|全部)?(?:地方|位置|段落|句子|条款|部分|文字)"
    ),
    re.compile(
        r"\b(?:is|are)\s+(?:the\s+(?:words?|terms?|phrases?)\s+)(?P<it>.+?)\s+(?:in\s+(?:here|there|it|this|the)\b.*|mentioned|used|present|anywhere)"
    ),
    re.compile(r"\b(?:is|are)\s+(?P<it>[^,;.?!]{1,40}?)\s+(?:mentioned|referred\s+to)\b.*"),
    re.compile(
        r"\bwhere\b.*?\b(?:talks?\s+about|speaks?\s+(?:of|about)|discuss(?:es)?|refers?\s+to|deals?\s+with|say\s+(?:anything|something)\s+about)\b(?P<it>.+)"
    ),
    re.compile(
        r"\b(?:is|are)\s+there\s+(?:anything|something|any|a)(?:\s+(?:mentions?|references?|words?))?\s+(?:about|on|of|to|regarding)\b(?P<it>.+)"
    ),
    re.compile(
        r"(?:提到|提及|出现|写着|写了|讲到|说到)(?:了|过)?(?P<it>\x00|[^,;.?!]{1,20}?)的?是(?:在)?(?:哪一?页|第几页|哪里|哪儿|哪些页)"
    ),
    re.compile(r"(?<!what\s)\bdoes\s+(?:it|this|the)\b.*?\b(?:mention|contain|say|include)\b(?P<it>.*)"),
    re.compile(
        r"(?P<it>[^\s,;.?!][^,;.?!]*?)(?:(?:是|都)?(?:出现|位于)?在(?:文中|文档中|文件中)?(?:的)?(?:哪里|哪儿|哪一?页|第几页|什么地方|什么位置|何处|哪个位置|哪几?[处页]|哪些地方|哪(?=\W*$)))"
    ),
    re.compile(
        r"(?:哪里|哪儿|何处|什么地方|哪几?处|哪[些个](?:地方|位置)|哪几个地方)(?:有)?(?:提及|提到?|出现|包含|提及|写|讲|说|规定|约定)(?:了|过|着|到)?(?P<it>.+)"
    ),
    re.compile(r"(?:哪里|哪儿|何处|什么地方|哪几?处)有(?P<it>\x00)"),
    re.compile(r"哪一?(?:些|几)?页(?:上|里|中)?(?:提到|出现|包含|提及|写|讲|说|有)(?:了|过|着)?(?P<it>.+)"),
    re.compile(r"(?:有没有|是否有?)(?:在.{0,8})?(?:提到|出现|包含|提及|写(?:到|明|有)?|说到|讲到)(?:过|了)?(?P<it>.+)"),
    re.compile(r"有没有(?P<it>\x00|[^,;.?!]{1,8}?)(?:这个词|字样)?\W*$"),
    re.compile(
        r"(?:查找|搜索|搜寻|搜一?[下搜]|查查|找找|标出|圈出|高亮(?:显示)?|寻找|检索|定位|查询|查一?[下查]|找一?下|找一找|找到|找出|(?<![检调抽审])查(?![看验收])|搜|找(?!零|谁))"
        r"(?:一下|出来|出(?!生|具|厂|库|发|口|入)|到)?+(?P<it>(?!来).+)"
    ),
)
PICK_OUT = re.compile(r"找出|找到|\b(?:find|locate|look\s+(?:for|up))\s+(?:me\s+)?(?:the|all|out)\b")
ASKS_PLACE = re.compile(r"\bwhere\b|\bpages?\b|哪里|哪儿|哪一?页|第几页|位置|地方|何处")
QUERY_HEAD = _any(
    r"^(?:\s|[:,.\-])+",
    r"^(?:the|an?|any|all|every|each|for|that|out)\b(?!-)",
    r"^where\s+(?:it|this|they|the\s+\w+)\s+(?:says?|mentions?|states?|reads?)\b",
    r"^(?:words?|phrase|string|term|keyword)\b(?=\s+\S)",
    r"^(?:(?:numbers?|figures?|values?|amounts?)\b(?=\s+\d)|(?:数字|数值|数)(?=\s*\d))",
    r"^(?:words?|phrases?|strings?|terms?|keywords?|texts?|occurrences?(?:\s+of)?)\s*(?=" + QUOTE + ")",
    r"^(?:mentions?|occurrences?|instances?|references?|uses?)\s+(?:of|to)\b",
    r"^(?:bits?|parts?|sections?|clauses?|passages?|places?|paragraphs?|sentences?|lines?)\s+(?:about|on|that\s+(?:mentions?|says?)|mentioning|saying|dealing\s+with|"
    r"where\s+it\s+(?:says|mentions))\b",
    r"^(?:anything|something|whether|if)\s+(?:it\s+(?:says|mentions)\s+)?(?:anything\s+)?(?:about|on|regarding)\b",
    r"^where\s+(?:it|this|they|the\s+\w+)\s+(?:talks?\s+about|speaks?\s+(?:of|about)|discuss(?:es)?|deals?\s+with|refers?\s+to|covers?)\b",
    r"^(?:docs?|documents?|files?|pdf|text|contract|page|report)\s+for\b",
    r"^(?:请|麻烦|帮忙|帮我|给我|替我|我想|看看|看一?下|查查|找找|标出|圈出|高亮(?:显示)?|查一?下|找一?下|写着|提到|提及|出现|涉及|关于)",
    r"^(?:一下|所有的?|全部的?|关键词|关键字|词语|这个词|文中的?|文档中的?|里面的?|其中的?|包含|含有|有关)",
)
QUERY_TAIL = _any(
    r"(?:\s|[?!.,;:])+$",
    r"\b(?:please|thanks|for\s+me|(?:in|on|from|of|within)\s+(?:this|the|my)\s+(?:\w+))$",
    r"\b(?:anywhere|somewhere|at\s+all)$",
    r"(?:的?(?:所有)?(?:位置|地方|字样|段落|条款|句子|这[句段几]话|[这两二三四五几]+个?字|二字)|出现|所在|吗|呢|吧|这个词|一下|谢谢)$",
)

# --- what surrounds a wish without being part of it ---------------------------------------------------------------
_NOUNS_EN = (
    r"(?:documents?|docs?|files?|pdfs?|pages?|images?|pictures?|photos?|scans?|screen\s*shots?|invoices?|receipts?|"
    r"forms?|"
    r"contracts?|slides?|decks?|reports?|letters?|bills?|statements?|certificates?|ppts?|powerpoint|orders?|one)"
)
_NOUNS_HAN = (
    r"(?:文档|文件|档案|图片|图像|图|照片|截图|扫描件|页面|页|发票|收据|小票|单据|票据|表单|合同|协议|幻灯片|报告|证书|名片|身份证|资料|凭证|账单|"
    r"订单|pdf|ppt)"
)
_VERBS_EN = (
    r"(?:extract|get|give|show|tell|pull|read|list|return|output|take|grab|fetch|parse|convert|export|recogni[sz]e|"
    r"capture|scan|analy[sz]e|process|download|copy|turn|save|dump|rip|fill\s+(?:in|out)|transcribe|digiti[sz]e|display|provide|send|collect|"
    r"check)"
)
VERBS_HAN = (
    r"(?:提取|抽取|抓取|摘取|识别|读取|获取|找出|找到|列出|输出|显示|查看|返回|导出|取出|导入|"
    r"解析|分析|读|转换|转成|复制|拿|看|扫描|处理|查询|查|填写|告诉)"
)
FIELD_HEAD = _any(
    r"^(?:\s|[:,.\-?!])+",
    r"^(?:please|pls|kindly|can|could|would|will|may|hi|hello|hey|help|me|us|you|i|we|need|want|wanna|like|to|know|"
    r"the|an?|this|"
    r"that|these|those|all|of|just|only|out|for|it|its|my|and|also|let|then|from|in|on|with|value|values|field|"
    r"fields|data)\b(?!['/])",
    rf"^(?:{_VERBS_EN}|find|look\s+for|search\s+for|locate|identify)\b(?!-)",
    r"^(?:(?:what|who|which|when|how\s+much|how\s+many)(?:'s|\s+(?:is|are|was|were))|whats|what|who)\b",
    rf"^{_NOUNS_EN}(?:'s)?\b(?=\s*(?:$|[:,]))",
    r"^(?:请问?|麻烦|帮忙|帮我|帮|给我|替我|我想要?|我需要|我要|需要|能否|能不能|可以|可否|劳驾|你好|您好|把|将(?!来)|从(?!业)|在(?!职|校|途|建|岗)|只要|只(?!数)|"
    r"要(?![求约点素])|我(?![方司们])|你|您|都|想|知道|一下|出来|出(?![生具厂库发口入险版院票差租价让资纳货境席处产团国])|这一?[个张份页些]|该|本(?![金期月年次息])|此|所有|全部|谁是)",
    rf"^[^,;:\s]{{0,6}}?{_NOUNS_HAN}(?:上面?|里面?|中|内)的",
    rf"^(?:看一?[下看]|{VERBS_HAN}|的|[里中上内]面?的|(?:数据|信息|内容)(?=$|的)|{_NOUNS_HAN}(?:上面?|里面?|中|内)的?|{_NOUNS_HAN}的?$|"
    rf"{_NOUNS_HAN}的(?!号码?$|代码$|编号$))",
)
FIELD_TAIL = _any(
    r"(?:\s|[?!.,;:])+$",
    r"\b(?:please|pls|thanks|thank\s+you|for\s+me|only|out|values?|fields?|as|and|to|into|from|in|on|of|with|it|"
    r"data|is|are|them)$",
    rf"\b(?:(?:from|in|on|of|for)\s+)?(?:the|this|that|these|my|an?|every|each)\s+{_NOUNS_EN}$",
    rf"^{_NOUNS_EN}$",
    r"(?:是|有)?(?:多少钱?|什么时候|什么|谁|哪[家个天里位]?|几号|啥)$|(?:分别|各自?|具体)$|(?:呢|吗|吧|啊|谢谢|给我|出?来|一下|都要|的|信息|内容|数据|的值|是)$",
    rf"(?:{VERBS_HAN})(?:出来|一下)?$",
)
FIELD_SPLIT = re.compile(
    # "B/L No." and "A/C" are one word: a stroke between two single letters parts nothing.
    r"[,;&+\n]|(?<!(?<![a-z0-9])[a-z])/|/(?![a-z](?![a-z0-9]))|(?<=[\u4e00-\u9fff])\.|\b(?:and|plus|as\s+well\s+as|along\s+with)\b|以及|还有|和|与|及|跟|并且"
)
IN_A_TABLE = _any(
    rf"\b(?:in|from|of|inside|within)\s+(?:the\s+|this\s+|that\s+)?{_EN_TABLES}",
    r"(?:这[个张]|该|本)?表格?(?:中|里面?|内|上)的?",
)
HOW_MUCH = _any(r"\bhow\s+much\b", r"多少钱")
WISH = _any(rf"\b{_VERBS_EN}\b|\b{_NOUNS_EN}\b", rf"{VERBS_HAN}|{_NOUNS_HAN}")
