"""Spellings made equal: width, quotes, dashes, spaces, case; with the way back to the text as it stood."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from functools import lru_cache

_LOOKALIKES = {ord(c): "'" for c in "‘’‚‛′`´"} | {ord(c): '"' for c in "“”„‟″«»「」『』《》〈〉"}
_LOOKALIKES |= {ord(c): "-" for c in "‐‑‒–—―−﹣－"} | {ord("。"): ".", ord("、"): ",", ord("•"): "·", ord("〜"): "~"}
_INVISIBLE = re.compile("[\x00-\x08\x0e-\x1b\x7f\u00ad\u200b-\u200f\u2060\ufeff]")
_HAN = re.compile(r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]")

# Traditional characters of the words this package knows; one for one, so that places in the text stay the same.
_PAIRS = """
圖图 發发 號号 碼码 頁页 總总 計计 額额 單单 據据 時时 間间 電电 話话 郵邮 編编 戶户 銀银 賬账 帳账
稅税 購购 買买 賣卖 銷销 價价 擷提 導导 匯汇 這这 個个 張张 幾几 後后 兩两 尋寻 檢检 詢询 轉转 換换
識识 別别 認认 讀读 數数 試试 請请 幫帮 內内 標标 題题 實实 應应 餘余 訂订 貨货 幣币 種种 傳传 聯联
繫系 義义 務务 項项 運运 費费 結结 記记 錄录 條条 線线 對对 較较 區区 變变 動动 處处 納纳 綜综 並并
併并 側侧 紅红 藍蓝 綠绿 黃黄 顏颜 為为 於于 們们 過过 場场 產产 業业 專专 學学 員员 歲岁 長长 門门
問问 關关 開开 來来 兒儿 會会 說说 講讲 論论 錢钱 約约 給给 將将 隻只 僅仅 裝装 顯显 樣样 報报 書书
當当 證证 則则 規规 麗丽 鍵键 詞词 語语 譯译 釋释 潤润 寫写 簽签 誌志 華华 東东 滿满 質质 壞坏 擁拥
態态 狀状 見见 視视 覽览 觀观 終终 經经 級级 組组 織织 連连 遠远 適适 選选 欄栏 資资 層层 濾滤 篩筛
紀纪 筆笔 邊边 歷历 歸归 彙汇 擇择 達达 備备 註注 檔档 點点 該该 裡里 裏里 萬万 億亿 貳贰 參参 陸陆
圓圆 從从 與与 還还 誰谁 麼么 稱称
"""
_TRADITIONAL = {ord(pair[0]): pair[1] for pair in _PAIRS.split()}


def fold(text: str) -> str:
    """The text in half-width letters with plain quotes and dashes and single spaces; case is kept. Idempotent."""
    while True:
        folded = _INVISIBLE.sub("", unicodedata.normalize("NFKC", text).translate(_LOOKALIKES))
        folded = " ".join(folded.split())
        if folded == text:
            return folded
        text = folded


def lowered(text: str) -> str:
    """Lower case and simplified characters, of the same length as ``text``."""
    lower = "".join(low if len(low := c.lower()) == 1 else c for c in text)
    return lower.translate(_TRADITIONAL)


def has_han(text: str) -> bool:
    """Whether a Chinese character is in it."""
    return _HAN.search(text) is not None


def is_han(char: str) -> bool:
    """Whether the character is a Chinese one."""
    return _HAN.match(char) is not None


@dataclass(frozen=True, slots=True)
class Key:
    """A text as it is compared: folded, lower case, without spaces. ``places[i]`` is where ``text[i]`` came from."""

    text: str
    places: tuple[int, ...]

    def source_span(self, start: int, end: int) -> tuple[int, int]:
        """The characters of the source that ``text[start:end]`` came from, end exclusive."""
        return (self.places[start], self.places[end - 1] + 1) if end > start else (0, 0)


def key(text: str) -> Key:
    """What ``text`` is compared by, character by character, so that each keeps its place."""
    letters: list[str] = []
    places: list[int] = []
    for place, char in enumerate(text):
        for letter in _compared(char):
            letters.append(letter)
            places.append(place)
    return Key("".join(letters), tuple(places))


@lru_cache(maxsize=8192)
def _compared(char: str) -> str:
    """What one character is compared by: none, one or several."""
    folded = lowered(unicodedata.normalize("NFKC", char).translate(_LOOKALIKES).casefold())
    return "".join(letter for letter in folded if not letter.isspace() and not _INVISIBLE.match(letter))


def letters(text: str) -> Key:
    """The key of ``text`` with letters, digits and # only: what labels are compared by."""
    whole = key(text)
    kept = [i for i, c in enumerate(whole.text) if c.isalnum() or c == "#"]
    return Key("".join(whole.text[i] for i in kept), tuple(whole.places[i] for i in kept))
