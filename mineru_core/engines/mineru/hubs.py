"""Where checkpoints are fetched from: which files a repository has, and the bytes of each from any place on."""

from __future__ import annotations

import hashlib
import os
import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import quote

import httpx

from mineru_core.errors import ModelMissing
from mineru_core.settings import MineruSettings

HUGGING_FACE = "https://huggingface.co"
MODELSCOPE = "https://modelscope.cn"
ATTEMPTS = 5
"""Tries for a file that brings nothing new; one that does sets the count back."""

PAUSE_S = 2.0
"""Seconds before a file is asked for again."""

_CONNECT_S, _READ_S = 15.0, 60.0
_CHUNK = 1 << 20
_OFFLINE_HINT = "Fetch the model elsewhere and run: mineru-workbench models install mineru --from FOLDER"


class HubUnreachable(ModelMissing):
    """The hub does not answer, or broke off: worth another try."""


@dataclass(frozen=True, slots=True)
class RemoteFile:
    """A file of a repository: ``size`` in bytes, ``digest`` as ``sha256:…`` or ``git:…``, empty where not told."""

    path: str
    size: int
    digest: str
    url: str

    def hasher(self) -> Hasher:
        """Computes what ``digest`` is compared with."""
        return Hasher(self)

    def is_whole(self, size: int, hasher: Hasher) -> bool:
        """Whether bytes of this number and hash are the file."""
        return size == self.size and (not self.digest or hasher.digest == self.digest)


class Hasher:
    """sha256, or the hash that git has for a file: hubs tell the one of large files, the other of small ones."""

    def __init__(self, file: RemoteFile) -> None:
        self._file = file
        self.restart()

    @property
    def digest(self) -> str:
        """In the form of ``RemoteFile.digest``."""
        return f"{'git' if self._is_git else 'sha256'}:{self._hash.hexdigest()}"

    def restart(self) -> None:
        """Forget everything."""
        self._hash = hashlib.sha1(usedforsecurity=False) if self._is_git else hashlib.sha256()
        if self._is_git:
            self._hash.update(f"blob {self._file.size}\0".encode())

    def update(self, chunk: bytes) -> None:
        """Go on with these bytes."""
        self._hash.update(chunk)

    @property
    def _is_git(self) -> bool:
        return self._file.digest.startswith("git:")


@dataclass(frozen=True, slots=True)
class Listing:
    """The files of a repository at one revision, which names them for good."""

    revision: str
    files: tuple[RemoteFile, ...]


class Hub(Protocol):
    """A hub with one repository chosen."""

    @property
    def name(self) -> str:
        """As people know it."""

    @property
    def repository(self) -> str:
        """Owner and name as this hub spells them."""

    def listing(self) -> Listing:
        """All files. Raises ``ModelMissing``."""

    def stream(self, file: RemoteFile, start: int) -> AbstractContextManager[tuple[int, Iterator[bytes]]]:
        """A context with the place (in bytes) the answer begins at, ``start`` or 0, and an iterator of its bytes.
        Raises ``HubUnreachable`` where that breaks off, ``ModelMissing`` where it is refused."""


@contextmanager
def hub_of(settings: MineruSettings) -> Iterator[Hub]:
    """The hub of the settings. Raises ``ModelMissing`` in offline mode."""
    if settings.offline:
        raise ModelMissing(f"{settings.model} is not installed, and mineru.offline forbids to fetch it.", _OFFLINE_HINT)
    timeout = httpx.Timeout(_READ_S, connect=_CONNECT_S)
    with httpx.Client(timeout=timeout, follow_redirects=True) as http:
        yield (_HuggingFace if settings.hub == "huggingface" else _ModelScope)(settings, http)


def pause(cancel: threading.Event) -> None:
    """Wait before the next try, no longer than anybody wants the file."""
    cancel.wait(PAUSE_S)


