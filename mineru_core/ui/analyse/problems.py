"""What went wrong, said in the reader's language with what to do about it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import ceil

import streamlit as st

from mineru_core.document.notices import recognised
from mineru_core.intake.pdf import WRONG_PASSWORD
from mineru_core.settings import Settings
from mineru_core.ui import services, session
from mineru_core.ui.i18n import Translator
from mineru_core.ui.services import Problem
from mineru_core.ui.text import label

_KIND = re.compile(r"This is a (.+), which cannot be read\.")
"""What ``intake.sniffing`` says of a kind of file that it knows but cannot read."""

_BUSY = frozenset({"busy", "overloaded", "rate-limited"})


def title_of(code: str, t: Translator, *, of_block: bool = False) -> str:
    """One short sentence for an error code; the general one for a code that is unknown. ``of_block`` where a single
    block of a page failed, which must not read as if the whole page had."""
    title = t.or_else(f"error.{code}.title", t("error.internal.title"))
    return t.or_else(f"error.{code}.block", title) if of_block else title


def hint_of(code: str, t: Translator, settings: Settings) -> str:
    """What to do about it, with the limits of this server filled in."""
    limits = settings.limits
    fields = {
        "megabytes": f"{limits.max_file_bytes / 1e6:.0f}",
        "megapixels": f"{limits.max_page_pixels / 1e6:.0f}",
        "pages": limits.max_pages,
    }
    return t.or_else(f"error.{code}.hint", t("error.internal.hint"), **fields)


def fact_of(problem: Problem, t: Translator) -> str:
    """What the error's message says beyond its code: what a file is that cannot be read, that a password is wrong; ""
    where it says no more."""
    if problem.code == "encrypted-pdf" and problem.message == WRONG_PASSWORD:
        return t("error.encrypted-pdf.wrong")
    found = _KIND.fullmatch(problem.message) if problem.code == "unsupported-type" else None
    if found is None:
        return ""
    return t("error.unsupported-type.is", kind=t.or_else(f"kind.{found[1]}", found[1]))


def notice_of(warning: str, t: Translator) -> str:
    """What an engine warns of, in the reader's language; a sentence that is none of ours as it stands."""
    found = recognised(warning)
    if found is None:
        return warning
    notice, fields = found
    if kind := fields.get("kind"):
        fields["kind"] = t.or_else(f"block.{kind.replace(' ', '_')}", kind)
    return t(f"notice.{notice.name.lower()}", **fields)


def show_problem(problem: Problem, t: Translator) -> None:
    """One card: which file, what happened, what to do, and when to try again."""
    _card(_told(problem, t), busy=problem.code in _BUSY)


def show_problems(found: Sequence[Problem], t: Translator) -> None:
    """What the last submission ran into, with a button that takes it away: one card, in which several files are a
    list. Those that may be sent again as they are have a card of their own."""
    if not found:
        return
    with st.container(key="problems", horizontal=True, vertical_alignment="top", gap="small"):
        with st.container(gap="small"):
            for busy in (False, True):
                own = [problem for problem in found if (problem.code in _BUSY) is busy]
                if own:
                    _card(_told(own[0], t) if len(own) == 1 else list_of(own, t), busy=busy)
        st.button(
            t("problem.dismiss"),
            key="dismiss_problems",
            icon=":material/close:",
            on_click=session.set_problems,
            args=((),),
            type="tertiary",
        )


def list_of(problems: Sequence[Problem], t: Translator) -> str:
    """Several problems as Markdown: those of one kind under one heading, which says what to do about them."""
    kinds: dict[str, list[Problem]] = {}
    for problem in problems:
        kinds.setdefault(problem.code, []).append(problem)
    lines = []
    for code, own in kinds.items():
        lines += [f"**{title_of(code, t)}.** {_advice(own[0], t)}", ""]
        for problem in own:
            fact = fact_of(problem, t)
            lines.append(f"- {label(problem.name)}{f': {label(fact, 120)}' if fact else ''}")
        lines.append("")
    return "\n".join(lines).rstrip()


def _told(problem: Problem, t: Translator) -> str:
    name = f"{label(problem.name)} — " if problem.name else ""
    fact = fact_of(problem, t)
    told = " ".join(filter(None, (label(fact, 120), _advice(problem, t))))
    return f"**{name}{title_of(problem.code, t)}**  \n{told}"


def _advice(problem: Problem, t: Translator) -> str:
    lines = [hint_of(problem.code, t, services.settings())]
    if problem.retry_after_s:
        lines.append(t("problem.retry", seconds=ceil(problem.retry_after_s)))
    return " ".join(lines)


def _card(text: str, *, busy: bool) -> None:
    if busy:
        st.warning(text, icon=":material/hourglass_top:")
    else:
        st.error(text, icon=":material/error:")
