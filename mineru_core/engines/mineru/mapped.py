"""Weights that are mapped from their file, and the memory they take once they were read."""

from __future__ import annotations

import ctypes
import mmap
import sys
from pathlib import Path

from torch import Tensor

_DONTNEED = 4
"""Linux's MADV_DONTNEED: pages leave the process; those of a file come back from there when they are read again."""


class MappedWeights:
    """Tells which tensors lie in files mapped into this process, as it is when this is made; Linux only."""

    def __init__(self) -> None:
        self._ranges: list[tuple[int, int]] = []
        maps = Path("/proc/self/maps")
        if sys.platform != "linux" or not maps.exists():
            return
        for line in maps.read_text(encoding="utf-8", errors="replace").splitlines():
            span, _, _, device, *_ = line.split(maxsplit=5)
            if line.rstrip().endswith(".safetensors") and device != "00:00":
                start, end = (int(bound, 16) for bound in span.split("-"))
                self._ranges.append((start, end))

    def let_go(self, tensor: Tensor) -> bool:
        """Take the pages that hold only this tensor out of memory, if they are a file's; whether they are.

        The tensor stays as it is: whoever reads it again waits for the file.
        """
        start, end = tensor.data_ptr(), tensor.data_ptr() + tensor.nbytes
        if not any(low <= start and end <= high for low, high in self._ranges):
            return False
        first = -(-start // mmap.PAGESIZE) * mmap.PAGESIZE
        length = end // mmap.PAGESIZE * mmap.PAGESIZE - first
        if length > 0:
            madvise = ctypes.CDLL(None).madvise
            madvise.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int]
            madvise(first, length, _DONTNEED)
        return True
