"""The OpenAPI page: `openapi.yaml`, and the schemas of requests, generated from the structs that read them."""

from pathlib import Path

import msgspec

import verigym
from verigym.core.records import Feedback, Json
from verigym.servers.types import FeedbackBody
from verigym.wire import chat, responses


def page(models: list[str], with_key: bool) -> Json:
    """`models` are the names that a request may use now. `with_key`: whether this server requires an API key."""
    page: Json = msgspec.yaml.decode(Path(__file__).with_suffix(".yaml").read_bytes())
    page["info"]["version"] = verigym.__version__
    written = page["components"]["schemas"]
    kinds = [chat.ChatRequest, responses.ResponsesRequest, FeedbackBody, Feedback, responses.ResponsesItem]
    refs, schemas = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    schemas["ResponsesItem"] = {"anyOf": refs[-1]["anyOf"]}
    schemas["ResponsesMessage"]["required"].remove("type")
    schemas["FeedbackBody"] |= written.pop("FeedbackBody")
    for body in ("ChatRequest", "ResponsesRequest"):
        schemas[body]["properties"]["model"]["enum"] = models
    page["components"]["schemas"] = schemas | written
    if with_key:
        page["components"]["securitySchemes"] = {"key": {"type": "http", "scheme": "bearer"}}
        for path, operations in page["paths"].items():
            if path not in ("/health", "/ready"):
                for operation in operations.values():
                    operation["security"] = [{"key": []}]
    return page
