from __future__ import annotations

import random
from pathlib import Path

import pytest

from mineru_core import open_document
from mineru_core.errors import InvalidRequest
from mineru_core.loadtest.exchange import BOUNDARY, error_of, is_right, multipart, retry_after, state_of, timings_of
from mineru_core.loadtest.presets import PRESETS
from mineru_core.loadtest.scenario import Documents, Kind
from mineru_core.loadtest.supply import Drawn, Request, Supply, documents_for, draw

SMALL = Documents(kinds=(Kind.TABLE,), most=3)


@pytest.mark.parametrize("kind", list(Kind))
def test_what_is_drawn_can_be_opened_and_differs(kind: Kind) -> None:
    rng = random.Random(1)
    one, other = draw(kind, rng, 0), draw(kind, rng, 1)
    assert one.data != other.data
    assert len(one.expected) == 8
    with open_document(one.data, name=one.name) as document:
        assert document.page(1).width >= 700


def test_each_counts_as_new_once_and_a_refused_one_stays_new() -> None:
    supply = Supply(SMALL, random.Random(1))
    supply.prepare(10)
    assert len(supply.fresh) == 3
    first = supply.next()
    supply.refused(first)
    seen = [supply.next() for _ in range(3)]
    assert first.document in [request.document for request in seen]
    assert supply.rounds == 0
    for request in seen:
        supply.answered(request)
    assert supply.next().document is seen[0].document
    assert supply.rounds == 1


def test_shares_of_repeats_and_new_questions() -> None:
    plan = SMALL.model_copy(update={"repeat_share": 0.3, "question_share": 0.2, "new_words": "sum"})
    supply = Supply(plan, random.Random(1))
    supply.prepare(3)
    asked = []
    for _ in range(600):
        request = supply.next()
        supply.answered(request)
        asked.append((request.asked, request.words))
    assert asked[0][0] == "new"
    assert asked.count(("repeat", "")) == pytest.approx(180, rel=0.25)
    assert asked.count(("question", "sum")) == pytest.approx(120, rel=0.25)


def test_a_folder(tmp_path: Path) -> None:
    plan = Documents(folder=tmp_path)
    with pytest.raises(InvalidRequest):
        Supply(plan, random.Random(1)).prepare(1)
    (tmp_path / "a.png").write_bytes(b"x")
    supply = Supply(plan, random.Random(1))
    supply.prepare(1)
    assert supply.next() == Request(Drawn("a.png", "png", b"x"), "", "new")


def test_the_form_keeps_names_in_their_place() -> None:
    body = multipart(Request(Drawn('a"\r\nX: 1.png', "png", b"\0\r\n"), "提取", "new"), asynchronous=True)
    assert b'filename="a___X: 1.png"\r\n\r\n\0\r\n\r\n--' in body
    assert "提取".encode() in body
    assert body.count(BOUNDARY.encode()) == 4


def test_what_answers_say() -> None:
    good = b'{"analysis":{"failures":[]},"words":"alpha beta","timings":{"read":1.5,"x":"y"}}'
    assert is_right(good, (b"alpha", b"gamma"))
    assert not is_right(good, (b"alpha", b"gamma", b"delta"))
    assert not is_right(b'{"before":{"failures":[]},"analysis":{"failures":[{"page":1}]}}', ())
    assert timings_of(good) == {"read": 1.5}
    assert timings_of(b"") == timings_of(b'{"timings":{x}') == {}
    assert error_of(b'{"code":"overloaded","queue_fraction":0.9}', 429) == ("overloaded", 0.9)
    assert error_of(b"[]", 429) == ("overloaded", None)
    assert error_of(b"<html>", 502) == ("http-502", None)
    assert state_of(b'{"state":"failed","error":{"code":"no-pages"}}') == ("failed", "no-pages")
    assert state_of(b'{"state":"expired","error":null}') == ("expired", "expired")
    assert state_of(b"?") == ("unknown", "unknown")
    assert [retry_after(h) for h in (None, {}, {"retry-after": "3"}, {"retry-after": "Mon"})] == [0, 0, 3, 0]


def test_no_more_is_made_ready_than_is_read_or_than_comes() -> None:
    quick, office, ramp = (PRESETS[name] for name in ("quick", "office", "ramp"))
    assert documents_for(quick, 1.0) == 13 + quick.in_flight
    assert documents_for(quick, 40.0) == documents_for(quick, 2.0) == 26 + quick.in_flight
    assert documents_for(office, 1.0) == 156 + 20
    assert documents_for(ramp, 10.0) == 1560 + ramp.in_flight


def test_whoever_stops_does_not_wait_for_what_is_drawn() -> None:
    supply = Supply(Documents(kinds=(Kind.TABLE,)), random.Random(1))
    supply.prepare(100, lambda: supply.made >= 2)
    assert supply.made == 2
