"""What came of load tests: one run, a before and after, runs side by side, and all there are."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd
import streamlit as st

from mineru_core.errors import NotFound, WorkbenchError
from mineru_core.loadtest.comparison import Row, compare
from mineru_core.loadtest.history import MAX_NAME, History, Summary, clean_name
from mineru_core.loadtest.report import to_csv, to_html
from mineru_core.loadtest.run import Run
from mineru_core.ui import services
from mineru_core.ui.i18n import Translator
from mineru_core.ui.loadtest.courses import show_course
from mineru_core.ui.loadtest.proposals import show_advice
from mineru_core.ui.loadtest.running import Ended
from mineru_core.ui.loadtest.tables import TILES, number, show_table, show_tiles

_LEAST_S = 0.001
"""Stages that take less are not told."""
_SHOWN, _SEEN, _BEFORE, _AFTER = "load_shown", "load_seen", "load_a", "load_b"


@st.cache_resource(show_spinner=False)
def _history(_home: str) -> History:
    return History(services.settings())


def kept_runs() -> History:
    """The runs of this home folder; each is read once for the lists of all pages."""
    return _history(str(services.settings().home))


def follow(ended: Ended, runs: Sequence[Summary]) -> None:
    """Show the run that ended last once it has; forget choices of runs that are no longer kept."""
    state, there = st.session_state, {run.id for run in runs}
    if ended.runs and state.get(_SEEN) != ended.runs[-1]:
        state[_SEEN] = state[_SHOWN] = ended.runs[-1]
    if state.get(_SHOWN) not in there:
        state.pop(_SHOWN, None)
    for side in (_BEFORE, _AFTER):
        if side in state:
            state[side] = [run_id for run_id in state[side] if run_id in there]


def show_switched(kept: History, ended: Ended, t: Translator) -> None:
    """The last before and after of this process; nothing where it was something else."""
    if not ended.switch:
        return
    st.subheader(t("load.switched", name=t(f"load_switch.{ended.switch}")))
    try:
        rows = compare([kept.get(one) for one in ended.off], [kept.get(one) for one in ended.on])
    except NotFound:
        return  # deleted meanwhile
    _show_rows(rows, t)
    _downloads(kept, ended.runs, rows, "switched", t)


def show_result(kept: History, runs: Sequence[Summary], t: Translator) -> None:
    """The run that is chosen, at first the newest."""
    if not runs:
        return
    by_id = {run.id: run for run in runs}
    st.subheader(t("load.result"))
    with st.container(horizontal=True, vertical_alignment="bottom"):
        chosen = st.selectbox(t("load.run"), list(by_id), format_func=lambda one: called(by_id[one]), key=_SHOWN)
        try:
            run = kept.get(chosen)
        except NotFound:
            st.rerun()
        _rename(kept, run, t)
    _show_run(run, t)


def show_compared(kept: History, runs: Sequence[Summary], t: Translator) -> None:
    """Two groups of runs side by side, and downloads of what is chosen."""
    if not runs:
        return
    st.subheader(t("load.compare"))
    by_id = {run.id: run for run in runs}
    left, right = st.columns(2)
    sides = [
        column.multiselect(
            t(said), list(by_id), format_func=lambda one: called(by_id[one]), key=key, placeholder=t("load.choose")
        )
        for column, said, key in ((left, "load.before", _BEFORE), (right, "load.after", _AFTER))
    ]
    rows: Sequence[Row] = ()
    if all(sides):
        rows = compare(*([by_id[one] for one in side] for side in sides))
        _show_rows(rows, t)
    shown = st.session_state.get(_SHOWN) or runs[0].id
    _downloads(kept, list(dict.fromkeys([*sides[0], *sides[1]])) or [shown], rows, "chosen", t)


def show_runs(runs: Sequence[Summary], t: Translator) -> None:
    """All of them as a table that can be sorted."""
    st.subheader(t("load.runs"))
    if not runs:
        st.caption(t("load.none"))
        return
    name, when, scenario = t("load.run"), t("load.when"), t("load.preset")
    figures = {one: t(f"load_figure.{one}") for one in TILES}
    table = [
        {
            name: run.name,
            when: pd.Timestamp(run.started_at, unit="s"),
            scenario: run.scenario,
            **{said: run.figures.get(one) for one, said in figures.items()},
        }
        for run in runs
    ]
    formats = {said: st.column_config.NumberColumn(format="%.4g") for said in figures.values()}
    names = {name: st.column_config.TextColumn(width="medium")}
    times = {when: st.column_config.DatetimeColumn(format="MM-DD HH:mm")}
    st.dataframe(pd.DataFrame(table), hide_index=True, column_config={**names, **times, **formats})


def called(run: Summary) -> str:
    """A run's name with when it was, UTC."""
    return f"{run.name} · {run.id[4:6]}-{run.id[6:8]} {run.id[9:11]}:{run.id[11:13]}:{run.id[13:15]}"


