"""Facts of the machine a run was made on, so that its figures are not read as those of another."""

from __future__ import annotations

import os
import platform
from pathlib import Path

import psutil
from pydantic import BaseModel, ConfigDict

from mineru_core.runtime.memory import available_bytes
from mineru_core.settings import available_cores
from mineru_core.version import __version__


class Machine(BaseModel):
    """``cores`` are those this process may use, ``load`` is the mean number of processes that wanted one in the minute
    before the run (0 where the system does not tell), ``memory_bytes`` what there is for it."""

    model_config = ConfigDict(frozen=True)

    processor: str
    cores: int
    memory_bytes: int
    system: str
    python: str
    version: str
    load: float


def this_machine() -> Machine:
    """The facts, as they are now."""
    return Machine(
        processor=_processor(),
        cores=available_cores(),
        memory_bytes=available_bytes() or psutil.virtual_memory().total,
        system=f"{platform.system()} {platform.release()}",
        python=platform.python_version(),
        version=__version__,
        load=round(os.getloadavg()[0], 2) if hasattr(os, "getloadavg") else 0.0,
    )


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text("utf-8", errors="replace").splitlines()
    except OSError:
        lines = []
    named = next((line.partition(":")[2].strip() for line in lines if line.startswith("model name")), "")
    return named or platform.processor() or platform.machine()
