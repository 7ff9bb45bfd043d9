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
}

__all__ = [
    "FunctionCall",
    "FunctionCallOutput",
    "Item",
    "LocalPolicy",
    "Message",
    "Reasoning",
    "RemotePolicy",
    "Sampling",
    "ScriptedPolicy",
    "Task",
    "Trajectory",
    "Verdict",
    "VerigymError",
    "Version",
    "tool",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'verigym' has no attribute {name!r}")
    return getattr(importlib.import_module(f"verigym.{_HOMES[name]}"), name)
