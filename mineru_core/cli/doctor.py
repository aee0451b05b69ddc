"""``mineru-workbench doctor``: whether this machine has what the workbench needs."""

from __future__ import annotations

import json
import platform
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from enum import StrEnum
from pathlib import Path

import typer

from mineru_core.cli.serve import open_port
from mineru_core.errors import WorkbenchError
from mineru_core.settings import Settings, available_cores, load_settings

LEAST_PYTHON = (3, 11)
LEAST_FREE_BYTES = 2_000_000_000
MINERU_ENGINES = ("mineru", "mineru-tiny", "mineru-server")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")


class State(StrEnum):
    """How a check ended: ``warn`` leaves the main job possible, ``fail`` does not."""

    OK = "ok"
    WARN = "warn"
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing looked at; ``hint`` says what to do where it is not ok."""

    name: str
    state: State
    message: str
    hint: str = ""


def run_doctor(*, as_json: bool) -> int:
    """Print every check; 1 if one failed, else 0."""
    checks = list(_all_checks())
    failed = any(check.state is State.FAIL for check in checks)
    if as_json:
        typer.echo(json.dumps({"ok": not failed, "checks": [asdict(check) for check in checks]}, indent=2))
    else:
        for check in checks:
            hint = f"  → {check.hint}" if check.hint else ""
            typer.echo(f"{check.state.value:4}  {check.name:13} {check.message}{hint}")
    return 1 if failed else 0


def _all_checks() -> Iterator[Check]:
    yield check_python()
    try:
        settings = load_settings()
    except WorkbenchError as error:
        yield Check("settings", State.FAIL, error.message, error.hint)
        return
    looks: tuple[Callable[[Settings], Check], ...] = (
        check_numbers,
        check_home,
        check_weights,
        check_listening,
        check_rates,
        check_browser,
    )
    for look in looks:
        yield look(settings)
    yield from check_engines(settings)


def check_python() -> Check:
    """The interpreter is new enough."""
    version = platform.python_version()
    if sys.version_info < LEAST_PYTHON:
        return Check("python", State.FAIL, version, "Use Python 3.11 or later.")
    return Check("python", State.OK, f"{version} on {platform.system()} {platform.machine()}")


def check_numbers(settings: Settings) -> Check:
    """How many cores there are, and the four numbers that follow, each with where it comes from."""
    from mineru_core.serving.admission import HORIZON_S, places_at, start_rate

    engine, jobs = settings.engine, settings.jobs
    if jobs.waiting_places is None:
        places = f"{places_at(start_rate(settings))} at first (learned: what is read in {HORIZON_S:g} s)"
    else:
        places = f"{jobs.waiting_places} (setting)"
    numbers = (
        f"pages_in_flight {settings.pages_in_flight} ({_origin(engine.pages_in_flight)}), waiting_places {places}, "
        f"engine_calls {settings.engine_calls} ({_origin(engine.engine_calls)}), "
        f"batch_items {engine.batch_items} (setting)"
    )
    return Check("cores", State.OK, f"{available_cores()}: {numbers}")


def _origin(setting: int | None) -> str:
    return "cores" if setting is None else "setting"


def check_home(settings: Settings) -> Check:
    """The home folder can be written to and has room."""
    home = settings.home
    try:
        home.mkdir(parents=True, exist_ok=True)
        with tempfile.NamedTemporaryFile(dir=home, prefix=".doctor-"):
            free = shutil.disk_usage(home).free
    except OSError as error:
        hint = "Make it writable, or set MINERU_WORKBENCH_HOME to another folder."
        return Check("home", State.FAIL, f"{home} cannot be written to: {error.strerror}", hint)
    if free < LEAST_FREE_BYTES:
        return Check("home", State.WARN, f"{home}: only {free / 1e9:.1f} GB free", "Free some room on this disk.")
    return Check("home", State.OK, f"{home}: writable, {free / 1e9:.0f} GB free")


def check_weights(settings: Settings) -> Check:
    """The embedded engine's files are there and whole."""
    from mineru_core.engines.embedded import weights

    statuses = weights.status(settings.models_dir)
    missing = [status.name for status in statuses if not status.installed]
    if missing:
        return Check("weights", State.FAIL, f"missing: {', '.join(missing)}", "Run: mineru-workbench models install")
    return Check("weights", State.OK, f"{len(statuses)} files in {settings.models_dir}")


def check_engines(settings: Settings) -> Iterator[Check]:
    """The other engines: ready, or what they lack; a fault only where it is the one that is set."""
    from mineru_core.engines.facts import engine_facts

    for name in MINERU_ENGINES:
        facts = engine_facts(name, settings)
        title = facts.title + (f" (licence of the weights: {facts.licence})" if facts.licence else "")
        if facts.lacks is None:
            yield Check(name, State.OK, f"ready{title and f': {title}'}")
            continue
        lacks = State.FAIL if name == settings.engine.name else State.WARN
        yield Check(name, lacks, f"{title or 'MinerU'}: {facts.lacks.value} missing", f"Run: {facts.command}")


def check_listening(settings: Settings) -> Check:
    """The server's port is free."""
    host, port = settings.server.host, settings.server.port
    try:
        open_port(host, port).close()
    except WorkbenchError as error:
        return Check("port", State.WARN, error.message, "Fine if the workbench is running; else choose --port.")
    return Check("port", State.OK, f"{host}:{port} is free")


def check_rates(settings: Settings) -> Check:
    """The storage that several servers count documents in answers, where one is set."""
    if settings.rate.storage_url is None:
        return Check("rates", State.OK, "each server counts for itself")
    from mineru_core.api.rate_windows import SharedWindows

    shared = SharedWindows(settings.rate.storage_url.get_secret_value())
    if shared.answers():
        return Check("rates", State.OK, f"counted in {shared.address}")
    hint = "Start it, or check rate.storage_url; until then each server counts for itself."
    return Check("rates", State.WARN, f"{shared.address} does not answer", hint)


def check_browser(_settings: Settings) -> Check:
    """Chromium, which only the browser tests need."""
    found = next((path for name in BROWSERS if (path := shutil.which(name))), None)
    if found is None:
        return Check("chromium", State.WARN, "not found; only the browser tests need it", "Run: make test")
    return Check("chromium", State.OK, str(Path(found)))
