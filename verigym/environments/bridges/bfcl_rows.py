"""Rows of BFCL as tasks: JSON schemas of the functions, the gold calls, families and splits.

A family is the set of functions that a task asks for. In the live categories it is the number of the function set, and in the
conversations it is the number of the scenario, which all four categories share. The hash of a family decides its split, so a
family is on the same side in every category.
"""

import ast
import functools
import inspect
import json
from typing import Any

from verigym.core.errors import not_found
from verigym.core.records import FunctionCall, Item, Json, Message, Task
from verigym.environments.bridges.bfcl_package import Instances, function_docs, rows
from verigym.tasks.split import split_of

PYTHON, JAVA, JAVASCRIPT = "PYTHON", "JAVA", "JAVASCRIPT"
SINGLE = (
    "simple_python", "simple_java", "simple_javascript", "multiple", "parallel", "parallel_multiple", "irrelevance",
    "live_simple", "live_multiple", "live_parallel", "live_parallel_multiple", "live_irrelevance", "live_relevance",
)  # fmt: skip
MULTI = ("multi_turn_base", "multi_turn_miss_func", "multi_turn_miss_param", "multi_turn_long_context")
LEFT_OUT = {
    "web_search_base": "it searches the web with a paid service",
    "web_search_no_snippet": "it searches the web with a paid service",
    "memory_kv": "its questions need a model to fill the memory in earlier conversations",
    "memory_vector": "its questions need a model to fill the memory in earlier conversations, and an embedding model",
    "memory_rec_sum": "its questions need a model to fill the memory in earlier conversations",
    "format_sensitivity": "it repeats other categories with prompts for models without tool calling",
}
"""Categories that cannot run offline and alone, and why."""
MORE_FUNCTIONS = "Now you can call more functions. Please try again."
"""What the user says when functions that were missing are there."""
_TYPES = {
    "dict": "object", "HashMap": "object", "object": "object", "float": "number", "double": "number", "number": "number",
    "integer": "integer", "long": "integer", "boolean": "boolean", "Boolean": "boolean", "array": "array",
    "tuple": "array", "Array": "array", "ArrayList": "array",
}  # fmt: skip
"""Types of BFCL as types of JSON schema. Every other type is text."""
_KEPT = ("description", "default", "enum", "maximum", "minItems", "maxItems")


@functools.lru_cache(maxsize=64)
def category_tasks(category: str, share: float) -> tuple[Task, ...]:
    """All tasks of a category. `share` of the families are for training."""
    if category not in (*SINGLE, *MULTI):
        remedy = f"{category} cannot run here, because {LEFT_OUT[category]}." if category in LEFT_OUT else ""
        raise not_found("category of BFCL", category, [*SINGLE, *MULTI], remedy)
    asked = rows(f"BFCL_v4_{category}.json")
    answered = not category.endswith("relevance")
    truths = rows(f"possible_answer/BFCL_v4_{category}.json") if answered else [{"ground_truth": []} for _ in asked]
    read = _conversation if category in MULTI else _question
    tasks = [read(category, row, truth["ground_truth"], share) for row, truth in zip(asked, truths, strict=True)]
    held_out = {_text(task) for task in tasks if task.split == "val"}
    return tuple(task for task in tasks if task.split == "val" or _text(task) not in held_out)


def _text(task: Task) -> str:
    return task.prompt if isinstance(task.prompt, str) else repr(task.prompt)


def _task(category: str, row: Json, family: str, share: float, data: Json) -> Task:
    split = split_of(family, {"val": 1 - share}) if share < 1 else "train"
    family = f"bfcl-{family}"
    prompt = _prompt(row["question"][0])
    return Task(id=row["id"], prompt=prompt, data={"category": category, **data}, split=split, family=family)


def _prompt(messages: list[Json]) -> str | list[Item]:
    if len(messages) == 1 and messages[0]["role"] == "user":
        return messages[0]["content"]
    return [Message(message["role"], message["content"]) for message in messages]


def _question(category: str, row: Json, truth: list[Json], share: float) -> Task:
    names = sorted({name for call in truth for name in call} or {each["name"] for each in row["function"]})
    family = f"live-{row['id'].split('-')[1]}" if category.startswith("live") else "-".join(names)[:80]
    return _task(category, row, family, share, {"function": row["function"], "truth": truth})


def _conversation(category: str, row: Json, truth: list[list[str]], share: float) -> Task:
    data = {
        "classes": row["involved_classes"],
        "config": row["initial_config"],
        "turns": [_said(messages) for messages in row["question"][1:]],
        "missed": row.get("missed_function", {}),
        "truth": truth,
    }
    return _task(category, row, f"multi_turn-{row['id'].rsplit('_', 1)[1]}", share, data)


def _said(messages: list[Json]) -> str:
    return "\n".join(message["content"] for message in messages) or MORE_FUNCTIONS


# -- functions as tools ---------------------------------------------------------------------------------------------------


def language_of(category: str) -> str:
    return {"simple_java": JAVA, "simple_javascript": JAVASCRIPT}.get(category, PYTHON)


def question_tools(task: Task) -> list[Json]:
    """The functions of a question as tools. The arguments of Java and JavaScript functions are text in that language."""
    language = language_of(task.data["category"])
    return [_tool(doc, language) for doc in task.data["function"]]


@functools.lru_cache(maxsize=256)
def _class_tools(classes: tuple[str, ...]) -> list[Json]:
    return [_tool(doc, PYTHON) for doc in function_docs(list(classes))]


