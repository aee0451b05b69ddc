"""What one browser session keeps: ids and choices only, never pictures, bytes or results."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterable
from enum import StrEnum

import streamlit as st

from mineru_core.document.task import Region
from mineru_core.ui.i18n import CATALOGUES, Translator, language_of
from mineru_core.ui.services import Problem

OWNER_COOKIE = "workbench_owner"
JOB_PARAMETER = "job"
OTHER_PARAMETER = "with"

_COOKIE = re.compile(r"[A-Za-z0-9_-]{43}")


class Key(StrEnum):
    """Names in the session state; those that widgets are keyed by too are marked."""

    LANGUAGE = "lang"  # widget, and the query parameter of the same name: "zh" or "en"
    OWNER = "owner"
    BATCH = "batch"  # job ids of one upload
    JOB = "job_id"  # the job shown
    OTHER = "other_job_id"  # the job it is compared with
    ENGINE = "engine"  # the engine chosen for new documents
    DIFFERENCES = "differences"  # widget: whether only differences are shown
    PAGE = "page"  # with the job's id: widget
    DRAWING = "drawing"  # whether the page view is to open its region tool
    DRAW_CALLS = "draw_calls"  # counts how often it was
    REGIONS = "regions"  # several, by document hash
    CANVAS = "canvas"  # counts openings; a new number draws the canvas anew
    CANVAS_PLACE = "canvas_place"  # job and page the canvas was opened on
    CANVAS_START = "canvas_start"  # the regions as they were when the canvas was opened
    WAITING_AT = "waiting_at"  # where files were dropped: "" on the first screen, else the job shown
    WAITING = "waiting"  # ids of those that have arrived and wait for a question
    ARRIVING = "arriving"  # whether others are on their way
    AWAITED = "awaited"  # the words that are asked once these have arrived
    ROUND = "round"  # counts uploads; a new number empties the upload widgets
    PROBLEMS = "problems"
    NO_ROUTE = "no_route"  # the page pictures' route did not answer
    WORDS = "words"  # widget: the first question
    ADMIN = "admin"  # id of the token that opened what an operator does
    EDITS = "edits"  # what became of the last changes, by the key of the table's editor
    OWN_CHANGES = "own_changes"  # what this window has corrected, by the job's id
    WORDS_AGAIN = "words_again"  # widget: further questions


def language() -> str:
    """The language chosen with the switch, else the address's, else the browser's."""
    chosen = st.session_state.get(Key.LANGUAGE) or st.query_params.get(Key.LANGUAGE)
    return str(chosen) if chosen in CATALOGUES else language_of(st.context.locale)


def translator() -> Translator:
    """Strings in this session's language."""
    return Translator(language())


def owner() -> str:
    """Who this browser is: the cookie the server sets, else an id that lives as long as the session."""
    cookie = _owner_cookie()
    if cookie is not None:
        return cookie
    if Key.OWNER not in st.session_state:
        st.session_state[Key.OWNER] = f"session-{secrets.token_urlsafe(16)}"
    return str(st.session_state[Key.OWNER])


def has_page_route() -> bool:
    """Whether the server around this app serves page pictures (it is the one that sets the owner's cookie)."""
    return _owner_cookie() is not None and not st.session_state.get(Key.NO_ROUTE, False)


def has_upload_route() -> bool:
    """Whether the server around this app takes files from the page, by the same sign."""
    return _owner_cookie() is not None


def _owner_cookie() -> str | None:
    """The cookie, if it has the form the server gives it: nobody becomes an owner by a cookie of their own making."""
    value = str(st.context.cookies.get(OWNER_COOKIE, ""))
    return value if _COOKIE.fullmatch(value) else None


def current_job() -> str | None:
    """Id of the job shown: the session's, else the one in the address, so that a reload comes back to it."""
    if Key.JOB not in st.session_state:
        st.session_state[Key.JOB] = st.query_params.get(JOB_PARAMETER)
    found = st.session_state[Key.JOB]
    return None if found is None else str(found)


def other_job() -> str | None:
    """Id of the job that the one shown is compared with: the session's, else the one in the address."""
    if Key.OTHER not in st.session_state:
        st.session_state[Key.OTHER] = st.query_params.get(OTHER_PARAMETER)
    found = st.session_state[Key.OTHER]
    return None if found is None else str(found)


def compare_with(job_id: str | None) -> None:
    """Show the job's answer beside that of this one; None: alone."""
    st.session_state[Key.OTHER] = job_id
    if job_id is None:
        st.query_params.pop(OTHER_PARAMETER, None)
    else:
        st.query_params[OTHER_PARAMETER] = job_id


def engine() -> str | None:
    """The engine chosen for new documents; None: the server's own."""
    found = st.session_state.get(Key.ENGINE)
    return None if found is None else str(found)


def set_engine(name: str | None) -> None:
    """Read new documents with this engine."""
    st.session_state[Key.ENGINE] = name


