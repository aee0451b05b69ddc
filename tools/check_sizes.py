"""Fails where a Python file is over 400 lines (a test file: 600) or a function over 60; run by ``make sizes``."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SOURCES = ("mineru_core", "benchmarks", "tools", "pages", "app.py", "asgi.py")
TESTS = ("tests",)
MAX_FILE_LINES, MAX_TEST_FILE_LINES, MAX_FUNCTION_LINES = 400, 600, 60


def main(root: Path = ROOT) -> int:
    """Print what is too long in the checkout at ``root``; 1 if anything is, else 0."""
    faults = [fault for path in python_files(root, SOURCES) for fault in faults_of(path, MAX_FILE_LINES)]
    faults += [fault for path in python_files(root, TESTS) for fault in faults_of(path, MAX_TEST_FILE_LINES)]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def python_files(root: Path, places: tuple[str, ...]) -> Iterator[Path]:
    """Every .py file under the given files and folders of ``root``."""
    for place in places:
        path = root / place
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path] if path.is_file() else []


def faults_of(path: Path, max_lines: int) -> Iterator[str]:
    """What is too long in one file, as ``path:line: what``."""
    source = path.read_text(encoding="utf-8")
    count = len(source.splitlines())
    if count > max_lines:
        yield f"{path}:1: {count} lines, at most {max_lines}"
    for node in ast.walk(ast.parse(source, str(path))):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            length = (node.end_lineno or node.lineno) - node.lineno + 1
            if length > MAX_FUNCTION_LINES:
                yield f"{path}:{node.lineno}: {node.name} has {length} lines, at most {MAX_FUNCTION_LINES}"


if __name__ == "__main__":
    sys.exit(main())
