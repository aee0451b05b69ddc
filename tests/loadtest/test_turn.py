from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from mineru_core.errors import Overloaded
from mineru_core.loadtest.turn import is_under_way, one_at_a_time
from mineru_core.settings import load_settings


def test_one_at_a_time(home: Path) -> None:
    settings = load_settings()
    assert not is_under_way(settings)
    with one_at_a_time(settings):
        with pytest.raises(Overloaded), one_at_a_time(settings):
            raise AssertionError("a second one was let in")
        assert is_under_way(settings)  # whoever was turned away has not taken the sign down
    assert not is_under_way(settings)
    with one_at_a_time(settings):
        pass


def test_another_process_sees_it(home: Path) -> None:
    look = (
        "from mineru_core.loadtest.turn import is_under_way;"
        "from mineru_core.settings import load_settings; print(is_under_way(load_settings()))"
    )
    with one_at_a_time(load_settings()):
        told = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True).stdout
    assert told.strip() == "True"


@pytest.mark.parametrize(
    "left",
    [
        "",
        "[]",
        '{"pid": "x"}',
        json.dumps({"pid": os.getpid(), "began": psutil.Process().create_time() - 3600}),  # the number came again
        json.dumps({"pid": 2**22 + 1, "began": 0}),  # no system has so many
    ],
    ids=["nothing", "a list", "no number", "another process", "no process"],
)
def test_what_a_dead_process_has_left_is_nothing(home: Path, left: str) -> None:
    (home / "loadtest.json").write_text(left, "utf-8")
    assert not is_under_way(load_settings())
