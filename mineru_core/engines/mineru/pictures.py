"""Pictures on their way into the model, and what is remembered of those it has seen."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import Any

from PIL import Image
from torch import Tensor

from mineru_core.engines.mineru.vision import Patches
from mineru_core.errors import EngineFailed
from mineru_core.runtime.recent import Recent

_FEATURES_SHARE = 0.25
"""Share of the memory for visual tokens. Keys and values, which need no model at all, take some seven times as much a
picture: with a share of their own, visual tokens are still there when those are gone."""


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture by its content, and the visual tokens it becomes: ``rows`` times ``columns``."""

    key: str
    image: Image.Image
    rows: int
    columns: int

    @property
    def tokens(self) -> int:
        """Visual tokens."""
        return self.rows * self.columns


class PicturePreparation:
    """A checkpoint's image processor, asked for one picture at a time."""

    def __init__(self, processor: Any) -> None:
        self._processor = processor
        self._merge = int(processor.merge_size)

    def look(self, image: Image.Image) -> Picture:
        """The picture with its key and size; nothing is computed of its pixels yet. Raises ``EngineFailed``."""
        rows, columns = self._grid(image)
        digest = hashlib.sha256(f"{image.mode} {image.size}".encode())
        digest.update(image.tobytes())
        return Picture(digest.hexdigest(), image, rows // self._merge, columns // self._merge)

    def visual_tokens(self, image: Image.Image) -> int:
        """Tokens the picture becomes. Raises ``EngineFailed`` for one the model cannot take."""
        rows, columns = self._grid(image)
        return rows * columns // self._merge**2

    def patches(self, picture: Picture) -> Patches:
        """What the vision tower is given. Raises ``EngineFailed``."""
        try:
            prepared = self._processor(images=[picture.image], return_tensors="pt")
        except (ValueError, TypeError, OSError) as error:
            raise EngineFailed(f"A picture could not be prepared for the model: {error}") from error
        _, rows, columns = prepared["image_grid_thw"][0].tolist()
        return Patches(prepared["pixel_values"], rows, columns)

    def _grid(self, image: Image.Image) -> tuple[int, int]:
        """Rows and columns of patches, after the processor's own resizing."""
        from transformers.models.qwen2_vl.image_processing_pil_qwen2_vl import smart_resize

        processor = self._processor
        side = processor.patch_size
        size = processor.size
        try:
            height, width = smart_resize(
                image.height, image.width, side * self._merge, size["shortest_edge"], size["longest_edge"]
            )
        except (ValueError, ZeroDivisionError) as error:
            raise EngineFailed(f"A picture of {image.width} × {image.height} cannot be read: {error}") from error
        return height // side, width // side


class PictureMemory:
    """Visual tokens of pictures, and keys and values of the conversation up to their end; so many bytes of both.

    What is given out must not be changed.
    """

    def __init__(self, room_bytes: int) -> None:
        features = int(room_bytes * _FEATURES_SHARE)
        self._features: Recent[Tensor] = Recent(features)
        self._prefixes: Recent[Tensor] = Recent(room_bytes - features)
        self.keeps = room_bytes > 0

    def features(self, key: str) -> Tensor | None:
        """Visual tokens, [tokens, hidden]."""
        return self._features.get(key)

    def prefix(self, key: str) -> Tensor | None:
        """Keys and values, [layers, 2, heads, tokens, head_dim]."""
        return self._prefixes.get(key)

    def keep_features(self, key: str, features: Tensor) -> None:
        """Remember visual tokens."""
        # a part of what was computed for several pictures would keep all of it alive
        self._features.put(key, features.clone(), features.nbytes)

    def keep_prefix(self, key: str, prefix: Tensor) -> None:
        """Remember keys and values."""
        self._prefixes.put(key, prefix, prefix.nbytes)

    @property
    def used(self) -> int:
        """Bytes taken."""
        return self._features.used + self._prefixes.used

    def clear(self) -> None:
        """Let go of everything."""
        self._features.clear()
        self._prefixes.clear()
