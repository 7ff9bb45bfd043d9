"""The OpenAPI page, made from the structs that requests are read by. Answers are described as far as clients rely on them."""

import msgspec
from msgspec import Struct

import verigym
from verigym.core.records import Feedback, Json
from verigym.servers import chat, feedback, responses

_ABOUT = "Fields that are not listed are refused where a local model answers, and handed on where another server does."
_EVENT = {
    "type": "object",
    "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
    "required": ["data"],
}
_TEXT = {"type": "string", "pattern": r"\S"}
_SAYS = [
    {"required": ["outcome"], "properties": {"outcome": {"enum": ["success", "failure"]}}},
    *({"required": [name], "properties": {name: _TEXT}} for name in ("intervention", "note", "correction")),
    {"required": ["correction"], "properties": {"correction": {"type": "array", "minItems": 1}}},
]
"""Feedback says something."""
_ERRORS = {
    400: "Something is asked for that is not done here, or the body is not what it should be",
    401: "A key is needed, or this one is not known",
    403: "A web page of another site asks without a key",
    404: "There is no such model, response or trajectory; the message lists what there is",
    408: "The body did not arrive in time",
    409: "Nothing is captured here",
    413: "The body is too large",
    429: "Too many requests; Retry-After says when to come again",
    500: "The server failed",
    502: "The server behind this one failed",
    503: "Too many requests are in work",
    504: "No answer in time",
}


class Usage(Struct):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ErrorDetail(Struct):
    message: str
    type: str
    param: str | None
    code: str | None


class Error(Struct):
    error: ErrorDetail


class Model(Struct):
    id: str
    object: str
    created: int
    owned_by: str
    version: str
    """Id of the version that answers under this name."""
    base: str


class Models(Struct):
    object: str
    data: list[Model]


class Health(Struct):
    status: str
    trouble: str
    versions: dict[str, str]
    in_flight: int


class Choice(Struct):
    index: int
    message: Json
    finish_reason: str
    logprobs: None


class Completion(Struct):
    id: str
    object: str
    created: int
    model: str
    choices: list[Choice]
    usage: Usage


class ResponseUsage(Struct):
    input_tokens: int
    output_tokens: int
    total_tokens: int
    input_tokens_details: Json
    output_tokens_details: Json


class ResponseObject(Struct):
    id: str
    object: str
    created_at: int
    status: str
    model: str
    output: list[Json]
    usage: ResponseUsage


def page(models: list[str], with_key: bool) -> Json:
    """`models` are the names that a request may give now; `with_key`: whether this server asks for one."""
    kinds = [chat.ChatBody, responses.ResponsesBody, feedback.FeedbackBody, responses.InputItem]
    kinds += [Completion, ResponseObject, Feedback, Models, Health, Error]
    found, schemas = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    asked, replied, fed, item, completion, response, kept, listed, health, _ = found
    schemas["InputItem"] = {"anyOf": item["anyOf"]}
    for body in ("ChatBody", "ResponsesBody"):
        schemas[body]["properties"]["model"]["enum"] = models
    schemas["InputMessage"]["required"].remove("type")
    schemas["FeedbackBody"]["oneOf"] = [_named("trajectory", "conversation"), _named("conversation", "trajectory")]
    schemas["FeedbackBody"]["anyOf"] = _SAYS
    paths = {
        "/v1/chat/completions": {"post": _operation("Chat Completions", completion, asked, streams=True)},
        "/v1/responses": {"post": _operation("Responses", response, replied, streams=True)},
        "/v1/feedback": {"post": _operation("What became of a conversation", kept, fed)},
        "/v1/models": {"get": _operation("Models that a request may name", listed)},
        "/metrics": {"get": _operation("Counters, for Prometheus", None)},
        "/health": {"get": _operation("Who answers, and what is wrong", health)},
        "/ready": {"get": _operation("The same: requests are taken as soon as it answers", health)},
    }
    schemes = {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}} if with_key else {}
    for path, operations in paths.items():
        if with_key and path not in ("/health", "/ready"):
            for operation in operations.values():
                operation["security"] = [{"key": []}]
    about = {"title": "verigym", "version": verigym.__version__, "description": _ABOUT}
    return {"openapi": "3.1.0", "info": about, "paths": paths, "components": {"schemas": schemas, **schemes}}


def _named(one: str, other: str) -> Json:
    """The one is given and the other is not."""
    null = {"type": "null"}
    return {"required": [one], "properties": {one: _TEXT, other: null}}


def _operation(summary: str, answer: Json | None, body: Json | None = None, *, streams: bool = False) -> Json:
    content: Json = (
        {"text/plain": {"schema": {"type": "string"}}} if answer is None else {"application/json": {"schema": answer}}
    )
    if streams:
        content["text/event-stream"] = {"schema": _EVENT}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}
    made: Json = {
        "summary": summary,
        "responses": {
            "200": {"description": "The answer", "content": content},
            **{str(status): {"description": words, "content": error} for status, words in _ERRORS.items()},
        },
    }
    if body is not None:
        made["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return made
