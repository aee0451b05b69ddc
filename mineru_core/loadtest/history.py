"""Runs that are kept in the home folder: ``runs/ID/run.json``, the newest first."""

from __future__ import annotations

import re
import shutil
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


class History:
    """The runs of one home folder."""

    def __init__(self, settings: Settings) -> None:
        self._folder = settings.home / FOLDER

    def keep(self, run: Run) -> None:
        """Write the run down; of more than ``MOST_RUNS``, the oldest go."""
        folder = self._folder / run.id
        write_whole(folder / _FILE, run.model_dump_json().encode(), temporary=folder)
        for old in self._folders()[MOST_RUNS:]:
            shutil.rmtree(old, ignore_errors=True)

    def all(self) -> list[Run]:
        """Every run, the newest first; what cannot be read, as that of another version, is left out."""
        found = [self._read(folder) for folder in self._folders()]
        return [run for run in found if run is not None]

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

    @staticmethod
    def _read(folder: Path) -> Run | None:
        try:
            return Run.model_validate_json((folder / _FILE).read_bytes())
        except (OSError, ValidationError):
            return None
