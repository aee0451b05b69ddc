import sqlite3
import subprocess
import sys
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from alembic import command
from alembic.autogenerate import compare_metadata
from alembic.config import Config
from alembic.migration import MigrationContext
from filelock import FileLock
from sqlalchemy import create_engine, select

from mineru_core.errors import InvalidSetting
from mineru_core.store import database as database_module
from mineru_core.store.database import Database
from mineru_core.store.tables import Base, JobRow


def job(name: str) -> JobRow:
    return JobRow(id=name, owner="o", state="pending", source="a.png", blob="0" * 64, created_at=0.0)


def ids(database: Database) -> list[str]:
    with database.read() as session:
        return [*session.scalars(select(JobRow.id).order_by(JobRow.seq))]


def test_migrations_and_tables_agree(tmp_path: Path) -> None:
    Database(tmp_path / "state.db").close()
    engine = create_engine(f"sqlite:///{tmp_path / 'state.db'}")
    with engine.connect() as connection:
        assert compare_metadata(MigrationContext.configure(connection), Base.metadata) == []
    engine.dispose()


def test_jobs_from_before_there_was_a_choice_of_engines_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "state.db"
    config = Config()
    config.set_main_option("script_location", str(Path(database_module.__file__).parent / "migrations"))
    engine = create_engine(f"sqlite:///{path}")
    with engine.begin() as connection:
        config.attributes["connection"] = connection
        command.upgrade(config, "0001")
        connection.exec_driver_sql(
            "INSERT INTO jobs (id, owner, state, source, words, regions, blob, attempts, stage, page, pages,"
            " created_at) VALUES ('old', 'o', 'pending', 'a.png', '', '[]', '0', 0, '', 0, 0, 0.0)"
        )
    engine.dispose()
    database = Database(path)
    with database.read() as session:
        assert session.scalars(select(JobRow)).one().engine == ""
    database.close()


def test_it_is_in_wal_mode_and_survives_reopening(tmp_path: Path) -> None:
    first = Database(tmp_path / "a folder" / "50%20" / "state.db")
    with first.write() as session:
        session.add(job("one"))
    first.close()
    second = Database(tmp_path / "a folder" / "50%20" / "state.db")
    assert ids(second) == ["one"]
    second.close()
    with sqlite3.connect(tmp_path / "a folder" / "50%20" / "state.db") as plain:
        assert plain.execute("PRAGMA journal_mode").fetchone() == ("wal",)
    plain.close()


def test_a_failed_write_leaves_nothing(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db")

    def write_and_fail() -> None:
        with database.write() as session:
            session.add(job("one"))
            session.flush()
            raise RuntimeError

    with pytest.raises(RuntimeError):
        write_and_fail()
    assert ids(database) == []
    database.close()


def test_a_reader_does_not_wait_for_a_writer(tmp_path: Path) -> None:
    database = Database(tmp_path / "state.db")
    with database.write() as session:
        session.add(job("one"))
        session.flush()
        assert ids(database) == []
    assert ids(database) == ["one"]
    database.close()


def test_writers_take_turns(tmp_path: Path) -> None:
    databases = [Database(tmp_path / "state.db") for _ in range(2)]

    def count_up(database: Database) -> None:
        for _ in range(25):
            with database.write() as session:
                row = session.scalars(select(JobRow)).one()
                row.attempts += 1

    with databases[0].write() as session:
        session.add(job("one"))
    threads = [threading.Thread(target=count_up, args=(databases[n % 2],)) for n in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    with databases[1].read() as session:
        assert session.scalars(select(JobRow.attempts)).one() == 100
    for database in databases:
        database.close()


def test_a_home_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(InvalidSetting, match="home folder") as caught:
        Database(tmp_path / "file" / "state.db")
    assert "MINERU_WORKBENCH_HOME" in caught.value.hint


def test_a_damaged_database_is_named_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "state.db").write_bytes(b"garbage" * 1000)
    with pytest.raises(InvalidSetting, match="damaged") as refused:
        Database(tmp_path / "state.db")
    assert "state.db" in refused.value.hint
    assert (tmp_path / "state.db").read_bytes() == b"garbage" * 1000


def test_a_database_of_a_newer_version_is_refused(tmp_path: Path) -> None:
    Database(tmp_path / "state.db").close()
    with sqlite3.connect(tmp_path / "state.db") as plain:
        plain.execute("UPDATE alembic_version SET version_num = '9999'")
    plain.close()
    with pytest.raises(InvalidSetting, match="newer version"):
        Database(tmp_path / "state.db")


def test_threads_that_open_at_once_do_not_mix(tmp_path: Path) -> None:
    with ThreadPoolExecutor(4) as pool:
        databases = list(pool.map(Database, [tmp_path / name / "state.db" for name in "abab"]))
    assert [ids(database) for database in databases] == [[]] * 4
    for database in databases:
        database.close()


def test_it_waits_while_another_process_migrates(tmp_path: Path) -> None:
    opened: list[Database] = []
    opener = threading.Thread(target=lambda: opened.append(Database(tmp_path / "state.db")))
    with FileLock(tmp_path / "state.db.lock"):
        opener.start()
        opener.join(0.3)
        assert opened == []
    opener.join(10)
    assert ids(opened[0]) == []
    opened[0].close()


@pytest.mark.long
def test_processes_that_start_at_once_migrate_once(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path; from mineru_core.store.database import Database;"
        "sys.stdin.read(1); Database(Path(sys.argv[1])).close()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "state.db")]
    starters = [subprocess.Popen(command, stdin=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(2)]
    for starter in starters:
        assert starter.stdin is not None
        starter.stdin.write(b"\n")
        starter.stdin.flush()
    for starter in starters:
        _, errors = starter.communicate(timeout=60)
        assert starter.returncode == 0, errors.decode()
    database = Database(tmp_path / "state.db")
    assert ids(database) == []
    database.close()
