"""Checkpoints from Hugging Face or ModelScope, or from a folder: resumed where they broke off, checked, whole or not.

Files gather in a folder beside the place of the model, whose name ends in ``.incomplete``; only when all of them are
there, and are what the hub said, does it get the name under which a model is looked for. Weights are taken as
safetensors only, and no code at all.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from fnmatch import fnmatch
from pathlib import Path
from typing import BinaryIO

from filelock import FileLock, Timeout

from mineru_core.engines.mineru.checkpoint import (
    INSTALL_COMMAND,
    ORIGIN,
    Checkpoint,
    check_config,
    checkpoint_folder,
    checkpoint_in,
    is_folder,
    open_checkpoint,
)
from mineru_core.engines.mineru.hubs import ATTEMPTS, Hasher, Hub, HubUnreachable, Listing, RemoteFile, hub_of, pause
from mineru_core.errors import Cancelled, ModelMissing, StorageUnavailable
from mineru_core.settings import Settings

InstallListener = Callable[[str, float], None]
"""Called with the name of the file at work and the share of all bytes that are there, 0..1."""

PATTERNS = ("*.safetensors", "*.json", "*.txt", "*.jinja", "LICENSE*", "README.md")
"""What is taken of a repository: weights, configuration, the chat template, and under which terms."""

SPARE_BYTES = 100_000_000
"""Free space left on the disk."""

_CHUNK = 1 << 20
_REVISION = ".revision"
_LOOK_S = 0.2


def install(
    settings: Settings,
    *,
    source: Path | None = None,
    progress: InstallListener | None = None,
    cancel: threading.Event | None = None,
) -> Checkpoint:
    """Bring the model that the settings choose to where it is looked for, from its hub or from the folder ``source``.

    A model that is there already is left as it is; a download that broke off goes on where it did. ``cancel`` ends it
    within a moment. One process at a time does this; others wait and find it done.

    Raises ``ModelMissing`` where a file cannot be had (no network, offline, not found, damaged on the way),
    ``EngineUnavailable`` for a model of another architecture, ``StorageUnavailable`` for a disk that is full or cannot
    be written to, and ``Cancelled``.
    """
    folder = checkpoint_folder(settings)
    if is_folder(settings.mineru.model):
        return open_checkpoint(folder)
    work = _Installation(folder, progress or (lambda _name, _share: None), cancel or threading.Event())
    with _disk_errors(folder):
        folder.parent.mkdir(parents=True, exist_ok=True)
        with _alone(folder, work):
            if (found := checkpoint_in(folder)) is not None:
                return found
            if source is not None:
                work.copy(source)
            else:
                work.fetch(settings)
            return work.finish()


class _Installation:
    """The files of one model on their way to its folder."""

    def __init__(self, folder: Path, tell: InstallListener, cancel: threading.Event) -> None:
        self._folder = folder
        self._gathering = folder.with_name(f"{folder.name}.incomplete")
        self._tell = tell
        self._cancel = cancel
        self._done = self._total = 0

    def check(self) -> None:
        """Go on, or raise ``Cancelled``."""
        if self._cancel.is_set():
            raise Cancelled("The installation was cancelled.", f"Run again to go on: {INSTALL_COMMAND}")

    def copy(self, source: Path) -> None:
        """Take the files of a folder that holds the model. Raises what ``open_checkpoint`` does for it."""
        open_checkpoint(source)
        shutil.rmtree(self._gathering, ignore_errors=True)
        self._gathering.mkdir(parents=True)
        files = [path for path in sorted(source.iterdir()) if path.is_file() and _is_wanted(path.name)]
        self._total = sum(path.stat().st_size for path in files)
        self._make_room(self._total)
        for path in files:
            with path.open("rb") as incoming, (self._gathering / path.name).open("wb") as outgoing:
                self._pour(path.name, _chunks(incoming), outgoing.write)

    def fetch(self, settings: Settings) -> None:
        """Take the files of the repository that the settings name, small ones first: a model that cannot be read here
        is told before its weights are fetched."""
        with hub_of(settings.mineru) as hub:
            self._tell(hub.repository, 0.0)
            listing = hub.listing()
            files = sorted((file for file in listing.files if _is_wanted(file.path)), key=lambda file: file.size)
            self._start_with(listing)
            self._total = sum(file.size for file in files)
            self._make_room(sum(file.size - self._there(file) for file in files))
            for file in files:
                if file.path.endswith(".safetensors"):
                    check_config(self._gathering)
                self._fetch_file(hub, file)
        origin = {
            "hub": hub.name,
            "repository": hub.repository,
            "revision": listing.revision,
            "files": [{"path": file.path, "size": file.size, "digest": file.digest} for file in files],
        }
        (self._gathering / ORIGIN).write_text(json.dumps(origin, indent=1), "utf-8")

    def finish(self) -> Checkpoint:
        """Give the files their place. Raises what ``open_checkpoint`` does where they are no model."""
        open_checkpoint(self._gathering)
        (self._gathering / _REVISION).unlink(missing_ok=True)
        shutil.rmtree(self._folder, ignore_errors=True)
        os.replace(self._gathering, self._folder)
        self._tell("done", 1.0)
        return open_checkpoint(self._folder)

    def _start_with(self, listing: Listing) -> None:
        """Keep what was gathered of this very revision, nothing of another."""
        note = self._gathering / _REVISION
        if not note.is_file() or note.read_text("utf-8") != listing.revision:
            shutil.rmtree(self._gathering, ignore_errors=True)
            self._gathering.mkdir(parents=True)
            note.write_text(listing.revision, "utf-8")

    def _there(self, file: RemoteFile) -> int:
        """Bytes of the file that are there."""
        for path in (self._gathering / file.path, self._part(file)):
            if path.is_file():
                return min(path.stat().st_size, file.size)
        return 0

    def _part(self, file: RemoteFile) -> Path:
        return self._gathering / f"{file.path}.part"

    def _fetch_file(self, hub: Hub, file: RemoteFile) -> None:
        place, part = self._gathering / file.path, self._part(file)
        if place.is_file() and place.stat().st_size == file.size:
            self._done += file.size
            self._tell(file.path, self._share)
            return
        before, left = self._done, ATTEMPTS
        while True:
            self._done = before
            have = part.stat().st_size if part.is_file() else 0
            digest = file.hasher()
            if have:
                with part.open("rb") as known:
                    self._pour(file.path, _chunks(known), digest.update)
            try:
                self._append(hub, file, part, have, digest)
            except HubUnreachable:
                grown = (part.stat().st_size if part.is_file() else 0) > have
                left = ATTEMPTS if grown else left - 1
                if left <= 0:
                    raise
                pause(self._cancel)
                continue
            if not file.is_whole(part.stat().st_size, digest):
                part.unlink()
                raise ModelMissing(f"{file.path} arrived damaged from {hub.name}.", f"Run again: {INSTALL_COMMAND}")
            os.replace(part, place)
            return

    def _append(self, hub: Hub, file: RemoteFile, part: Path, have: int, digest: Hasher) -> None:
        """What is still missing of a file, appended to what is there, or all of it where the hub begins anew."""
        if have >= file.size:
            return
        with hub.stream(file, have) as (start, chunks), part.open("ab") as out:
            if start != have:
                out.truncate(0)
                self._done -= have
                digest.restart()

            def keep(chunk: bytes) -> None:
                out.write(chunk)
                digest.update(chunk)

            self._pour(file.path, chunks, keep)

    def _pour(self, name: str, chunks: Iterable[bytes], into: Callable[[bytes], object]) -> None:
        for chunk in chunks:
            self.check()
            into(chunk)
            self._done += len(chunk)
            self._tell(name, self._share)

    @property
    def _share(self) -> float:
        return min(1.0, self._done / self._total) if self._total else 0.0

    def _make_room(self, needed: int) -> None:
        free = shutil.disk_usage(self._folder.parent).free
        if free < needed + SPARE_BYTES:
            place = self._folder.parent
            raise StorageUnavailable(
                f"The model needs {needed / 1e9:.1f} GB more, and {free / 1e9:.1f} GB are free in {place}.",
                "Free some room, or set MINERU_WORKBENCH_MODELS to a folder on another disk.",
            )


@contextmanager
def _alone(folder: Path, work: _Installation) -> Iterator[None]:
    """No other process installs into this folder meanwhile; who waits for that can be cancelled."""
    lock = FileLock(f"{folder}.lock")
    while True:
        work.check()
        try:
            lock.acquire(timeout=_LOOK_S)
            break
        except Timeout:
            continue
    try:
        yield
    finally:
        lock.release()


def _is_wanted(name: str) -> bool:
    """Whether a file of this name is taken; none that would lie in another folder."""
    return Path(name).name == name and "\\" not in name and any(fnmatch(name, pattern) for pattern in PATTERNS)


def _chunks(file: BinaryIO) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        yield chunk


@contextmanager
def _disk_errors(folder: Path) -> Iterator[None]:
    """What the disk refuses, as an error that says what to do."""
    try:
        yield
    except OSError as error:
        full = error.errno in (errno.ENOSPC, errno.EDQUOT)
        reason = "the disk is full" if full else error.strerror or type(error).__name__
        raise StorageUnavailable(
            f"The model cannot be written to {folder.parent}: {reason}.",
            "Free some room, or set MINERU_WORKBENCH_MODELS to another folder.",
        ) from error
