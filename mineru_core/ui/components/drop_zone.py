"""Where files are handed in: what the browser is told, what it says of the files, and the component.

Files are dropped or pasted anywhere on the page, chosen, or taken with a phone's camera. The browser reduces large
pictures by the compression policy, sends the bytes to POST /ui/upload and tells the page ids alone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass

import streamlit as st
from pydantic import Field, ValidationError

from mineru_core.document.model import Model
from mineru_core.intake.compression import POLICY, CompressionPolicy
from mineru_core.intake.sniffing import refusal_of
from mineru_core.jobs.uploads import KeptUpload
from mineru_core.ui.i18n import CATALOGUES, Translator
from mineru_core.ui.setup import asset, module

UPLOAD_PATH = "ui/upload"
"""Relative to the app's own address."""

MAX_FILES = 100

WORDS = (
    *("label", "hint", "browse", "photo", "files", "veil", "waiting", "reducing", "cancel", "remove", "retry"),
    *("progress", "arrived", "failed", "too_many", "reduced"),
)
"""Strings of the component beside its title, without the "drop." they begin with in the catalogues."""

UNREADABLE = ("unsupported-type", "encrypted-office")
"""Codes of files that another try does not help; what does is said with them."""

ERRORS = (
    *("empty-file", "file-too-large", "token-required", "storage-unavailable", "engine-unavailable"),
    *("deadline-exceeded", "not-found", "internal", *UNREADABLE),
)
"""Codes that an upload may end with."""

_FILLED_IN_BROWSER = {name: f"%{name}" for name in ("name", "why", "count", "before", "after")}

# The policy's code goes along as text: it becomes a worker's module, which a component's own module cannot be.
SCRIPT = f"const COMPRESSION = {json.dumps(asset('compression.js'))};\n" + module(
    "elements", "mounting", "drop_zone_queue", "drop_zone"
)

_mount = st.components.v2.component(
    "mineru_workbench.drop_zone", html='<div class="zone"></div>', css=asset("drop_zone.css"), js=SCRIPT
)


class Dropped(Model):
    """What the browser says of its files: ids of those that have arrived, whether others are on their way, and how
    many did not come through."""

    ids: tuple[str, ...] = Field(default=(), max_length=MAX_FILES)
    pending: bool = False
    failed: int = Field(default=0, ge=0)


@dataclass(frozen=True, slots=True)
class DropZone:
    """Everything the browser needs. ``errors`` is what ``drop_errors`` gives, ``kinds`` what ``file_kinds`` gives.
    ``accept`` is a file input's. ``files`` are those that wait on the server, and
    ``arriving`` says whether the page was last told that others are on their way: for a page that is drawn anew.
    ``compact``: one row instead of a large field."""

    words: Mapping[str, str]
    errors: Mapping[str, str]
    kinds: Mapping[str, str]
    language: str
    accept: str
    max_bytes: int
    files: Sequence[KeptUpload] = ()
    arriving: bool = False
    compact: bool = False
    url: str = UPLOAD_PATH
    max_files: int = MAX_FILES
    policy: CompressionPolicy = POLICY


def show_drop_zone(zone: DropZone, *, key: str, on_files: Callable[[], None]) -> None:
    """Mount the component; ``on_files`` runs when its files are others than before, which ``dropped`` then gives."""
    _mount(key=key, data=asdict(zone), on_files_change=on_files)


def dropped(key: str) -> Dropped:
    """What the component with that key says of its files; nothing where it says what is none."""
    return parse_dropped(st.session_state[key].get("files"))


def parse_dropped(said: object) -> Dropped:
    """The message as data: without files where it is malformed, which this app's own browser code never sends."""
    try:
        return Dropped.model_validate(said)
    except ValidationError:
        return Dropped()


def drop_words(t: Translator, megabytes: int, *, compact: bool) -> dict[str, str]:
    """The component's strings in the reader's language; what only the browser knows stands in them as ``%name``."""
    words = {name: t(f"drop.{name}", megabytes=megabytes, **_FILLED_IN_BROWSER) for name in WORDS}
    return {**words, "title": t("drop.title_again") if compact else t("drop.title")}


def drop_errors(t: Translator) -> dict[str, str]:
    """Why an upload did not come through, by code; "network" where nobody said. "%kind" in it is for what
    ``file_kinds`` says."""
    said = {code: t(f"error.{code}.title") for code in ERRORS}
    for code in UNREADABLE:
        said[code] = t("drop.unreadable", title=said[code], kind="%kind", hint=t(f"error.{code}.hint"))
    return {**said, "network": t("drop.network")}


def file_kinds(t: Translator) -> dict[str, str]:
    """What a file is that cannot be read, by the message of the error that says so."""
    kinds = [key.removeprefix("kind.") for key in CATALOGUES[t.language] if key.startswith("kind.")]
    return {refusal_of(kind): t("error.unsupported-type.is", kind=t(f"kind.{kind}")) for kind in kinds}
