"""How many documents a browser may hand in: as many as a caller of the HTTP API."""

from __future__ import annotations

from functools import cache

import streamlit as st

from mineru_core.api.limits import SubmissionLimiter
from mineru_core.settings import RateSettings

_FORWARDING = ("Forwarded", "X-Forwarded-For", "X-Real-Ip")


@cache
def _limiter(rate: RateSettings) -> SubmissionLimiter:
    return SubmissionLimiter(rate)


def count_document(owner: str, rate: RateSettings) -> None:
    """Count a document that the owner hands in, or raise ``RateLimited`` and count nothing.

    Whoever sits at the machine itself, and did not come through a proxy, is limited with ``rate.local`` only.
    """
    if rate.local or not _is_at_the_machine():
        _limiter(rate).take(owner)


def _is_at_the_machine() -> bool:
    return st.context.ip_address is None and not any(name in st.context.headers for name in _FORWARDING)
