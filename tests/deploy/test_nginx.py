"""The nginx configuration, run as it is in front of a real server; only ports and folders are the test's own."""

from __future__ import annotations

import json
import re
import shutil
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx
import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect

from mineru_core.client import Client
from tests.api.errors import assert_error
from tests.documents import draw_lines, png_bytes
from tests.servers import free_port, serve_process, workbench_environment

CONFIGURATION = Path(__file__).parents[2] / "deploy" / "nginx" / "mineru-workbench.conf"
NAME = "docs.example.com"
PARSE = "/api/v1/document/parse"
PICTURE = png_bytes(draw_lines(["one"]))

NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin:/usr/local/sbin")
pytestmark = pytest.mark.skipif(NGINX is None, reason="nginx is not installed")


@contextmanager
def nginx_before(server: str, folder: Path, **changes: str) -> Iterator[str]:
    """nginx with the published configuration; yields its address. ``changes`` are patterns and what replaces them."""
    assert NGINX is not None
    port = free_port()
    text = CONFIGURATION.read_text("utf-8")
    replaced = {
        r"\n    listen 80;": f"\n    listen 127.0.0.1:{port};",
        r"server 127\.0\.0\.1:8501;": f"server {server.removeprefix('http://')};",
        **changes,
    }
    for pattern, instead in replaced.items():
        text, count = re.subn(pattern, instead, text, count=1)
        assert count == 1, pattern
    folder.mkdir(parents=True, exist_ok=True)
    temporary = "\n".join(
        f"{kind}_temp_path {folder}/{kind};" for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi")
    )
    main = folder / "nginx.conf"
    main.write_text(
        f"daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;\n"
        f"events {{ worker_connections 256; }}\nhttp {{ access_log off;\n{temporary}\n{text}\n}}\n",
        "utf-8",
    )
    process = subprocess.Popen([NGINX, "-e", f"{folder}/error.log", "-p", str(folder), "-c", str(main)])
    try:
        until = time.monotonic() + 20.0
        while True:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1.0).close()
                break
            except OSError:
                log = folder / "error.log"
                assert process.poll() is None, log.read_text() if log.exists() else "nginx did not start"
                assert time.monotonic() < until
                time.sleep(0.05)  # another process's port has no event to wait for
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(20.0)


@pytest.fixture(scope="module")
def workbench(tmp_path_factory: pytest.TempPathFactory, models_dir: Path) -> Iterator[str]:
    """The server as the configuration wants it, with a token in use."""
    home = tmp_path_factory.mktemp("proxied-home")
    environment = workbench_environment(
        home,
        models_dir,
        ENGINE__NAME="echo",
        SERVER__TRUSTED_PROXIES='["127.0.0.1"]',
        SERVER__ALLOWED_HOSTS=json.dumps([NAME]),
    )
    with serve_process(environment) as url:
        yield url


