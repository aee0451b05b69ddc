from __future__ import annotations

import errno
import json
import shutil
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from mineru_core.engines.mineru import download, hubs
from mineru_core.engines.mineru.checkpoint import ORIGIN, checkpoint_folder, installed
from mineru_core.engines.mineru.download import install
from mineru_core.errors import Cancelled, EngineUnavailable, ModelMissing, StorageUnavailable, WorkbenchError
from mineru_core.settings import Settings, load_settings
from tests.engines.mineru.checkpoints import checkpoint_files, write_checkpoint
from tests.engines.mineru.hub_server import COMMIT, HubServer
from tests.servers import free_port, serve_thread

SIZE = 3_000_000
WEIGHTS = "model.safetensors"
EXTRA = {"README.md": b"---\nlicense: agpl-3.0\n---", "setup.py": b"raise SystemExit", "pytorch_model.bin": b"pickled"}


@pytest.fixture(autouse=True)
def _no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hubs, "PAUSE_S", 0.0)
    monkeypatch.delenv("HF_TOKEN", raising=False)


@pytest.fixture
def server() -> HubServer:
    return HubServer(checkpoint_files(size=SIZE) | EXTRA)


@pytest.fixture
def url(server: HubServer) -> Iterator[str]:
    with serve_thread(server.app) as url:
        yield url


def chosen(folder: Path, url: str, hub: str = "huggingface", **options: Any) -> Settings:
    return load_settings(models=folder, mineru={"hub": hub, "endpoint": url, **options})


@pytest.mark.parametrize(("hub", "name"), [("huggingface", "Hugging Face"), ("modelscope", "ModelScope")])
def test_a_model_is_fetched_and_remembers_where_it_comes_from(
    tmp_path: Path, server: HubServer, url: str, hub: str, name: str
) -> None:
    settings = chosen(tmp_path, url, hub)
    told: list[tuple[str, float]] = []
    found = install(settings, progress=lambda *progress: told.append(progress))
    assert installed(settings) == found
    assert (found.folder, found.title, found.licence) == (
        checkpoint_folder(settings),
        "MinerU2.5 (2509)",
        "AGPL-3.0",
    )
    assert {path.name for path in found.folder.iterdir()} == {*checkpoint_files(), "README.md", ORIGIN}
    assert all((found.folder / n).read_bytes() == content for n, content in checkpoint_files(size=SIZE).items())
    origin = json.loads((found.folder / ORIGIN).read_text())
    assert origin["hub"] == name
    assert origin["revision"].startswith(COMMIT if hub == "huggingface" else "master-")
    shares = [share for _, share in told]
    assert shares == sorted(shares)
    assert told[-1] == ("done", 1.0)
    assert not list(found.folder.parent.glob("*.incomplete"))


@pytest.mark.parametrize("hub", ["huggingface", "modelscope"])
def test_what_is_there_is_not_fetched_again(tmp_path: Path, server: HubServer, url: str, hub: str) -> None:
    settings = chosen(tmp_path, url, hub)
    found = install(settings)
    server.asked.clear()
    assert install(settings) == found
    assert install(chosen(tmp_path, url, hub, offline=True)) == found
    assert server.asked == []


@pytest.mark.parametrize("hub", ["huggingface", "modelscope"])
def test_a_connection_that_breaks_off_is_taken_up_where_it_did(
    tmp_path: Path, server: HubServer, url: str, hub: str
) -> None:
    server.break_after, server.breaks = 1_100_000, 2
    found = install(chosen(tmp_path, url, hub))
    assert (found.folder / WEIGHTS).read_bytes() == server.files[WEIGHTS]
    starts = [asked for name, asked in server.asked if name == WEIGHTS]
    assert starts[0] == ""
    assert len(starts) == 3
    assert all(int(start[6:-1]) > 0 for start in starts[1:])


def test_a_run_that_ended_is_taken_up_by_the_next(tmp_path: Path, server: HubServer, url: str) -> None:
    settings = chosen(tmp_path, url)
    cancel = threading.Event()

    def stop(name: str, share: float) -> None:
        if share > 0.5:
            cancel.set()

    with pytest.raises(Cancelled):
        install(settings, progress=stop, cancel=cancel)
    assert installed(settings) is None, "half a download is not taken for whole"
    server.asked.clear()
    shares: list[float] = []
    install(settings, progress=lambda _name, share: shares.append(share))
    ((name, asked),) = server.asked
    assert name == WEIGHTS
    assert asked.startswith("bytes=")
    assert shares == sorted(shares)


