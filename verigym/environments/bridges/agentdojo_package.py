"""AgentDojo without the SDKs of model vendors: what the bridge uses of it, and fresh environments in milliseconds.

`agentdojo.agent_pipeline` imports four vendors' SDKs, which tasks, tools and attacks do not use. A module with the same folder
stands in for the package's own `__init__`, so its other files load as they are. PyYAML's parser in C reads the data, because the
parser in Python takes 0.4 s per episode. Both make the same values.
"""

import functools
import importlib
import json
import sys
import types
from pathlib import Path
from typing import Any

import yaml

from verigym.core.errors import BadInput, not_found
from verigym.environments.bridges.install import require

VERSION = "v1.2.2"
"""Version of the benchmark, not of the package."""
NO_ATTACK = "none"
ATTACKS = ("important_instructions_no_names", "injecagent", "ignore_previous", "system_message", "direct")
"""Attacks that address no model by name. The first is the default."""
_KEPT = 256
"""Environments that are kept as they were before an episode."""


def _module(name: str) -> Any:
    _prepare()
    return importlib.import_module(f"agentdojo.{name}")


@functools.cache
def _prepare() -> None:
    require("agentdojo")
    home = Path(importlib.import_module("agentdojo").__file__ or "").parent
    for name in ("agent_pipeline", "agent_pipeline/llms"):
        stand_in = types.ModuleType(f"agentdojo.{name.replace('/', '.')}")
        stand_in.__path__ = [str(home / name)]
        sys.modules.setdefault(stand_in.__name__, stand_in)
    google = types.ModuleType("agentdojo.agent_pipeline.llms.google_llm")
    google.EMPTY_FUNCTION_NAME = "<empty-function>"  # type: ignore[attr-defined]
    sys.modules.setdefault(google.__name__, google)
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    quick = types.SimpleNamespace(load=yaml.load, dump=yaml.dump, safe_load=lambda text: yaml.load(text, loader))
    importlib.import_module("agentdojo.task_suite.task_suite").yaml = quick  # type: ignore[attr-defined]
    importlib.import_module("agentdojo.attacks")  # registers the attacks


def suite(name: str) -> Any:
    """A suite with its user tasks, injection tasks and tools."""
    suites = _module("task_suite.load_suites").get_suites(VERSION)
    if name not in suites:
        raise not_found("suite of AgentDojo", name, suites)
    return suites[name]


def system_prompt() -> str:
    """AgentDojo's own system prompt."""
    path = Path(_module("functions_runtime").__file__).parent / "data" / "system_messages.yaml"
    return str(yaml.safe_load(path.read_text(encoding="utf-8"))["default"]).strip()


@functools.cache
def _attack(name: str, attack: str) -> Any:
    pipeline = _module("agent_pipeline.base_pipeline_element").BasePipelineElement
    model = next(iter(_module("models").MODEL_NAMES))  # any known model: these attacks do not write its name
    target = type("Target", (pipeline,), {"name": model, "query": lambda self, *given: None})()
    return _module("attacks").load_attack(attack, suite(name), target)


@functools.cache
def injections(name: str, attack: str, user: str, injection: str) -> str:
    """What the attack writes into the environment, as JSON: the places that a right solution reads, and the text there."""
    owner = suite(name)
    try:
        made = _attack(name, attack).attack(owner.user_tasks[user], owner.injection_tasks[injection])
    except ValueError as error:
        raise BadInput(f"AgentDojo cannot attack {user} of {name}: {error}") from error
    return json.dumps(made, sort_keys=True)


@functools.lru_cache(maxsize=_KEPT)
def _pristine(name: str, injected: str) -> Any:
    return suite(name).load_and_inject_default_environment(json.loads(injected))


def environment(name: str, user: str, injected: str) -> Any:
    """A fresh environment for a user task."""
    return suite(name).user_tasks[user].init_environment(_pristine(name, injected).model_copy(deep=True))


def run(name: str, state: Any, function: str, arguments: dict[str, Any]) -> tuple[str, bool]:
    """The result of a tool as AgentDojo shows it, and whether the tool ran."""
    result, error = _runtime(name).run_function(state, function, arguments)
    if error:
        return str(error), False
    return _module("agent_pipeline.tool_execution").tool_result_to_str(result), True


@functools.cache
def _runtime(name: str) -> Any:
    return _module("functions_runtime").FunctionsRuntime(suite(name).tools)


def call(function: str, arguments: dict[str, Any]) -> Any:
    """A call as the traces of AgentDojo hold it."""
    return _module("functions_runtime").FunctionCall(function=function, args=arguments)


def achieved(name: str, task: Any, reply: str, before: Any, after: Any, traces: list[Any]) -> bool:
    """Whether a user task or an injection task was achieved, as AgentDojo decides."""
    block = _module("types").text_content_block_from_string(reply)
    return bool(suite(name)._check_task_result(task, [block], before, after, traces))
