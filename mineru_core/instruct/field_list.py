"""The names of fields that a wish lists, out of what is left of its words."""

from __future__ import annotations

import re

from mineru_core.instruct import vocabulary as v
from mineru_core.instruct.field_names import is_known_field
from mineru_core.instruct.names import trim
from mineru_core.instruct.normalize import has_han
from mineru_core.instruct.reader import QUOTE, Reader

_MOST_WORDS, _MOST_HAN = 5, 14  # a longer phrase is a sentence, not the name of a field

_PARTICLES = r"(?:\s+(?:me|us|out|off|down|up|over|through|in|for\s+(?:me|us)|just|only|the|both|all|of|and)\b(?!-))*"
_TAKE_WORDS = re.findall(
    r"\w+",
    "extract get give show tell pull read list return take grab fetch capture copy provide send collect find pick note "
    "jot write type key lift retrieve gather put enter record log dig spell identify isolate compile supply report "
    "transfer look check have know see let save fish single bring share confirm locate output draw parse dump digitise",
)
_TAKE_EN = f"(?:{'|'.join(f'{w[:-1]}(?:es?|ing)' if w[-1] == 'e' else f'{w}(?:s|t?ing)?' for w in _TAKE_WORDS)})(?!-)"
_LEAD_EN = (
    rf"^.*\b(?:can|could|would|will|may|might)\s+(?:you|i|we|u|someone|anyone)\b(?:\s+(?:please|kindly|just|also|quickly|possibly|mind|help|me|to|be\s+so\s+kind\s+as\s+to|have))*"
    rf"(?:\s+{_TAKE_EN}\b{_PARTICLES})?|"
    r"^.*\b(?:i|we|you|he|she|they|boss|manager|client|customer|accounting|accountant|team|finance|office)(?:'d|'m|'re|'ve)?\s+(?:(?:just|only|really|also|still|now|would|will|do|am|are|is|have|has)\s+)*"
    rf"(?:needs?|wants?|likes?|requires?|asked\s+for|asks?\s+for|after|looking\s+for|interested\s+in|care\s+about|wondering(?:\s+about)?|got)\b(?:\s+to\s+{_TAKE_EN}\b)?{_PARTICLES}|"
    rf"^(?:(?:please|kindly|just|to|then|and)\s+)*{_TAKE_EN}(?:\s+(?:me|us|out|off|down|up|over))+\b{_PARTICLES}|"
    r"^(?:put|supply|provide|send|fetch|fill\s+in|enter)\b(?!-)|^.*\b(?:is|are|was|were)\s+(?:asking\s+(?:me\s+|us\s+)?for|after|requesting|interested\s+in|looking\s+for)\b|"
    r"^(?:need(?:ed|s)?|wanted|required|looking\s+for|after)\b\s*:?|"
    r"^(?:what|which)(?:'s|\s+(?:is|are|was|were))\b|"
    r"^(?:(?:as\s+well\s+as|plus|then|also|both)\b)|"
    r"^(?:waybill|ticket|label|passport|id\s+card|licen[cs]e|card|quote|delivery\s+note|payslip|memo|certificate|policy|manifest|packing\s+list)'s\b"
)
_LEAD_HAN = (
    r"^.*(?:把|[让叫要]我)(?!手)|^.*?(?:上|里|中|内|当中)面?的|^从?[^,]{1,10}(?:上|里|中|内)面?(?=提取|抽取|摘|抄|找|读|获取|识别|抓|取)|^[^,]{0,4}[单证票表书卡册本函盒签箱瓶袋牌纸条板屏](?:上|里|中)面?\s*(?=\S)|^(?:客户|老板|领导|财务|公司|经理|同事|对方|银行|我们?|你|您|他们?|她|咱们?)(?:只|就|还|也|都)?(?:要(?!求)|需要|想要|想看|想知道|让|得有|急需)|"
    r"^[^,的]{0,4}(?:报告|合同|协议|发票|证书|通知书|申请表|登记表|说明书)的(?=[^,]{2})(?!号码?$|代码$|编号$|名称$|日期$|金额$)|"
    r"^[^,]{0,6}(?:公司|部门?|财务|会计|银行|单位|学校|医院|经理|主管|老师|机构|政府|税务局)(?:那边|这边|里)?(?:要(?!求)|需要|让我?)(?:填|交|报|提供)?|^(?:有劳|烦请|劳烦|劳驾)|^提供(?!者|商|人|方)|"
    r"^(?:得|还得|要)?(?:填写?|录入?|登记)(?=[^写入人表日时单编员项一下好]{2})|^(?:摘录|摘抄|抄录)|^登记(?![号证表人地日时机])|^(?:取|调|导|标)(?:一下|下)|^(?:录入?|抄|摘|抠|弄|整理|汇总|登记|收集|抓取?|核对|查|找|看|记|读|列|填|写|挑|采集|统计)(?:录|写)?(?:一下|下|出来?|好)(?!单|料|生|具|厂|库|发(?!票|货人|货方|件人))|"
    r"^(?:帮忙|顺便|另外|然后|还要|以及|加上|再|也|并|同时|主要是?|就是|光要?|单要|就要)"
)
_VERB_HAN = (
    r"(?:整理|汇总|复制|抓取|摘录|摘抄|抄录|抄写|录入|登记|提取|抽取|识别|采集|收集|统计|核对|挑选|截取|输入|导入|填写|填入|写入|誊抄|标注|罗列|归纳|"
    r"[摘抠弄抄扒抓拎挑列录敲打读填写导取拿拉捞找提选整记转搞贴采抽查看核发报给说念认])"
)
_TAIL_HAN = (
    rf"(?:都|全|统统|各|一起|也|一并|分别|逐一|单独)?(?:麻烦|请|烦请)?(?:您|你)?(?:给我|帮我|替我|给老板|给大家|帮忙)?(?:都|全|统统|一起|一并|分别|单独)?{_VERB_HAN}(?:出来|下来|一下|给我|给我看看?|一遍|一份|好|[到进入][^,]{{0,8}}|成[^,]{{1,6}}|下)(?:给我|发我)?(?:吧|呗|哈|呢|哦|啊|了|嘛|去|来)*$|"
    rf"(?:都|全|各)?(?:给我|帮我|替我|帮忙)(?:都|全)?(?:{_VERB_HAN}(?:出来?|下来?|一下|好)?)?(?:吧|呗|哈|呢|哦|啊|嘛|看看?)*$|"
    r"(?:都|全)?(?:要|需要|提取|发我|发给我)(?:一下|的)?(?:吧|呗|哈)*$|(?:这|那|以上|上述)[一两二三四五六七八九几些\d]*(?:个|项|样|条|种)?(?:信息|内容|字段|数据|东西|栏)?(?:都)?$|"
    r"(?:等)(?:信息|内容|字段|数据)?$|(?:分别|各)?(?:是|有)?(?:什么|啥|多少|谁|哪些)(?:呀|啊|呢)?$|(?:吧|呗|哈|嘛|啦|哦|呀)$"
)
_TAIL_EN = (
    r"\s+(?:off|from|on|in|out\s+of|at)\s+(?:(?:the|this|that|my|our|your|these|those|each|any|an?|it|here|there|attached|page)\b(?:[\s'-]+[\w]+){0,4})$|\s+(?:from|off)\s+\w+$|"
    r"\s+(?:too|each|separately|please|pls|if\s+possible|as\s+well|for\s+(?:me|us)|to\s+(?:me|us)|only|wanted|needed)$"
)
_HEAD = re.compile(f"{_LEAD_EN}|{_LEAD_HAN}|{v.FIELD_HEAD.pattern}")
_TAIL = re.compile(f"{_TAIL_HAN}|{_TAIL_EN}|{v.FIELD_TAIL.pattern}")
_OF_A_PERSON = re.compile(
    r"(?:student|pupil|child|patient|employee|applicant|candidate|holder|cardholder|member|passenger|traveller|guest|"
    r"resident|insured|deceased|donor|worker|trainee)(?:'s|s')\s+(?P<it>\S+\s+\S.*)",
    re.IGNORECASE,
)
"""Whose field it is, where a document is about one person: "the student's date of birth" is labelled Date of birth. The
seller's and the buyer's are two, and a bare "patient's name" is what its label says."""
_SPLIT = re.compile(rf"{v.FIELD_SPLIT.pattern}|\s-\s|(?<=\x00)\s*(?=\x00)|(?<=[a-z]{{4}})\.(?=\s)")