class _Http:
    """What both hubs do alike."""

    name = ""

    def __init__(self, settings: MineruSettings, http: httpx.Client) -> None:
        self.repository = settings.model
        self._revision = settings.revision
        self._endpoint = settings.endpoint.rstrip("/") if settings.endpoint else None
        self._http = http
        self._headers: dict[str, str] = {}

    @contextmanager
    def stream(self, file: RemoteFile, start: int) -> Iterator[tuple[int, Iterator[bytes]]]:
        """See ``Hub.stream``."""
        headers = {**self._headers, "Accept-Encoding": "identity"}
        if start:
            headers["Range"] = f"bytes={start}-"
        with self._transport(), self._http.stream("GET", file.url, headers=headers) as response:
            self._check(response.status_code, file.path)
            goes_on = response.status_code == httpx.codes.PARTIAL_CONTENT
            yield start if goes_on else 0, response.iter_bytes(_CHUNK)

    @contextmanager
    def _transport(self) -> Iterator[None]:
        try:
            yield
        except httpx.TransportError as error:
            message = f"{self.name} cannot be reached, or broke off: {error or type(error).__name__}."
            raise HubUnreachable(message, f"Check the network and run it again. {_OFFLINE_HINT}") from error

    def _check(self, status: int, what: str) -> None:
        if status < 400:
            return
        if status >= 500 or status == httpx.codes.TOO_MANY_REQUESTS:
            raise HubUnreachable(f"{self.name} answers {status} for {what}.", "Try again later.")
        if status in (401, 403):
            hint = "Check access to the model, and the token in HF_TOKEN where the hub asks for one."
            raise ModelMissing(f"{self.name} does not give {what} ({status}).", hint)
        raise ModelMissing(
            f"{self.name} has no {what} ({status}).", "Check mineru.model, mineru.revision and mineru.hub."
        )


class _HuggingFace(_Http):
    """huggingface.co, or the mirror that ``mineru.endpoint`` or ``HF_ENDPOINT`` names, through its HTTP API.

    ``HF_TOKEN`` is sent where it is set. (The package huggingface_hub would bring a cache, a transfer protocol and
    errors of its own; a list of files and their bytes is all that is needed.)
    """

    name = "Hugging Face"

    def __init__(self, settings: MineruSettings, http: httpx.Client) -> None:
        super().__init__(settings, http)
        self._base = self._endpoint or os.environ.get("HF_ENDPOINT", "").rstrip("/") or HUGGING_FACE
        if token := os.environ.get("HF_TOKEN"):
            self._headers["Authorization"] = f"Bearer {token}"

    def listing(self) -> Listing:
        """See ``Hub.listing``."""
        branch = quote(self._revision or "main", safe="")
        url = f"{self._base}/api/models/{self.repository}/revision/{branch}"
        with self._transport():
            response = self._http.get(url, params={"blobs": "true"}, headers=self._headers)
        what = f"model {self.repository}" + (f" at revision {self._revision}" if self._revision else "")
        self._check(response.status_code, what)
        try:
            found = response.json()
            revision = str(found["sha"])
            base = f"{self._base}/{self.repository}/resolve/{quote(revision, safe='')}"
            files = tuple(
                RemoteFile(
                    path=str(file["rfilename"]),
                    size=int(file["size"]),
                    digest=f"sha256:{file['lfs']['sha256']}" if file.get("lfs") else f"git:{file['blobId']}",
                    url=f"{base}/{quote(str(file['rfilename']))}",
                )
                for file in found["siblings"]
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ModelMissing(f"{self.name} did not list {self.repository}.", "Try again later.") from error
        return Listing(revision, files)


class _ModelScope(_Http):
    """modelscope.cn through its HTTP API."""

    name = "ModelScope"

    def __init__(self, settings: MineruSettings, http: httpx.Client) -> None:
        super().__init__(settings, http)
        owner, _, model = settings.model.partition("/")
        # The publisher spells its name otherwise there.
        self.repository = f"{'OpenDataLab' if owner == 'opendatalab' else owner}/{model}"
        self._base = f"{self._endpoint or MODELSCOPE}/api/v1/models/{self.repository}/repo"

    def listing(self) -> Listing:
        """See ``Hub.listing``. The revision is the branch with a digest of all files: files are not named by commit."""
        branch = self._revision or "master"
        with self._transport():
            response = self._http.get(f"{self._base}/files", params={"Revision": branch, "Recursive": "true"})
        self._check(response.status_code, f"model {self.repository}")
        try:
            found = response.json()["Data"]["Files"]
            files = tuple(
                RemoteFile(
                    path=str(file["Path"]),
                    size=int(file["Size"]),
                    digest=f"sha256:{file['Sha256']}" if file.get("Sha256") else "",
                    url=f"{self._base}?Revision={quote(branch, safe='')}&FilePath={quote(str(file['Path']), safe='')}",
                )
                for file in found
                if file.get("Type") != "tree"
            )
        except (ValueError, KeyError, TypeError) as error:
            raise ModelMissing(f"{self.name} did not list {self.repository}.", "Try again later.") from error
        digest = hashlib.sha256("\n".join(sorted(f"{f.path} {f.size} {f.digest}" for f in files)).encode())
        return Listing(f"{branch}-{digest.hexdigest()[:16]}", files)
