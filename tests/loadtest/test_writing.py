from __future__ import annotations

import tomllib
from pathlib import Path

import pytest

from mineru_core.errors import InvalidSetting
from mineru_core.loadtest.advice import Proposal
from mineru_core.loadtest.writing import overriding, settings_file, write_proposals
from mineru_core.settings import load_settings

PROPOSALS = (
    Proposal("engine.pages_in_flight", 4, 6, "calls", {"busy": 0.5}),
    Proposal("jobs.waiting_places", 300, 36, "places", {"rate": 2.0}),
)

LAID_OUT = """# who runs this: ops
models = "/models" # shared

[engine]
# found by trial
name = 'echo'
pages_in_flight = 4   # four

[server]
port = 9000
"""


def test_only_what_is_proposed_changes(home: Path) -> None:
    file = home / "config.toml"
    file.write_text(LAID_OUT, "utf-8")
    file.chmod(0o640)
    assert write_proposals(PROPOSALS) == file.resolve()
    written = file.read_text("utf-8")
    assert written.replace("pages_in_flight = 6", "pages_in_flight = 4").startswith(LAID_OUT)
    assert written.removeprefix(LAID_OUT.replace("= 4 ", "= 6 ")).strip() == "[jobs]\nwaiting_places = 36"
    assert file.stat().st_mode & 0o777 == 0o640
    assert [path.name for path in home.iterdir()] == ["config.toml"]
    settings = load_settings()
    assert (settings.pages_in_flight, settings.jobs.waiting_places, settings.server.port) == (6, 36, 9000)
    assert settings.engine.name == "echo"


def test_a_file_is_made_where_there_is_none(home: Path) -> None:
    assert write_proposals(PROPOSALS) == settings_file()
    assert load_settings().jobs.waiting_places == 36
    assert settings_file().stat().st_mode & 0o077 == 0  # it may come to hold tokens


@pytest.mark.parametrize(
    "text",
    [
        'engine = { name = "echo" }\n',
        'engine.name = "echo"\nengine.pages_in_flight = 4\n',
        '[engine]\r\nname = "echo"\r\n\r\n[cache]\r\nenabled = false\r\n',
        '[jobs]\n\n[engine]\nname = "echo" # 回声\n',
    ],
)
def test_other_ways_to_write_it(home: Path, text: str) -> None:
    (home / "config.toml").write_bytes(text.encode())
    write_proposals(PROPOSALS)
    after = tomllib.loads((home / "config.toml").read_bytes().decode())
    assert after.pop("jobs") == {"waiting_places": 36}
    assert after["engine"] == {"name": "echo", "pages_in_flight": 6}
    assert after.keys() - {"engine"} == tomllib.loads(text).keys() - {"engine", "jobs"}


@pytest.mark.parametrize("text", [b"[engine", b"engine = 3\n", b"\xff\xfe"])
def test_what_cannot_be_changed_stays_as_it_is(home: Path, text: bytes) -> None:
    (home / "config.toml").write_bytes(text)
    with pytest.raises(InvalidSetting, match=r"config\.toml"):
        write_proposals(PROPOSALS)
    assert (home / "config.toml").read_bytes() == text


def test_a_link_stays_one(home: Path, tmp_path: Path) -> None:
    (tmp_path / "kept").mkdir()
    (home / "config.toml").symlink_to(tmp_path / "kept" / "mine.toml")
    assert write_proposals(PROPOSALS).name == "mine.toml"
    assert (home / "config.toml").is_symlink()
    assert load_settings().jobs.waiting_places == 36


def test_variables_that_count_more_are_named(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert overriding(PROPOSALS) == []
    monkeypatch.setenv("MINERU_WORKBENCH_JOBS__WAITING_PLACES", "9")
    assert overriding(PROPOSALS) == ["MINERU_WORKBENCH_JOBS__WAITING_PLACES"]
