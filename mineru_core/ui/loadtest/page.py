"""The Load test page from top to bottom: what to run, the run on its way, what came of it, the runs there are."""

from __future__ import annotations

from collections.abc import Callable

import streamlit as st

from mineru_core.errors import WorkbenchError
from mineru_core.loadtest.history import MAX_NAME
from mineru_core.loadtest.presets import DEFAULT, PRESETS, preset
from mineru_core.loadtest.switches import SIDE_S, SWITCHES, switch_named
from mineru_core.loadtest.turn import is_under_way
from mineru_core.ui import admins, services, session
from mineru_core.ui.analyse.problems import show_problem
from mineru_core.ui.components.address import watch_address
from mineru_core.ui.components.connection import watch_connection
from mineru_core.ui.i18n import Translator
from mineru_core.ui.loadtest.courses import show_course
from mineru_core.ui.loadtest.results import follow, kept_runs, show_compared, show_result, show_runs, show_switched
from mineru_core.ui.loadtest.running import Bench, Where, bench
from mineru_core.ui.loadtest.tables import show_tiles
from mineru_core.ui.services import Problem
from mineru_core.ui.text import html

_STOP_S = 3.0
"""How long a press of Stop waits for the end, seconds: mostly it is there by then."""
_KINDS = ("scenario", "switch")
_MOST_REPEATS = 10

Start = Callable[[str], None]
"""Starts what the fields say, to be kept under a name ("": the usual one). Raises ``WorkbenchError``."""


def render() -> None:
    """Draw the page for this session."""
    t = session.translator()
    services.attend(session.owner())  # whoever came from a document that is being read still waits for it
    st.html(
        f"<a class='wb-nav' href='./{html(session.language_address())}' target='_self'>← {html(t('load.back'))}</a>"
        f"<div class='wb-head'><h2>{html(t('load.title'))}</h2></div><p class='wb-quiet'>{html(t('load.line'))}</p>"
    )
    if admins.is_admin():
        _show(t)
    else:
        admins.sign_in(t)
    watch_address(None)  # tells screen readers and fonts the page's language
    watch_connection(t)


def _show(t: Translator) -> None:
    the_bench = bench()
    with st.container(key="load_controls", border=True):
        _controls(the_bench, t)
    with st.container(key="load_live"):
        _state(the_bench, t)
    kept = kept_runs()
    runs = kept.summaries()
    follow(the_bench.ended, runs)
    with st.container(key="load_switched"):
        show_switched(kept, the_bench.ended, t)
    with st.container(key="load_last"):
        show_result(kept, runs, t)
    with st.container(key="load_runs"):
        show_compared(kept, runs, t)
        show_runs(runs, t)


def _controls(the_bench: Bench, t: Translator) -> None:
    busy = the_bench.is_running
    kind = st.segmented_control(
        t("load.kind"),
        _KINDS,
        default=_KINDS[0],
        required=True,
        format_func=lambda one: t(f"load_kind.{one}"),
        key="load_kind",
        disabled=busy,
        label_visibility="collapsed",
    )
    fields = _switch_fields if kind == "switch" else _scenario_fields
    start = fields(the_bench, busy, t)
    with st.container(horizontal=True, vertical_alignment="bottom", key="load_buttons"):
        called = st.text_input(
            t("load.name"), max_chars=MAX_NAME, key="load_name", disabled=busy, placeholder=t("load.name_hint")
        )
        if st.button(t("load.start"), type="primary", icon=":material/play_arrow:", disabled=busy, key="load_start"):
            _start(start, called, t)
        if st.button(
            t("load.stop"), icon=":material/stop:", disabled=not busy or the_bench.is_stopping, key="load_stop"
        ):
            the_bench.stop()
            the_bench.wait(_STOP_S)
            st.rerun()


