"""An OpenAI-style server of a model on loopback, which does what real ones do on bad days."""

from __future__ import annotations

import base64
import json
import select
import socket
import threading
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from typing import Any, Self

from PIL import Image

from tests.servers import free_port

MODEL = "MinerU2.5-2509"
WAIT_S = 30.0


@dataclass(frozen=True)
class Answer:
    """What the model says; ``logprobs`` None: not told. ``pieces`` are the tokens they belong to."""

    text: str
    logprobs: tuple[float, ...] | None = None
    finish: str | None = "stop"
    pieces: tuple[str, ...] = ()

    def body(self, asked_for_scores: bool) -> dict[str, Any]:
        choice: dict[str, Any] = {
            "index": 0,
            "message": {"role": "assistant", "content": self.text},
            "finish_reason": self.finish,
            "logprobs": None,
        }
        if asked_for_scores and self.logprobs is not None:
            pieces = self.pieces or ("?",) * len(self.logprobs)
            told = zip(pieces, self.logprobs, strict=True)
            choice["logprobs"] = {"content": [{"token": piece, "logprob": value} for piece, value in told]}
        return {"id": "x", "object": "chat.completion", "model": MODEL, "choices": [choice]}


@dataclass(frozen=True)
class Status:
    """An error instead of an answer."""

    code: int
    headers: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Raw:
    """This as the body of a 200; ``promised`` bytes are announced, if more than there are the connection breaks."""

    body: bytes
    promised: int | None = None


class Drop:
    """The connection is closed without a word."""


class Hang:
    """Nothing is said for as long as the client stays."""


Behaviour = Answer | Status | Raw | Drop | Hang


class ModelServer:
    """A server in this process. ``script`` holds what it does next; afterwards it answers as ``model`` says.

    ``entered`` counts the requests that have come, ``gate`` lets answers out, ``left`` is set once a client has gone
    away from one that hangs, and ``most`` is how many were there at once.
    """

    def __init__(self, model: Callable[[dict[str, Any]], Behaviour] | None = None) -> None:
        self.model = model or (lambda request: Answer(f"text of {prompt_of(request)}", (-0.1, -0.3)))
        self.port = free_port()
        self.models = [MODEL]
        self.key: str | None = None
        self.health: Status | None = None
        self.script: deque[Behaviour] = deque()
        self.requests: list[dict[str, Any]] = []
        self.paths: list[str] = []
        self.entered = threading.Semaphore(0)
        self.gate = threading.Event()
        self.gate.set()
        self.left = threading.Event()
        self.here, self.most = 0, 0
        self.lock = threading.Lock()
        self.connections: set[socket.socket] = set()
        self._server: ThreadingHTTPServer | None = None

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> Self:
        self._server = ThreadingHTTPServer(
            ("127.0.0.1", self.port), type("Handler", (_Handler,), {"model_server": self})
        )
        self._server.daemon_threads = True
        threading.Thread(target=self._server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def stop(self) -> None:
        if self._server is not None:
            self.gate.set()
            self._server.shutdown()
            self._server.server_close()
            self._server = None
            with self.lock:
                connections, self.connections = self.connections, set()
            for connection in connections:
                with suppress(OSError):  # the client has gone before
                    connection.shutdown(socket.SHUT_RDWR)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *_: object) -> None:
        self.stop()

    def wait_until_entered(self, times: int = 1) -> None:
        for _ in range(times):
            assert self.entered.acquire(timeout=WAIT_S), "no request came"

    def next_behaviour(self, request: dict[str, Any]) -> Behaviour:
        with self.lock:
            self.requests.append(request)
            return self.script.popleft() if self.script else self.model(request)


def picture_of(request: dict[str, Any]) -> Image.Image:
    """The picture, as it was before it was sent."""
    url = next(part["image_url"]["url"] for part in request["messages"][-1]["content"] if part["type"] == "image_url")
    return Image.open(BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")


def prompt_of(request: dict[str, Any]) -> str:
    """The words beside the picture."""
    return next(part["text"] for part in request["messages"][-1]["content"] if part["type"] == "text")


class _Handler(BaseHTTPRequestHandler):
    """One connection of ``model_server``."""

    protocol_version = "HTTP/1.1"
    model_server: ModelServer

    def log_message(self, *_: object) -> None:
        pass

    def setup(self) -> None:
        super().setup()
        with self.model_server.lock:
            self.model_server.connections.add(self.connection)

    def finish(self) -> None:
        with self.model_server.lock:
            self.model_server.connections.discard(self.connection)
        with suppress(OSError):
            super().finish()

    def do_GET(self) -> None:
        self.model_server.paths.append(self.path)
        if not self._may():
            self._send(Status(401))
        elif self.path == "/health":
            self._send(self.model_server.health or Raw(b"{}"))
        elif self.path == "/v1/models":
            self._send(
                Raw(json.dumps({"object": "list", "data": [{"id": m} for m in self.model_server.models]}).encode())
            )
        else:
            self._send(Status(404))

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.model_server.lock:
            self.model_server.here += 1
            self.model_server.most = max(self.model_server.most, self.model_server.here)
        try:
            behaviour = self.model_server.next_behaviour(request) if self._may() else Status(401)
            self.model_server.entered.release()
            assert self.model_server.gate.wait(WAIT_S)
            if isinstance(behaviour, Answer):
                behaviour = Raw(json.dumps(behaviour.body(request.get("logprobs", False))).encode())
        finally:
            with self.model_server.lock:
                self.model_server.here -= 1
        self._send(behaviour)

    def _may(self) -> bool:
        return self.model_server.key is None or self.headers.get("Authorization") == f"Bearer {self.model_server.key}"

    def _send(self, behaviour: Status | Raw | Drop | Hang) -> None:
        if isinstance(behaviour, Hang):
            select.select([self.connection], [], [], WAIT_S)
            if self.connection.recv(1, socket.MSG_PEEK) == b"":
                self.model_server.left.set()
        if isinstance(behaviour, Drop | Hang):
            self.close_connection = True
            return
        status, body = (200, behaviour.body) if isinstance(behaviour, Raw) else (behaviour.code, b'{"error": "no"}')
        self.send_response(status)
        for name, value in (behaviour.headers if isinstance(behaviour, Status) else {}).items():
            self.send_header(name, value)
        promised = behaviour.promised if isinstance(behaviour, Raw) else None
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(promised or len(body)))
        self.end_headers()
        self.wfile.write(body)
        self.close_connection = promised is not None and promised > len(body)
