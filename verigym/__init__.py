"""Verigym: turn an agent's failures into a better model, and prove it before anyone ships it.

What is listed here is public. Importing it loads no torch: policies that need a model are loaded when first asked for.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from verigym.core.errors import VerigymError
    from verigym.core.records import (
        FunctionCall,
        FunctionCallOutput,
        Item,
        Message,
        Reasoning,
        Sampling,
        Task,
        Trajectory,
        Verdict,
        Version,
    )
    from verigym.harness.tools import tool
    from verigym.policies.local.policy import LocalPolicy
    from verigym.policies.remote import RemotePolicy
    from verigym.policies.scripted import ScriptedPolicy
    from verigym.sandbox.open import open_sandbox
    from verigym.verifiers.choice import Choice
    from verigym.verifiers.code import Code
    from verigym.verifiers.combine import Combine
    from verigym.verifiers.judge import Judge
    from verigym.verifiers.lift import lift_group
    from verigym.verifiers.match import exact_match
    from verigym.verifiers.numeric import Numeric
    from verigym.verifiers.pairwise import PairwiseJudge
    from verigym.verifiers.regex import Regex
    from verigym.verifiers.schema import JsonSchema
    from verigym.verifiers.shortest import Shortest
    from verigym.verifiers.state import StateDiff

__version__ = "0.1.0"

_HOMES = {
    "VerigymError": "core.errors",
    **dict.fromkeys(
        [
            "FunctionCall",
            "FunctionCallOutput",
            "Item",
            "Message",
            "Reasoning",
            "Sampling",
            "Task",
            "Trajectory",
            "Verdict",
        ],
        "core.records",
    ),
    "Version": "core.records",
    "tool": "harness.tools",
    "LocalPolicy": "policies.local.policy",
    "RemotePolicy": "policies.remote",
    "ScriptedPolicy": "policies.scripted",
    "open_sandbox": "sandbox.open",
    "Choice": "verifiers.choice",
    "Code": "verifiers.code",
    "Combine": "verifiers.combine",
    "JsonSchema": "verifiers.schema",
    "Judge": "verifiers.judge",
    "Numeric": "verifiers.numeric",
    "PairwiseJudge": "verifiers.pairwise",
    "Regex": "verifiers.regex",
    "Shortest": "verifiers.shortest",
    "StateDiff": "verifiers.state",
    "exact_match": "verifiers.match",
    "lift_group": "verifiers.lift",
}

__all__ = [
    "Choice",
    "Code",
    "Combine",
    "FunctionCall",
    "FunctionCallOutput",
    "Item",
    "JsonSchema",
    "Judge",
    "LocalPolicy",
    "Message",
    "Numeric",
    "PairwiseJudge",
    "Reasoning",
    "Regex",
    "RemotePolicy",
    "Sampling",
    "ScriptedPolicy",
    "Shortest",
    "StateDiff",
    "Task",
    "Trajectory",
    "Verdict",
    "VerigymError",
    "Version",
    "exact_match",
    "lift_group",
    "open_sandbox",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'verigym' has no attribute {name!r}")
    return getattr(importlib.import_module(f"verigym.{_HOMES[name]}"), name)
