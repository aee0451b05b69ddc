from __future__ import annotations

from pathlib import Path

import pytest

from mineru_core.engines.base import Engine
from mineru_core.engines.registry import create_engine, engine_names
from mineru_core.errors import EngineUnavailable
from mineru_core.settings import Settings


def test_the_default_engine_comes_first() -> None:
    assert engine_names()[0] == Settings().engine.name


@pytest.mark.parametrize("name", engine_names())
def test_each_name_makes_its_engine(name: str, tmp_path: Path) -> None:
    engine = create_engine(name, Settings(home=tmp_path))
    assert isinstance(engine, Engine)
    assert engine.name == name
    assert engine.fingerprint.startswith(name)


def test_an_unknown_name_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable) as caught:
        create_engine("nope", Settings(home=tmp_path))
    assert "nope" in caught.value.message
    assert all(name in caught.value.hint for name in engine_names())
