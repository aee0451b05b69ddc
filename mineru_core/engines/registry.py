"""Engines by the name they have in the settings; each is imported only when it is asked for."""

from __future__ import annotations

from collections.abc import Callable

from mineru_core.engines.base import BatchListener, Engine
from mineru_core.errors import EngineUnavailable
from mineru_core.settings import Settings


def create_engine(name: str, settings: Settings, on_batch: BatchListener | None = None) -> Engine:
    """The engine of that name, not loaded yet; ``on_batch`` is told of its shared calls, if it makes any.

    Raises ``EngineUnavailable`` for a name that is unknown.
    """
    make = _FACTORIES.get(name)
    if make is None:
        raise EngineUnavailable(f"There is no engine {name!r}.", f"Choose one of: {', '.join(engine_names())}.")
    return make(settings, on_batch)


def engine_names() -> tuple[str, ...]:
    """Names that ``create_engine`` takes, the default first."""
    return tuple(_FACTORIES)


def _embedded(settings: Settings, on_batch: BatchListener | None) -> Engine:
    from mineru_core.engines.embedded.engine import EmbeddedEngine

    return EmbeddedEngine(settings, on_batch)


def _echo(settings: Settings, _on_batch: BatchListener | None) -> Engine:
    from mineru_core.engines.echo import EchoEngine

    return EchoEngine(delay_s=settings.engine.echo_delay_s)


_FACTORIES: dict[str, Callable[[Settings, BatchListener | None], Engine]] = {"embedded": _embedded, "echo": _echo}
