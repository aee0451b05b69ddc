from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from mineru_core.engines.base import Engine
from mineru_core.engines.facts import EXTRA_COMMAND
from mineru_core.engines.registry import create_engine, engine_names
from mineru_core.errors import EngineUnavailable
from mineru_core.settings import MineruServerSettings, Settings


def test_the_default_engine_comes_first() -> None:
    assert engine_names()[0] == Settings().engine.name


@pytest.mark.parametrize("name", engine_names())
def test_each_name_makes_its_engine(name: str, tmp_path: Path) -> None:
    servers = MineruServerSettings(urls=("http://127.0.0.1:9",), model="MinerU2.5")
    engine = create_engine(name, Settings(home=tmp_path, mineru_server=servers))
    assert isinstance(engine, Engine)
    assert engine.name == name
    assert engine.fingerprint.startswith(name)


def test_an_unknown_name_is_refused_with_the_known_ones(tmp_path: Path) -> None:
    with pytest.raises(EngineUnavailable) as caught:
        create_engine("nope", Settings(home=tmp_path))
    assert "nope" in caught.value.message
    assert all(name in caught.value.hint for name in engine_names())


@pytest.mark.parametrize("name", ["mineru", "mineru-tiny", "mineru-server"])
def test_without_the_packages_of_the_extra_it_says_what_to_install(name: str, tmp_path: Path) -> None:
    code = (
        "import sys; sys.modules['mineru_vl_utils'] = None\n"
        "from mineru_core.engines.registry import create_engine\n"
        "from mineru_core.errors import EngineUnavailable\n"
        "from mineru_core.settings import Settings\n"
        f"try: create_engine({name!r}, Settings(home={str(tmp_path)!r}))\n"
        "except EngineUnavailable as error: print(error.message, error.hint)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "mineru_vl_utils" in done.stdout
    assert EXTRA_COMMAND in done.stdout


def test_nothing_of_the_extra_is_imported_before_its_engine_is_asked_for() -> None:
    code = (
        "import sys, mineru_core, mineru_core.engines.registry, mineru_core.cli.main, mineru_core.serving.analyzer\n"
        "print(sorted({'torch', 'transformers', 'mineru_vl_utils', 'huggingface_hub'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
