"""The result as JSON."""

from __future__ import annotations

from mineru_core.export.result import DocumentResult


def to_json(result: DocumentResult) -> str:
    """The whole result; ``DocumentResult.model_validate_json`` reads it back."""
    return result.model_dump_json(indent=2)
