"""What a benchmark has found: told line by line, and written for whoever compares runs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path


def tell_figures(figures: Mapping[str, float], path: Path | None, *, width: int = 22, form: str = "10.2f") -> None:
    """Print a figure a line, its name in ``width`` columns and its value as ``form`` says, and write them."""
    for name, value in figures.items():
        print(f"{name:{width}} {value:{form}}")
    write_figures(figures, path)


def write_figures(figures: Mapping[str, float], path: Path | None) -> None:
    """Write the figures as flat JSON, unless there is no file for them."""
    if path is not None:
        path.write_text(json.dumps(figures, indent=1), encoding="utf-8")
