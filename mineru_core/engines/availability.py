"""Which engines can read here, and what the others lack; nothing heavy is imported or loaded for it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec

from mineru_core.errors import WorkbenchError
from mineru_core.settings import Settings

EXTRA_COMMAND = "pip install 'mineru-workbench[mineru]'"
_CLIENT_PACKAGES = ("mineru_vl_utils", "PIL")
_MODEL_PACKAGES = ("torch", "transformers", "safetensors", *_CLIENT_PACKAGES)


@dataclass(frozen=True, slots=True)
class EngineState:
    """An engine as it may be chosen: ``title`` for people, ``licence`` of its weights ("" where it is not known).

    ``ready`` says that nothing is missing; ``message`` what is there, or is missing, and ``hint`` what to do about it.
    """

    name: str
    title: str
    licence: str
    ready: bool
    message: str
    hint: str = ""


def engine_states(settings: Settings) -> tuple[EngineState, ...]:
    """Every engine that reads pages, the default first. Servers are not asked whether they answer."""
    return _embedded(settings), _mineru(settings), _tiny(settings), _server(settings)


def _embedded(settings: Settings) -> EngineState:
    from mineru_core.engines.embedded import weights

    statuses = weights.status(settings.models_dir)
    missing = [status.name for status in statuses if not status.installed]
    licence = ", ".join(sorted({status.licence for status in statuses}))
    if missing:
        message = f"missing: {', '.join(missing)}"
        return EngineState("embedded", "Embedded", licence, False, message, f"Run: {weights.INSTALL_COMMAND}")
    return EngineState("embedded", "Embedded", licence, True, f"{len(statuses)} model files")


def _mineru(settings: Settings) -> EngineState:
    from mineru_core.engines.mineru.checkpoint import checkpoint_folder, known_model, open_checkpoint

    known = known_model(settings.mineru.model)
    title, licence = (known.title, known.licence) if known else (settings.mineru.model, "")
    if lacking := _lacking(_MODEL_PACKAGES):
        return EngineState("mineru", title, licence, False, lacking, f"Run: {EXTRA_COMMAND}")
    try:
        found = open_checkpoint(checkpoint_folder(settings))
    except WorkbenchError as error:
        return EngineState("mineru", title, licence, False, error.message, error.hint)
    message = f"{found.size / 1e9:.2f} GB in {found.folder}"
    return EngineState("mineru", found.title, found.licence, True, message)


def _tiny(_settings: Settings) -> EngineState:
    from mineru_core.engines.mineru.checkpoint import TINY_FOLDER, open_checkpoint

    title = "MinerU tiny (demo)"
    if lacking := _lacking(_MODEL_PACKAGES):
        return EngineState("mineru-tiny", title, "", False, lacking, f"Run: {EXTRA_COMMAND}")
    try:
        found = open_checkpoint(TINY_FOLDER)
    except WorkbenchError as error:
        return EngineState("mineru-tiny", title, "", False, error.message, "Install the package again.")
    return EngineState("mineru-tiny", found.title, found.licence, True, "comes with the package")


def _server(settings: Settings) -> EngineState:
    title, urls = "MinerU server", settings.mineru_server.urls
    if lacking := _lacking(_CLIENT_PACKAGES):
        return EngineState("mineru-server", title, "", False, lacking, f"Run: {EXTRA_COMMAND}")
    if not urls:
        hint = "Set MINERU_WORKBENCH_MINERU_SERVER__URLS to the addresses of servers of the model."
        return EngineState("mineru-server", title, "", False, "no server is set", hint)
    return EngineState("mineru-server", title, "", True, ", ".join(urls))


def _lacking(packages: Iterable[str]) -> str:
    """Which packages are not installed, as a sentence; empty where all are."""
    missing = [package for package in packages if find_spec(package) is None]
    return f"packages missing: {', '.join(missing)}" if missing else ""
