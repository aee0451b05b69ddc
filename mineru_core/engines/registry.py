"""Engines by the name they have in the settings; each is imported only when it is asked for."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mineru_core.engines.base import BatchListener, BreakerListener, Engine
from mineru_core.engines.facts import needs_extra
from mineru_core.errors import EngineUnavailable
from mineru_core.settings import Settings


class Listeners(NamedTuple):
    """Who is told of what goes on in an engine."""

    on_batch: BatchListener | None
    on_breaker: BreakerListener | None


def create_engine(
    name: str,
    settings: Settings,
    on_batch: BatchListener | None = None,
    on_breaker: BreakerListener | None = None,
) -> Engine:
    """The engine of that name, not loaded yet; ``on_batch`` is told of its shared calls, ``on_breaker`` of its servers,
    if it has any.

    Raises ``EngineUnavailable`` for a name that is unknown, and for an engine whose packages are not installed, and
    ``InvalidSetting`` for one that cannot work with its settings.
    """
    make = _FACTORIES.get(name)
    if make is None:
        raise EngineUnavailable(f"There is no engine {name!r}.", f"Choose one of: {', '.join(engine_names())}.")
    return make(settings, Listeners(on_batch, on_breaker))


def engine_names() -> tuple[str, ...]:
    """Names that ``create_engine`` takes, the default first."""
    return tuple(_FACTORIES)


def _embedded(settings: Settings, told: Listeners) -> Engine:
    from mineru_core.engines.embedded.engine import EmbeddedEngine

    return EmbeddedEngine(settings, told.on_batch)


def _echo(settings: Settings, _told: Listeners) -> Engine:
    from mineru_core.engines.echo import EchoEngine

    return EchoEngine(delay_s=settings.engine.echo_delay_s)


def _mineru(settings: Settings, told: Listeners) -> Engine:
    with needs_extra():
        from mineru_core.engines.mineru.backend_local import LocalBackend
        from mineru_core.engines.mineru.engine import MineruEngine
    return MineruEngine(LocalBackend(settings), "mineru", told.on_batch)


def _mineru_tiny(settings: Settings, told: Listeners) -> Engine:
    with needs_extra():
        from mineru_core.engines.mineru.backend_local import LocalBackend
        from mineru_core.engines.mineru.checkpoint import TINY_FOLDER
        from mineru_core.engines.mineru.engine import MineruEngine
    return MineruEngine(LocalBackend(settings, TINY_FOLDER), "mineru-tiny", told.on_batch)


def _mineru_server(settings: Settings, told: Listeners) -> Engine:
    with needs_extra():
        from mineru_core.engines.mineru.engine import MineruEngine
        from mineru_core.engines.mineru.server import ServerBackend
    backend = ServerBackend(
        settings.mineru_server, max_new_tokens=settings.mineru.max_new_tokens, on_state=told.on_breaker
    )
    return MineruEngine(backend, "mineru-server", told.on_batch)


_FACTORIES: dict[str, Callable[[Settings, Listeners], Engine]] = {
    "embedded": _embedded,
    "mineru": _mineru,
    "mineru-tiny": _mineru_tiny,
    "mineru-server": _mineru_server,
    "echo": _echo,
}