def _rename(kept: History, run: Run, t: Translator) -> None:
    with st.popover(t("load.rename"), icon=":material/edit:"), st.form(f"load_rename_{run.id}", border=False):
        name = st.text_input(t("load.name"), run.name, max_chars=MAX_NAME, key=f"load_new_name_{run.id}_{run.name}")
        if st.form_submit_button(t("load.keep"), type="primary") and clean_name(name):
            kept.rename(run.id, name)
            st.rerun()


def _show_run(run: Run, t: Translator) -> None:
    if run.stopped:
        st.warning(t("load.stopped"), icon=":material/stop:")
    show_tiles(run.figures, t)
    ended: dict[str, list[float | None]] = {
        t("load_figure.answers"): [second.answers for second in run.seconds],
        t("load_figure.refused"): [second.refused for second in run.seconds],
        t("load_figure.errors"): [second.errors for second in run.seconds],
    }
    show_course([second.at_s for second in run.seconds], ended, t, height=260, title=t("load.ended"))
    left, right = st.columns(2)
    with left:
        codes = [(t.or_else(f"load_code.{code}", code), number(count)) for code, count in run.by_code.items()]
        show_table((t("load.code"), t("load.requests")), codes)
    with right:
        stages = [(_stage(name, t), number(value)) for name, value in run.slow_stages_s.items() if value >= _LEAST_S]
        show_table((t("load.stage"), t("load.seconds")), stages)
    show_advice(run, t)


def _stage(name: str, t: Translator) -> str:
    return t.or_else(f"load_stage.{name}", t.or_else(f"stage.{name}", name))


def _show_rows(rows: Sequence[Row], t: Translator) -> None:
    head = [t("load.figure"), t("load.before"), t("load.after"), t("load.ratio"), t("load.bounds")]
    told = [
        [
            t.or_else(f"load_figure.{row.name}", row.name),
            number(row.before),
            number(row.after),
            row.ratio_text,
            row.bounds_text,
        ]
        for row in rows
    ]
    columns = 5 if any(row.bounds_text for row in rows) else 4  # without repeats there are no bounds
    show_table(head[:columns], [one[:columns] for one in told])


def _downloads(kept: History, ids: Sequence[str], rows: Sequence[Row], key: str, t: Translator) -> None:
    """The runs as files, read and written when they are asked for."""

    def whole() -> list[Run]:
        found = []
        for run_id in ids:
            try:
                found.append(kept.get(run_id))
            except WorkbenchError:
                continue
        return found

    with st.container(horizontal=True):
        for kind, said, make in (
            ("html", "load.html", lambda: to_html(whole(), rows)),
            ("csv", "load.csv", lambda: to_csv(whole())),
        ):
            st.download_button(
                t(said),
                data=make,
                file_name=f"load-test.{kind}",
                mime=f"text/{kind}",
                key=f"load_{kind}_{key}",
                icon=":material/download:",
                on_click="ignore",
            )
