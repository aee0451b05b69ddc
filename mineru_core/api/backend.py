"""What the routes stand on: the process's one JobService, and an engine that loads while the server already answers."""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

import anyio
from anyio import CapacityLimiter, to_thread

from mineru_core.api.access import Access
from mineru_core.api.idempotency import Idempotency
from mineru_core.errors import EngineUnavailable, WorkbenchError
from mineru_core.serving.admission import MOST_PLACES
from mineru_core.settings import Settings, available_cores, load_settings

if TYPE_CHECKING:
    from mineru_core.jobs.service import JobService

RETRY_S = 15.0
"""Seconds until a failed load of the engine is tried again: weights may be installed meanwhile."""

CALLS_AT_ONCE = 16
"""Short calls in threads at the same time; a queue of uploads leaves the page's own files their threads."""

PICTURES_AT_ONCE = 2
"""Page pictures drawn at the same time; each holds a page's pixels."""

T = TypeVar("T")
_log = logging.getLogger(__name__)


def _open_shared() -> JobService:
    from mineru_core.jobs.process import shared_service

    return shared_service()


def _close_shared() -> None:
    from mineru_core.jobs.process import close_shared_service

    close_shared_service()


class Backend:
    """Opens the JobService when a server starts and closes it when the server ends.

    ``open_service`` and ``close_service`` default to the process's shared service, which the browser app uses too.
    Blocking calls go to threads: ``call`` for short ones, ``submit`` for documents, ``wait`` for those that wait for a
    job and ``draw`` for pictures. Each sort has its own limit, so that fifty waiting callers leave threads for
    everybody else.
    """

    def __init__(
        self,
        settings: Settings | None = None,
        *,
        open_service: Callable[[], JobService] = _open_shared,
        close_service: Callable[[], None] = _close_shared,
    ) -> None:
        self.settings = settings if settings is not None else load_settings()
        self.access = Access(self.settings)
        self.idempotency = Idempotency(self.settings)
        self.readers: Counter[str] = Counter()
        """How many callers wait for each job; for the event loop alone."""
        self._open, self._close = open_service, close_service
        self._service: JobService | None = None
        self._stop = threading.Event()
        self._loader: threading.Thread | None = None
        self._load_error: WorkbenchError | None = None
        jobs = self.settings.jobs
        self._calls = CapacityLimiter(CALLS_AT_ONCE)
        self._waits = CapacityLimiter(self.settings.job_workers + (jobs.waiting_places or MOST_PLACES))
        self._draws = CapacityLimiter(PICTURES_AT_ONCE)
        self._submits = CapacityLimiter(max(2, available_cores()))

    @property
    def service(self) -> JobService:
        """The open service. Raises ``EngineUnavailable`` before ``start`` and after ``stop``."""
        if self._service is None:
            raise EngineUnavailable("The server is starting or stopping.", "Try again in a moment.")
        return self._service

    async def start(self) -> None:
        """Open the service and begin to load the engine; does not wait for the engine."""
        self._service = await to_thread.run_sync(self._open)
        self._stop.clear()
        self._loader = threading.Thread(target=self._load_until_ready, name="engine-loader", daemon=True)
        self._loader.start()

    async def stop(self) -> None:
        """Close the service; jobs that run stay resumable."""
        self._stop.set()
        self._service = None
        with anyio.CancelScope(shield=True):
            if self._loader is not None:
                await to_thread.run_sync(self._loader.join)
            await to_thread.run_sync(self._close)
            self.access.close()
            self.idempotency.close()

    def check_ready(self) -> None:
        """Return if the engine is loaded, else raise why it is not."""
        if self.service.analyzer.loaded:
            return
        if self._load_error is not None:
            raise self._load_error
        progress = self.service.analyzer.load_progress
        where = "" if progress is None else f" ({progress[0]}, {progress[1]:.0%})"
        raise EngineUnavailable(f"The engine is loading{where}.", "Try again in a moment.")

    async def call(self, function: Callable[[], T]) -> T:
        """Run a short blocking call in a thread."""
        return await to_thread.run_sync(function, limiter=self._calls)

    async def submit(self, function: Callable[[], T]) -> T:
        """Run a call that hashes and opens a document in a thread. They compute, so there are no more of them than
        cores: each further one would keep the event loop waiting for its turn."""
        return await to_thread.run_sync(function, limiter=self._submits)

    async def wait(self, function: Callable[[], T]) -> T:
        """Run a call that waits for a job in a thread."""
        return await to_thread.run_sync(function, limiter=self._waits)

    async def draw(self, function: Callable[[], T]) -> T:
        """Run a call that holds a page's pixels in a thread."""
        return await to_thread.run_sync(function, limiter=self._draws)

    def _load_until_ready(self) -> None:
        service = self._service
        while service is not None and not self._stop.is_set():
            try:
                service.analyzer.load()
            except WorkbenchError as error:
                self._load_error = error
                _log.warning("the engine cannot be loaded: %s %s", error.message, error.hint)
            except Exception:  # noqa: BLE001  readiness tells of it, and the next try may go well
                self._load_error = EngineUnavailable("Loading the engine broke off.", "See the log; it is tried again.")
                _log.exception("loading the engine broke off")
            else:
                self._load_error = None
                return
            self._stop.wait(RETRY_S)
