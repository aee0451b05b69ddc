"""UI and HTTP API in one ASGI application: ``uvicorn asgi:app``, or ``mineru-workbench serve``."""

from pathlib import Path

from streamlit.runtime.pages_manager import PagesManager
from streamlit.starlette import App

from mineru_core.api.server import ServerParts

# app.py says which pages there are. Until it has run once, Streamlit would make a page of each file in pages/: a
# browser that was open over a restart would run one without app.py, at another address and with a menu of files.
PagesManager.uses_pages_directory = False

parts = ServerParts()
app = App(
    Path(__file__).resolve().with_name("app.py"),
    routes=parts.routes,
    middleware=parts.middleware,
    lifespan=parts.lifespan,
)