def test_a_new_revision_starts_anew(tmp_path: Path, server: HubServer, url: str) -> None:
    settings = chosen(tmp_path, url)
    cancel = threading.Event()
    with pytest.raises(Cancelled):
        install(settings, progress=lambda _n, share: cancel.set() if share > 0.5 else None, cancel=cancel)
    server.commit = "f" * 40
    server.files |= {WEIGHTS: checkpoint_files(size=SIZE + 8)[WEIGHTS]}
    server.asked.clear()
    found = install(settings)
    assert found.revision == "f" * 40
    assert all(asked == "" for _, asked in server.asked)


def test_a_server_that_knows_no_ranges_gives_all_again(tmp_path: Path, server: HubServer, url: str) -> None:
    server.break_after, server.breaks, server.ignores_ranges = 1_100_000, 1, True
    found = install(chosen(tmp_path, url))
    assert (found.folder / WEIGHTS).read_bytes() == server.files[WEIGHTS]


def test_a_server_that_fails_for_a_while_is_asked_again(tmp_path: Path, server: HubServer, url: str) -> None:
    server.statuses = [503, 429, 500]
    install(chosen(tmp_path, url))
    assert server.statuses == []


def test_a_server_that_keeps_failing_is_told(tmp_path: Path, server: HubServer, url: str) -> None:
    server.statuses = [500] * 100
    with pytest.raises(ModelMissing, match="500"):
        install(chosen(tmp_path, url))
    assert len(server.statuses) == 100 - hubs.ATTEMPTS


@pytest.mark.parametrize("hub", ["huggingface", "modelscope"])
@pytest.mark.parametrize("name", [WEIGHTS, "tokenizer.json"])
def test_what_arrives_damaged_is_thrown_away(tmp_path: Path, server: HubServer, url: str, hub: str, name: str) -> None:
    content = bytearray(server.files[name])
    content[-1] ^= 1
    server.lies[name] = bytes(content)
    settings = chosen(tmp_path, url, hub)
    with pytest.raises(ModelMissing, match="damaged"):
        install(settings)
    server.lies.clear()
    assert (install(settings).folder / name).read_bytes() == server.files[name]


def test_another_architecture_is_told_before_its_weights_are_fetched(
    tmp_path: Path, server: HubServer, url: str
) -> None:
    server.files["config.json"] = b'{"architectures": ["LlamaForCausalLM"]}'
    with pytest.raises(EngineUnavailable, match="LlamaForCausalLM"):
        install(chosen(tmp_path, url))
    assert WEIGHTS not in [name for name, _ in server.asked]


def test_files_that_would_lie_elsewhere_are_not_taken(tmp_path: Path, server: HubServer, url: str) -> None:
    server.files |= {"../evil.json": b"{}", "sub/x.json": b"{}"}
    found = install(chosen(tmp_path, url))
    assert not (found.folder / "sub").exists()
    assert not (found.folder.parent / "evil.json").exists()


@pytest.mark.parametrize("hub", ["huggingface", "modelscope"])
@pytest.mark.parametrize(
    ("options", "said"), [({"model": "nobody/nothing"}, "nothing.*404"), ({"revision": "v9"}, "404")]
)
def test_what_the_hub_does_not_have_is_told(
    tmp_path: Path, server: HubServer, url: str, hub: str, options: dict[str, str], said: str
) -> None:
    if hub == "modelscope" and "revision" in options:
        options = {"model": "opendatalab/other"}
    with pytest.raises(ModelMissing, match=said) as caught:
        install(chosen(tmp_path, url, hub, **options))
    assert "mineru.model" in caught.value.hint


@pytest.mark.parametrize("hub", ["huggingface", "modelscope"])
def test_without_a_network_it_says_so(tmp_path: Path, hub: str) -> None:
    with pytest.raises(ModelMissing, match="cannot be reached") as caught:
        install(chosen(tmp_path, f"http://127.0.0.1:{free_port()}", hub))
    assert "--from" in caught.value.hint


