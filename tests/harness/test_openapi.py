import json
from pathlib import Path
from typing import Any

import pytest

from verigym.core.errors import BadInput
from verigym.harness.openapi import ImportedTools, read_openapi
from verigym.harness.tools_file import ToolsFile
from verigym.harness.write_tools import from_openapi

SHOP: dict[str, Any] = {
    "openapi": "3.0.3",
    "info": {"title": "Shop", "version": "1"},
    "servers": [{"url": "https://{region}.shop.example/v1", "variables": {"region": {"default": "eu"}}}],
    "security": [{"api_token": []}],
    "paths": {
        "/orders/{id}": {
            "parameters": [{"$ref": "#/components/parameters/Id"}],
            "get": {"operationId": "getOrder", "summary": "Look up an order.", "description": "Look up an order."},
            "delete": {"operationId": "delete order!", "summary": "Cancel"},
            "put": {
                "operationId": "getOrder",
                "parameters": [{"name": "dry", "in": "query", "schema": {"type": "boolean"}}],
                "requestBody": {
                    "required": True,
                    "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Order"}}},
                },
            },
        },
        "/search": {
            "get": {
                "parameters": [
                    {"name": "q", "in": "query", "required": True, "schema": {"type": "string", "nullable": True}},
                    {"name": "X-Trace", "in": "header", "schema": {"type": "string"}},
                    {"name": "session", "in": "cookie", "schema": {"type": "string"}},
                ]
            }
        },
        "/upload": {"post": {"operationId": "up", "requestBody": {"content": {"multipart/form-data": {}}}}},
        "/login": {
            "post": {
                "operationId": "login",
                "security": [{"key": []}],
                "requestBody": {
                    "content": {
                        "application/x-www-form-urlencoded": {"schema": {"type": "object", "properties": {"user": {}}}}
                    }
                },
            }
        },
        "/old": {"get": {"deprecated": True}},
        "/raw": {"post": {"requestBody": {"content": {"application/json": {"schema": {"type": "array"}}}}}},
    },
    "components": {
        "parameters": {"Id": {"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}},
        "securitySchemes": {
            "api_token": {"type": "http", "scheme": "bearer"},
            "key": {"type": "apiKey", "in": "query", "name": "apikey"},
        },
        "schemas": {
            "Order": {
                "allOf": [
                    {"$ref": "#/components/schemas/Base"},
                    {"properties": {"parts": {"type": "array", "items": {"$ref": "#/components/schemas/Order"}}}},
                ]
            },
            "Base": {
                "type": "object",
                "required": ["id", "amount", "made"],
                "properties": {
                    "id": {"type": "string"},
                    "amount": {"type": "number", "minimum": 0, "exclusiveMinimum": True, "example": 3},
                    "made": {"type": "string", "readOnly": True},
                    "code": {"type": "string", "pattern": "^\\p{L}+$"},
                },
            },
        },
    },
}


def imported(tmp_path: Path, document: Any = SHOP) -> ImportedTools:
    path = tmp_path / "spec.json"
    path.write_text(json.dumps(document))
    return read_openapi(path)


def by_name(tools: ImportedTools) -> dict[str, Any]:
    return {tool["name"]: tool for tool in tools.tools}


def test_each_operation_becomes_a_tool_with_a_valid_unique_name(tmp_path: Path) -> None:
    names = list(by_name(imported(tmp_path)))
    assert names == ["getOrder", "getOrder_2", "delete_order", "get_search", "login", "post_raw"]


def test_the_server_and_the_credentials_are_read(tmp_path: Path) -> None:
    tools = imported(tmp_path)
    assert tools.base_url == "https://eu.shop.example/v1"
    assert tools.headers == {"Authorization": "Bearer ${API_TOKEN}"} and tools.secrets == ["API_TOKEN", "KEY"]
    assert by_name(tools)["login"]["http"]["query"] == {"apikey": "${KEY}"}
    assert by_name(tools)["login"]["http"]["encoding"] == "form"


def test_parameters_and_bodies_become_arguments(tmp_path: Path) -> None:
    tools = by_name(imported(tmp_path))
    get, put, search = tools["getOrder"], tools["getOrder_2"], tools["get_search"]
    assert get["http"] == "GET /orders/{id}" and get["parameters"]["required"] == ["id"]
    assert get["description"] == "Look up an order."
    assert put["parameters"]["required"] == ["id", "id_2", "amount"]  # the body has an id of its own
    assert put["http"]["body"] == {"id": "{id_2}", "amount": "{amount}", "code": "{code}", "parts": "{parts}"}
    assert put["http"]["query"] == {"dry": "{dry}"}
    assert put["parameters"]["properties"]["amount"] == {"type": "number", "exclusiveMinimum": 0}
    assert search["http"]["headers"] == {"X-Trace": "{X-Trace}"}
    assert search["parameters"]["properties"]["q"] == {"type": ["string", "null"]}
    assert tools["post_raw"]["http"]["body"] == "{body}"


def test_a_schema_may_refer_to_itself(tmp_path: Path) -> None:
    put = by_name(imported(tmp_path))["getOrder_2"]["parameters"]
    assert put["properties"]["parts"]["items"] == {"$ref": "#/$defs/Order"} and set(put["$defs"]) == {"Order", "Base"}


def test_what_is_left_out_is_said(tmp_path: Path) -> None:
    notes = " ".join(imported(tmp_path).notes)
    for words in ("POST /upload was left out", "GET /old is deprecated", "the cookie session", "pattern"):
        assert words in notes


def test_the_written_file_can_be_read(tmp_path: Path) -> None:
    tools = imported(tmp_path)
    path = tmp_path / "tools.yaml"
    path.write_text(from_openapi(tools, "spec.json"))
    file = ToolsFile(path)
    assert list(file.tools) == [tool["name"] for tool in tools.tools]
    assert file.read_only == ["getOrder", "get_search"] and "unsafe_if" in path.read_text()


def test_yaml_and_version_31_are_read(tmp_path: Path) -> None:
    path = tmp_path / "spec.yaml"
    path.write_text("openapi: 3.1.0\npaths:\n  /a/{b}:\n    get: {responses: {}}\n")
    tools = read_openapi(path)
    assert tools.tools[0]["parameters"]["required"] == ["b"]
    assert tools.base_url == "http://localhost:8000" and "Correct base_url" in tools.notes[0]


@pytest.mark.parametrize(
    ("document", "words"),
    [
        ({"swagger": "2.0"}, "Convert it to OpenAPI 3"),
        ({"openapi": "4.0"}, "not an OpenAPI 3 description"),
        ([], "not an OpenAPI 3 description"),
        ({"openapi": "3.0.0", "paths": {}}, "It has no paths"),
        ({"openapi": "3.0.0", "paths": []}, "not an OpenAPI 3 description"),
        ({"openapi": "3.0.0", "paths": {"/a": {"post": {"requestBody": {"$ref": "x.json#/a"}}}}}, "not followed"),
    ],
)
def test_another_document_is_refused(tmp_path: Path, document: Any, words: str) -> None:
    with pytest.raises(BadInput, match=words):
        imported(tmp_path, document)


@pytest.mark.parametrize(
    "broken",
    [
        {"/a": None},
        {"/a": {"get": 3}},
        {"/a": {"parameters": 7, "get": {"parameters": [1, {"in": "query"}, {"$ref": "#/nowhere"}]}}},
        {"/a": {"get": {"parameters": [{"name": "x", "in": "query", "schema": {"$ref": "#/components/schemas/No"}}]}}},
        {"/a": {"$ref": "#/paths/~1a"}},
    ],
)
def test_a_broken_description_gives_tools_or_an_error_in_words(tmp_path: Path, broken: Any) -> None:
    document = {"openapi": "3.0.0", "paths": {**broken, "/ok": {"get": {}}}}
    tools = imported(tmp_path, document)
    assert "get_ok" in by_name(tools)
    (tmp_path / "tools.yaml").write_text(from_openapi(tools, "spec"))
    ToolsFile(tmp_path / "tools.yaml")


def test_a_file_that_is_not_json_is_named(tmp_path: Path) -> None:
    (tmp_path / "spec.json").write_text("{")
    with pytest.raises(BadInput, match="not valid JSON"):
        read_openapi(tmp_path / "spec.json")
    with pytest.raises(BadInput, match="does not exist"):
        read_openapi(tmp_path / "none.json")
