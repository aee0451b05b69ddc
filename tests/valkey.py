"""A Valkey server, or Debian's Redis, on a free port of this machine."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

VALKEY = shutil.which("valkey-server") or shutil.which("redis-server")


def free_port() -> int:
    """A port nobody listens on."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return int(one.getsockname()[1])


@dataclass
class Valkey:
    """A server that can be stopped and started again at the same address."""

    folder: Path
    port: int
    password: str = ""
    process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        """Where it is, with the password."""
        return f"redis://{f':{self.password}@' if self.password else ''}127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start it, with nothing in it, and wait until it listens."""
        assert VALKEY is not None
        quiet = ["--save", "", "--appendonly", "no", "--bind", "127.0.0.1", "--dir", str(self.folder)]
        secret = ["--requirepass", self.password] if self.password else []
        self.process = subprocess.Popen(
            [VALKEY, "--port", str(self.port), *quiet, *secret], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        until = time.monotonic() + 20.0
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), timeout=1.0).close()
                return
            except OSError:
                assert self.process.poll() is None, "the server did not start"
                assert time.monotonic() < until
                time.sleep(0.02)  # another process's port has no event to wait for

    def kill(self) -> None:
        """End it as a crash does."""
        if self.process is not None:
            self.process.kill()
            self.process.wait(20.0)
            self.process = None


@contextmanager
def valkey_server(folder: Path, password: str = "") -> Iterator[Valkey]:
    """A server of its own that runs."""
    server = Valkey(folder, free_port(), password)
    server.start()
    try:
        yield server
    finally:
        server.kill()
