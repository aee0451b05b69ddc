from __future__ import annotations

from pathlib import Path

import pytest

from mineru_core.engines import availability
from mineru_core.engines.availability import engine_states
from mineru_core.engines.registry import engine_names
from mineru_core.settings import load_settings
from tests.engines.mineru.checkpoints import write_checkpoint


def test_every_engine_that_reads_pages_is_there(tmp_path: Path) -> None:
    states = engine_states(load_settings(models=tmp_path))
    assert tuple(state.name for state in states) == tuple(name for name in engine_names() if name != "echo")
    embedded, mineru, *_, server = states
    assert not embedded.ready
    assert "models install embedded" in embedded.hint
    assert (mineru.ready, mineru.licence) == (False, "AGPL-3.0")
    assert "models install mineru" in mineru.hint
    assert "MINERU_SERVER__URLS" in server.hint


def test_what_is_there_is_ready(tmp_path: Path) -> None:
    settings = load_settings(
        models=tmp_path,
        mineru={"model": str(write_checkpoint(tmp_path / "own"))},
        mineru_server={"urls": ["http://127.0.0.1:9"]},
    )
    states = {state.name: state for state in engine_states(settings)}
    assert states["mineru"].ready
    assert states["mineru-server"].ready
    assert "127.0.0.1:9" in states["mineru-server"].message


def test_missing_packages_are_named_with_what_to_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(availability, "find_spec", lambda _name: None)
    states = {state.name: state for state in engine_states(load_settings(models=tmp_path))}
    for name in ("mineru", "mineru-tiny", "mineru-server"):
        assert not states[name].ready
        assert "mineru_vl_utils" in states[name].message
        assert "pip install 'mineru-workbench[mineru]'" in states[name].hint
    assert "torch" not in states["mineru-server"].message
