"""The API's description: kept as a file, and kept to by the server whatever is sent to it."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from schemathesis import checks

from mineru_core.api.app import create_api
from mineru_core.api.backend import Backend
from mineru_core.export.result import DocumentResult
from mineru_core.settings import Settings
from tests.api.conftest import Api
from tests.documents import draw_lines, png_bytes
from tests.edge import edge_file

PUBLISHED = Path(__file__).resolve().parents[2] / "docs" / "openapi.json"
PICTURE = png_bytes(draw_lines(["a"]))
EDGE_FILE = edge_file(PICTURE)
DESCRIPTION: dict[str, Any] = create_api(Backend(Settings(), open_service=lambda: None)).openapi()  # type: ignore[arg-type, return-value]
SCHEMA = schemathesis.openapi.from_dict(DESCRIPTION)
OPERATIONS = {f"{o.method.upper()} {o.path}": o for o in (found.ok() for found in SCHEMA.get_all_operations())}
CASES, LONG_CASES = 200, 2000
CHECKS = [
    checks.not_a_server_error,
    schemathesis.specs.openapi.checks.status_code_conformance,
    schemathesis.specs.openapi.checks.content_type_conformance,
    schemathesis.specs.openapi.checks.response_headers_conformance,
    schemathesis.specs.openapi.checks.response_schema_conformance,
]


def published() -> dict[str, Any]:
    """The description with the result by reference: its schema is published as a file of its own."""
    schemas = DESCRIPTION["components"]["schemas"]
    of_the_result = DocumentResult.model_json_schema()["$defs"]
    kept = {name: schema for name, schema in schemas.items() if name not in of_the_result}
    kept["DocumentResult"] = {"$ref": "schema.json"}
    return {**DESCRIPTION, "components": {**DESCRIPTION["components"], "schemas": kept}}


def test_the_published_description_is_the_one_of_the_code() -> None:
    text = json.dumps(published(), ensure_ascii=False, indent=1) + "\n"
    if os.environ.get("REGENERATE"):
        PUBLISHED.write_text(text, "utf-8")
    assert not os.environ.get("CI") or not os.environ.get("REGENERATE")
    assert PUBLISHED.read_text("utf-8") == text, "REGENERATE=1 writes it anew"


def call_all(api: Api, name: str, cases: int) -> None:
    """Send so many made-up requests of one operation, and hold every answer to the description."""
    operation = OPERATIONS[name]
    task = api.service.submit(PICTURE, name="a.png", owner="local").id

    @hypothesis_settings(
        max_examples=cases, deadline=None, phases=[Phase.generate], suppress_health_check=list(HealthCheck)
    )
    @given(operation.as_strategy(), st.booleans())
    def call(case: Any, sound: bool) -> None:
        if sound and isinstance(case.body, dict):  # a file that can be read, so that more than refusals are seen
            sent = {"file": PICTURE, "before": PICTURE, "after": PICTURE, "document": EDGE_FILE}
            case.body = {**case.body, **{field: data for field, data in sent.items() if field in case.body}}
        if sound and "task_id" in case.path_parameters:
            case.path_parameters = {**case.path_parameters, "task_id": task}
        answer = case.call(base_url=f"{api.client.base_url}/api")
        case.validate_response(answer, checks=CHECKS)

    call()


@pytest.mark.parametrize("name", OPERATIONS)
def test_answers_are_as_described(api: Api, name: str) -> None:
    call_all(api, name, CASES // len(OPERATIONS))


@pytest.mark.long
@pytest.mark.parametrize("name", OPERATIONS)
def test_very_many_answers_are_as_described(api: Api, name: str) -> None:
    call_all(api, name, LONG_CASES // len(OPERATIONS))