def conversation_tools(task: Task, turn: int) -> list[Json]:
    """The functions that can be called in a turn of the user. Some appear later."""
    missed = {name for later, names in task.data["missed"].items() if turn < int(later) for name in names}
    return [tool for tool in _class_tools(tuple(task.data["classes"])) if tool["name"] not in missed]


def _tool(doc: Json, language: str) -> Json:
    parameters = _schema(doc["parameters"])
    if language != PYTHON:
        properties = doc["parameters"]["properties"]
        parameters["properties"] = {name: _as_text(each, language) for name, each in properties.items()}
    return {"name": doc["name"], "description": doc["description"], "parameters": parameters}


def _schema(doc: Json) -> Json:
    kind = _TYPES.get(doc.get("type", ""), "string")
    schema: Json = {"type": kind, **{key: doc[key] for key in _KEPT if key in doc}}
    if kind == "object":
        schema["properties"] = {name: _schema(each) for name, each in (doc.get("properties") or {}).items()}
        schema["required"] = [name for name in doc.get("required") or [] if name in schema["properties"]]
    if kind == "array" and isinstance(doc.get("items"), dict):
        schema["items"] = _schema(doc["items"])
    return schema


def _as_text(doc: Json, language: str) -> Json:
    """An argument in the syntax of another language."""
    kind = doc["type"] + (f" of {doc['items']['type']}" if "items" in doc else "")
    fields = f" with the fields {json.dumps(doc['properties'])}" if "properties" in doc else ""
    name = {JAVA: "Java", JAVASCRIPT: "JavaScript"}[language]
    words = f"{doc.get('description', '')} Write a {name} value of type {kind}{fields} as text."
    return {"type": "string", "description": words.strip()}


# -- gold -----------------------------------------------------------------------------------------------------------------


def gold_calls(task: Task) -> list[Item]:
    """The calls of a question, each with the first of the accepted values. Optional arguments are left out."""
    language = language_of(task.data["category"])
    calls: list[Item] = []
    for number, expected in enumerate(task.data["truth"]):
        [(name, accepted)] = expected.items()
        doc = next((each for each in task.data["function"] if each["name"] == name), {"parameters": {}})["parameters"]
        required = doc.get("required") or []
        arguments = {
            key: _first(values)
            for key, values in accepted.items()
            if "" not in values or (key in required and values != [""])
        }
        if language != PYTHON:
            properties = doc["properties"]
            arguments = {key: _written(value, language, properties.get(key, {})) for key, value in arguments.items()}
        calls.append(FunctionCall(f"call_{number}", name, json.dumps(arguments)))
    return calls


def _first(values: Any) -> Any:
    """The first accepted value. Fields of an object list their own accepted values."""
    return _whole(next((value for value in values if value != ""), "")) if isinstance(values, list) else values


def _whole(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _first(values) for key, values in value.items() if not (isinstance(values, list) and "" in values)}
    return [_whole(each) for each in value] if isinstance(value, list) else value


def _written(value: Any, language: str, doc: Json) -> str:
    """A value in the syntax of Java or JavaScript. Text is the name of a variable, or a string without quotes."""
    kind = doc.get("type", "any")
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if language == JAVASCRIPT:
        return json.dumps(value)
    if isinstance(value, list):
        inner = ", ".join(_element(each, doc.get("items", {})) for each in value)
        return f"new ArrayList<>(Arrays.asList({inner}))" if kind == "ArrayList" else f"new Object[]{{{inner}}}"
    if isinstance(value, dict):
        puts = " ".join(f"put({json.dumps(key)}, {_element(each, {})});" for key, each in value.items())
        return f"new HashMap<>() {{{{ {puts} }}}}"
    return f"{value}{({'long': 'L', 'float': 'f'}).get(kind, '')}"


def _element(value: Any, doc: Json) -> str:
    """A value inside of a list or a map, where text has quotes."""
    return json.dumps(value) if isinstance(value, str) else _written(value, JAVA, doc)


def gold_conversation(task: Task) -> list[Any]:
    """For each turn of the user: one reply with all calls, and one without."""
    instances = Instances(task.data["classes"], task.data["config"], long_context=False)
    replies: list[Any] = []
    for turn, calls in enumerate(task.data["truth"]):
        if calls:
            replies.append([_gold_call(instances, turn, number, text) for number, text in enumerate(calls)])
        replies.append("Done.")
    return replies


def _gold_call(instances: Instances, turn: int, number: int, text: str) -> FunctionCall:
    name, args, kwargs = read_call(text)
    names = list(inspect.signature(instances.method(name)).parameters)
    arguments = {**dict(zip(names, args, strict=False)), **kwargs}
    return FunctionCall(f"call_{turn}_{number}", name, json.dumps(arguments))


@functools.lru_cache(maxsize=8192)
def _parsed(text: str) -> tuple[str, ast.Call]:
    call = ast.parse(text, mode="eval").body
    assert isinstance(call, ast.Call) and isinstance(call.func, ast.Name), f"{text} is not a call"
    return call.func.id, call


def read_call(text: str) -> tuple[str, list[Any], Json]:
    """A call of the ground truth, such as `cd(folder='a')`, whose arguments are literals. Nothing is executed."""
    name, call = _parsed(text)
    args = [ast.literal_eval(each) for each in call.args]
    return name, args, {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
