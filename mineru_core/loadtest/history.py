"""Runs that are kept in the home folder: ``runs/ID/run.json``, the newest first."""

from __future__ import annotations

import re
import shutil
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from mineru_core.errors import InvalidRequest, NotFound
from mineru_core.loadtest.run import Run
from mineru_core.settings import Settings
from mineru_core.store.whole_files import write_whole

FOLDER = "runs"
MOST_RUNS = 200
MAX_NAME = 80

_ID = re.compile(r"[0-9]{8}-[0-9]{6}-[0-9a-f]{6}")
_FILE = "run.json"


def clean_name(name: str) -> str:
    """A run's name on one line, of ``MAX_NAME`` characters at most; "" for none."""
    return " ".join(name.split())[:MAX_NAME]


@dataclass(frozen=True, slots=True)
class Summary:
    """What a list says of a run: all but its courses, which are what makes one large. ``scenario`` is its name."""

    id: str
    name: str
    scenario: str
    started_at: float
    stopped: bool
    figures: Mapping[str, float]


class History:
    """The runs of one home folder; safe from many threads.

    An instance that is kept reads a run for its ``summaries`` once, and again only when its file has changed.
    """

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.home / FOLDER
        self._known: dict[str, tuple[tuple[int, int], Summary | None]] = {}

    def keep(self, run: Run) -> None:
        """Write the run down; of more than ``MOST_RUNS``, the oldest go."""
        folder = self._folder / run.id
        write_whole(folder / _FILE, run.model_dump_json().encode(), temporary=folder)
        for old in self._folders()[MOST_RUNS:]:
            shutil.rmtree(old, ignore_errors=True)

    def summaries(self) -> list[Summary]:
        """Every run in short, the newest first; what cannot be read, as that of another version, is left out."""
        known: dict[str, tuple[tuple[int, int], Summary | None]] = {}
        for folder in self._folders():
            with suppress(OSError):  # somebody has deleted it meanwhile
                state = (folder / _FILE).stat()
                stamp = (state.st_mtime_ns, state.st_ino)
                before = self._known.get(folder.name)
                known[folder.name] = before if before and before[0] == stamp else (stamp, self._summary(folder))
        self._known = known
        return [summary for _, summary in known.values() if summary is not None]

    def get(self, run_id: str) -> Run:
        """The run of this id. Raises ``NotFound``."""
        run = self._read(self._folder / run_id) if _ID.fullmatch(run_id) else None
        if run is None:
            raise NotFound("There is no such run.", "Choose one that is kept.")
        return run

    def rename(self, run_id: str, name: str) -> Run:
        """Give a run another name. Raises ``NotFound``, and ``InvalidRequest`` for no name."""
        name = clean_name(name)
        if not name:
            raise InvalidRequest("A run needs a name.", "Write at least one letter.")
        run = self.get(run_id).model_copy(update={"name": name})
        self.keep(run)
        return run

    def delete(self, run_id: str) -> None:
        """Forget a run. Raises ``NotFound``."""
        self.get(run_id)
        shutil.rmtree(self._folder / run_id)

    def _folders(self) -> list[Path]:
        there = self._folder.iterdir() if self._folder.is_dir() else ()
        return sorted((path for path in there if _ID.fullmatch(path.name)), key=lambda path: path.name, reverse=True)

    def _summary(self, folder: Path) -> Summary | None:
        run = self._read(folder)
        if run is None:
            return None
        return Summary(run.id, run.name, run.scenario.name, run.started_at, run.stopped, run.figures)

    @staticmethod
    def _read(folder: Path) -> Run | None:
        try:
            return Run.model_validate_json((folder / _FILE).read_bytes())
        except (OSError, ValidationError):
            return None
