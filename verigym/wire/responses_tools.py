"""The kinds of tools in the Responses API, offered to a model as plain functions, and its calls in the client's form.

- A tool in a namespace is offered as `NAMESPACE.NAME`. Its call goes back with both names apart, as codex expects it.
- A custom tool takes free text instead of arguments. It is offered as a function with one text, `input`.
- A tool that OpenAI runs itself, or that only its models know, is left out of the offer.
"""

from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec
from msgspec import Struct

from verigym.core.records import FunctionCall, Json
from verigym.wire import types
from verigym.wire.tools import CUSTOM_PARAMETERS, custom_arguments, custom_input, qualified


class ResponsesInnerTool(Struct):
    """A tool in a namespace."""

    type: Literal["function", "custom"]
    name: types.ToolName
    description: str | None = None
    parameters: Json | None = None
    format: Json | None = None


class ResponsesTool(Struct, omit_defaults=True):
    type: Literal[
        "function",
        "custom",
        "namespace",
        "apply_patch",
        "code_interpreter",
        "computer",
        "computer_use_preview",
        "file_search",
        "image_generation",
        "local_shell",
        "mcp",
        "shell",
        "tool_search",
        "web_search",
        "web_search_2025_08_26",
        "web_search_preview",
        "web_search_preview_2025_03_11",
    ]
    """Types after `namespace` are left out of the offer."""
    name: types.ToolName | None = None
    description: str | None = None
    parameters: Json | None = None
    strict: bool | None = None
    tools: list[ResponsesInnerTool] | None = None
    """The tools of a namespace."""
    format: Json | None = None
    """The grammar of a custom tool's input."""


class CallForm(Struct, frozen=True):
    """How the client names and reads the calls of one function."""

    name: str
    namespace: str = ""
    is_custom: bool = False


class OfferedFunctions(Struct):
    functions: list[types.FunctionFields]
    forms: dict[str, CallForm]
    """By the name of the function, for those whose calls are no plain function calls."""
    left_out: list[str]


def as_functions(tools: Iterable[ResponsesTool]) -> OfferedFunctions:
    offered = OfferedFunctions([], {}, [])
    for tool in tools:
        if tool.type in ("function", "custom", "namespace") and not tool.name:
            raise types.InvalidRequest(f"a tool of type {tool.type} must have a name", "tools")
        name = tool.name or ""
        if tool.type == "namespace":
            for inner in tool.tools or ():
                form = CallForm(inner.name, name, inner.type == "custom")
                _add(offered, form, inner.description, inner.parameters, inner.format)
        elif tool.type in ("function", "custom"):
            form = CallForm(name, is_custom=tool.type == "custom")
            _add(offered, form, tool.description, tool.parameters, tool.format)
        else:
            offered.left_out.append(tool.type)
    return offered


def _add(
    offered: OfferedFunctions, form: CallForm, description: str | None, parameters: Json | None, format: Json | None
) -> None:
    name = qualified(form.namespace, form.name)
    if form.is_custom:
        parameters = CUSTOM_PARAMETERS
        if format and isinstance(format.get("definition"), str):
            description = f"{description or ''}\n\nThe input must match this grammar:\n\n{format['definition']}"
    if form.is_custom or form.namespace:
        offered.forms[name] = form
    offered.functions.append(types.FunctionFields(name, description, parameters))


class ResponsesFunctionCall(Struct, tag="function_call"):
    call_id: str
    name: str
    arguments: str
    namespace: str | None = None


class ResponsesCustomCall(Struct, tag="custom_tool_call"):
    call_id: str
    name: str
    input: str
    namespace: str | None = None


def read_call(call: ResponsesFunctionCall | ResponsesCustomCall) -> FunctionCall:
    """A call that the client sends back, by the name of the function that was offered."""
    arguments = call.arguments if isinstance(call, ResponsesFunctionCall) else custom_arguments(call.input)
    return FunctionCall(call.call_id, qualified(call.namespace or "", call.name), arguments)


def written_call(call: FunctionCall, form: CallForm | None) -> Json:
    """The model's call in the client's form, without id and status."""
    if form is None:
        return msgspec.to_builtins(call)
    names: Json = {"name": form.name, "namespace": form.namespace} if form.namespace else {"name": form.name}
    if form.is_custom:
        return {"type": "custom_tool_call", "call_id": call.call_id, **names, "input": custom_input(call.arguments)}
    return {"type": "function_call", "call_id": call.call_id, **names, "arguments": call.arguments}


def echoed(tools: Sequence[ResponsesTool]) -> list[Json]:
    """The tools as a response repeats them."""
    plain: Json = {"description": None, "parameters": None, "strict": None}
    return [{**(plain if tool.type == "function" else {}), **msgspec.to_builtins(tool)} for tool in tools]
