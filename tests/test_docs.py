"""The README says what is true: every setting, command and option it names exists, and its Python runs."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from pydantic import BaseModel

from mineru_core.export.result import DocumentResult
from mineru_core.settings import Settings
from tests.documents import draw_table, png_bytes

ROOT = Path(__file__).resolve().parents[1]
README = (ROOT / "README.md").read_text("utf-8")


def _settings(model: type[BaseModel], prefix: str = "") -> list[tuple[str, str]]:
    found: list[tuple[str, str]] = []
    for name, field in model.model_fields.items():
        if isinstance(field.default, BaseModel):
            found += _settings(type(field.default), f"{prefix}{name}.")
        else:
            found.append((prefix + name, field.description or ""))
    return found


def test_every_setting_has_its_row() -> None:
    rows = set(re.findall(r"^\| `([\w.]+)` \| .+ \| (.+) \|$", README, re.M))
    assert rows == set(_settings(Settings))


def test_every_command_line_is_accepted() -> None:
    commands = set(re.findall(r"^mineru-workbench (\w+)", README, re.M))
    assert commands == {"analyze", "compare", "models", "doctor", "serve", "token", "loadtest"}
    for command in sorted(commands):
        done = subprocess.run(
            [sys.executable, "-m", "mineru_core.cli", command, "--help"], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr


def test_every_make_target_exists() -> None:
    targets = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.M))
    named = set(re.findall(r"`make ([a-z-]+)`", README)) | set(re.findall(r"^make ([a-z-]+)", README, re.M))
    assert named
    assert named <= targets


def test_every_link_leads_somewhere() -> None:
    for name in ["README.md", *(f"docs/{p.name}" for p in (ROOT / "docs").glob("*.md"))]:
        for link in re.findall(r"\]\((?!https?:)([^)#]+)", (ROOT / name).read_text("utf-8")):
            assert ((ROOT / name).parent / link).exists(), f"{name} links to {link}"


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    block, _ = re.findall(r"```python\n(.*?)```", README, re.S)
    for name in ("scan", "old"):
        (tmp_path / f"{name}.png").write_bytes(png_bytes(draw_table([["a", "b"], ["1", "2"]])))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MINERU_WORKBENCH_ENGINE__NAME", "echo")
    lines = [line for line in block.splitlines() if "to_dataframe" not in line]  # echo reads no tables
    exec(compile("\n".join(lines), "README.md", "exec"), {})
    assert (tmp_path / "out" / "scan.json").exists()


def test_the_client_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, echo_server: str) -> None:
    _, block = re.findall(r"```python\n(.*?)```", README, re.S)
    (tmp_path / "scan.png").write_bytes(png_bytes(draw_table([["a", "b"], ["1", "2"]])))
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(block.replace("http://127.0.0.1:8501", echo_server), "README.md", "exec"), names)
    assert isinstance(names["result"], DocumentResult)
