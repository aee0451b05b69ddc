"""What can be said of an engine before it is made: whether all it needs is there, how to get the rest, its licence."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from importlib.util import find_spec
from pathlib import Path

from mineru_core.errors import EngineUnavailable
from mineru_core.settings import Settings

_CHECKOUT = Path(__file__).resolve().parents[2]
# In a checkout make installs into its .venv, which pip of another Python does not.
EXTRA_COMMAND = (
    "make run-mineru" if (_CHECKOUT / "tools" / "setup.sh").is_file() else "pip install 'mineru-workbench[mineru]'"
)
SERVER_COMMAND = "export MINERU_WORKBENCH_MINERU_SERVER__URLS='[\"http://HOST:8000\"]'"

_EXTRA = ("torch", "transformers", "safetensors", "mineru_vl_utils")


class Lack(StrEnum):
    """What an engine lacks."""

    PACKAGES = "packages"
    MODEL = "model"
    ADDRESS = "address"


@dataclass(frozen=True, slots=True)
class EngineFacts:
    """One engine of the registry. ``lacks`` is None where it can be used: ``command`` then is empty, else what to run.

    ``title`` is the model's own name and ``licence`` that of its weights, each empty where there is none to be named.
    """

    name: str
    lacks: Lack | None = None
    command: str = ""
    title: str = ""
    licence: str = ""

    @property
    def usable(self) -> bool:
        """Whether it can be asked to read."""
        return self.lacks is None


def engine_facts(name: str, settings: Settings) -> EngineFacts:
    """The facts of the engine of that name. Looks at folders and packages; imports and loads none of them."""
    look = _LOOKS.get(name)
    return EngineFacts(name) if look is None else look(settings)


@contextmanager
def needs_extra() -> Iterator[None]:
    """Around imports of the extra's packages: ``EngineUnavailable`` says what to install where one is missing."""
    try:
        yield
    except ImportError as error:
        if (error.name or "").partition(".")[0] == "mineru_core":
            raise
        raise EngineUnavailable(
            f"The MinerU engines need packages that are not installed ({error.name}).", f"Run: {EXTRA_COMMAND}"
        ) from error


def _embedded(settings: Settings) -> EngineFacts:
    from mineru_core.engines.embedded import weights

    statuses = weights.status(settings.models_dir)
    licences = ", ".join(dict.fromkeys(status.licence for status in statuses))
    if all(status.installed for status in statuses):
        return EngineFacts("embedded", licence=licences)
    return EngineFacts("embedded", Lack.MODEL, weights.INSTALL_COMMAND, licence=licences)


def _mineru(settings: Settings) -> EngineFacts:
    from mineru_core.engines.mineru import checkpoint

    found, known = checkpoint.installed(settings), checkpoint.known_model(settings.mineru.model)
    title = found.title if found else known.title if known else settings.mineru.model.rsplit("/", 1)[-1]
    licence = found.licence if found else known.licence if known else ""
    if not _has_extra():
        return EngineFacts("mineru", Lack.PACKAGES, EXTRA_COMMAND, title, licence)
    if found is None:
        return EngineFacts("mineru", Lack.MODEL, checkpoint.INSTALL_COMMAND, title, licence)
    return EngineFacts("mineru", title=title, licence=licence)


def _mineru_tiny(_settings: Settings) -> EngineFacts:
    from mineru_core.engines.mineru import checkpoint

    found = checkpoint.checkpoint_in(checkpoint.TINY_FOLDER)
    if found is None:
        return EngineFacts("mineru-tiny", Lack.MODEL, EXTRA_COMMAND)
    if not _has_extra():
        return EngineFacts("mineru-tiny", Lack.PACKAGES, EXTRA_COMMAND, found.title, found.licence)
    return EngineFacts("mineru-tiny", title=found.title, licence=found.licence)


def _mineru_server(settings: Settings) -> EngineFacts:
    from mineru_core.engines.mineru import checkpoint

    known = checkpoint.known_model(settings.mineru_server.model or "")
    title, licence = (known.title, known.licence) if known else ("", "")
    addressed = bool(settings.mineru_server.urls)
    if not _has_extra():
        command = EXTRA_COMMAND if addressed else f"{SERVER_COMMAND} && {EXTRA_COMMAND}"
        return EngineFacts("mineru-server", Lack.PACKAGES, command, title, licence)
    if not addressed:
        return EngineFacts("mineru-server", Lack.ADDRESS, SERVER_COMMAND, title, licence)
    return EngineFacts("mineru-server", title=title, licence=licence)


def _has_extra() -> bool:
    return all(find_spec(package) is not None for package in _EXTRA)


_LOOKS: dict[str, Callable[[Settings], EngineFacts]] = {
    "embedded": _embedded,
    "mineru": _mineru,
    "mineru-tiny": _mineru_tiny,
    "mineru-server": _mineru_server,
}