_INTRODUCES = re.compile(
    r"\b(?:following|these|those|fields?|details?|things?|items?|info(?:rmation)?|need|needs|want|wanted|required|extract|get|give|list|pull|data|values?|please|pls|form|looking\s+for)\b|"
    r"如下|以下|下面|下列|这些|这几|几[个项样]|[两二三四五六七八九十\d][个项样]|字段|信息|内容|需要|只?要|提取|抽取|摘|抄|录|一下|给我|帮我|填|列出|识别|整理"
)
_NO_NAME_EN = re.compile(
    r"\b(?:i|i'm|i'd|i've|i'll|we|we're|you|he|she|they|me|us|my|our|your|it|it's|its|them|is|are|was|were|am|be|been|do|don't|does|did|have|has|had|can|could|"
    r"would|will|should|want|wants|need|needs|please|thanks|hi|hello|hey|there|here|this|that|these|those|which|who|whatever|whatever's|everything|anything|nothing|something|"
    r"stuff|thing|things|entire|extraction|because|so|if|when|while|just|really|putting|filling|doing|making|working|trying|going|got|getting|contained|following|else|rest|everyone|"
    r"cancel|see|tell|give)\b|\b(?:the|an?)$"
)
_PLACE_EN = re.compile(
    r"(?:from|off|on|in|at|out\s+of|for|within|with)\s+(?:the|this|that|my|our|your|these|each|a|an)(?:\s+[\w'-]+){1,3}|"
    r"(?:the\s+)?(?:fields?|details|values|following|things|items|data)(?:\s+\w+)?"
)
_PLACE_AFTER_EN = re.compile(
    r"(?<!\bread)(?<!\bpull)(?<!\btake)(?<!\bcopy)(?<!\blift)(?<!\bfill)(?<!\bget)(?<!\bput)\s(?:from|off|out\s+of|on|in)\s+(?:the|this|that|my|our|your|these|each|attached)(?:\s+[\w'-]+){1,4}[\s.?!]*$|"
    r"\s(?:of|for)\s+(?:this|that|our|my|your|these)(?:\s+[\w'-]+){1,3}[\s.?!]*$"
)
_OF_MYSELF = re.compile(r"(?:我们?|本人|咱们?)(?:正?在|正|刚|手[上头]|这边?有)[^把的]*")
_NO_NAME_HAN = re.compile(
    r"^(?:我(?![司方])|我们|你|您|他(?!项|行)|她|咱|它|这|那|哪|请|帮|老板|领导|什么|怎么)|[都也就还]?(?:不用|不要|不需要|别漏)|(?:出来|下来|起来|一下|一遍|遗漏|给我|帮我|可以了|可编辑|数字化|全部|所有|统统|通通|全都|东西|一切|完整|整份|整个|从头|成为|[变弄读转换做化导改]成)|"
    r"[吗呢吧呗啊嘛了都]$|^(?:登记|报销|录入|做账|存档|备案|核对|填表|办理|归档|建档|入库|电子版|随便|里头|里边|上头|内容|扫描件|件|图|文|资料|信息|数据|转|识别)$|^(?:这|那)|让我|(?:内容|资料)都|有(?:一?[张份个]|什么|没有)"
)
_NOUN_HAN = re.compile(
    r"(?:号码?|编号|代码|名称?|姓名|日期?|时间|金额|[总单]?[价额费税款]|率|人|方|地址|住址|电话|手机|邮箱|数量?|件数|量|期限?|单位|型号|规格|类型|性别|民族|职务|职位|等级|状态|结果|抬头|账户|账号|"
    r"银行|机关|机构|部门|公司|重量?|毛重|净重|体积|条款|方式|原因|诊断|医院|科室|年龄|病史|过敏史|学历|学校|专业|品牌|颜色|产地|备注|说明|签名|盖章|电压|功率|尺寸|材质|批次|批号|次数|用途|密码|币种|余额|利息|总计|合计|小计)$"
)


