"""The make targets: those that are promised exist, and set-up does next to nothing when all is there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
TARGETS = ("run", "run-mineru", "test", "test-long", "lint", "types", "layers", "sizes", "check", "format")


def make(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["make", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


def test_help_lists_every_target() -> None:
    done = make()
    assert done.returncode == 0
    assert {line.split()[0] for line in done.stdout.splitlines()} >= set(TARGETS)


@pytest.mark.parametrize("target", TARGETS)
def test_a_target_can_be_made(target: str) -> None:
    done = make("--dry-run", target)
    assert done.returncode == 0, done.stderr


def test_the_suite_is_run_without_long_tests_and_on_wish_without_a_browser() -> None:
    assert '-m "not long"' in make("--dry-run", "test").stdout
    assert '-m "not long and not browser"' in make("--dry-run", "test", "NO_BROWSER=1").stdout


def test_the_scripts_are_sound() -> None:
    for script in ("tools/setup.sh", ".ci/run"):
        path = ROOT / script
        assert subprocess.run(["bash", "-n", str(path)], check=False).returncode == 0
        assert path.stat().st_mode & 0o111, f"{script} can be run"
        assert "set -euo pipefail" in path.read_text()


def test_set_up_says_what_it_is_for() -> None:
    done = subprocess.run([ROOT / "tools/setup.sh"], capture_output=True, text=True, check=False)
    assert done.returncode == 1
    assert re.search(r"run, mineru, dev or test", done.stderr)
