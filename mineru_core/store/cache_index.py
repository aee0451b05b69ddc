"""Which cached values there are, how big each is and in which order they were last used; in SQLite."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

T = TypeVar("T")

_VERSION = 1
_BUSY_S = 10.0
"""How long to wait for another process's write; each takes milliseconds."""
_DAMAGED = {sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_READONLY}
_VICTIMS = 64

_SCHEMA = """
CREATE TABLE IF NOT EXISTS entries (name TEXT PRIMARY KEY, size INTEGER NOT NULL, used INTEGER NOT NULL) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS entries_by_use ON entries (used);
CREATE TABLE IF NOT EXISTS total (bytes INTEGER NOT NULL);
INSERT INTO total SELECT 0 WHERE NOT EXISTS (SELECT * FROM total);
CREATE TRIGGER IF NOT EXISTS entry_added AFTER INSERT ON entries
    BEGIN UPDATE total SET bytes = bytes + NEW.size; END;
CREATE TRIGGER IF NOT EXISTS entry_removed AFTER DELETE ON entries
    BEGIN UPDATE total SET bytes = bytes - OLD.size; END;
CREATE TRIGGER IF NOT EXISTS entry_resized AFTER UPDATE OF size ON entries
    BEGIN UPDATE total SET bytes = bytes + NEW.size - OLD.size; END;
"""


class CacheIndex:
    """Names, sizes (bytes) and order of use, shared by the processes on one folder. One thread at a time may call it.

    The order of use is a count, so no clock has a say in what goes first. A file that is damaged, or was removed
    while it was open, is made anew; ``take_renewed`` then says so once, for what it held has to be found again.
    Methods raise ``sqlite3.Error`` or ``OSError`` where the disk does not allow it.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._inode: int | None = None
        self._renewed = False

    def record(
        self, sizes: Mapping[str, int], used: Iterable[str], max_bytes: int, remove: Callable[[str], None]
    ) -> set[str]:
        """Note new entries and uses, in that order, and drop what was used longest ago while more than ``max_bytes``
        are there. ``remove`` is called for each dropped name, which may be one of the new ones; returns them."""
        touched = list(used)

        def work(connection: sqlite3.Connection) -> set[str]:
            (last,) = connection.execute("SELECT coalesce(max(used), 0) FROM entries").fetchone()
            connection.executemany(
                "INSERT INTO entries VALUES (?, ?, ?)"
                " ON CONFLICT (name) DO UPDATE SET size = excluded.size, used = excluded.used",
                [(name, size, last + place) for place, (name, size) in enumerate(sizes.items(), start=1)],
            )
            last += len(sizes)
            connection.executemany(
                "UPDATE entries SET used = ? WHERE name = ?",
                [(last + place, name) for place, name in enumerate(touched, start=1)],
            )
            return _evict(connection, max_bytes, remove)

        return self._transact(work)

    def adopt(self, sizes: Mapping[str, int]) -> None:
        """Note entries that nobody knows of, as used longest ago; those known are left as they are."""
        rows = list(sizes.items())
        self._transact(lambda c: c.executemany("INSERT OR IGNORE INTO entries VALUES (?, ?, 0)", rows))

    def forget(self, names: Iterable[str]) -> None:
        """Take entries out."""
        rows = [(name,) for name in names]
        self._transact(lambda c: c.executemany("DELETE FROM entries WHERE name = ?", rows))

    def names(self, prefix: str) -> set[str]:
        """Every name that starts with ``prefix`` (hex digits)."""
        query = "SELECT name FROM entries WHERE name >= ? AND name < ?"
        return self._transact(lambda c: {name for (name,) in c.execute(query, (prefix, prefix + "g"))})

    def total_bytes(self) -> int:
        """Bytes of all entries."""
        return int(self._transact(lambda c: c.execute("SELECT bytes FROM total").fetchone()[0]))

    def take_renewed(self) -> bool:
        """Whether the file was opened or made anew since this was last asked."""
        renewed, self._renewed = self._renewed, False
        return renewed

    def close(self) -> None:
        """Let go of the file; the next call opens it again."""
        if self._connection is not None:
            connection, self._connection = self._connection, None
            with suppress(sqlite3.Error):
                connection.close()

    def _transact(self, work: Callable[[sqlite3.Connection], T]) -> T:
        try:
            return self._attempt(work)
        except sqlite3.DatabaseError as error:
            code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # the low byte is the kind
            if code not in _DAMAGED:
                raise
            self._discard()
        return self._attempt(work)

    def _attempt(self, work: Callable[[sqlite3.Connection], T]) -> T:
        connection = self._open()
        connection.execute("BEGIN IMMEDIATE")
        try:
            result = work(connection)
            connection.execute("COMMIT")
        except BaseException:
            with suppress(sqlite3.Error):
                connection.rollback()
            raise
        return result

    def _open(self) -> sqlite3.Connection:
        """The connection; a new one where there is none, or where its file is no longer the one under the path."""
        if self._connection is not None and self._inode == _inode(self._path):
            return self._connection
        self.close()
        self._path.parent.mkdir(parents=True, exist_ok=True)
        # Calls come from more than one thread, one after the other.
        connection = sqlite3.connect(self._path, timeout=_BUSY_S, isolation_level=None, check_same_thread=False)
        try:
            (version,) = connection.execute("PRAGMA user_version").fetchone()
            if version not in (0, _VERSION):
                raise _other_version()
            with suppress(sqlite3.OperationalError):  # another process is just doing it; the file then stays in it
                connection.execute("PRAGMA journal_mode = WAL")
            # No flush a commit: what a power cut takes from the index is found again by a sweep.
            connection.execute("PRAGMA synchronous = NORMAL")
            if version == 0:
                connection.executescript(f"BEGIN IMMEDIATE;{_SCHEMA}PRAGMA user_version = {_VERSION};COMMIT;")
        except BaseException:
            connection.close()
            raise
        self._connection, self._inode, self._renewed = connection, _inode(self._path), True
        return connection

    def _discard(self) -> None:
        """Remove the file, and what SQLite keeps beside it."""
        self.close()
        for suffix in ("", "-wal", "-shm"):
            self._path.with_name(self._path.name + suffix).unlink(missing_ok=True)


def _evict(connection: sqlite3.Connection, max_bytes: int, remove: Callable[[str], None]) -> set[str]:
    """Drop entries, the longest unused first, until at most ``max_bytes`` are left.

    Files go before the transaction ends: a process killed between leaves entries without files, which are dropped
    later, and not files without entries, which would fill the disk.
    """
    (total,) = connection.execute("SELECT bytes FROM total").fetchone()
    dropped: set[str] = set()
    while total > max_bytes:
        victims = connection.execute("SELECT name, size FROM entries ORDER BY used LIMIT ?", (_VICTIMS,)).fetchall()
        if not victims:
            break
        for name, size in victims:
            if total <= max_bytes:
                break
            remove(name)
            connection.execute("DELETE FROM entries WHERE name = ?", (name,))
            dropped.add(name)
            total -= size
    return dropped


def _inode(path: Path) -> int | None:
    try:
        return os.stat(path).st_ino
    except FileNotFoundError:
        return None


def _other_version() -> sqlite3.DatabaseError:
    """The error of an index that another version of the schema has written: as good as damaged."""
    error = sqlite3.DatabaseError("the index has another schema")
    error.sqlite_errorcode = sqlite3.SQLITE_NOTADB
    return error
