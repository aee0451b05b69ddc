"""What the benchmark has done in other processes; its own stays without the libraries, which load for seconds."""

from __future__ import annotations

from pathlib import Path

USERS = 4
"""Users whose pages are read at once."""


def write(folder: Path, quick: bool) -> None:
    """Write the checkpoint; in a process of its own."""
    from benchmarks.vlm.job import FULL, QUICK, write_checkpoint

    write_checkpoint(folder, QUICK if quick else FULL)


def run_side(side: str, folder: Path, quick: bool, precision: str) -> dict[str, float]:
    """The figures of one side (theirs, ours, or ours' memory); in a process of its own."""
    from benchmarks.vlm import sides
    from benchmarks.vlm.job import FULL, QUICK

    scale = QUICK if quick else FULL
    if side == "theirs":
        return sides.theirs(folder, scale)
    return (sides.ours if side == "ours" else sides.ours_memory)(folder, scale, precision)
