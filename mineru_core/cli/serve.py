"""``mineru-workbench serve``: the browser app and the HTTP API in one process."""

from __future__ import annotations

import importlib.util
import logging
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

import typer

from mineru_core.cli.console import tell_error
from mineru_core.errors import InvalidSetting, WorkbenchError
from mineru_core.runtime.logging import configure_logging
from mineru_core.settings import Settings, load_settings

if TYPE_CHECKING:
    import uvicorn
    from starlette.types import ASGIApp

SHUTDOWN_S = 5
"""Seconds that open requests get to end when the server stops."""

KEEP_ALIVE_S = 75
"""Seconds an idle connection is kept: longer than a proxy in front keeps its side (deploy/nginx), so that none is
closed here as a request is on its way."""

MAX_MESSAGE_BYTES = 200_000_000
"""Bytes of one message of the browser app's web socket; Streamlit's own limit."""

BACKLOG = 2048
"""Connections that wait to be taken; uvicorn's own number."""

PACKAGE = Path(__file__).resolve().parents[1]


def app_folder() -> Path:
    """Where asgi.py and app.py are: inside an installed package, or in the checkout around it."""
    installed = PACKAGE / "_app"
    return installed if installed.is_dir() else PACKAGE.parent


def run_server(host: str | None, port: int | None, *, api_only: bool) -> int:
    """Serve until interrupted; 0, or 1 with the reason on stderr."""
    try:
        settings = load_settings()
        host, port = host or settings.server.host, port or settings.server.port
        with open_port(host, port) as listener:
            check_home(settings)
            application = _api_application(settings) if api_only else load_application(app_folder() / "asgi.py", port)
            return _serve(application, listener, host, port, settings.server.log_level)
    except WorkbenchError as error:
        tell_error(error)
        return 1


def _serve(application: ASGIApp, listener: socket.socket, host: str, port: int, log_level: str) -> int:
    """Say where it is, and serve until interrupted."""
    import uvicorn

    configure_logging(log_level)
    url = _url(host, port)
    typer.echo(f"MinerU Workbench: {url}   (HTTP API: {url}/api/v1/document/parse)", err=True)
    server = uvicorn.Server(server_config(application, host, port, log_level))
    with suppress(KeyboardInterrupt):  # uvicorn raises it again once it has stopped in order
        server.run(sockets=[listener])
    return 0 if server.started else 1


def server_config(application: ASGIApp, host: str, port: int, log_level: str) -> uvicorn.Config:
    """How uvicorn serves the workbench."""
    import uvicorn

    config = uvicorn.Config(
        application,
        host=host,
        port=port,
        log_level=log_level,
        access_log=False,
        server_header=False,
        # Whose word about the caller's address is taken is for api/access.py to say: see server.trusted_proxies.
        proxy_headers=False,
        ws_max_size=MAX_MESSAGE_BYTES,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=SHUTDOWN_S,
    )
    # Streamlit gives the access log a handler again, which turns it on; paths hold ids and are nobody's business.
    logging.getLogger("uvicorn.access").disabled = True
    return config


def open_port(host: str, port: int) -> socket.socket:
    """A socket that listens there. Raises ``InvalidSetting`` where the address cannot be listened on.

    It is held from here on: two servers that start at once would else both find the port free, and the second would
    fail after it has said where it is. Who calls while the server still loads waits for it.
    """
    try:
        family = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0][0]
        # Connections of a server that just ended do not keep a new one from its port; a server that listens does.
        return socket.create_server((host, port), family=family, backlog=BACKLOG, reuse_port=False)
    except OSError as error:
        raise InvalidSetting(
            f"{host}:{port} cannot be listened on: {error.strerror or error}.",
            f"Stop what uses it, or choose another port: mineru-workbench serve --port {port + 1}",
        ) from error


def check_home(settings: Settings) -> None:
    """Raise ``InvalidSetting`` where the state of the home folder cannot be opened."""
    from mineru_core.store.database import Database

    Database(settings.database_path).close()


def load_application(path: Path, port: int) -> ASGIApp:
    """The ASGI application in ``path``. Raises ``InvalidSetting`` where the file is not there."""
    if not path.is_file():
        raise InvalidSetting(f"{path.name} of the browser app is missing.", "Install mineru-workbench again.")
    # Streamlit reads where it runs from its own settings, not from the server that runs it.
    os.environ.setdefault("STREAMLIT_SERVER_PORT", str(port))
    spec = importlib.util.spec_from_file_location("mineru_workbench_asgi", path)
    assert spec is not None  # a .py file always has a spec and a loader
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    application: ASGIApp = module.app
    return application


def _api_application(settings: Settings) -> ASGIApp:
    from mineru_core.api.backend import Backend
    from mineru_core.api.server import create_api_server

    return create_api_server(Backend(settings))


def _url(host: str, port: int) -> str:
    shown = "127.0.0.1" if host in ("0.0.0.0", "::") else host
    return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"
