"""Checkpoint folders: whether all of one is there, what it is, and under which licence. Needs no torch.

A folder is whole if its configuration names the architecture that is read here, and every safetensors file is as long
as its own header says: a download that broke off is told without hashing gigabytes.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

from mineru_core.errors import EngineUnavailable, ModelMissing
from mineru_core.settings import Settings

ARCHITECTURE = "Qwen2VLForConditionalGeneration"
INSTALL_COMMAND = "mineru-workbench models install mineru"
LAYOUT_SIZE = (1036, 1036)
ORIGIN = "workbench-origin.json"
"""Written into a fetched folder last: hub, repository, commit, and the files with their sizes."""

OPTIONS = "workbench.json"
"""What a checkpoint may say of itself: layout_size, analyses_images, licence, title."""

TINY_FOLDER = Path(__file__).parent / "tiny"

_INDEX = "model.safetensors.index.json"
_SINGLE = "model.safetensors"
_DTYPES = {"BF16": "bfloat16", "F16": "float16", "F32": "float32"}
"""Types of weights, as safetensors and as torch names them."""

_SAMPLES, _SAMPLE_BYTES = 64, 16_384


@dataclass(frozen=True, slots=True)
class KnownModel:
    """A published model: its repository, title and licence, about how many bytes it takes, and whether it knows the
    prompt for images and charts."""

    repository: str
    title: str
    licence: str
    size: int
    analyses_images: bool


KNOWN_MODELS = (
    KnownModel("opendatalab/MinerU2.5-2509-1.2B", "MinerU2.5 (2509)", "AGPL-3.0", 2_320_000_000, False),
    KnownModel("opendatalab/MinerU2.5-Pro-2604-1.2B", "MinerU2.5 Pro (2604)", "Apache-2.0", 2_320_000_000, True),
    KnownModel("opendatalab/MinerU2.5-Pro-2605-1.2B", "MinerU2.5 Pro (2605)", "Apache-2.0", 2_320_000_000, True),
)


@dataclass(frozen=True, slots=True)
class Checkpoint:
    """A folder that holds all of a model. ``revision`` is its commit where it was fetched, else empty; ``digest``
    changes with its content; ``layout_size`` is width and height in pixels, ``size`` the bytes of its weights."""

    folder: Path
    title: str
    licence: str
    revision: str
    digest: str
    size: int
    layout_size: tuple[int, int] = LAYOUT_SIZE
    analyses_images: bool = False


def known_model(name: str) -> KnownModel | None:
    """The published model of this repository, whatever owner's spelling the hub has, or of a folder of its name."""
    wanted = name.rstrip("/").rsplit("/", 1)[-1].rsplit("--", 1)[-1].split("@", 1)[0].lower()
    return next((known for known in KNOWN_MODELS if known.repository.split("/")[1].lower() == wanted), None)


def checkpoint_folder(settings: Settings) -> Path:
    """Where the chosen model lies, or would lie once it is fetched."""
    model = settings.mineru.model
    given = Path(model).expanduser()
    if is_folder(model):
        return given
    revision = settings.mineru.revision
    name = model.replace("/", "--") + (f"@{revision.replace('/', '-')}" if revision else "")
    return settings.models_dir / "mineru" / name


def is_folder(model: str) -> bool:
    """Whether ``mineru.model`` names a folder rather than a repository."""
    path = Path(model).expanduser()
    return path.is_absolute() or model.startswith(".") or model.count("/") != 1 or path.is_dir()


def installed(settings: Settings) -> Checkpoint | None:
    """The chosen model, if all of it is there."""
    return checkpoint_in(checkpoint_folder(settings))


def checkpoint_in(folder: Path) -> Checkpoint | None:
    """What lies in the folder, if it is a model that can be read here, and all of it is there."""
    try:
        return open_checkpoint(folder)
    except (ModelMissing, EngineUnavailable):
        return None


def open_checkpoint(folder: Path) -> Checkpoint:
    """What lies in the folder. Raises ``ModelMissing`` where something is missing or broke off, and
    ``EngineUnavailable`` for a model of another architecture."""
    if not folder.is_dir():
        raise ModelMissing(
            f"The MinerU model is not installed: there is no folder {folder}.", f"Run: {INSTALL_COMMAND}"
        )
    check_config(folder)
    weights = _weight_files(folder)
    for path in weights:
        if not _is_whole(path):
            raise _missing(folder, f"{path.name} is cut off or damaged")
    if not any((folder / name).is_file() for name in ("tokenizer.json", "vocab.json")):
        raise _missing(folder, "tokenizer.json is missing")
    if not any((folder / name).is_file() for name in ("preprocessor_config.json", "processor_config.json")):
        raise _missing(folder, "preprocessor_config.json is missing")
    options, origin = _json(folder / OPTIONS), _json(folder / ORIGIN)
    known = known_model(str(origin.get("repository") or folder.name))
    width, height = options.get("layout_size", LAYOUT_SIZE)
    return Checkpoint(
        folder=folder,
        title=str(options.get("title") or (known.title if known else folder.name)),
        licence=str(options.get("licence") or (known.licence if known else "unknown")),
        revision=str(origin.get("revision", "")),
        digest=_digest(folder, tuple(weights)),
        size=sum(path.stat().st_size for path in weights),
        layout_size=(int(width), int(height)),
        analyses_images=bool(options.get("analyses_images", known.analyses_images if known else False)),
    )


