"""The analyzers of a process, one an engine: what is read with which is a matter of each document."""

from __future__ import annotations

import threading

from mineru_core.engines.registry import engine_names
from mineru_core.errors import EngineUnavailable, InvalidRequest
from mineru_core.serving.analyzer import Analyzer

_FOR_TRIALS = frozenset({"echo"})
"""Engines that read nothing: they are chosen by ``engine.name`` or ``engine.choices`` only."""


class Analyzers:
    """The analyzer of the process's own engine, and others, made when they are first asked for.

    They share the first one's cache and metrics. Each has a gate of its own, so that the pages of a slow engine do not
    take the places of a fast one. Safe to use from many threads.
    """

    def __init__(self, default: Analyzer) -> None:
        self.default = default
        self._lock = threading.Lock()
        self._others: dict[str, Analyzer] = {}
        self._closed = False

    @property
    def choices(self) -> tuple[str, ...]:
        """Names of the engines that may be asked for, the process's own first; they need not be installed."""
        chosen = self.default.settings.engine.choices
        if chosen is None:
            chosen = tuple(name for name in engine_names() if name not in _FOR_TRIALS)
        return tuple(dict.fromkeys([self.default.name, *chosen]))

    def check(self, name: str | None) -> str:
        """The name of the engine that is meant, the process's own where none is named. Raises ``InvalidRequest`` for
        one that may not be asked for."""
        if not name:
            return self.default.name
        if name not in self.choices:
            raise InvalidRequest(
                f"There is no engine {name[:40]!r} here.", f"Choose one of: {', '.join(self.choices)}."
            )
        return name

    def named(self, name: str | None) -> Analyzer:
        """The analyzer of that engine, not loaded yet when it is new. Raises ``InvalidRequest`` as ``check`` does, and
        ``EngineUnavailable`` after ``close()``."""
        name = self.check(name)
        if name == self.default.name:
            return self.default
        with self._lock:
            if self._closed:
                raise EngineUnavailable("The service is stopping.", "Try again in a moment.")
            if name not in self._others:
                first = self.default
                self._others[name] = Analyzer(
                    first.settings, name, metrics=first.metrics, cache=first.cache, settle=first.settles
                )
            return self._others[name]

    def load_progress(self, name: str | None) -> tuple[str, float] | None:
        """Stage and share (0..1) of the loading under way; None where that engine is loaded, or was not asked for."""
        with self._lock:
            analyzer = self.default if name == self.default.name else self._others.get(name or "")
        return None if analyzer is None or analyzer.loaded else analyzer.load_progress

    def close(self) -> None:
        """Close the analyzers made here; the default is its owner's to close. Calling it again does nothing."""
        with self._lock:
            self._closed = True
            others, self._others = self._others, {}
        for analyzer in others.values():
            analyzer.close()
