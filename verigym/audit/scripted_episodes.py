"""Scripted episodes: given replies are played in an environment and scored. No model is asked, and nothing is stored.

The judge is scripted too, unless you pass one. It is the environment's own `scripted_judge`, or it likes only the gold replies.
"""

import contextlib
import hashlib
import signal
import threading
from collections.abc import Generator, Mapping, Sequence
from typing import Any, Literal, NamedTuple

import msgspec

from verigym.agents.run import scripted_runner
from verigym.core import watchdog as alarm
from verigym.core.protocols import Context, Policy
from verigym.core.records import Fault, FunctionCall, Json, Message, Task, ToolSpec, Trajectory, Verdict, Version
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.harness.user import DONE
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.many import judge
from verigym.rollout.session import task_tools
from verigym.sandbox.open import LazySandbox
from verigym.verifiers.judge import ScriptedJudge

Answer = tuple[Literal["pass", "fail", "unclear"], str]
Replies = list[Reply]
_AGENT = Version(base="scripted", id="scripted")


class ScriptedEpisode(NamedTuple):
    trajectory: Trajectory
    verdict: Verdict
    context: Context


async def play(
    environment: EnvironmentSpec,
    task: Task,
    replies: Sequence[Reply],
    *,
    pause_s: float = 0.0,
    judge: Policy | None = None,
    policies: Mapping[str, Policy] | None = None,
    user: Sequence[str] = (),
    scored: bool = True,
) -> ScriptedEpisode:
    """One episode with these replies, then empty messages if the environment continues. `policies` replaces the scripted judge.
    `user` is what a model said as the user. A scripted user needs none. Without `scored`, the verifier is not asked."""
    blobs: dict[str, bytes] = {}

    def keep_blob(data: bytes) -> str:
        sha256 = hashlib.sha256(data).hexdigest()
        blobs[sha256] = data
        return sha256

    environment = offline(environment)
    policies = {"judge": judge or _judge(environment, task)} if policies is None else dict(policies)
    async with scripted_runner(environment, policies) as run:
        trajectory = await run(
            environment,
            task,
            ScriptedPolicy([*replies, ""], latency_s=pause_s),
            agent=_AGENT,
            id=f"check/{task.id}",
            group="check",
            user=_user(environment, user) if user or environment.needs_user else None,
            keep_blob=keep_blob,
        )
    context = Context(policies=policies, sandbox=LazySandbox(), blob=blobs.__getitem__)
    trajectory = msgspec.structs.replace(trajectory, seconds=0.0)  # otherwise two equal episodes would differ
    verdict = await judged(environment, task, trajectory, context) if scored else Verdict(reward=None)
    return ScriptedEpisode(trajectory, verdict, context)


def _user(environment: EnvironmentSpec, said: Sequence[str]) -> Policy:
    """Says these messages, or those of `user_script` of the class, then the last one again or that it is done."""
    script: Sequence[str] = getattr(environment.factory, "user_script", ())
    messages, last = iter(said or script), DONE if said or not script else script[-1]
    return ScriptedPolicy(lambda _: next(messages, last))


def offline(environment: EnvironmentSpec) -> EnvironmentSpec:
    """The environment without calls of live tools: nonsense and repeats must not reach a server of the user."""
    if not environment.tools_files:
        return environment
    from verigym.harness.with_tools import without_live_calls

    return without_live_calls(environment)


def _judge(environment: EnvironmentSpec, task: Task) -> Policy:
    """The environment's scripted judge, or one that likes the last text of the gold solution."""
    if environment.judge is not None:
        return ScriptedPolicy(environment.judge)
    replies = environment.gold_replies(task)
    last = replies[-1] if replies else ""
    text = last if isinstance(last, str) else next((item.text for item in last if isinstance(item, Message)), "")
    return ScriptedJudge(lambda shown: bool(text) and text in shown)


async def judged(environment: EnvironmentSpec, task: Task, trajectory: Trajectory, context: Context) -> Verdict:
    [verdict] = await judge(environment.verifier, task, [trajectory], context)
    return verdict


def some_replies(environment: EnvironmentSpec, task: Task) -> Replies:
    return environment.gold_replies(task) or ["done"]


async def busy_replies(environment: EnvironmentSpec, task: Task) -> Replies:
    """One call of every tool, then the gold solution. Episodes may also share state that the solution does not change."""
    calls: Replies = [[any_call(spec, "c")] for spec in (await task_tools(environment, task)).tools]
    room = max(0, environment.max_turns - 1)
    return [*calls[:room], *some_replies(environment, task)]


def any_call(spec: ToolSpec, call_id: str) -> FunctionCall:
    """A call of the tool with the smallest arguments that its schema allows."""
    return FunctionCall(call_id, spec.name, msgspec.json.encode(fitting(spec.parameters, spec.parameters)).decode())


def fitting(schema: Any, root: Json, depth: int = 0) -> Any:
    """The smallest value that a tool's schema allows, without optional parts. Patterns are not followed."""
    if not isinstance(schema, dict) or depth > 50:
        return "a"
    if "$ref" in schema:
        return fitting(root.get("$defs", {}).get(str(schema["$ref"]).rsplit("/", 1)[-1]), root, depth + 1)
    for key in ("anyOf", "oneOf", "allOf"):
        if isinstance(schema.get(key), list) and schema[key]:
            return fitting(schema[key][0], root, depth + 1)
    if "const" in schema or "enum" in schema:
        return schema["const"] if "const" in schema else schema["enum"][0]
    kinds: Any = schema.get("type", "object" if "properties" in schema else "string")
    kind = str(kinds[0] if isinstance(kinds, list) and kinds else kinds)
    if kind == "object":
        properties = schema.get("properties", {})
        return {name: fitting(properties.get(name), root, depth + 1) for name in schema.get("required", [])}
    if kind in ("integer", "number"):
        least = schema.get("minimum", schema.get("exclusiveMinimum", 0) + 1)
        return int(least) if kind == "integer" else float(least)
    if kind == "array":
        return [fitting(schema.get("items"), root, depth + 1)] * schema.get("minItems", 0)
    return {"boolean": True, "null": None}.get(kind, "a" * max(1, schema.get("minLength", 1)))


def why(played: ScriptedEpisode) -> str:
    error = played.trajectory.error or played.verdict.error
    if error is not None:
        whose = "" if error.fault is Fault.ENVIRONMENT else f" (the {error.fault}'s fault)"
        return f"{error.kind}: {error.message}{whose}"
    return played.verdict.evidence or "no evidence given"


def calls_in(replies: Replies) -> list[FunctionCall]:
    return [item for reply in replies if isinstance(reply, list) for item in reply if isinstance(item, FunctionCall)]


def short(reply: object) -> str:
    return repr(reply)[:120]


@contextlib.contextmanager
def watching() -> Generator[None]:
    """`alarm.watching` with a timer of the kernel. A slow regular expression blocks all other threads but reacts to signals."""
    free = threading.current_thread() is threading.main_thread() and signal.getsignal(signal.SIGALRM) is signal.SIG_DFL
    with alarm.watching():
        if free:
            signal.setitimer(signal.ITIMER_REAL, 0.5, 0.5)
        try:
            yield
        finally:
            if free:
                signal.setitimer(signal.ITIMER_REAL, 0)