def stored_dtype(checkpoint: Checkpoint) -> str:
    """The type its weights are loaded as, by its name in torch: what the configuration says, else the file."""
    config = _json(checkpoint.folder / "config.json")
    named = str(config.get("dtype") or config.get("torch_dtype") or "").removeprefix("torch.")
    if named in _DTYPES.values():
        return named
    header = _header(_weight_files(checkpoint.folder)[0])
    entries = {} if header is None else header[1]
    types = (entry.get("dtype") for name, entry in entries.items() if name != "__metadata__")
    return next((_DTYPES[kind] for kind in types if kind in _DTYPES), "float32")


def check_config(folder: Path) -> None:
    """Look at the configuration alone, which is little to fetch. Raises what ``open_checkpoint`` does."""
    if not (folder / "config.json").is_file():
        raise _missing(folder, "config.json is missing")
    config = _json(folder / "config.json")
    if not config:
        raise _missing(folder, "config.json cannot be read")
    named = config.get("architectures") or [config.get("model_type", "nothing")]
    if ARCHITECTURE not in named:
        raise EngineUnavailable(
            f"{folder} holds a model of another architecture: {', '.join(map(str, named))}, not {ARCHITECTURE}.",
            f"Set mineru.model to one of: {', '.join(known.repository for known in KNOWN_MODELS)}.",
        )


def _weight_files(folder: Path) -> list[Path]:
    """The safetensors files that the index names, or the one there is."""
    if (folder / _INDEX).is_file():
        named = _json(folder / _INDEX).get("weight_map")
        if not isinstance(named, Mapping) or not named:
            raise _missing(folder, f"{_INDEX} cannot be read")
        names = sorted({str(name) for name in named.values()})
        # Names from a file that was fetched: none may lead out of the folder.
        if any(Path(name).name != name for name in names):
            raise _missing(folder, f"{_INDEX} names files of other folders")
    else:
        names = [_SINGLE]
    for name in names:
        if not (folder / name).is_file():
            other = any(folder.glob("*.bin")) or any(folder.glob("*.pt*"))
            reason = f"{name} is missing" + ("; weights in other forms than safetensors are not read" if other else "")
            raise _missing(folder, reason)
    return [folder / name for name in names]


def _is_whole(path: Path) -> bool:
    """Whether the file is exactly as long as its header says."""
    header = _header(path)
    if header is None:
        return False
    start, entries = header
    try:
        end = max(
            (int(entry["data_offsets"][1]) for name, entry in entries.items() if name != "__metadata__"), default=0
        )
    except (KeyError, TypeError, ValueError, IndexError):
        return False
    return path.stat().st_size == start + end


def _header(path: Path) -> tuple[int, dict[str, Any]] | None:
    """Where the data of a safetensors file begin, and what it holds; None where it cannot be told."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        if not 0 < length <= size - 8:
            return None
        try:
            entries = json.loads(file.read(length))
        except ValueError:
            return None
    return (8 + length, entries) if isinstance(entries, dict) else None


def _digest(folder: Path, weights: tuple[Path, ...]) -> str:
    """Tells checkpoints apart: all of the small files, and samples throughout the large ones."""
    small = sorted(p for p in folder.iterdir() if p.suffix in (".json", ".txt", ".jinja") and p.name != ORIGIN)
    stats = tuple((str(p), p.stat().st_size, p.stat().st_mtime_ns) for p in (*small, *weights))
    return _digest_of(stats)


@lru_cache(maxsize=16)
def _digest_of(files: tuple[tuple[str, int, int], ...]) -> str:
    digest = hashlib.sha256()
    for name, size, _ in files:
        path = Path(name)
        digest.update(f"{path.name} {size}\n".encode())
        with path.open("rb") as file:
            if size <= _SAMPLES * _SAMPLE_BYTES:
                digest.update(file.read())
                continue
            for sample in range(_SAMPLES):
                file.seek(sample * (size - _SAMPLE_BYTES) // (_SAMPLES - 1))
                digest.update(file.read(_SAMPLE_BYTES))
    return digest.hexdigest()[:16]


def _json(path: Path) -> dict[str, Any]:
    """The object in the file; empty where there is none."""
    try:
        found = json.loads(path.read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}


def _missing(folder: Path, what: str) -> ModelMissing:
    return ModelMissing(f"The model in {folder} is not whole: {what}.", f"Run: {INSTALL_COMMAND}")
