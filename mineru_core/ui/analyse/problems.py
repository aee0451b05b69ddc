"""What went wrong, said in the reader's language with what to do about it."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil

import streamlit as st

from mineru_core.settings import Settings
from mineru_core.ui import services, session
from mineru_core.ui.i18n import Translator
from mineru_core.ui.services import Problem
from mineru_core.ui.text import label

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


def show_problem(problem: Problem, t: Translator) -> None:
    """One card: which file, what happened, what to do, and when to try again."""
    title = title_of(problem.code, t)
    name = f"{label(problem.name)} — " if problem.name else ""
    lines = [f"**{name}{title}**", hint_of(problem.code, t, services.settings())]
    if problem.retry_after_s:
        lines.append(t("problem.retry", seconds=ceil(problem.retry_after_s)))
    text = "  \n".join([lines[0], " ".join(lines[1:])])
    if problem.code in _BUSY:
        st.warning(text, icon=":material/hourglass_top:")
    else:
        st.error(text, icon=":material/error:")


def show_problems(found: Sequence[Problem], t: Translator) -> None:
    """Cards of the last submission with a button that takes them away."""
    if not found:
        return
    with st.container(key="problems", horizontal=True, vertical_alignment="top", gap="small"):
        with st.container(gap="small"):
            for problem in found:
                show_problem(problem, t)
        st.button(
            t("problem.dismiss"),
            key="dismiss_problems",
            icon=":material/close:",
            on_click=session.set_problems,
            args=((),),
            type="tertiary",
        )
