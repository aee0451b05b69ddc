"""UI and HTTP API in one ASGI application: ``uvicorn asgi:app``, or ``mineru-workbench serve``."""

from pathlib import Path

from streamlit.starlette import App

from mineru_core.api.server import ServerParts

parts = ServerParts()
app = App(
    Path(__file__).resolve().with_name("app.py"),
    routes=parts.routes,
    middleware=parts.middleware,
    lifespan=parts.lifespan,
)
