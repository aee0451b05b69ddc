"""Real servers for tests: the command in a process of its own, or an ASGI application on a thread of this one."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx
import uvicorn
from starlette.types import ASGIApp

READY_S = 100.0
STOP_S = 20.0


def free_port() -> int:
    """A port of 127.0.0.1 that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def workbench_environment(home: Path, models: Path, **more: str) -> dict[str, str]:
    """This process's environment with nothing of the workbench but ``home``, ``models`` and ``more``.

    ``more`` are settings without their prefix: ``ENGINE__NAME="echo"``.
    """
    kept = {name: value for name, value in os.environ.items() if not name.startswith("MINERU_WORKBENCH_")}
    own = {"HOME": str(home), "MODELS": str(models), **more}
    return {**kept, "PYTHONUNBUFFERED": "1", **{f"MINERU_WORKBENCH_{name}": value for name, value in own.items()}}


@contextmanager
def serve_process(
    environment: dict[str, str],
    arguments: Sequence[str] = (),
    *,
    cwd: Path | None = None,
    python: str = sys.executable,
    port: int | None = None,
) -> Iterator[str]:
    """``mineru-workbench serve`` on ``port``, else a free one, from its first /readyz to its end; yields the base URL.

    Fails with the server's own output where it does not get ready.
    """
    port = port or free_port()
    url = f"http://127.0.0.1:{port}"
    command = [python, "-m", "mineru_core.cli", "serve", "--port", str(port), *arguments]
    log = Path(environment["MINERU_WORKBENCH_HOME"]) / f"server-{port}.log"
    log.parent.mkdir(parents=True, exist_ok=True)
    with log.open("wb") as out:
        process = subprocess.Popen(command, env=environment, cwd=cwd, stdout=out, stderr=subprocess.STDOUT)
    try:
        _wait_until_ready(process, url, log)
        yield url
    finally:
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()


def _wait_until_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    until = time.monotonic() + READY_S
    while time.monotonic() < until:
        if process.poll() is not None:
            break
        try:
            if httpx.get(f"{url}/readyz", timeout=5.0).status_code == 200:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)  # another process's port has no event to wait for
    raise AssertionError(f"the server did not get ready:\n{log.read_text(errors='replace')}")


class _Server(uvicorn.Server):
    """Says when it listens; leaves the signals of the process alone."""

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.listening = threading.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self.listening.set()


@contextmanager
def serve_thread(app: ASGIApp) -> Iterator[str]:
    """``app`` under uvicorn on a thread of this process and a free port; yields the base URL."""
    port = free_port()
    server = _Server(
        uvicorn.Config(app, host="127.0.0.1", port=port, log_level="error", lifespan="on", timeout_graceful_shutdown=5)
    )
    thread = threading.Thread(target=server.run, name="uvicorn", daemon=True)
    thread.start()
    try:
        assert server.listening.wait(READY_S), "the server does not listen"
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join(STOP_S)
        assert not thread.is_alive(), "the server did not stop"
