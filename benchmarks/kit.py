"""The evaluation data on disk: its sets, its items, its scorer and the figures of its peers."""

from __future__ import annotations

import importlib.util
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

KINDS = ("text", "table", "chart", "layout", "checks")


@dataclass(frozen=True)
class EvaluationSet:
    """One folder of pictures with truths. ``kind`` is what is compared, ``primary`` the metric to read first."""

    name: str
    folder: Path
    kind: str
    primary: str
    casefold: bool = False
    classes: tuple[str, ...] | None = None

    @property
    def truth(self) -> Path:
        """Folder of the truths."""
        return self.folder / "dev" / "truth"

    def items(self, limit: int | None = None) -> list[Path]:
        """Pictures that have a truth, by name; the first ``limit`` of them."""
        stems = {path.name.removesuffix(path.suffix) for path in self.truth.iterdir()}
        pictures = sorted((self.folder / "dev" / "images").iterdir())
        return [path for path in pictures if item_name(path) in stems][:limit]


def item_name(path: Path) -> str:
    """The item of a picture: its file name without the last extension."""
    return path.name.removesuffix(path.suffix)


def find_sets(data: Path, names: Sequence[str] = ()) -> list[EvaluationSet]:
    """Sets with truths in a data folder, all of them or the named ones. Raises ``ValueError`` for an unknown name."""
    found = {}
    for meta_file in sorted(data.glob("*/META.json")):
        meta = json.loads(meta_file.read_text(encoding="utf-8"))
        if meta.get("kind") not in KINDS or not (meta_file.parent / "dev" / "truth").is_dir():
            continue
        classes = meta.get("classes")
        found[meta_file.parent.name] = EvaluationSet(
            name=meta_file.parent.name,
            folder=meta_file.parent,
            kind=meta["kind"],
            primary=meta.get("primary", ""),
            casefold=bool(meta.get("casefold", False)),
            classes=tuple(classes) if classes else None,
        )
    unknown = [name for name in names if name not in found]
    if unknown:
        raise ValueError(f"no such set: {', '.join(unknown)}; there are {', '.join(found)}")
    return [found[name] for name in names or found]


def load_scorer(data: Path) -> Any:
    """The scorer ``kit/score.py`` of the data folder as a module."""
    path = data / "kit" / "score.py"
    spec = importlib.util.spec_from_file_location("evaluation_score", path)
    if spec is None or spec.loader is None or not path.is_file():
        raise ValueError(f"there is no scorer at {path}")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def read_baselines(data: Path) -> dict[str, dict[str, dict[str, float]]]:
    """Figures of the peers in ``BASELINES.md``: set → peer → metric → value; empty where there is no such file."""
    path = data / "BASELINES.md"
    figures: dict[str, dict[str, dict[str, float]]] = {}
    columns: list[str] = []
    for line in path.read_text(encoding="utf-8").splitlines() if path.is_file() else []:
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if not line.startswith("|") or re.fullmatch(r"[\s|:-]+", line):
            continue
        if cells[0] == "set":
            columns = cells[2:]  # the first two are the set and the peer
            continue
        values = {name: float(cell) for name, cell in zip(columns, cells[2:], strict=False) if _is_number(cell)}
        figures.setdefault(cells[0], {})[cells[1]] = values
    return figures


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