def take_preamble(reader: Reader) -> None:
    """Blank what introduces a list before a colon or a dash: "I need the following: …", "帮我摘一下：…"."""
    handed = re.search(r"把(?![手它这他])(?=.*(?:,|和|与|跟|及))", reader.text)
    if handed is not None and not any(
        is_known_field(one) for one in v.FIELD_SPLIT.split(reader.text[: handed.start()])
    ):
        reader.blank(0, handed.end())
    mark = re.search(r":(?!\d)|\s-\s(?=\S)", reader.text)
    if mark is None or not reader.text[mark.end() :].strip(" ,.?!"):
        return
    before = reader.text[: mark.start()]
    if QUOTE in before or is_known_field(reader.original(0, mark.start())):
        return
    if _INTRODUCES.search(before) or (not v.FIELD_SPLIT.search(before.strip(" ,.!")) and mark.group().startswith(":")):
        reader.blank(0, mark.end())


def list_fields(reader: Reader) -> tuple[str, ...]:
    """The names of fields in what is left, as the user wrote them; () where it does not look like names.

    What stands in the list without looking like a name (a place, a reason, a word of politeness) is left out.
    """
    text = reader.text
    found: list[str] = []
    odd = False
    start = 0
    for end in [*(m.span() for m in _SPLIT.finditer(text)), (len(text), len(text))]:
        piece = text[start : end[0]].strip(" .?!")
        if _PLACE_EN.fullmatch(piece) or _OF_MYSELF.fullmatch(piece):
            start = end[1]
            continue
        place = _PLACE_AFTER_EN.search(text, start, end[0])
        first, last = trim(text, start, place.start() if place else end[0], _HEAD, _TAIL)
        start = end[1]
        if first >= last or v.EVERYTHING.fullmatch(text[first:last]):
            continue
        name = reader.name(first, last)
        whose = _OF_A_PERSON.fullmatch(name)
        names = _apart(whose["it"] if whose is not None and not is_known_field(name) else name)
        if all(is_known_field(one) for one in names) or all(may_be_a_name(one) for one in names):
            found.extend(names)
        else:
            odd = True
    known = [name for name in found if is_known_field(name)]
    if odd and not known and len(found) < 2:
        return ()
    return tuple(dict.fromkeys(found))


