"""Keys under which results are kept: they name everything the result follows from, so none outlives a change of it."""

from __future__ import annotations

import hashlib
import json
from functools import cache
from pathlib import Path

import mineru_core
from mineru_core.document.model import Model
from mineru_core.version import __version__

KEY_VERSION = 1
"""Raised when keys, or how values are stored, change their meaning."""


def document_key(sha256: str, decode_fingerprint: str) -> str:
    """The key of a document (hex): ``sha256`` is that of the uploaded bytes, ``decode_fingerprint`` names every
    setting and version that decides which pixels they become."""
    return hashlib.sha256(_joined([sha256, decode_fingerprint]).encode()).hexdigest()


def cache_key(kind: str, model: type[Model], *components: str) -> str:
    """The key of one value: what it is of, how it is stored, the code that makes it, and the given components.

    Two keys are equal only where all of these are.
    """
    return _joined([str(KEY_VERSION), code_fingerprint(), kind, schema_digest(model), *components])


def canonical(model: Model) -> str:
    """The model as JSON that is the same wherever and whenever an equal model is written."""
    return json.dumps(model.model_dump(mode="json"), sort_keys=True)


@cache
def schema_digest(model: type[Model]) -> str:
    """A hash of the model's JSON schema (hex); a field that comes, goes or changes makes another."""
    return hashlib.sha256(json.dumps(model.model_json_schema(), sort_keys=True).encode()).hexdigest()


@cache
def code_fingerprint() -> str:
    """A hash (hex) of the package's version and sources, read once.

    The version alone would do for releases. In a checkout the code changes and the version does not, and an answer
    of the code before must not be taken for one of the code after.
    """
    digest = hashlib.sha256(__version__.encode())
    root = Path(mineru_core.__file__).parent
    for path in sorted(p for p in root.rglob("*") if p.suffix in (".py", ".toml") and p.is_file()):
        digest.update(
            _joined([path.relative_to(root).as_posix(), hashlib.sha256(path.read_bytes()).hexdigest()]).encode()
        )
    return digest.hexdigest()


def _joined(parts: list[str]) -> str:
    """The strings as one, unlike for lists that differ in any way."""
    return json.dumps(parts)