def _scenario_fields(the_bench: Bench, busy: bool, t: Translator) -> Start:
    left, middle, right = st.columns([5, 2, 4])
    name = left.selectbox(
        t("load.preset"),
        list(PRESETS),
        index=list(PRESETS).index(DEFAULT),
        format_func=lambda key: t(f"load_preset.{key}"),
        key="load_preset",
        disabled=busy,
    )
    most = int(services.settings().loadtest.max_seconds)
    usual = min(most, int(PRESETS[name].seconds))
    seconds = middle.number_input(t("load.seconds"), 1, most, usual, key=f"load_seconds_{name}", disabled=busy)
    where = right.segmented_control(
        t("load.where"),
        list(Where),
        default=Where.OWN,
        required=True,
        format_func=lambda one: t(f"load_where.{one}"),
        key="load_where",
        disabled=busy,
    )

    def start(called: str) -> None:
        the_bench.start(preset(name, float(seconds)), Where(where or Where.OWN), called, services.settings())

    return start


def _switch_fields(the_bench: Bench, busy: bool, t: Translator) -> Start:
    left, middle, right = st.columns([5, 2, 2])
    name = left.selectbox(
        t("load.switch"),
        list(SWITCHES),
        index=list(SWITCHES).index("all"),
        format_func=lambda key: t(f"load_switch.{key}"),
        key="load_switch",
        disabled=busy,
    )
    most = int(services.settings().loadtest.max_seconds)
    seconds = middle.number_input(
        t("load.side_seconds"), 1, most, min(most, int(SIDE_S)), key="load_side_seconds", disabled=busy
    )
    repeats = right.number_input(
        t("load.repeats"), 1, _MOST_REPEATS, 1, key="load_repeats", help=t("load.repeats_help"), disabled=busy
    )

    def start(called: str) -> None:
        the_bench.start_switched(switch_named(name), float(seconds), int(repeats), called, services.settings())

    return start


def _start(start: Start, called: str, t: Translator) -> None:
    try:
        start(called)
    except WorkbenchError as error:
        _say(Problem.of("", error), t)
    else:
        st.rerun()


def _state(the_bench: Bench, t: Translator) -> None:
    """What runs, or why the last one did not."""
    if the_bench.is_running:
        st.fragment(_live, run_every=1.0)(t)
    elif the_bench.problem is not None:
        _say(the_bench.problem, t)
    elif the_bench.was_cancelled:
        st.info(t("load.cancelled"), icon=":material/stop:")
    elif is_under_way(services.settings()):
        st.info(t("load.elsewhere"), icon=":material/terminal:")


def _say(problem: Problem, t: Translator) -> None:
    """A problem in the words of this page, where it has some."""
    key = f"load_problem.{problem.code}"
    if t.has(key):
        limits = services.settings().loadtest
        st.error(t(key, seconds=f"{limits.max_seconds:g}", rate=f"{limits.max_rate_per_s:g}"), icon=":material/error:")
    else:
        show_problem(problem, t)


def _live(t: Translator) -> None:
    """The numbers as they move; the whole page once it has ended."""
    the_bench = bench()
    if not the_bench.is_running:
        st.rerun()
    step, progress = the_bench.step, the_bench.progress
    side = "" if step is None else t(f"load_side.{step.side}", number=step.number, of=step.of)
    if the_bench.is_stopping:
        st.info(t("load.stopping"), icon=":material/hourglass_top:")
    elif progress is None or progress.figures is None:
        st.info(t("load.starting"), icon=":material/hourglass_top:")
    if progress is not None and progress.figures is not None:
        phase = t(f"load_phase.{progress.phase.replace('-', '_')}", seconds=round(progress.at_s))
        st.markdown(" · ".join(filter(None, (f"**{side}**" if side else "", phase))))
        show_tiles(progress.figures.flat(), t)
        samples = progress.samples
        course: dict[str, list[float | None]] = {
            t("load.cpu"): [sample.cpu for sample in samples],
            t("load.queue"): [sample.queue_fraction for sample in samples],
        }
        show_course([sample.at_s for sample in samples], course, t, height=220, title=t("load.course"))
