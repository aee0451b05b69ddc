"""The result as JSON, and the schema of that JSON."""

from __future__ import annotations

import json

from mineru_core.export.result import SCHEMA_VERSION, DocumentResult

SCHEMA_ID = f"https://mineru-workbench.invalid/schema/{SCHEMA_VERSION}"


def to_json(result: DocumentResult) -> str:
    """The whole result; ``DocumentResult.model_validate_json`` reads it back."""
    return result.model_dump_json(indent=2)


def result_schema() -> str:
    """JSON Schema (draft 2020-12) of what ``to_json`` writes, as published in docs/schema.json.

    ``schema_version`` of a result says which it follows: the first number changes where readers of the old form break.
    """
    schema = DocumentResult.model_json_schema(mode="serialization")
    named = {"$schema": "https://json-schema.org/draft/2020-12/schema", "$id": SCHEMA_ID}
    return json.dumps({**named, **schema}, ensure_ascii=False, indent=2) + "\n"
