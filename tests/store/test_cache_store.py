from __future__ import annotations

import errno
import logging
import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import Bundle, RuleBasedStateMachine, initialize, rule

from mineru_core.store.cache_store import CacheStore

BLOCK = 4096
ROOM = 1_000_000_000


@contextmanager
def opened(folder: Path, max_bytes: int = ROOM, **options: float) -> Iterator[CacheStore]:
    store = CacheStore(folder, max_bytes, **options)  # type: ignore[arg-type]
    try:
        yield store
    finally:
        store.close()


def values_in(folder: Path) -> list[Path]:
    return [path for path in folder.glob("?/?/*") if path.is_file()]


def warnings_of(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [r.getMessage() for r in caplog.records if r.levelno >= logging.WARNING]


class CacheMachine(RuleBasedStateMachine):
    """A store against a plain dict: what it gives is exactly what was put last under that key, or nothing."""

    keys = Bundle("keys")

    @initialize(blocks=st.integers(1, 6))
    def open(self, blocks: int) -> None:
        self.folder = Path(tempfile.mkdtemp())
        self.max_bytes = blocks * BLOCK
        self.put: dict[str, bytes] = {}
        self.store = CacheStore(self.folder, self.max_bytes)
        self.other = CacheStore(self.folder, self.max_bytes)

    def teardown(self) -> None:
        if hasattr(self, "store"):
            self.store.close()
            self.other.close()
            shutil.rmtree(self.folder, ignore_errors=True)

    @rule(target=keys, key=st.text(max_size=6))
    def name(self, key: str) -> str:
        return key

    @rule(key=keys, value=st.binary(max_size=200), large=st.booleans(), other=st.booleans())
    def keep(self, key: str, value: bytes, large: bool, other: bool) -> None:
        # Two processes that put under one key put the same; one that replaces a value is on its own.
        value = self.put.setdefault(key, value * 30 if large else value)
        (self.other if other else self.store).put(key, value)

    @rule(key=keys, value=st.binary(max_size=50))
    def replace(self, key: str, value: bytes) -> None:
        self.other.flush()
        self.store.put(key, value)
        self.put[key] = value
        self.store.flush()

    @rule(key=keys, other=st.booleans())
    def look_up(self, key: str, other: bool) -> None:
        found = (self.other if other else self.store).get(key)
        assert found is None or found == self.put[key]

    @rule(key=keys)
    def remove(self, key: str) -> None:
        self.other.flush()
        self.store.flush()
        self.store.remove(key)
        assert self.store.get(key) is None

    @rule()
    def flush(self) -> None:
        assert self.store.flush()
        assert self.other.flush()
        self.bound_holds()

    @rule()
    def restart(self) -> None:
        self.store.close()
        self.store = CacheStore(self.folder, self.max_bytes)

    @rule()
    def sweep(self) -> None:
        self.flush()
        self.store.sweep()
        self.bound_holds()

    @rule(at=st.integers(0, 10_000), flip=st.integers(1, 255), cut=st.booleans(), which=st.integers(0, 5))
    def damage(self, at: int, flip: int, cut: bool, which: int) -> None:
        self.flush()
        files = values_in(self.folder)
        if not files:
            return
        path = sorted(files)[which % len(files)]
        data = bytearray(path.read_bytes())
        if not data:
            return
        if cut:
            path.write_bytes(data[: at % len(data)])
        else:
            data[at % len(data)] ^= flip
            path.write_bytes(data)

    @rule(first=st.integers(0, 5), second=st.integers(0, 5))
    def misplace(self, first: int, second: int) -> None:
        self.flush()
        if files := sorted(values_in(self.folder)):
            one, two = files[first % len(files)], files[second % len(files)]
            two.write_bytes(one.read_bytes())

    @rule(what=st.binary(max_size=5000))
    def damage_the_index(self, what: bytes) -> None:
        self.restart()
        self.other.close()
        self.folder.mkdir(exist_ok=True)
        (self.folder / "index.db").write_bytes(what)
        self.other = CacheStore(self.folder, self.max_bytes)

    @rule()
    def delete_the_folder(self) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)

    def bound_holds(self) -> None:
        # Both may write at once, each over the other's evictions; the next sweep finds what was left over.
        self.store.sweep()
        assert len(values_in(self.folder)) * BLOCK <= self.max_bytes


TestCacheStore = CacheMachine.TestCase
TestCacheStore.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)


def test_what_was_put_is_there_at_once_and_after_a_restart(tmp_path: Path) -> None:
    with opened(tmp_path / "cache") as store:
        store.put("k", b"value")
        assert store.get("k") == b"value"
        assert store.get("other") is None
    with opened(tmp_path / "cache") as store:
        assert store.get("k") == b"value"


def test_what_was_used_longest_ago_goes_first(tmp_path: Path) -> None:
    with opened(tmp_path, 3 * BLOCK) as store:
        for key in "abc":
            store.put(key, key.encode())
            store.flush()
        assert store.get("a") == b"a"
        store.touch("b")
        store.put("d", b"d")
        store.flush()
        assert [key for key in "abcd" if store.get(key)] == ["a", "b", "d"]
    with opened(tmp_path, 3 * BLOCK) as store:  # the order of use outlives the process
        store.put("e", b"e")
        store.flush()
        assert [key for key in "abcde" if store.get(key)] == ["b", "d", "e"]
    assert len(values_in(tmp_path)) == 3


