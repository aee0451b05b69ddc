"""The command as a whole: quick, with the exit codes it promises."""

from __future__ import annotations

import subprocess
import sys

from typer.testing import CliRunner

from mineru_core.cli.main import app
from mineru_core.version import __version__

COMMAND = [sys.executable, "-m", "mineru_core.cli"]


def test_help_imports_nothing_heavy() -> None:
    heavy = (
        "numpy",
        "cv2",
        "openvino",
        "onnxruntime",
        "pandas",
        "streamlit",
        "fastapi",
        "sqlalchemy",
        "PIL",
        "pydantic",
    )
    code = (
        "import sys; from typer.testing import CliRunner; from mineru_core.cli.main import app; "
        "done = CliRunner().invoke(app, ['--help']); assert done.exit_code == 0; "
        f"print([name for name in {heavy!r} if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_every_command_has_help() -> None:
    for command in ([], ["analyze"], ["serve"], ["doctor"], ["models"], ["models", "install"]):
        done = CliRunner().invoke(app, [*command, "--help"])
        assert done.exit_code == 0
        assert "Usage: mineru-workbench" in done.stdout or "Usage: root" in done.stdout


def test_the_version() -> None:
    done = subprocess.run([*COMMAND, "--version"], capture_output=True, text=True, check=True)
    assert done.stdout == f"mineru-workbench {__version__}\n"


def test_an_unknown_command_ends_with_1() -> None:
    done = subprocess.run([*COMMAND, "no-such-command"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert "No such command" in done.stderr
