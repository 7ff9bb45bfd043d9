"""The OpenAPI page, generated from the structs that read requests. It describes the parts of replies that clients rely on."""

import msgspec
from msgspec import Struct

import verigym
from verigym.core.records import Feedback, Json
from verigym.servers.types import FeedbackBody
from verigym.wire import chat, responses

_ABOUT = "A local model refuses fields that are not listed. The proxy forwards them to the other server."
_EVENT = {
    "type": "object",
    "properties": {"event": {"type": "string"}, "data": {"type": "string"}},
    "required": ["data"],
}
_TEXT = {"type": "string", "pattern": r"\S"}
_FEEDBACK_CONTENT = [
    {"required": ["outcome"], "properties": {"outcome": {"enum": ["success", "failure"]}}},
    *({"required": [name], "properties": {name: _TEXT}} for name in ("intervention", "note", "correction")),
    {"required": ["correction"], "properties": {"correction": {"type": "array", "minItems": 1}}},
]
"""Feedback must have at least one of these."""
_ERRORS = {
    400: "The body is invalid, or it asks for something that is not supported",
    401: "The API key is missing or wrong",
    403: "A web page of another site sent the request, and the server has no key",
    404: "The model, response or trajectory does not exist. The message lists those that do",
    408: "The body did not arrive in time",
    409: "Capture is off",
    413: "The body is too large",
    429: "Too many requests. Retry-After says when to try again",
    500: "The server failed",
    502: "The upstream server failed",
    503: "Too many requests are in progress",
    504: "The reply took too long",
}


class CompletionUsage(Struct):
    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ErrorDetail(Struct):
    message: str
    type: str
    param: str | None
    code: str | None


class ErrorBody(Struct):
    error: ErrorDetail


class ServedModel(Struct):
    id: str
    object: str
    created: int
    owned_by: str
    version: str
    """Id of the version that answers under this name."""
    base: str


class ServedModels(Struct):
    object: str
    data: list[ServedModel]


class ServerHealth(Struct):
    status: str
    trouble: str
    versions: dict[str, str]
    in_flight: int


class CompletionChoice(Struct):
    index: int
    message: Json
    finish_reason: str
    logprobs: None


class ChatCompletion(Struct):
    id: str
    object: str
    created: int
    model: str
    choices: list[CompletionChoice]
    usage: CompletionUsage


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
    """`models` are the names that a request may use now. `with_key`: whether this server requires an API key."""
    kinds = [chat.ChatRequest, responses.ResponsesRequest, FeedbackBody, responses.ResponsesItem]
    kinds += [ChatCompletion, ResponseObject, Feedback, ServedModels, ServerHealth, ErrorBody]
    refs, schemas = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    chat_body, responses_body, feedback_body, item, completion, response, record, models_list, health, _ = refs
    schemas["ResponsesItem"] = {"anyOf": item["anyOf"]}
    for body in ("ChatRequest", "ResponsesRequest"):
        schemas[body]["properties"]["model"]["enum"] = models
    schemas["ResponsesMessage"]["required"].remove("type")
    schemas["FeedbackBody"]["oneOf"] = [_only("trajectory", "conversation"), _only("conversation", "trajectory")]
    schemas["FeedbackBody"]["anyOf"] = _FEEDBACK_CONTENT
    paths = {
        "/v1/chat/completions": {"post": _operation("Chat Completions", completion, chat_body, streams=True)},
        "/v1/responses": {"post": _operation("Responses", response, responses_body, streams=True)},
        "/v1/feedback": {"post": _operation("Feedback on a conversation", record, feedback_body)},
        "/v1/models": {"get": _operation("Models that a request may name", models_list)},
        "/metrics": {"get": _operation("Counters for Prometheus", None)},
        "/health": {"get": _operation("Which versions answer, and any problem", health)},
        "/ready": {"get": _operation("The same. The server takes requests as soon as this answers", health)},
    }
    schemes = {"securitySchemes": {"key": {"type": "http", "scheme": "bearer"}}} if with_key else {}
    for path, operations in paths.items():
        if with_key and path not in ("/health", "/ready"):
            for operation in operations.values():
                operation["security"] = [{"key": []}]
    about = {"title": "verigym", "version": verigym.__version__, "description": _ABOUT}
    return {"openapi": "3.1.0", "info": about, "paths": paths, "components": {"schemas": schemas, **schemes}}


def _only(field: str, other: str) -> Json:
    """The schema that requires one field and not the other."""
    return {"required": [field], "properties": {field: _TEXT, other: {"type": "null"}}}


def _operation(summary: str, answer: Json | None, body: Json | None = None, *, streams: bool = False) -> Json:
    content: Json = (
        {"text/plain": {"schema": {"type": "string"}}} if answer is None else {"application/json": {"schema": answer}}
    )
    if streams:
        content["text/event-stream"] = {"schema": _EVENT}
    error = {"application/json": {"schema": {"$ref": "#/components/schemas/ErrorBody"}}}
    operation: Json = {
        "summary": summary,
        "responses": {
            "200": {"description": "The reply", "content": content},
            **{str(status): {"description": text, "content": error} for status, text in _ERRORS.items()},
        },
    }
    if body is not None:
        operation["requestBody"] = {"required": True, "content": {"application/json": {"schema": body}}}
    return operation
