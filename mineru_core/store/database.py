"""The state database: SQLite in WAL mode, brought to the newest tables when it is opened."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from alembic import command
from alembic.config import Config
from alembic.util import CommandError
from filelock import FileLock
from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.exc import DatabaseError, OperationalError
from sqlalchemy.orm import Session

from mineru_core.errors import InvalidSetting

_migrating = threading.Lock()  # Alembic's context is one for the whole process

_BUSY_MS = 10_000
_MIGRATIONS = Path(__file__).parent / "migrations"
_HOME_HINT = "Set MINERU_WORKBENCH_HOME to a folder on a local disk that can be written."


class Database:
    """Sessions on one SQLite file; safe from many threads and several processes.

    Opening migrates under a lock file beside the database, so two processes that start at once do it one after the
    other. Raises ``InvalidSetting`` where the home folder cannot be written, the file is damaged,
    or a newer version has migrated it.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._engine = _sqlite_engine(path)
            with _migrating, FileLock(path.with_name(path.name + ".lock")):
                self._migrate()
        except (OSError, OperationalError) as error:
            raise InvalidSetting("The home folder cannot be written.", _HOME_HINT) from error
        except DatabaseError as error:
            raise InvalidSetting(
                "The state database is damaged.", f"Move {path.name} out of the home folder; documents are read anew."
            ) from error
        except CommandError as error:
            raise InvalidSetting(
                "The state database was made by a newer version.", "Update, or choose another home folder."
            ) from error

    @contextmanager
    def read(self) -> Iterator[Session]:
        """A session for reading: a snapshot that waits for nobody."""
        with Session(self._engine, expire_on_commit=False) as session:
            yield session

    @contextmanager
    def write(self) -> Iterator[Session]:
        """A session that holds the one write lock from its start; commits at the end, rolls back on an error."""
        with Session(self._engine, expire_on_commit=False) as session, session.begin():
            session.connection(execution_options={"writes": True})
            yield session

    def close(self) -> None:
        """Close every connection."""
        self._engine.dispose()

    def _migrate(self) -> None:
        config = Config()
        config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
        with self._engine.execution_options(writes=True).begin() as connection:
            config.attributes["connection"] = connection
            command.upgrade(config, "head")


def _sqlite_engine(path: Path) -> Engine:
    engine = create_engine(URL.create("sqlite", database=str(path)), connect_args={"timeout": _BUSY_MS / 1000})

    @event.listens_for(engine, "connect")
    def _on_connect(connection: sqlite3.Connection, _record: Any) -> None:
        connection.isolation_level = None  # the driver must not begin on its own: BEGIN is sent below
        for pragma in ("journal_mode=WAL", "synchronous=NORMAL", "foreign_keys=ON", f"busy_timeout={_BUSY_MS}"):
            connection.execute(f"PRAGMA {pragma}")

    @event.listens_for(engine, "begin")
    def _on_begin(connection: Connection) -> None:
        # a reader that turns writer can fail at once whatever the timeout, so writers lock from the start
        writes = connection.get_execution_options().get("writes", False)
        connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")

    return engine
