"""The frozen base of every data class that goes out as JSON."""

from __future__ import annotations

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Confidence = Annotated[float, Field(ge=0.0, le=1.0, allow_inf_nan=False)]


class Model(BaseModel):
    """Immutable, strict about unknown names."""

    model_config = ConfigDict(frozen=True, extra="forbid")
