"""The wheel: holds the browser app, and serves from any folder after a plain install. Fetches the dependencies."""

from __future__ import annotations

import subprocess
import sys
import zipfile
from pathlib import Path

import httpx
import pytest

from tests.documents import draw_lines, png_bytes
from tests.servers import serve_process, workbench_environment

pytestmark = [pytest.mark.long, pytest.mark.timeout(1200)]

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(ROOT)]
    subprocess.run(build, check=True)
    (path,) = folder.glob("*.whl")
    return path


def test_the_wheel_holds_the_app_and_no_tests(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    app = {f"mineru_core/_app/{name}" for name in ("app.py", "asgi.py", "pages/analyse.py", ".streamlit/config.toml")}
    assert app <= names
    assert "mineru_core/py.typed" in names
    assert {name.split("/")[0].split("-")[0] for name in names} == {"mineru_core", "mineru_workbench"}


def test_serves_from_another_folder_after_a_plain_install(wheel: Path, tmp_path: Path, models_dir: Path) -> None:
    subprocess.run([sys.executable, "-m", "venv", str(tmp_path / "venv")], check=True)
    python = str(tmp_path / "venv/bin/python")
    subprocess.run([python, "-m", "pip", "install", "--quiet", str(wheel)], check=True)
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    where = subprocess.run(
        [python, "-c", "from mineru_core.cli.serve import app_folder; print(app_folder())"],
        cwd=elsewhere,
        capture_output=True,
        text=True,
        check=True,
    )
    assert where.stdout.strip().endswith("site-packages/mineru_core/_app")
    environment = workbench_environment(tmp_path / "home", models_dir, ENGINE__NAME="echo")
    with serve_process(environment, cwd=elsewhere, python=python) as url:
        assert "<html" in httpx.get(url, headers={"Accept": "text/html"}).text
        answer = httpx.post(f"{url}/api/v1/document/parse", files={"file": ("a.png", png_bytes(draw_lines(["a"])))})
        assert answer.status_code == 200
