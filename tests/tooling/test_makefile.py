"""The make targets: those that are promised exist, and set-up does next to nothing when all is there."""

from __future__ import annotations

import re
import shutil
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
    assert re.search(r"run, mineru, dev, test or browser", done.stderr)


@pytest.fixture
def bare_path(tmp_path: Path) -> Path:
    """A folder for PATH with little more than a shell: no browser, no fonts, no package manager, no sudo."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("bash", "dirname", "env"):
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    return folder


def put_script(path: Path, text: str) -> None:
    path.write_text(f"#!/bin/bash\n{text}\n")
    path.chmod(0o755)


def set_up_browser(path: Path) -> subprocess.CompletedProcess[str]:
    command = [str(ROOT / "tools/setup.sh"), "browser"]
    return subprocess.run(command, env={"PATH": str(path)}, capture_output=True, text=True, check=False)


def test_chromium_and_a_font_are_installed_where_they_are_missing(bare_path: Path) -> None:
    log = bare_path / "log"
    put_script(bare_path / "id", "echo 0")
    put_script(bare_path / "apt-get", f'echo "$@" >> {log}')
    done = set_up_browser(bare_path)
    assert done.returncode == 0, done.stderr
    update, install = log.read_text().splitlines()
    assert update.startswith("update")
    assert install.startswith("install")
    assert install.endswith("chromium fontconfig fonts-noto-cjk")


def test_nothing_is_installed_where_all_is_there(bare_path: Path) -> None:
    put_script(bare_path / "chromium", "exit 0")
    put_script(bare_path / "fc-list", "echo Noto Sans CJK SC")
    put_script(bare_path / "apt-get", "exit 1")
    done = set_up_browser(bare_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")


@pytest.mark.parametrize("has_apt", [True, False])
def test_who_may_not_install_is_told_what_to_install(bare_path: Path, has_apt: bool) -> None:
    put_script(bare_path / "id", "echo 1000")
    if has_apt:
        put_script(bare_path / "apt-get", "exit 1")
    done = set_up_browser(bare_path)
    assert done.returncode == 1
    assert "chromium fontconfig fonts-noto-cjk" in done.stderr
    assert "NO_BROWSER=1 make test" in done.stderr


def test_a_failed_install_is_told(bare_path: Path) -> None:
    put_script(bare_path / "id", "echo 0")
    put_script(bare_path / "apt-get", "exit 100")
    done = set_up_browser(bare_path)
    assert done.returncode == 1
    assert "sudo apt-get install chromium" in done.stderr


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout with nothing but the set-up script and a ``.venv`` whose commands only note that they were run."""
    tools, commands = tmp_path / "tools", tmp_path / ".venv/bin"
    tools.mkdir()
    commands.mkdir(parents=True)
    shutil.copy(ROOT / "tools/setup.sh", tools)
    (commands / "activate").write_text(str(tmp_path / ".venv"))
    put_script(
        commands / "python",
        f"""case "$*" in
    *'version("torch")'*) [ -e {tmp_path}/torch ]; exit ;;
    "- "*) echo ".venv/.installed-$2-x"; exit ;;
    -) [ -e {tmp_path}/model ]; exit ;;
    "-m pip install "*) echo "pip $*" >> {tmp_path}/log ;;
esac""",
    )
    put_script(commands / "uv", f'echo "uv $*" >> {tmp_path}/log')
    return tmp_path


def installed_by(checkout: Path, purpose: str, **environment: str) -> list[str]:
    """The commands by which the script installs, in order."""
    (checkout / "log").unlink(missing_ok=True)
    subprocess.run(
        [checkout / "tools/setup.sh", purpose], env={"PATH": "/usr/bin:/bin", **environment}, check=True, timeout=60
    )
    return (checkout / "log").read_text().splitlines() if (checkout / "log").exists() else []


@pytest.mark.parametrize("purpose", ["mineru", "dev"])
def test_torch_comes_before_the_packages_that_need_it(checkout: Path, purpose: str) -> None:
    torch, rest = installed_by(checkout, purpose)
    assert torch.startswith("pip -m pip install")
    assert torch.endswith("torch==2.13.0")
    assert rest.startswith("uv pip install")
    assert ".[mineru]" in rest
    assert installed_by(checkout, purpose) == [], "the second time all is there"


def test_torch_that_is_there_is_left_as_it_is(checkout: Path) -> None:
    (checkout / "torch").touch()
    (rest,) = installed_by(checkout, "mineru")
    assert rest.startswith("uv")


def test_another_build_of_torch_can_be_chosen(checkout: Path) -> None:
    torch, _ = installed_by(checkout, "mineru", TORCH="torch==2.14 --index-url https://x")
    assert torch.endswith("torch==2.14 --index-url https://x")


@pytest.mark.parametrize("there", [False, True])
def test_who_has_no_model_yet_is_told_how_to_fetch_it(checkout: Path, there: bool) -> None:
    if there:
        (checkout / "model").touch()
    command = [checkout / "tools/setup.sh", "mineru"]
    done = subprocess.run(command, env={"PATH": "/usr/bin:/bin"}, capture_output=True, text=True, check=True)
    assert ("models install mineru" in done.stderr) != there


def test_the_embedded_engine_needs_no_torch(checkout: Path) -> None:
    (packages,) = installed_by(checkout, "run")
    assert packages.startswith("uv")
    assert "mineru" not in packages
