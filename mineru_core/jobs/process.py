"""The one job service of this process, shared by the pages and the HTTP API."""

from __future__ import annotations

import atexit
import threading

from mineru_core.jobs.service import JobService
from mineru_core.serving.analyzer import Analyzer
from mineru_core.settings import load_settings

_lock = threading.Lock()
_service: JobService | None = None


def shared_service() -> JobService:
    """The process's service: made and started by the first caller, with the settings as they are then.

    Raises ``InvalidSetting``. It is closed when the process ends.
    """
    global _service  # noqa: PLW0603  one a process is the point
    with _lock:
        if _service is None:
            settings = load_settings()
            _service = JobService(settings, Analyzer(settings, settle=True))
            _service.start()
            atexit.register(close_shared_service)
        return _service


def close_shared_service() -> None:
    """Close the service and its analyzer; the next ``shared_service()`` makes a new one."""
    global _service
    with _lock:
        service, _service = _service, None
    if service is not None:
        service.close()
        service.analyzer.close()
        atexit.unregister(close_shared_service)
