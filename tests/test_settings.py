from __future__ import annotations

import os
from pathlib import Path

import pytest
from platformdirs import user_data_path
from pydantic import ValidationError

from mineru_core import settings as module
from mineru_core.errors import InvalidSetting
from mineru_core.settings import Settings, available_cores, default_home, load_settings


@pytest.fixture(autouse=True)
def _home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [n for n in os.environ if n.startswith("MINERU_WORKBENCH_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("MINERU_WORKBENCH_HOME", str(tmp_path))


def write_toml(folder: Path, text: str) -> None:
    """Write config.toml of the home folder."""
    (folder / "config.toml").write_text(text, encoding="utf-8")


def test_defaults_need_nothing() -> None:
    settings = load_settings()
    assert settings.limits.max_pages == 500
    assert settings.engine.name == "embedded"
    assert settings.store.retention_days == 7


def test_the_home_folder_is_the_platforms_unless_it_is_set(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    assert default_home() == tmp_path == load_settings().home
    monkeypatch.delenv("MINERU_WORKBENCH_HOME")
    assert default_home() == user_data_path("mineru-workbench", appauthor=False)


def test_the_home_folder_may_begin_with_a_tilde(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINERU_WORKBENCH_HOME", "~/here")
    assert default_home() == Path.home() / "here"


def test_folders_follow_the_home_folder(tmp_path: Path) -> None:
    settings = load_settings()
    assert settings.models_dir == tmp_path / "models"
    assert settings.blobs_dir == tmp_path / "blobs"
    assert settings.cache_dir == tmp_path / "cache"
    assert settings.database_path == tmp_path / "state.db"


def test_the_models_folder_is_a_setting_of_its_own(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("MINERU_WORKBENCH_MODELS", str(tmp_path / "shared"))
    assert load_settings().models_dir == tmp_path / "shared"


def test_the_environment_wins_over_the_file_and_arguments_over_both(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    write_toml(tmp_path, "[limits]\nmax_pages = 10\nmax_file_bytes = 5\n[server]\nport = 9000\n")
    assert load_settings().limits.max_pages == 10
    monkeypatch.setenv("MINERU_WORKBENCH_LIMITS__MAX_PAGES", "20")
    settings = load_settings()
    assert (settings.limits.max_pages, settings.limits.max_file_bytes, settings.server.port) == (20, 5, 9000)
    assert load_settings(limits={"max_pages": 30}).limits.max_pages == 30


@pytest.mark.parametrize(
    ("variable", "value", "named"),
    [
        ("LIMITS__MAX_PAGES", "none", "limits.max_pages"),
        ("LIMITS__MAX_FILE_BYTES", "0", "limits.max_file_bytes"),
        ("PDF__DPI", "9999", "pdf.dpi"),
        ("SERVER__PORT", "70000", "server.port"),
        ("SERVER__LOG_LEVEL", "loud", "server.log_level"),
        ("STORE__RETENTION_DAYS", "-1", "store.retention_days"),
        ("CACHE__DISK_BYTES", "-1", "cache.disk_bytes"),
        ("ENGINE__DEADLINE_S", "soon", "engine.deadline_s"),
    ],
)
def test_a_wrong_variable_is_named(monkeypatch: pytest.MonkeyPatch, variable: str, value: str, named: str) -> None:
    monkeypatch.setenv(f"MINERU_WORKBENCH_{variable}", value)
    with pytest.raises(InvalidSetting) as caught:
        load_settings()
    assert named in caught.value.message
    assert caught.value.hint


@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[limits]\nmax_pages = 0\n", "limits.max_pages"),
        ("[limits]\nmax_page = 3\n", "limits.max_page"),
        ("[limit]\nmax_pages = 3\n", "limit"),
        ("[server]\nport = 'x'\n", "server.port"),
        ("this is no toml", "config.toml"),
    ],
)
def test_a_wrong_file_is_named(tmp_path: Path, text: str, named: str) -> None:
    write_toml(tmp_path, text)
    with pytest.raises(InvalidSetting) as caught:
        load_settings()
    assert named in caught.value.message


def test_every_wrong_value_is_named_at_once(tmp_path: Path) -> None:
    write_toml(tmp_path, "[limits]\nmax_pages = 0\n[server]\nport = 0\n")
    with pytest.raises(InvalidSetting) as caught:
        load_settings()
    assert "limits.max_pages" in caught.value.message
    assert "server.port" in caught.value.message


def test_settings_cannot_be_changed() -> None:
    with pytest.raises(ValidationError):
        load_settings().home = Path("/elsewhere")  # type: ignore[misc]


def test_every_setting_is_explained() -> None:
    def check(name: str, model: type) -> None:
        for field_name, info in model.model_fields.items():  # type: ignore[attr-defined]
            annotation = info.annotation
            if isinstance(annotation, type) and issubclass(annotation, module._Section):
                check(f"{name}{field_name}.", annotation)
            else:
                assert info.description, f"{name}{field_name} has no description"

    check("", Settings)


@pytest.mark.parametrize(
    ("cores", "pages", "calls"),
    [(1, 4, 1), (2, 4, 1), (3, 4, 1), (4, 6, 2), (8, 8, 4), (12, 8, 4), (16, 12, 6), (64, 12, 6)],
)
def test_work_at_once_follows_the_number_of_cores(
    monkeypatch: pytest.MonkeyPatch, cores: int, pages: int, calls: int
) -> None:
    monkeypatch.setattr(module, "available_cores", lambda: cores)
    settings = load_settings()
    assert (settings.pages_in_flight, settings.engine_calls) == (pages, calls)
    assert load_settings(engine={"pages_in_flight": 3, "engine_calls": 2}).pages_in_flight == 3


def test_there_is_at_least_one_core() -> None:
    assert available_cores() >= 1


def test_nothing_is_read_at_import(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MINERU_WORKBENCH_LIMITS__MAX_PAGES", "77")
    assert load_settings().limits.max_pages == 77