@pytest.fixture(scope="module")
def proxy(workbench: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with nginx_before(workbench, tmp_path_factory.mktemp("nginx")) as url:
        yield url


def test_the_page_its_files_and_its_socket_come_through(proxy: str) -> None:
    headers = {"Host": NAME, "Accept": "text/html"}
    page = httpx.get(proxy, headers=headers)
    assert "<html" in page.text
    assert "workbench_owner" in page.headers["set-cookie"]
    assert httpx.get(f"{proxy}/_stcore/health", headers=headers).text == "ok"
    url = f"ws://{NAME}/_stcore/stream"
    host, port = proxy.removeprefix("http://").split(":")
    for origin, opens in ((f"https://{NAME}", True), ("https://evil.example", False)):
        line = socket.create_connection((host, int(port)), timeout=20.0)
        if opens:
            with connect(url, sock=line, origin=origin) as opened:  # type: ignore[arg-type]
                assert opened.protocol.state.name == "OPEN"
        else:
            with pytest.raises(InvalidStatus), connect(url, sock=line, origin=origin):  # type: ignore[arg-type]
                pass


def test_a_name_of_others_is_refused(proxy: str) -> None:
    assert_error(httpx.get(f"{proxy}/api/v1/tasks/x", headers={"Host": "evil.example"}), 421, "invalid-request")


def test_the_client_works_through_it(proxy: str) -> None:
    with Client(proxy) as client:
        found = client.analyze(PICTURE, "text", name="a.png")
    assert (found.source, found.success) == ("a.png", True)


def test_callers_from_elsewhere_are_told_apart(proxy: str) -> None:
    """nginx adds whom it sees; what the caller has written before that changes nothing."""
    local = httpx.get(f"{proxy}/api/v1/tasks/x")
    assert_error(local, 404, "not-found")
    for header in ("X-Forwarded-For", "X-Real-IP"):
        answer = httpx.get(f"{proxy}/api/v1/tasks/x", headers={header: "203.0.113.9"})
        if header == "X-Forwarded-For":
            assert_error(answer, 403, "token-required")
    assert httpx.get(f"{proxy}/metrics").status_code == 404


def test_events_are_not_held_back(workbench: str, proxy: str) -> None:
    task = httpx.post(f"{proxy}{PARSE}", files={"file": ("a.png", PICTURE)}, data={"async": "true"}).headers["location"]
    with httpx.stream("GET", f"{proxy}{task}/events") as answer:
        assert next(answer.iter_lines()).startswith("event: ")
        assert answer.headers["cache-control"] == "no-store"


def test_what_is_too_large_is_refused_in_the_one_shape(workbench: str, tmp_path: Path) -> None:
    with nginx_before(workbench, tmp_path, **{"client_max_body_size 201m": "client_max_body_size 1m"}) as url:
        answer = httpx.post(f"{url}{PARSE}", files={"file": ("a.png", b"x" * 2_000_000)})
    assert answer.status_code == 413
    assert answer.json()["code"] == "file-too-large"
    assert answer.headers["content-type"] == "application/json"


def test_a_server_that_is_gone_is_told_in_the_one_shape(tmp_path: Path) -> None:
    with nginx_before(f"http://127.0.0.1:{free_port()}", tmp_path) as url:
        answer = httpx.post(f"{url}{PARSE}", files={"file": ("a.png", PICTURE)})
    assert (answer.status_code, answer.json()["code"]) == (503, "engine-unavailable")
    assert set(answer.json()) == {"code", "message", "hint", "request_id", "details"}


def test_connections_to_the_server_are_kept(tmp_path: Path) -> None:
    accepted: list[int] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

        def answer_all(line: socket.socket) -> None:
            with line:
                while line.recv(65536):
                    line.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

        def serve() -> None:
            while True:
                try:
                    line, _ = listener.accept()
                except OSError:
                    return
                accepted.append(1)
                threading.Thread(target=answer_all, args=(line,), daemon=True).start()

        threading.Thread(target=serve, daemon=True).start()
        with nginx_before(f"http://127.0.0.1:{port}", tmp_path) as url, httpx.Client(base_url=url) as client:
            assert [client.get(path).text for path in ("/api/v1/tasks/x", "/", "/ui/x") * 4] == ["ok"] * 12
    assert len(accepted) == 1


def test_a_busy_servers_refusal_comes_before_the_file(tmp_path: Path, models_dir: Path) -> None:
    environment = workbench_environment(
        tmp_path / "home",
        models_dir,
        ENGINE__NAME="echo",
        RATE__BURST="1",
        RATE__LOCAL="true",
        SERVER__TRUSTED_PROXIES='["127.0.0.1"]',
    )
    with serve_process(environment, ["--api-only"]) as server, nginx_before(server, tmp_path / "nginx") as url:
        assert httpx.post(f"{url}{PARSE}", files={"file": ("a.png", PICTURE)}).status_code == 200
        host, port = url.removeprefix("http://").split(":")
        lines = [f"POST {PARSE} HTTP/1.1", "Host: 127.0.0.1", "Content-Length: 50000000", "", ""]
        with socket.create_connection((host, int(port)), timeout=20.0) as line:
            line.sendall("\r\n".join(lines).encode() + b"x" * 1000)  # of fifty million: nginx hands on what it has
            assert line.recv(65536).startswith(b"HTTP/1.1 429 ")
