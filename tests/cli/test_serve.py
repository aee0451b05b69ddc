"""``mineru-workbench serve``."""

from __future__ import annotations

import logging
import signal
import socket
import subprocess
import sys
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from typer.testing import CliRunner

from mineru_core.cli.main import app
from mineru_core.cli.serve import app_folder, load_application, open_port, server_config
from mineru_core.errors import InvalidSetting
from mineru_core.export.result import DocumentResult
from tests.documents import EN_LINES, draw_lines, png_bytes
from tests.servers import free_port, workbench_environment


def test_the_app_is_found_in_the_checkout() -> None:
    assert (app_folder() / "asgi.py").is_file()
    assert (app_folder() / "app.py").is_file()


def test_a_taken_port_is_said_at_once(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        done = CliRunner().invoke(app, ["serve", "--port", str(port)])
    assert done.exit_code == 1
    assert f"127.0.0.1:{port}" in done.stderr
    assert "--port" in done.stderr


def test_a_port_is_taken_from_the_moment_it_was_found_free() -> None:
    with open_port("127.0.0.1", free_port()) as first:
        port = first.getsockname()[1]
        with pytest.raises(InvalidSetting, match=f"127.0.0.1:{port} cannot be listened on"):
            open_port("127.0.0.1", port)
    open_port("127.0.0.1", port).close()


@pytest.mark.parametrize("arguments", [(), ("--api-only",)])
def test_a_home_that_cannot_be_written_is_said_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: tuple[str, ...]
) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("MINERU_WORKBENCH_HOME", str(tmp_path / "file" / "home"))
    done = CliRunner().invoke(app, ["serve", "--port", str(free_port()), *arguments])
    assert done.exit_code == 1
    assert done.stderr.startswith("Error: The home folder cannot be written.")
    assert "MINERU_WORKBENCH_HOME" in done.stderr


def test_a_missing_app_is_said(tmp_path: Path) -> None:
    with pytest.raises(InvalidSetting, match=r"asgi\.py"):
        load_application(tmp_path / "asgi.py", 1)


def test_requests_are_not_logged_though_streamlit_turns_the_log_on() -> None:
    log = logging.getLogger("uvicorn.access")
    handler = logging.StreamHandler()
    try:
        log.addHandler(handler)
        server_config(FastAPI(), "127.0.0.1", 1, "info")
        log.addHandler(handler)
        assert not log.isEnabledFor(logging.ERROR)
    finally:
        log.removeHandler(handler)
        log.disabled = False


def test_the_api_alone_serves_and_stops_when_told_to(tmp_path: Path, models_dir: Path) -> None:
    environment = workbench_environment(tmp_path / "home", models_dir, ENGINE__NAME="echo")
    port = free_port()
    command = [sys.executable, "-m", "mineru_core.cli", "serve", "--api-only", "--port", str(port)]
    with subprocess.Popen(command, env=environment, cwd=tmp_path, stderr=subprocess.PIPE, text=True) as server:
        assert server.stderr is not None
        assert any("Application startup complete" in line for line in server.stderr)
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=30.0) as client:
            assert client.get("/").status_code == 404
            answer = client.post("/v1/document/parse", files={"file": ("a.png", png_bytes(draw_lines(["a"])))})
            assert answer.status_code == 200
        server.send_signal(signal.SIGINT)
        assert "Traceback" not in server.stderr.read()
        assert server.wait(20.0) == 0


@pytest.mark.models
def test_ui_and_api_with_the_embedded_engine(embedded_server: str) -> None:
    files = {"file": ("scan.png", png_bytes(draw_lines(EN_LINES)))}
    answer = httpx.post(
        f"{embedded_server}/api/v1/document/parse", files=files, data={"instruction": "text"}, timeout=60
    )
    result = DocumentResult.model_validate_json(answer.content)
    assert result.text.split() == " ".join(EN_LINES).split()
    assert result.engine.startswith("embedded")
    assert httpx.get(f"{embedded_server}/readyz").json()["engine"] == "embedded"