def test_one_batch_larger_than_the_store_keeps_the_bound(tmp_path: Path) -> None:
    with opened(tmp_path, 4 * BLOCK) as store:
        store.put("large", bytes(5 * BLOCK))
        for number in range(50):
            store.put(str(number), b"x")
        store.flush()
        assert len(values_in(tmp_path)) <= 4
        assert store.get("49") == b"x"
        assert store.get("large") is None


def test_no_clock_has_a_say_in_what_goes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clocks = iter([1e9, 2e9, 5e8, 1.5e9, 4e9])
    with opened(tmp_path, 2 * BLOCK) as store:
        for key in "abcde":
            now = next(clocks)
            monkeypatch.setattr(time, "time", lambda now=now: now)
            store.put(key, key.encode())
            store.flush()
        assert [key for key in "abcde" if store.get(key)] == ["d", "e"]


def test_a_value_past_its_age_is_gone(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for key in ("old", "older", "new"):
            store.put(key, key.encode())
    (new,) = [path for path in values_in(tmp_path) if path.read_bytes().endswith(b"new")]
    for path in values_in(tmp_path):
        if path != new:
            os.utime(path, (time.time() - 1000, time.time() - 1000))
    with opened(tmp_path, max_age_s=500) as store:
        assert store.get("old") is None
        assert len(values_in(tmp_path)) == 2
        store.sweep()
        assert values_in(tmp_path) == [new]
        assert store.get("new") == b"new"


@pytest.mark.parametrize("hours", [-2, 2])
def test_what_a_killed_writer_left_is_swept(tmp_path: Path, hours: int) -> None:
    (tmp_path / "tmp").mkdir()
    left, fresh = tmp_path / "tmp" / "left", tmp_path / "tmp" / "fresh"
    left.write_bytes(b"x")
    fresh.write_bytes(b"x")
    os.utime(left, (time.time() + 3600 * hours,) * 2)  # of the future, where the clock was set back since
    with opened(tmp_path) as store:
        store.sweep()
    assert (left.exists(), fresh.exists()) == (False, True)


def test_files_the_index_has_lost_are_found_again(tmp_path: Path) -> None:
    with opened(tmp_path) as store:
        for key in "abc":
            store.put(key, key.encode())
    for path in tmp_path.glob("index.db*"):
        path.unlink()
    with opened(tmp_path, 2 * BLOCK) as store:
        store.put("d", b"d")
        store.flush()
        assert len(values_in(tmp_path)) == 2
        assert store.get("d") == b"d"


@pytest.mark.parametrize("damage", [b"", b"no database" * 1000, b"SQLite format 3\0" + bytes(4000)])
def test_a_damaged_index_is_made_anew(tmp_path: Path, damage: bytes, caplog: pytest.LogCaptureFixture) -> None:
    with opened(tmp_path) as store:
        store.put("a", b"a")
    (tmp_path / "index.db").write_bytes(damage)
    with opened(tmp_path) as store:
        assert store.get("a") == b"a"
        store.put("b", b"b")
    with opened(tmp_path) as store:
        assert (store.get("a"), store.get("b")) == (b"a", b"b")
    assert warnings_of(caplog) == []


def test_an_index_of_another_version_is_made_anew(tmp_path: Path) -> None:
    with sqlite3.connect(tmp_path / "index.db") as index:
        index.execute("CREATE TABLE entries (something TEXT)")
        index.execute("PRAGMA user_version = 99")
    index.close()
    with opened(tmp_path) as store:
        store.put("a", b"a")
    with opened(tmp_path) as store:
        assert store.get("a") == b"a"


def test_the_folder_may_go_while_it_is_used(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    folder = tmp_path / "cache"
    with opened(folder) as store:
        for round_ in range(3):
            store.put("k", b"value")
            assert store.flush()
            assert len(values_in(folder)) == 1
            shutil.rmtree(folder)
            assert store.get("k") is None, round_
    assert warnings_of(caplog) == []


def disk_full(*_arguments: object, **_options: object) -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def read_only(*_arguments: object, **_options: object) -> None:
    raise OSError(errno.EROFS, "Read-only file system")


def no_index(*_arguments: object, **_options: object) -> None:
    raise sqlite3.OperationalError("unable to open database file")


@pytest.mark.parametrize(
    ("target", "failure"),
    [
        ("os.replace", disk_full),
        ("tempfile.mkstemp", disk_full),
        ("tempfile.mkstemp", read_only),
        ("pathlib.Path.mkdir", read_only),
        ("sqlite3.connect", no_index),
    ],
)
def test_a_disk_that_fails_costs_one_warning_and_no_request(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
    target: str,
    failure: Callable[..., None],
) -> None:
    with opened(tmp_path / "there") as store:
        store.put("before", b"before")
    with opened(tmp_path / "there") as store:
        monkeypatch.setattr(target, failure)
        for key in "abc":
            store.put(key, b"x")
            assert store.flush()
            assert store.get(key) is None
        assert store.get("before") == b"before"
        store.sweep()
        monkeypatch.undo()
        store.put("after", b"after")
        store.flush()
        assert store.get("after") == b"after"
    assert len(values_in(tmp_path / "there")) == 2
    assert list((tmp_path / "there" / "tmp").iterdir()) == []
    assert len(warnings_of(caplog)) == 1


def test_a_folder_that_is_none_costs_one_warning(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    (tmp_path / "file").write_bytes(b"")
    with opened(tmp_path / "file" / "cache") as store:
        for key in "abc":
            store.put(key, b"x")
            assert store.flush()
            assert store.get(key) is None
        store.sweep()
    assert len(warnings_of(caplog)) == 1


def test_writes_beyond_the_queue_are_dropped(tmp_path: Path) -> None:
    with opened(tmp_path, max_pending_bytes=1000) as store:
        store.put("small", bytes(1000))
        store.flush()
        store.put("large", bytes(1001))
        assert store.get("large") is None
        assert store.get("small") == bytes(1000)


def test_many_threads_at_once(tmp_path: Path) -> None:
    def work(seed: int) -> None:
        for number in range(200):
            key = str((seed + number * 7) % 40)
            assert store.get(key) in (None, key.encode() * 500)
            store.put(key, key.encode() * 500)

    with opened(tmp_path, 20 * BLOCK) as store, ThreadPoolExecutor(16) as pool:
        list(pool.map(work, range(16)))
        assert store.flush()
        assert 0 < len(values_in(tmp_path)) <= 20


def test_a_closed_store_reads_and_writes_no_more(tmp_path: Path) -> None:
    store = CacheStore(tmp_path, ROOM)
    store.put("a", b"a")
    store.close()
    store.close()
    store.put("b", b"b")
    assert (store.get("a"), store.get("b")) == (b"a", None)
    assert len(values_in(tmp_path)) == 1


def test_hits_are_noted_in_batches(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with opened(tmp_path) as store:
        store.put("a", b"a")
        store.flush()
        changed: list[int] = []
        record = store._index.record
        monkeypatch.setattr(store._index, "record", lambda *given: changed.append(1) or record(*given))
        for _ in range(100):
            assert store.get("a") == b"a"
        assert changed == []
        store.flush()
        assert changed == [1]


_WRITER = """
import sys
from pathlib import Path
from mineru_core.store.cache_store import CacheStore

folder, name, count, max_bytes = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3]), int(sys.argv[4])
store = CacheStore(folder, max_bytes)
print("ready", flush=True)
for number in range(count):
    key = str(number % 97)
    found = store.get(key)
    if found is not None and found != (key * 5000).encode():
        sys.exit(f"wrong value for {key}")
    store.put(key, (key * 5000).encode())
    if number % 10 == 0:
        store.flush()
store.close()
if store._warned:
    sys.exit("the disk cache was given up")
"""


def start_writer(folder: Path, name: str, count: int, max_bytes: int) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-c", _WRITER, str(folder), name, str(count), str(max_bytes)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


def run_together(folder: Path, processes: int, count: int, max_bytes: int) -> None:
    writers = [start_writer(folder, str(n), count, max_bytes) for n in range(processes)]
    for writer in writers:
        _, errors = writer.communicate(timeout=100)
        assert writer.returncode == 0, errors.decode()
    with opened(folder, max_bytes) as store:
        store.sweep()
        assert sum(-(-path.stat().st_size // BLOCK) * BLOCK for path in values_in(folder)) <= max_bytes
        kept = [key for key in map(str, range(97)) if store.get(key) is not None]
        assert kept
        assert all(store.get(key) in (None, (key * 5000).encode()) for key in kept)


def test_two_processes_on_one_folder(tmp_path: Path) -> None:
    run_together(tmp_path, 2, 600, 40 * 3 * BLOCK)


@pytest.mark.long
def test_many_processes_on_one_folder(tmp_path: Path) -> None:
    run_together(tmp_path, 6, 3000, 40 * 3 * BLOCK)


@pytest.mark.long
def test_a_kill_in_a_write_leaves_nothing_wrong(tmp_path: Path) -> None:
    max_bytes = 60 * 3 * BLOCK
    for wait_s in (0.0, 0.02, 0.05, 0.11, 0.2, 0.31, 0.4, 0.53):
        with start_writer(tmp_path, "w", 10_000_000, max_bytes) as writer:
            assert writer.stdout is not None
            writer.stdout.readline()
            time.sleep(wait_s)  # somewhere in a write: the moment is the point
            writer.kill()
        run_together(tmp_path, 1, 20, max_bytes)
    for path in (tmp_path / "tmp").iterdir():
        os.utime(path, (time.time() - 7200,) * 2)
    with opened(tmp_path, max_bytes) as store:
        store.sweep()
    assert list((tmp_path / "tmp").iterdir()) == []
