"""The model in this process: a checkpoint folder, loaded once, behind one batcher for everybody."""

from __future__ import annotations

import platform
from functools import cache, partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from mineru_vl_utils.vlm_client.base_client import VlmClient

from mineru_core.engines.base import BatchListener, LoadListener
from mineru_core.engines.mineru.checkpoint import (
    LAYOUT_SIZE,
    Checkpoint,
    checkpoint_folder,
    checkpoint_in,
    known_model,
    open_checkpoint,
    stored_dtype,
)
from mineru_core.engines.mineru.local_client import BlockBatcher, LocalClient, make_batcher
from mineru_core.engines.mineru.requests import Generator
from mineru_core.errors import EngineUnavailable
from mineru_core.runtime.context import RunContext
from mineru_core.settings import Settings

# Raised whenever the model could answer otherwise than before with the same weights and packages.
REVISION = 1
_PACKAGES = ("torch", "transformers")


class LocalBackend:
    """Runs the checkpoint in ``folder``, by default the one the settings choose. See ``requests.Backend``."""

    def __init__(self, settings: Settings, folder: Path | None = None) -> None:
        self._settings = settings.mineru
        self._folder = folder if folder is not None else checkpoint_folder(settings)
        self._found: Checkpoint | None = None
        self._resolved: str | None = None
        self._generator: Generator | None = None
        self._batcher: BlockBatcher | None = None
        self._on_batch: BatchListener | None = None

    @property
    def fingerprint(self) -> str:
        """The weights' digest, the packages that compute with them, the options, and what they come to on this machine:
        the same weights answer a little differently by the form in which they are multiplied."""
        found = self._checkpoint()
        options = self._settings
        return "/".join(
            [
                "missing" if found is None else found.digest,
                str(REVISION),
                *(f"{name}-{_version(name)}" for name in _PACKAGES),
                platform.machine(),
                self._precision(found),
                str(options.max_new_tokens),
            ]
        )

    @property
    def layout_size(self) -> tuple[int, int]:
        """Width and height in pixels of the layout step, as the checkpoint says."""
        found = self._checkpoint()
        return LAYOUT_SIZE if found is None else found.layout_size

    @property
    def analyses_images(self) -> bool:
        """As the checkpoint says; before it is there, what is known of the model of this name."""
        found = self._checkpoint()
        known = known_model(self._folder.name)
        return found.analyses_images if found is not None else known is not None and known.analyses_images

    def load(self, progress: LoadListener | None = None) -> None:
        """Load the weights. Raises ``ModelMissing`` and ``EngineUnavailable``."""
        from mineru_core.engines.mineru.loading import load_generator

        if self._batcher is not None:
            return
        self._found = open_checkpoint(self._folder)
        self._generator = load_generator(self._folder, self._settings, progress)
        on_batch = None if self._on_batch is None else partial(self._on_batch, "blocks")
        self._batcher = make_batcher(self._generator, batch_items=self._settings.batch_items, on_batch=on_batch)
        if progress is not None:
            progress("ready", 1.0)

    def close(self) -> None:
        """End the call at work, free the model; calling it again does nothing."""
        batcher, generator = self._batcher, self._generator
        self._batcher = self._generator = None
        if batcher is not None:
            batcher.close()
        if generator is not None:
            generator.close()

    def client(self, ctx: RunContext) -> VlmClient:
        """A client whose requests end with ``ctx``. Raises ``EngineUnavailable`` before ``load()``."""
        batcher = self._batcher
        if batcher is None:
            raise EngineUnavailable("The MinerU model is not loaded.", "Call load() first.")
        return LocalClient(batcher, ctx, self._settings.max_new_tokens)

    def listen(self, on_batch: BatchListener | None) -> None:
        """Tell this listener of calls made from now on; to be set before ``load()``."""
        self._on_batch = on_batch

    def _precision(self, found: Checkpoint | None) -> str:
        """Device and precision; as they were asked for while there is nothing to load them with."""
        if found is None:
            return f"{self._settings.device}: {self._settings.precision}"
        if self._resolved is None:
            try:
                from mineru_core.engines.mineru.loading import resolved_precision

                self._resolved = resolved_precision(self._settings, stored_dtype(found))
            except (ImportError, EngineUnavailable):
                self._resolved = f"{self._settings.device}: {self._settings.precision}"
        return self._resolved

    def _checkpoint(self) -> Checkpoint | None:
        """What lies in the folder, looked for until it is there."""
        if self._found is None:
            self._found = checkpoint_in(self._folder)
        return self._found


@cache
def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "none"
