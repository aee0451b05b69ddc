"""Files that are whole as soon as they have their names."""

from __future__ import annotations

import os
import tempfile
from contextlib import suppress
from pathlib import Path


def write_whole(
    path: Path, *parts: bytes, temporary: Path, durable: bool = True, prefix: str = "", mode: int | None = None
) -> None:
    """Write the parts to a file in the folder ``temporary``, on the same file system, and move it to its place.

    Neither a kill nor an error leaves half a file under the name. ``durable``: a power cut does not either, as the
    file is flushed to disk before it is moved. ``prefix`` begins the temporary file's name; ``mode`` is what the file
    may be used for, without which it is its owner's alone. Folders are made. Raises ``OSError``.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    temporary.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(prefix=prefix, dir=temporary)
    try:
        with os.fdopen(handle, "wb") as file:
            for part in parts:
                file.write(part)
            if durable:
                file.flush()
                os.fsync(file.fileno())
        if mode is not None:
            os.chmod(name, mode)
        os.replace(name, path)
    except BaseException:
        with suppress(OSError):
            os.unlink(name)
        raise
