"""``mineru-workbench models``: which model files there are, and how they get here."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import typer

from mineru_core.cli.console import ProgressLine, tell_error
from mineru_core.errors import EngineUnavailable, WorkbenchError
from mineru_core.settings import Settings

EMBEDDED = "embedded"
MINERU = "mineru"

Listener = Callable[[str, float], None]


def list_models() -> int:
    """Print every model file with its state; exit code 0."""
    from mineru_core.engines.embedded import weights
    from mineru_core.settings import load_settings

    try:
        settings = load_settings()
    except WorkbenchError as error:
        tell_error(error)
        return 1
    for status in weights.status(settings.models_dir):
        _row(EMBEDDED, status.name, status.installed, status.size, status.revision, status.licence)
    _list_mineru(settings)
    typer.echo(f"Folder: {settings.models_dir}")
    return 0


def install_models(engine: str, source: Path | None, *, quiet: bool) -> int:
    """Install the files of ``engine``; 0, or 1 with the reason on stderr."""
    from mineru_core.settings import load_settings

    line = ProgressLine()
    try:
        install = {EMBEDDED: _install_embedded, MINERU: _install_mineru}.get(engine)
        if install is None:
            message = f"No engine with model files is called {engine[:40]!r}."
            raise EngineUnavailable(message, f"Name {EMBEDDED} or {MINERU}.")
        done = install(load_settings(), source, lambda name, share: line.show(f"{share:4.0%} {name}"))
    except WorkbenchError as error:
        line.clear()
        tell_error(error)
        return 1
    line.clear()
    if not quiet:
        typer.echo(done)
    return 0


def _install_embedded(settings: Settings, source: Path | None, progress: Listener) -> str:
    from mineru_core.engines.embedded import weights

    weights.install(settings.models_dir, source=source, progress=progress)
    return f"All model files of {EMBEDDED} are in {settings.models_dir}."


def _install_mineru(settings: Settings, source: Path | None, progress: Listener) -> str:
    from mineru_core.engines.mineru.download import install

    found = install(settings, source=source, progress=progress)
    return f"{found.title} (licence of the weights: {found.licence}) is in {found.folder}."


def _list_mineru(settings: Settings) -> None:
    """The chosen model, then the others that are known, each installed or not."""
    from mineru_core.engines.mineru.checkpoint import KNOWN_MODELS, installed, known_model

    chosen = settings.mineru.model
    others = [known.repository for known in KNOWN_MODELS if known_model(chosen) is not known]
    for model in (chosen, *others):
        revision = settings.mineru.revision if model == chosen else None
        options = settings.mineru.model_copy(update={"model": model, "revision": revision})
        found = installed(settings.model_copy(update={"mineru": options}))
        known = known_model(model)
        size = found.size if found else known.size if known else 0
        licence = found.licence if found else known.licence if known else "licence unknown"
        _row(MINERU, model, found is not None, size, found.revision[:12] if found else "", licence)


def _row(engine: str, name: str, there: bool, size: int, revision: str, licence: str) -> None:
    state = "installed" if there else "missing"
    shown = f"{size / 1e6:.1f} MB" if size else ""
    typer.echo(f"{engine:9} {name:36} {state:10} {shown:>9}  {revision}  {licence}")
