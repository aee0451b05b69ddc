"""The Load test page from top to bottom."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pandas as pd
import streamlit as st

from mineru_core.errors import WorkbenchError
from mineru_core.loadtest.advice import advise
from mineru_core.loadtest.comparison import Row, compare
from mineru_core.loadtest.history import MAX_NAME, History
from mineru_core.loadtest.presets import DEFAULT, PRESETS, preset
from mineru_core.loadtest.report import to_csv, to_html
from mineru_core.loadtest.run import Run
from mineru_core.loadtest.runner import Progress
from mineru_core.ui import services, session
from mineru_core.ui.analyse.problems import show_problem
from mineru_core.ui.i18n import Translator
from mineru_core.ui.loadtest.running import Bench, Where, bench
from mineru_core.ui.services import Problem
from mineru_core.ui.text import html, label

_STOP_S = 3.0
"""How long a press of Stop waits for the end, seconds: mostly it is there by then."""
_TILES = ("answers", "errors", "refused", "throughput", "goodput", "capacity", "p50_s", "p95_s", "p99_s")
_WHOLE = frozenset({"answers", "errors", "refused"})


def render() -> None:
    """Draw the page for this session."""
    t, the_bench = session.translator(), bench()
    st.html(
        f"<div class='wb-head'><h2>{html(t('load.title'))}</h2></div><p class='wb-quiet'>{html(t('load.line'))}</p>"
    )
    with st.container(key="load_controls"):
        _controls(the_bench, t)
    with st.container(key="load_live"):
        if the_bench.is_running:
            st.fragment(_live, run_every=1.0)(t)
        elif the_bench.problem is not None:
            show_problem(the_bench.problem, t)
    history = History(services.settings())
    runs = history.all()
    with st.container(key="load_last"):
        last = next((run for run in runs if run.id == the_bench.last_run), None)
        if last is not None:
            _show_run(last, t)
    with st.container(key="load_runs"):
        _show_runs(runs, t)


def _controls(the_bench: Bench, t: Translator) -> None:
    left, middle, right = st.columns([2, 1, 2])
    busy = the_bench.is_running
    name = left.selectbox(
        t("load.preset"),
        list(PRESETS),
        index=list(PRESETS).index(DEFAULT),
        format_func=lambda key: t(f"load_preset.{key}"),
        key="load_preset",
        disabled=busy,
    )
    chosen = PRESETS[name]
    most = int(services.settings().loadtest.max_seconds)
    seconds = middle.number_input(
        t("load.seconds"), 1, most, min(most, int(chosen.seconds)), key=f"load_seconds_{name}", disabled=busy
    )
    where = right.segmented_control(
        t("load.where"),
        list(Where),
        default=Where.OWN,
        required=True,
        format_func=lambda one: t(f"load_where.{one}"),
        key="load_where",
        disabled=busy,
    )
    called = st.text_input(t("load.name"), max_chars=MAX_NAME, key="load_name", disabled=busy)
    with st.container(horizontal=True):
        if st.button(t("load.start"), type="primary", disabled=busy, key="load_start"):
            _start(the_bench, name, float(seconds), Where(where or Where.OWN), called)
        if st.button(t("load.stop"), disabled=not busy or the_bench.is_stopping, key="load_stop"):
            the_bench.stop()
            the_bench.wait(_STOP_S)
            st.rerun()


def _start(the_bench: Bench, name: str, seconds: float, where: Where, called: str) -> None:
    try:
        the_bench.start(preset(name, seconds), where, called, services.settings())
    except WorkbenchError as error:
        show_problem(Problem.of("", error), session.translator())
    else:
        st.rerun()


def _live(t: Translator) -> None:
    """The numbers as they move; the whole page once it has ended."""
    the_bench = bench()
    if not the_bench.is_running:
        st.rerun()
    progress = the_bench.progress
    if progress is None or progress.figures is None:
        st.info(t("load.starting"), icon=":material/hourglass_top:")
        return
    if the_bench.is_stopping:
        st.info(t("load.stopping"), icon=":material/hourglass_top:")
    st.markdown(t(f"load_phase.{progress.phase.replace('-', '_')}", seconds=round(progress.at_s)))
    _tiles(progress.figures.flat(), t)
    _course(progress, t)


def _course(progress: Progress, t: Translator) -> None:
    samples = progress.samples
    if len(samples) > 1:
        columns = {
            t("load.cpu"): [sample.cpu for sample in samples],
            t("load.queue"): [sample.queue_fraction for sample in samples],
        }
        st.line_chart(pd.DataFrame(columns, index=[sample.at_s for sample in samples]), height=180)


def _tiles(figures: dict[str, float], t: Translator) -> None:
    """The figures there are, side by side as the width allows."""
    with st.container(horizontal=True, key="load_tiles"):
        for name in _TILES:
            value = figures.get(name)
            if value is not None and math.isfinite(value):
                st.metric(t(f"load_figure.{name}"), f"{value:.0f}" if name in _WHOLE else f"{value:.2f}", width=150)


def _show_run(run: Run, t: Translator) -> None:
    st.subheader(label(run.name))
    if run.stopped:
        st.warning(t("load.stopped"))
    _tiles(run.figures, t)
    if len(run.seconds) > 1:
        ended = {
            t("load_figure.answers"): [second.answers for second in run.seconds],
            t("load_figure.refused"): [second.refused for second in run.seconds],
            t("load_figure.errors"): [second.errors for second in run.seconds],
        }
        st.line_chart(pd.DataFrame(ended, index=[second.at_s for second in run.seconds]), height=200)
    left, right = st.columns(2)
    left.dataframe(_two(t("load.code"), t("load.requests"), run.by_code), hide_index=True)
    right.dataframe(_two(t("load.stage"), t("load.seconds"), run.slow_stages_s), hide_index=True)
    advice = advise(run, services.settings())
    if advice.cores_needed is not None:
        st.info(t("load.too_small", cores=advice.cores_needed), icon=":material/memory:")
    if advice.proposals:
        st.markdown(t("load.advice"))
        st.code(advice.as_toml(), language="toml")


def _show_runs(runs: Sequence[Run], t: Translator) -> None:
    st.subheader(t("load.runs"))
    if not runs:
        st.caption(t("load.none"))
        return
    by_id = {run.id: run for run in runs}
    table = [{"": run.name, t("load.preset"): run.scenario.name, **_numbers(run, t)} for run in runs]
    st.dataframe(pd.DataFrame(table), hide_index=True)
    left, right = st.columns(2)
    before = left.multiselect(t("load.before"), list(by_id), format_func=lambda key: _called(by_id[key]), key="load_a")
    after = right.multiselect(t("load.after"), list(by_id), format_func=lambda key: _called(by_id[key]), key="load_b")
    rows: Sequence[Row] = ()
    if before and after:
        rows = compare([by_id[key] for key in before], [by_id[key] for key in after])
        st.dataframe(_compared(rows, t), hide_index=True)
    chosen = [by_id[key] for key in dict.fromkeys([*before, *after])] or list(runs[:1])
    with st.container(horizontal=True):
        for kind, said, make in (
            ("html", "load.html", lambda: to_html(chosen, rows)),
            ("csv", "load.csv", lambda: to_csv(chosen)),
        ):
            st.download_button(
                t(said),
                data=make,
                file_name=f"load-test.{kind}",
                mime=f"text/{kind}",
                key=f"load_{kind}",
                on_click="ignore",
            )


def _numbers(run: Run, t: Translator) -> dict[str, float | None]:
    return {t(f"load_figure.{name}"): run.figures.get(name) for name in _TILES}


def _compared(rows: Sequence[Row], t: Translator) -> pd.DataFrame:
    named = [(t.or_else(f"load_figure.{row.name}", row.name), row) for row in rows]
    head = [t("load.figure"), t("load.before"), t("load.after"), t("load.ratio"), t("load.low"), t("load.high")]
    return pd.DataFrame([(name, r.before, r.after, r.ratio, r.low, r.high) for name, r in named], columns=head)


def _two(first: str, second: str, values: dict[str, int] | dict[str, float]) -> pd.DataFrame:
    return pd.DataFrame(list(values.items()), columns=[first, second])


def _called(run: Run) -> str:
    """A run's name with when it was."""
    return f"{run.name} · {run.id[9:11]}:{run.id[11:13]}:{run.id[13:15]}"