def start_drawing() -> None:
    """Open the tool that marks a region on the page; for callbacks."""
    st.session_state[Key.DRAWING] = True


def draw_call() -> int:
    """A number of its own for each call of ``start_drawing`` that was not answered yet; 0 where there is none."""
    if not st.session_state.pop(Key.DRAWING, False):
        return 0
    st.session_state[Key.DRAW_CALLS] = int(st.session_state.get(Key.DRAW_CALLS, 0)) + 1
    return int(st.session_state[Key.DRAW_CALLS])


def open_job(job_id: str | None, *, batch: Iterable[str] | None = None) -> None:
    """Show this job (None: the first screen), alone. ``batch`` replaces the jobs of the upload it belongs to."""
    compare_with(None)
    st.session_state[Key.JOB] = job_id
    st.session_state.pop(Key.DRAWING, None)
    if batch is not None or job_id is None:
        st.session_state[Key.BATCH] = tuple(batch or ())
    if job_id is None:
        st.query_params.pop(JOB_PARAMETER, None)
    else:
        st.query_params[JOB_PARAMETER] = job_id


def follow_address() -> None:
    """Show what the address names now: the reader went back or forward."""
    job_id, other = st.query_params.get(JOB_PARAMETER), st.query_params.get(OTHER_PARAMETER)
    if other != other_job():
        st.session_state[Key.OTHER] = other
    if job_id != current_job():
        # The address is right as it stands: writing to it would add a step and cut off the way forward.
        set_problems(())
        st.session_state[Key.JOB] = job_id
        st.session_state.pop(Key.DRAWING, None)
        if job_id is None or job_id not in batch():
            st.session_state[Key.BATCH] = () if job_id is None else (job_id,)


def keep_language() -> None:
    """Write the language just chosen into the address, so that a reload keeps it; for callbacks."""
    st.query_params[Key.LANGUAGE] = language()


def language_address() -> str:
    """The end of an address of this app that keeps the language chosen with the switch; "" where none was."""
    chosen = st.query_params.get(Key.LANGUAGE)
    return f"?{Key.LANGUAGE}={chosen}" if chosen in CATALOGUES else ""


def batch() -> tuple[str, ...]:
    """Ids of the jobs uploaded together with the one shown."""
    return tuple(st.session_state.get(Key.BATCH, ()))


def replace_in_batch(old: str, new: str) -> tuple[str, ...]:
    """The batch with one job in another's place: a further question about the same document."""
    return tuple(new if job_id == old else job_id for job_id in batch()) or (new,)


def upload_round() -> int:
    """Number of uploads so far; part of the upload widgets' keys, so that each starts empty."""
    return int(st.session_state.get(Key.ROUND, 0))


def next_round() -> None:
    """Let go of the uploaded files: the widgets get new keys and the old ones' bytes are freed."""
    st.session_state[Key.ROUND] = upload_round() + 1
    set_waiting("", (), arriving=False)
    st.session_state.pop(Key.AWAITED, None)


def waiting(place: str) -> tuple[str, ...]:
    """Ids of the files dropped there ("" for the first screen, else a job's id) that have arrived and wait for a
    question."""
    return tuple(st.session_state.get(Key.WAITING, ())) if _waiting_at(place) else ()


def arriving(place: str) -> bool:
    """Whether files dropped there are on their way."""
    return _waiting_at(place) and bool(st.session_state.get(Key.ARRIVING, False))


def set_waiting(place: str, ids: Iterable[str], *, arriving: bool) -> None:
    """These files have arrived there; ``arriving`` says whether others are on their way."""
    st.session_state[Key.WAITING_AT] = place
    st.session_state[Key.WAITING] = tuple(ids)
    st.session_state[Key.ARRIVING] = arriving


def _waiting_at(place: str) -> bool:
    return bool(st.session_state.get(Key.WAITING_AT, "") == place)


def await_files(words: str) -> None:
    """Keep these words to be asked of the files once all have arrived."""
    st.session_state[Key.AWAITED] = words


def take_awaited() -> str | None:
    """The words that were kept for the files, once; None where there are none."""
    found = st.session_state.pop(Key.AWAITED, None)
    return None if found is None else str(found)


def regions_of(document_sha256: str) -> tuple[Region, ...]:
    """The regions marked on this document."""
    return tuple(st.session_state.get(Key.REGIONS, {}).get(document_sha256, ()))


def set_regions(document_sha256: str, marked: Iterable[Region]) -> None:
    """Mark these regions on this document, and no others."""
    regions = dict(st.session_state.get(Key.REGIONS, {}))
    regions[document_sha256] = tuple(marked)
    st.session_state[Key.REGIONS] = regions


def problems() -> tuple[Problem, ...]:
    """What went wrong at the last submission."""
    return tuple(st.session_state.get(Key.PROBLEMS, ()))


def set_problems(found: Iterable[Problem]) -> None:
    """Keep these to be shown until they are dismissed or the next submission."""
    st.session_state[Key.PROBLEMS] = tuple(found)
