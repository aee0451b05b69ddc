"""What is proposed, written into config.toml: the keys that are proposed and nothing else of the file."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from mineru_core.errors import InvalidSetting
from mineru_core.loadtest.advice import Proposal
from mineru_core.settings import Settings, default_home
from mineru_core.store.whole_files import write_whole

FILE = "config.toml"
_BY_HAND = "Write the lines into it by hand."


def settings_file() -> Path:
    """The file that settings are read from, whether or not it is there."""
    return default_home() / FILE


def write_proposals(proposals: Sequence[Proposal]) -> Path:
    """Set what is proposed and give the file; comments, order and every other key stay as they are, and so does who
    may read it. It counts from the next start on. Raises ``InvalidSetting`` where the file cannot be read or written.
    """
    path = settings_file().resolve()  # a link stays one, and what it leads to is written
    try:
        text = path.read_bytes().decode("utf-8") if path.exists() else ""
        before = tomllib.loads(text)
        new = _changed(text, proposals)
        if tomllib.loads(new) != _expected(before, proposals):
            raise ValueError("its layout is an unusual one")
        mode = path.stat().st_mode & 0o777 if path.exists() else None
        write_whole(path, new.encode("utf-8"), temporary=path.parent, prefix=f".{FILE}-", mode=mode)
    except (OSError, ValueError, TypeError, TOMLKitError) as error:
        raise InvalidSetting(f"{FILE} could not be changed: {error}.", _BY_HAND) from error
    return path


def overriding(proposals: Sequence[Proposal]) -> list[str]:
    """Environment variables of this process that count more than what would be written."""
    prefix = str(Settings.model_config.get("env_prefix", ""))
    wanted = {f"{prefix}{proposal.setting.replace('.', '__')}".upper() for proposal in proposals}
    return sorted(name for name in os.environ if name.upper() in wanted)


def _changed(text: str, proposals: Sequence[Proposal]) -> str:
    document = tomlkit.parse(text)
    for proposal in proposals:
        section, _, name = proposal.setting.partition(".")
        if section not in document:
            document[section] = tomlkit.table()
        document[section][name] = proposal.proposed  # TypeError where it is no table
    return tomlkit.dumps(document)


def _expected(before: dict[str, Any], proposals: Sequence[Proposal]) -> dict[str, Any]:
    after = {name: dict(value) if isinstance(value, dict) else value for name, value in before.items()}
    for proposal in proposals:
        section, _, name = proposal.setting.partition(".")
        with suppress(TypeError):
            after.setdefault(section, {})[name] = proposal.proposed
    return after
