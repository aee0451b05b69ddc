"""``mineru-workbench models``: which model files there are, and how they get here."""

from __future__ import annotations

from pathlib import Path

import typer

from mineru_core.cli.console import ProgressLine, tell_error
from mineru_core.errors import EngineUnavailable, WorkbenchError

EMBEDDED = "embedded"


def list_models() -> int:
    """Print every model file with its state; exit code 0."""
    from mineru_core.engines.embedded import weights
    from mineru_core.settings import load_settings

    try:
        folder = load_settings().models_dir
    except WorkbenchError as error:
        tell_error(error)
        return 1
    for status in weights.status(folder):
        state = "installed" if status.installed else "missing"
        size = f"{status.size / 1e6:.1f} MB"
        typer.echo(f"{EMBEDDED}  {status.name:28} {state:10} {size:>8}  {status.revision}  {status.licence}")
    typer.echo(f"Folder: {folder}")
    return 0


def install_models(engine: str, source: Path | None, *, quiet: bool) -> int:
    """Install the files of ``engine``; 0, or 1 with the reason on stderr."""
    from mineru_core.engines.embedded import weights
    from mineru_core.settings import load_settings

    line = ProgressLine()
    try:
        if engine != EMBEDDED:
            raise EngineUnavailable(f"No engine with model files is called {engine[:40]!r}.", f"Name {EMBEDDED}.")
        folder = load_settings().models_dir
        weights.install(folder, source=source, progress=lambda name, share: line.show(f"{share:4.0%} {name}"))
    except WorkbenchError as error:
        line.clear()
        tell_error(error)
        return 1
    line.clear()
    if not quiet:
        typer.echo(f"All model files of {engine} are in {folder}.")
    return 0
