"""What is said of engines before they are made."""

from __future__ import annotations

import json
import re
import sys
import tomllib
from pathlib import Path

import pytest

from mineru_core.engines import facts
from mineru_core.engines.facts import Lack, engine_facts
from mineru_core.engines.mineru import checkpoint
from mineru_core.engines.registry import engine_names
from mineru_core.settings import MineruServerSettings, MineruSettings, Settings


@pytest.mark.parametrize("name", engine_names())
def test_what_cannot_be_used_says_what_to_run(name: str, tmp_path: Path) -> None:
    found = engine_facts(name, Settings(models=tmp_path))
    assert found.name == name
    assert found.usable == (not found.command)


def test_the_embedded_engine_without_its_weights(tmp_path: Path) -> None:
    found = engine_facts("embedded", Settings(models=tmp_path))
    assert (found.lacks, found.licence) == (Lack.MODEL, "Apache-2.0")
    assert "models install embedded" in found.command


def test_the_model_is_named_with_its_licence_before_it_is_there(tmp_path: Path) -> None:
    for model, licence in (("MinerU2.5-2509-1.2B", "AGPL-3.0"), ("MinerU2.5-Pro-2605-1.2B", "Apache-2.0")):
        settings = Settings(models=tmp_path, mineru=MineruSettings(model=f"opendatalab/{model}"))
        found = engine_facts("mineru", settings)
        assert (found.lacks, found.licence) == (Lack.MODEL, licence)
        assert "models install mineru" in found.command


def test_without_the_packages_they_come_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(facts, "_EXTRA", ("a_package_that_nobody_has",))
    settings = Settings(models=tmp_path, mineru_server=MineruServerSettings(urls=("http://127.0.0.1:1",)))
    for name in ("mineru", "mineru-server"):
        found = engine_facts(name, settings)
        assert (found.lacks, found.command) == (Lack.PACKAGES, facts.EXTRA_COMMAND)
    # Whoever installs them for a server learns at once that it wants its address, too.
    unaddressed = engine_facts("mineru-server", Settings(models=tmp_path))
    assert unaddressed.lacks is Lack.PACKAGES
    assert unaddressed.command == f"{facts.SERVER_COMMAND} && {facts.EXTRA_COMMAND}"


def test_in_a_checkout_the_packages_come_by_make() -> None:
    # The pip at hand need not be that of the checkout's .venv.
    assert facts.EXTRA_COMMAND == "make run-mineru"


def test_the_packages_looked_for_are_those_of_the_extra() -> None:
    project = tomllib.loads((Path(facts.__file__).parents[2] / "pyproject.toml").read_text("utf-8"))["project"]
    extra = [re.split(r"\W*>=", wanted)[0].replace("-", "_") for wanted in project["optional-dependencies"]["mineru"]]
    assert sorted(extra) == sorted(facts._EXTRA)


def test_a_server_needs_an_address() -> None:
    assert engine_facts("mineru-server", Settings()).lacks is Lack.ADDRESS
    there = Settings(mineru_server=MineruServerSettings(urls=("http://127.0.0.1:1",), model="MinerU2.5-Pro-2605-1.2B"))
    assert engine_facts("mineru-server", there).usable
    assert engine_facts("mineru-server", there).licence == "Apache-2.0"


def test_a_folder_that_is_no_model_is_not_taken_for_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "config.json").write_text(json.dumps({"architectures": ["Other"]}))
    monkeypatch.setattr(checkpoint, "TINY_FOLDER", tmp_path)
    assert engine_facts("mineru-tiny", Settings()).lacks is Lack.MODEL


def test_nothing_heavy_is_imported_for_it() -> None:
    import subprocess

    code = (
        "import sys; from mineru_core.engines.facts import engine_facts; from mineru_core.settings import Settings;"
        "[engine_facts(n, Settings()) for n in ('embedded', 'mineru', 'mineru-tiny', 'mineru-server')];"
        "sys.exit('torch' in sys.modules or 'mineru_vl_utils' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