def test_the_hub_and_the_token_may_come_from_the_environment(
    tmp_path: Path, server: HubServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", url + "/")
    monkeypatch.setenv("HF_TOKEN", "secret")
    install(load_settings(models=tmp_path))
    assert server.tokens == {"Bearer secret"}


@pytest.mark.parametrize("hub", ["huggingface", "modelscope"])
@pytest.mark.parametrize("status", [401, 403])
def test_a_model_that_is_not_for_all_is_told(
    tmp_path: Path, server: HubServer, url: str, hub: str, status: int
) -> None:
    server.statuses = [status]
    with pytest.raises(ModelMissing, match=str(status)) as caught:
        install(chosen(tmp_path, url, hub))
    assert "HF_TOKEN" in caught.value.hint


def test_offline_nothing_is_asked_for(tmp_path: Path, server: HubServer, url: str) -> None:
    with pytest.raises(ModelMissing, match="offline"):
        install(chosen(tmp_path, url, offline=True))
    assert server.asked == []


def test_a_disk_with_too_little_room_is_told_before_anything_is_fetched(
    tmp_path: Path, server: HubServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    usage = shutil.disk_usage(tmp_path)._replace(free=download.SPARE_BYTES + SIZE)
    monkeypatch.setattr(shutil, "disk_usage", lambda _path: usage)
    with pytest.raises(StorageUnavailable, match="free"):
        install(chosen(tmp_path, url))
    assert server.asked == []


def test_a_disk_that_fills_up_is_told(
    tmp_path: Path, server: HubServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_arguments: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(download.os, "replace", full)
    with pytest.raises(StorageUnavailable, match="the disk is full"):
        install(chosen(tmp_path, url))


def test_a_folder_that_cannot_be_made_is_told(tmp_path: Path, url: str) -> None:
    (tmp_path / "mineru").touch()
    with pytest.raises(StorageUnavailable):
        install(chosen(tmp_path, url))


def test_two_at_once_fetch_it_once(tmp_path: Path, server: HubServer, url: str) -> None:
    settings = chosen(tmp_path, url)
    with ThreadPoolExecutor(2) as pool:
        first, second = pool.map(lambda _: install(settings), range(2))
    assert first == second
    assert [name for name, _ in server.asked].count(WEIGHTS) == 1


def test_who_waits_for_another_can_be_cancelled(tmp_path: Path, server: HubServer, url: str) -> None:
    settings = chosen(tmp_path, url)
    cancel, held, go_on = threading.Event(), threading.Event(), threading.Event()

    def hold(_name: str, _share: float) -> None:
        held.set()
        assert go_on.wait(20)

    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(install, settings, progress=hold)
        assert held.wait(20)
        second = pool.submit(install, settings, cancel=cancel)
        cancel.set()
        with pytest.raises(Cancelled):
            second.result(20)
        go_on.set()
        assert first.result(20) == installed(settings)


def test_a_folder_is_copied(tmp_path: Path) -> None:
    source = write_checkpoint(tmp_path / "usb", checkpoint_files(shards=2) | EXTRA)
    settings = load_settings(models=tmp_path / "models", mineru={"offline": True})
    shares: list[float] = []
    found = install(settings, source=source, progress=lambda _name, share: shares.append(share))
    assert found.title == "MinerU2.5 (2509)"
    assert not (found.folder / "setup.py").exists()
    assert not (found.folder / "pytorch_model.bin").exists()
    assert shares == sorted(shares)


@pytest.mark.parametrize("broken", ["nowhere", "cut"])
def test_a_folder_without_the_model_is_told_and_nothing_is_left(tmp_path: Path, broken: str) -> None:
    source = tmp_path / "usb"
    if broken == "cut":
        write_checkpoint(source, {n: c[:-1] if n == WEIGHTS else c for n, c in checkpoint_files().items()})
    settings = load_settings(models=tmp_path / "models")
    with pytest.raises(ModelMissing):
        install(settings, source=source)
    assert not checkpoint_folder(settings).exists()


def test_what_was_damaged_is_replaced(tmp_path: Path, server: HubServer, url: str) -> None:
    settings = chosen(tmp_path, url)
    weights = install(settings).folder / WEIGHTS
    weights.write_bytes(weights.read_bytes()[:-1])
    assert installed(settings) is None
    install(settings)
    assert weights.read_bytes() == server.files[WEIGHTS]


def test_a_model_in_a_folder_of_its_own_is_only_looked_at(tmp_path: Path) -> None:
    own = write_checkpoint(tmp_path / "own")
    assert install(load_settings(mineru={"model": str(own)})).folder == own
    with pytest.raises(WorkbenchError):
        install(load_settings(mineru={"model": str(tmp_path / "not there")}))
