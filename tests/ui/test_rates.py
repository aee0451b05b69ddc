"""How many documents a browser may hand in."""

from __future__ import annotations

from collections.abc import Iterator
from types import SimpleNamespace

import pytest
import streamlit as st

from mineru_core.errors import RateLimited
from mineru_core.settings import RateSettings
from mineru_core.ui import rates, services
from mineru_core.ui.services import Upload
from tests.documents import table_pdf

TWO = RateSettings(burst=2)


@pytest.fixture(autouse=True)
def _counted_from_nothing() -> Iterator[None]:
    rates._limiter.cache_clear()
    yield
    rates._limiter.cache_clear()


def visit(monkeypatch: pytest.MonkeyPatch, address: str | None, **headers: str) -> None:
    given = {name.replace("_", "-"): value for name, value in headers.items()}
    monkeypatch.setattr(st, "context", SimpleNamespace(ip_address=address, headers=given))


def test_each_owner_has_its_own_count(monkeypatch: pytest.MonkeyPatch) -> None:
    visit(monkeypatch, "203.0.113.9")
    for owner in ("ann", "ben"):
        for _ in range(2):
            rates.count_document(owner, TWO)
        with pytest.raises(RateLimited) as refused:
            rates.count_document(owner, TWO)
        assert refused.value.retry_after_s is not None
        assert 0 < refused.value.retry_after_s <= 60


@pytest.mark.parametrize("header", ["Forwarded", "X_Forwarded_For", "X_Real_Ip"])
def test_at_the_machine_itself_nobody_is_counted_unless_it_is_set(monkeypatch: pytest.MonkeyPatch, header: str) -> None:
    visit(monkeypatch, None)
    for _ in range(5):
        rates.count_document("ann", TWO)
    visit(monkeypatch, None, **{header: "127.0.0.1"})  # a proxy on the machine stands for anybody
    rates.count_document("ann", TWO)
    visit(monkeypatch, None)
    local = RateSettings(burst=1, local=True)
    rates.count_document("ann", local)
    with pytest.raises(RateLimited):
        rates.count_document("ann", local)


@pytest.mark.usefixtures("workbench")
def test_files_beyond_the_limit_are_told_and_the_others_taken(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINERU_WORKBENCH_RATE__BURST", "2")
    services.settings.cache_clear()
    visit(monkeypatch, "203.0.113.9")
    files = [Upload(f"{n}.pdf", table_pdf()) for n in range(3)]
    found = services.submit(files, "all text", "ann")
    assert len(found.jobs) == 2
    ((name, code),) = [(problem.name, problem.code) for problem in found.problems]
    assert (name, code) == ("2.pdf", "rate-limited")
    assert found.problems[0].retry_after_s
    metrics = services.service().analyzer.metrics.render()[0].decode()
    assert 'mineru_workbench_refusals_total{reason="rate"} 1.0' in metrics
