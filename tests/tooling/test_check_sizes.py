"""The size limits: what is measured, and that this checkout holds them."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def check_sizes() -> ModuleType:
    spec = importlib.util.spec_from_file_location("check_sizes", ROOT / "tools" / "check_sizes.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def lines(count: int) -> str:
    return "x = 1\n" * count


def function(count: int) -> str:
    return "class A:\n    def long(self):\n" + "        x = 1\n" * (count - 1)


@pytest.mark.parametrize(
    ("place", "source", "fault"),
    [
        ("mineru_core/a.py", lines(400), None),
        ("mineru_core/a.py", lines(401), "401 lines"),
        ("mineru_core/deep/er/a.py", lines(401), "401 lines"),
        ("tests/test_a.py", lines(600), None),
        ("tests/test_a.py", lines(601), "601 lines"),
        ("app.py", lines(401), "401 lines"),
        ("elsewhere/a.py", lines(999), None),
        ("benchmarks/a.py", function(60), None),
        ("benchmarks/a.py", function(61), "long has 61 lines"),
        ("pages/a.py", "async " + function(61).partition("    ")[2], "long has 61 lines"),
    ],
)
def test_what_is_too_long(
    check_sizes: ModuleType,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    place: str,
    source: str,
    fault: str | None,
) -> None:
    path = tmp_path / place
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(source)
    assert check_sizes.main(tmp_path) == (0 if fault is None else 1)
    assert (fault or "") in capsys.readouterr().out