def is_list(reader: Reader, fields: tuple[str, ...]) -> bool:
    """Whether at least two fields are named and nothing but separators could part them."""
    return len(fields) > 1 and _SPLIT.search(reader.text.strip()) is not None


def fields_in_a_table(reader: Reader) -> tuple[str, ...]:
    """Fields of "the total in the table": the table only says where, if all that is left are known fields."""
    context = v.IN_A_TABLE.search(reader.text)
    if context is None:
        return ()
    kept = reader.text
    reader.blank(*context.span())
    fields = list_fields(reader)
    if fields and all(is_known_field(f) for f in fields):
        return fields
    reader.text = kept
    return ()


def _apart(name: str) -> list[str]:
    """Names that nothing but a space parts, one by one."""
    if is_known_field(name) or " " not in name:
        return [name]
    words = name.split()
    if has_han(name):
        fit = all(is_known_field(one) or _NOUN_HAN.search(one) for one in words)
        return words if fit and all(has_han(one) and len(one) <= 8 for one in words) else [name]
    found: list[str] = []
    while words:
        count = next((n for n in range(min(4, len(words)), 0, -1) if is_known_field(" ".join(words[:n]))), 0)
        if not count:
            return [name]
        found.append(" ".join(words[:count]))
        words = words[count:]
    return found if len(found) > 2 else [name]


def may_be_a_name(name: str) -> bool:
    """Whether it looks like the name of something: short, with letters, without a pronoun or a verb of wishing."""
    if not re.search(r"[^\W\d_]", name):
        return False
    low = name.lower()
    if has_han(name):
        return 2 <= len(name) <= _MOST_HAN and _NO_NAME_HAN.search(low) is None
    if len(name.split()) > _MOST_WORDS or len(name) > 60:
        return False
    return _NO_NAME_EN.search(low) is None and _PLACE_EN.fullmatch(low) is None
