"""What a run says about the settings, and its way into config.toml."""

from __future__ import annotations

from urllib.parse import urlsplit

import streamlit as st

from mineru_core.errors import InvalidSetting
from mineru_core.loadtest.advice import Advice, advise
from mineru_core.loadtest.run import Run
from mineru_core.loadtest.writing import overriding, settings_file, write_proposals
from mineru_core.runtime.addresses import is_loopback_name
from mineru_core.ui import services
from mineru_core.ui.i18n import Translator
from mineru_core.ui.loadtest.tables import number, show_table

_WRITTEN = "load_written"


def show_advice(run: Run, t: Translator) -> None:
    """What would suit what was measured; nothing for a server of another machine, or one that lacked something."""
    if run.changes or not is_loopback_name(urlsplit(run.target).hostname or ""):
        return
    advice = advise(run, services.settings())
    if advice.cores_needed is not None:
        st.info(t("load.too_small", cores=advice.cores_needed), icon=":material/memory:")
    if not advice.proposals:
        return
    st.markdown(f"**{t('load.advice')}**")
    show_table(
        (t("load.setting"), t("load.now"), t("load.proposed"), t("load.why")),
        [
            (one.setting, number(one.now), number(one.proposed), t(f"load_why.{one.because}", **one.facts))
            for one in advice.proposals
        ],
        words=(0, 3),
    )
    if st.session_state.get(_WRITTEN) == run.id:
        st.success(t("load.written", file=str(settings_file())), icon=":material/restart_alt:")
        return
    with st.popover(t("load.write"), icon=":material/edit_document:"):
        _ask(advice, run, t)


def _ask(advice: Advice, run: Run, t: Translator) -> None:
    """Shows the lines and where they go, and writes them only at a second press."""
    st.markdown(t("load.write_ask"))
    st.code(f"# {settings_file()}\n{advice.as_toml()}", language="toml", wrap_lines=True)
    if variables := overriding(advice.proposals):
        st.warning(t("load.overridden", names=", ".join(variables)), icon=":material/warning:")
    if st.button(t("load.write_now"), type="primary", key="load_write"):
        try:
            write_proposals(advice.proposals)
        except InvalidSetting as error:
            st.error(t("load.not_written", why=error.message), icon=":material/error:")
        else:
            st.session_state[_WRITTEN] = run.id
            st.rerun()
