"""Where a load test is aimed at: a server of its own, with a home folder of its own, or one that runs already."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urlsplit

import httpx
from pydantic import SecretStr

from mineru_core.errors import Cancelled, EngineUnavailable, InvalidRequest, ModelMissing, NotFound
from mineru_core.loadtest.exchange import TASK_PATH, error_of
from mineru_core.runtime.addresses import is_loopback_name
from mineru_core.settings import HOME_VARIABLE, Settings
from mineru_core.store.database import Database
from mineru_core.store.tokens import Scope, TokenStore

READY_S = 180.0
TOKEN_NAME = "loadtest"
_SCOPES = (Scope.DOCUMENTS, Scope.METRICS, Scope.EXEMPT, Scope.EPHEMERAL)

ServerKind = Literal["workbench", "plain", "built-each"]

_MODULES: dict[ServerKind, list[str]] = {
    "workbench": ["mineru_core.cli", "serve", "--api-only", "--host", "127.0.0.1"],
    "plain": ["mineru_core.loadtest.plain"],
    "built-each": ["mineru_core.loadtest.plain", "--build-each"],
}
_PREFIX = "MINERU_WORKBENCH_"
_LOOK_S = 0.1
_TOKEN_SPARE_S = 600.0
"""How much longer than the longest load test its token is good for, should the process not live to discard it."""
_PATIENCE_S = 5.0
_NOT_LET_IN = (httpx.codes.UNAUTHORIZED, httpx.codes.FORBIDDEN)


@dataclass(frozen=True, slots=True)
class Target:
    """``token`` is sent as bearer token, ``pid`` is the server's process where it is ours, ``engine`` what reads there
    ("" where the server does not say)."""

    url: str
    token: str | None = field(default=None, repr=False)
    pid: int | None = None
    engine: str = ""

    @property
    def reads(self) -> bool:
        """Whether what reads there reads words of pictures, so that an answer can be looked through for them."""
        return self.engine not in ("", "echo")


def check_url(url: str, *, allow_remote: bool) -> str:
    """The base URL without a slash at its end. Raises ``InvalidRequest`` where it is none, or leads off this machine
    and may not."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.hostname or parts.username:
        raise InvalidRequest("This is no address of a server.", "Write it as http://127.0.0.1:8501.")
    if not allow_remote and not is_loopback_name(parts.hostname):
        raise InvalidRequest(
            "A load test is only aimed at this machine.", "Set loadtest.allow_remote to aim it at another one."
        )
    return url.rstrip("/")


def running_server(url: str, settings: Settings) -> Target:
    """A server that runs already. Raises ``InvalidRequest`` for an address that may not be aimed at, ``NotFound`` where
    nobody answers."""
    url = check_url(url, allow_remote=settings.loadtest.allow_remote)
    token = settings.loadtest.token
    return Target(url, None if token is None else token.get_secret_value(), engine=_engine_at(url))


@contextmanager
def this_app(settings: Settings, port: int) -> Iterator[Target]:
    """The server of this home folder, which listens on ``port`` of this machine.

    It gets a token for the length of the block, exempt from the rate limit, which makes nobody else need one. Raises
    ``NotFound`` where nobody answers.
    """
    url = f"http://127.0.0.1:{port}"
    engine = _engine_at(url)
    database = Database(settings.database_path)
    try:
        store = TokenStore(database)
        longest = settings.loadtest.max_seconds + _TOKEN_SPARE_S
        text, token = store.create(TOKEN_NAME, _SCOPES, longest)
        try:
            _await_known(url, text)
            yield Target(url, text, engine=engine)
        finally:
            store.discard(token.id)
    finally:
        database.close()


