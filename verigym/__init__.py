"""Verigym: turn an agent's failures into a better model, and prove it before anyone ships it.

The names in `__all__` are the public API. Each is imported when it is first used, so `import verigym` is fast and loads no
torch.
"""

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:  # for type checkers; a test compares these lines with _PUBLIC
    from verigym.api import AsyncWorkspace as AsyncWorkspace
    from verigym.api import Workspace as Workspace
    from verigym.api import compare as compare
    from verigym.core.errors import BadInput as BadInput
    from verigym.core.errors import EnvironmentFailure as EnvironmentFailure
    from verigym.core.errors import InfrastructureFailure as InfrastructureFailure
    from verigym.core.errors import NotFound as NotFound
    from verigym.core.errors import Refused as Refused
    from verigym.core.errors import VerifierFailure as VerifierFailure
    from verigym.core.errors import VerigymError as VerigymError
    from verigym.core.protocols import Context as Context
    from verigym.core.records import Decision as Decision
    from verigym.core.records import FunctionCall as FunctionCall
    from verigym.core.records import FunctionCallOutput as FunctionCallOutput
    from verigym.core.records import Item as Item
    from verigym.core.records import Message as Message
    from verigym.core.records import Reasoning as Reasoning
    from verigym.core.records import Report as Report
    from verigym.core.records import Sampling as Sampling
    from verigym.core.records import Task as Task
    from verigym.core.records import Trajectory as Trajectory
    from verigym.core.records import Verdict as Verdict
    from verigym.core.records import Version as Version
    from verigym.environments.load import load_environment as load_environment
    from verigym.gates.policy import GatePolicy as GatePolicy
    from verigym.harness.tools import tool as tool
    from verigym.policies.local.policy import LocalPolicy as LocalPolicy
    from verigym.policies.remote import RemotePolicy as RemotePolicy
    from verigym.policies.scripted import ScriptedPolicy as ScriptedPolicy
    from verigym.rollout.episode import run_episode as run_episode
    from verigym.rollout.settings import EpisodeLimits as EpisodeLimits
    from verigym.rollout.settings import Prices as Prices
    from verigym.rollout.settings import RunSettings as RunSettings
    from verigym.sandbox.limits import SandboxLimits as SandboxLimits
    from verigym.sandbox.open import open_sandbox as open_sandbox
    from verigym.training.advantages import advantages as advantages
    from verigym.training.recipe import PolicyLoss as PolicyLoss
    from verigym.training.recipe import Recipe as Recipe
    from verigym.training.samples import from_trajectory as from_trajectory
    from verigym.training.update import make_optimizer as make_optimizer
    from verigym.training.update import policy_update as policy_update
    from verigym.verifiers.choice import Choice as Choice
    from verigym.verifiers.code import Code as Code
    from verigym.verifiers.combine import Combine as Combine
    from verigym.verifiers.combine import Shortest as Shortest
    from verigym.verifiers.judge import Judge as Judge
    from verigym.verifiers.judge import PairwiseJudge as PairwiseJudge
    from verigym.verifiers.lift import lift_group as lift_group
    from verigym.verifiers.match import Regex as Regex
    from verigym.verifiers.match import exact_match as exact_match
    from verigym.verifiers.numeric import Numeric as Numeric
    from verigym.verifiers.schema import JsonSchema as JsonSchema
    from verigym.verifiers.state import StateDiff as StateDiff

__version__ = "0.2.0.dev0"

_PUBLIC = {
    "api": "Workspace AsyncWorkspace compare",
    "core.errors": "VerigymError BadInput NotFound Refused EnvironmentFailure InfrastructureFailure VerifierFailure",
    "core.protocols": "Context",
    "core.records": "Decision FunctionCall FunctionCallOutput Item Message Reasoning Report Sampling Task Trajectory Verdict "
    "Version",
    "environments.load": "load_environment",
    "gates.policy": "GatePolicy",
    "harness.tools": "tool",
    "policies.local.policy": "LocalPolicy",
    "policies.remote": "RemotePolicy",
    "policies.scripted": "ScriptedPolicy",
    "rollout.episode": "run_episode",
    "rollout.settings": "EpisodeLimits Prices RunSettings",
    "sandbox.open": "open_sandbox",
    "sandbox.limits": "SandboxLimits",
    "training.advantages": "advantages",
    "training.recipe": "PolicyLoss Recipe",
    "training.samples": "from_trajectory",
    "training.update": "make_optimizer policy_update",
    "verifiers.choice": "Choice",
    "verifiers.code": "Code",
    "verifiers.combine": "Combine Shortest",
    "verifiers.judge": "Judge PairwiseJudge",
    "verifiers.lift": "lift_group",
    "verifiers.match": "Regex exact_match",
    "verifiers.numeric": "Numeric",
    "verifiers.schema": "JsonSchema",
    "verifiers.state": "StateDiff",
}
"""Module to the public names that it defines."""
_MODULE_OF = {name: module for module, names in _PUBLIC.items() for name in names.split()}

__all__ = list(_MODULE_OF)  # pyright: ignore[reportUnsupportedDunderAll]


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module 'verigym' has no attribute {name!r}")
    value = globals()[name] = getattr(importlib.import_module(f"verigym.{_MODULE_OF[name]}"), name)
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
