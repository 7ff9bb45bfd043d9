"""The public API, for type checkers. `__init__.py` reads the same lines to import each name when it is first used."""

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

__version__: str
__all__: list[str]
