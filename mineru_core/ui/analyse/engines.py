"""Choosing an engine: for new documents, and for reading a document again with another one."""

from __future__ import annotations

from collections.abc import Sequence

import streamlit as st

from mineru_core.engines.facts import EngineFacts
from mineru_core.jobs.model import Job
from mineru_core.ui import services, session
from mineru_core.ui.i18n import Translator
from mineru_core.ui.text import html, label


def engine_title(name: str, t: Translator) -> str:
    """What the reader knows an engine by."""
    return t.or_else(f"engine.{name}.title", name)


def choose_engine(t: Translator) -> None:
    """A small menu of the engines, where there is more than one to choose from; a choice holds for the session."""
    engines = services.engines()
    usable = [engine for engine in engines if engine.usable]
    if len(usable) < 2:
        session.set_engine(None)
        return
    names = [engine.name for engine in usable]
    chosen = session.engine()
    current = chosen if chosen in names else names[0]
    key = f"engine-{t.language}"  # a radio in another language is another one: its labels are its values
    with (
        st.container(key="engine_row", horizontal=True, horizontal_alignment="right"),
        st.popover(t("engine.current", engine=engine_title(current, t)), icon=":material/memory:", type="tertiary"),
    ):
        st.radio(
            t("engine.choose"),
            names,
            index=names.index(current),
            format_func=lambda name: label(engine_title(name, t)),
            captions=[label(about(engine, t), 300) for engine in usable],
            key=key,
            on_change=lambda: session.set_engine(st.session_state[key]),
        )
        missing = [engine for engine in engines if not engine.usable]
        if missing:
            st.html(missing_html(missing, t))


def about(engine: EngineFacts, t: Translator) -> str:
    """One line: what it is good for, its model, the licence of the model."""
    facts = [t.or_else(f"engine.{engine.name}.about", "")]
    if engine.licence and engine.title:
        facts.append(t("engine.licence_of", model=engine.title, licence=engine.licence))
    elif engine.licence:
        facts.append(t("engine.licence", licence=engine.licence))
    return ("" if t.language == "zh" else " ").join(filter(None, facts))


def missing_html(missing: Sequence[EngineFacts], t: Translator) -> str:
    """Engines that cannot be chosen: what each lacks, and the command that gets it."""
    items = "".join(_missing_item(engine, t) for engine in missing)
    return f'<div class="wb-missing-engines"><p>{html(t("engine.missing"))}</p><ul>{items}</ul></div>'


def _missing_item(engine: EngineFacts, t: Translator) -> str:
    lacks = t(f"engine.lacks.{engine.lacks}")
    return (
        f"<li><strong>{html(engine_title(engine.name, t))}</strong> <span>{html(lacks)}</span>"
        f"<code>{html(engine.command)}</code><small>{html(about(engine, t))}</small></li>"
    )


def read_again_menu(job: Job, t: Translator) -> None:
    """The other engines that can read this document again; nothing where there is none."""
    own = job.engine or services.service().analyzers.default.name
    others = [engine for engine in services.engines() if engine.usable and engine.name != own]
    if not others:
        return
    with st.popover(t("again.open"), icon=":material/compare:", type="tertiary"), st.container(gap="small"):
        st.html(f'<p class="wb-quiet">{html(t("again.what"))}</p>')
        for engine in others:
            chosen = st.button(label(engine_title(engine.name, t)), key=f"again-{engine.name}", width="stretch")
            if about(engine, t):
                st.html(f'<p class="wb-quiet">{html(about(engine, t))}</p>')
            if chosen:
                _read_again(job, engine.name)


def _read_again(job: Job, engine: str) -> None:
    done = services.read_again(job, engine, job.owner)
    session.set_problems(done.problems)
    if done.jobs:
        session.compare_with(done.jobs[0])
    st.rerun()
