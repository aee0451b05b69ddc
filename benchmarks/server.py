"""A server in a process of its own, for the benchmarks that measure one from outside."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import httpx

from mineru_core.settings import load_settings

READY_S = 120.0
STOP_S = 30.0
WORKBENCH = ("mineru_core.cli", "serve")
_PREFIX = "MINERU_WORKBENCH_"


@contextmanager
def served(module: Sequence[str] = WORKBENCH, **settings: str) -> Iterator[tuple[str, int]]:
    """The address and the process id of a server, from when it is ready to the end of the block.

    ``module`` is run with its arguments and ``--port``, on an empty home folder, with the weights there are and
    ``settings`` alone (by the name of their variable without its prefix: ``ENGINE__NAME="echo"``). Raises
    ``RuntimeError``, with what the server has said, where it does not get ready.
    """
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = int(probe.getsockname()[1])
    url = f"http://127.0.0.1:{port}"
    kept = {name: value for name, value in os.environ.items() if not name.startswith(_PREFIX)}
    with tempfile.TemporaryDirectory(prefix="workbench-benchmark-", ignore_cleanup_errors=True) as home:
        own = {"HOME": home, "MODELS": str(load_settings().models_dir), **settings}
        environment = {**kept, **{_PREFIX + name: value for name, value in own.items()}}
        command = [sys.executable, "-m", *module, "--port", str(port)]
        log = Path(home) / "server.log"
        with log.open("wb") as out:
            process = subprocess.Popen(command, env=environment, stdout=out, stderr=subprocess.STDOUT)
        try:
            _await_ready(process, url, log)
            yield url, process.pid
        finally:
            process.terminate()
            process.wait(STOP_S)


def _await_ready(process: subprocess.Popen[bytes], url: str, log: Path) -> None:
    until = time.monotonic() + READY_S
    while process.poll() is None and time.monotonic() < until:
        try:
            if httpx.get(f"{url}/readyz", timeout=5.0, trust_env=False).status_code == httpx.codes.OK:
                return
        except httpx.TransportError:
            pass
        time.sleep(0.1)
    raise RuntimeError(f"the server did not get ready:\n{log.read_text('utf-8', errors='replace')}")
