"""The API's own description."""

from __future__ import annotations

from tests.api.conftest import Api

ROUTES = {
    "/v1/document/parse": {"post"},
    "/v1/document/compare": {"post"},
    "/v1/document/edge": {"get", "post"},
    "/v1/tasks/{task_id}": {"get", "delete"},
    "/v1/tasks/{task_id}/events": {"get"},
    "/v1/tasks/{task_id}/export/{form}": {"get"},
}


def test_the_description_names_every_route_field_and_error(api: Api) -> None:
    described = api.client.get("/api/openapi.json").json()
    assert {path: set(methods) for path, methods in described["paths"].items()} == ROUTES
    assert [server["url"] for server in described["servers"]] == ["/api"]
    form = described["components"]["schemas"]["Body_parse_v1_document_parse_post"]
    assert set(form["properties"]) == {"file", "instruction", "region", "page", "engine", "password", "async"}
    assert form["required"] == ["file"]
    two = described["components"]["schemas"]["Body_compare_v1_document_compare_post"]
    assert set(two["properties"]) == {"before", "after", "instruction", "engine", "password", "async"}
    assert two["required"] == ["before", "after"]
    edge = described["components"]["schemas"]["Body_edge_v1_document_edge_post"]
    assert set(edge["properties"]) == {"document", "picture", "instruction", "region", "page", "engine", "async"}
    assert edge["required"] == ["document"]
    document = described["components"]["schemas"]["EdgeDocument"]
    assert set(document["required"]) == {"engine", "fingerprint", "capabilities", "sha256", "media_type", "page_count"}
    for methods in described["paths"].values():
        for operation in methods.values():
            for status, answer in operation["responses"].items():
                if int(status) >= 400:
                    schema = answer["content"]["application/json"]["schema"]
                    assert schema == {"$ref": "#/components/schemas/ErrorBody"}, (status, schema)


def test_no_page_of_the_api_loads_anything_from_elsewhere(api: Api) -> None:
    for path in ("/api/docs", "/api/redoc"):
        assert api.client.get(path).status_code == 404