@contextmanager
def own_server(
    settings: Settings,
    changes: Mapping[str, str] | None = None,
    kind: ServerKind = "workbench",
    halt: threading.Event | None = None,
) -> Iterator[Target]:
    """A server of its own for the length of the block: an empty home folder, a free port of this machine, the settings
    and weights there are, and ``changes`` to them (by the name of their variable, without its prefix). ``kind`` is
    the workbench's own server, or one of ``plain`` that does without.

    Its token is exempt from the rate limit and ends with its home. Raises ``EngineUnavailable`` where it does not
    start, ``Cancelled`` where ``halt`` was set before it had.
    """
    with tempfile.TemporaryDirectory(prefix="workbench-loadtest-", ignore_cleanup_errors=True) as folder:
        home = Path(folder)
        port = _free_port()
        token = _make_token(settings.model_copy(update={"home": home}))
        environment = _environment(settings, home, changes or {})
        command = [sys.executable, "-m", *_MODULES[kind], "--port", str(port)]
        log = home / "server.log"
        with log.open("wb") as out:
            process = subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT)
        try:
            url = f"http://127.0.0.1:{port}"
            _await_ready(process, url, log, halt or threading.Event())
            yield Target(url, token, process.pid, _engine_at(url))
        finally:
            _end(process)


def _environment(settings: Settings, home: Path, changes: Mapping[str, str]) -> dict[str, str]:
    """This process's variables, with the settings as they are here in the place of those it may have."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_PREFIX)}
    own = {
        **as_variables(settings.model_dump(exclude_defaults=True, exclude={"home", "loadtest"})),
        "MODELS": str(settings.models_dir),
        "SERVER__LOG_LEVEL": "warning",
        **changes,
    }
    own_named = {_PREFIX + name: value for name, value in own.items()}
    return {**kept, HOME_VARIABLE: str(home), "PYTHONUNBUFFERED": "1", **own_named}


def as_variables(values: Mapping[str, Any], prefix: str = "") -> dict[str, str]:
    """Settings, dumped, by the names of their variables, without what all of those begin with."""
    found: dict[str, str] = {}
    for name, value in values.items():
        variable = f"{prefix}{name.upper()}"
        if isinstance(value, Mapping):
            found |= as_variables(value, f"{variable}__")
        elif isinstance(value, SecretStr):
            found[variable] = value.get_secret_value()
        elif isinstance(value, bool | tuple | list):
            found[variable] = json.dumps(value, default=str)
        elif value is not None:
            found[variable] = str(value)
    return found


def _make_token(settings: Settings) -> str:
    database = Database(settings.database_path)
    try:
        token, _ = TokenStore(database).create(TOKEN_NAME, _SCOPES)
    finally:
        database.close()
    return token


def _await_known(url: str, token: str) -> None:
    """Wait until the server knows the token: it looks for new ones once a second."""
    until = time.monotonic() + _PATIENCE_S
    with httpx.Client(timeout=_PATIENCE_S, headers={"Authorization": f"Bearer {token}"}, trust_env=False) as client:
        while time.monotonic() < until:
            with suppress(httpx.TransportError):
                if client.get(f"{url}{TASK_PATH}none").status_code not in _NOT_LET_IN:
                    return
            time.sleep(_LOOK_S)  # another process has no event to wait for


def _await_ready(process: subprocess.Popen[bytes], url: str, log: Path, halt: threading.Event) -> None:
    until = time.monotonic() + READY_S
    with httpx.Client(timeout=_PATIENCE_S, trust_env=False) as client:
        while time.monotonic() < until and process.poll() is None:
            try:
                answer = client.get(f"{url}/readyz")
                if answer.status_code == httpx.codes.OK:
                    return
                if error_of(answer.content, answer.status_code)[0] == ModelMissing.code:
                    raise ModelMissing("The engine of the load test's server lacks its model files.")
            except httpx.TransportError:
                pass
            if halt.wait(_LOOK_S):
                raise Cancelled("The load test was stopped before it began.")
    said = log.read_text("utf-8", errors="replace").strip().splitlines()
    raise EngineUnavailable(
        f"The server of the load test did not start: {said[-1][:300] if said else 'it says nothing'}",
        "Run mineru-workbench doctor.",
    )


def _engine_at(url: str) -> str:
    """The engine a server reads with, "" where it does not say. Raises ``NotFound`` where nobody answers."""
    try:
        answer = httpx.get(f"{url}/readyz", timeout=_PATIENCE_S, trust_env=False)
    except httpx.HTTPError as error:
        raise NotFound("No server answers at this address.", "Start it, or correct the address.") from error
    try:
        found = answer.json()
    except ValueError:
        return ""
    engine = found.get("engine") if isinstance(found, dict) else None
    return engine if isinstance(engine, str) else ""


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a server whose home goes with it: there is nothing it would have to put away, and whoever stopped the test
    need not wait."""
    process.kill()
    process.wait()


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])
