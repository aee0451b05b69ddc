"""The browser app: which pages there are. Run by ``mineru-workbench serve``, or ``streamlit run app.py``.

Each page calls the shared set-up itself, since a deep link in a fresh process runs the page without this file.
"""

import streamlit as st

st.navigation(
    [
        st.Page("pages/analyse.py", title="MinerU Workbench", default=True),
        st.Page("pages/loadtest.py", title="MinerU Workbench"),
    ],
    position="hidden",
).run()
