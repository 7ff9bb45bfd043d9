"""Runs episodes of verifiers tasksets (the v1 API of verifiers 0.4) inside the virtual environment of the bridge.

`child_host` serves this file. The environment, its interception server and its rewards are those of verifiers. The program of the
`null` harness, a chat loop without local tools, runs in this process. verifiers would start it with uv in a process of its own,
which takes seconds per episode and downloads its packages. This file imports nothing of Verigym.
"""

import asyncio
import contextlib
import contextvars
import functools
import itertools
import os
import sys
import types
from pathlib import Path
from typing import Any

import verifiers.v1 as vf  # type: ignore[import-not-found]
from verifiers.v1.configs.agent import AgentConfig  # type: ignore[import-not-found]
from verifiers.v1.harnesses.null import harness as null  # type: ignore[import-not-found]
from verifiers.v1.harnesses.utils import launch  # type: ignore[import-not-found]
from verifiers.v1.utils import loaders  # type: ignore[import-not-found]
from verifiers.v1.utils.generic import concrete_type  # type: ignore[import-not-found]

_KEY = "VERIGYM_EPISODE_KEY"
_OVER = "episode_over"
OPTIONS: dict[str, Any] = {}


def start(options: dict[str, Any]) -> None:
    OPTIONS.update(options)
    os.environ[_KEY] = "verigym-episode"
    _run_chat_program_here()


def tasks() -> list[dict[str, Any]]:
    """The tasks of the taskset, or the first `size` of an endless one."""
    field = OPTIONS.get("gold") or ""
    rows: list[dict[str, Any]] = []
    for task in _tasks():
        data = task.data
        row = {"id": data.id or data.name or f"{data.idx}", "idx": data.idx, "prompt": data.prompt_text}
        row["system"] = data.system_prompt or ""
        if field:
            if not hasattr(data, field):
                raise ValueError(f'A task has no field "{field}". It has: {", ".join(type(data).model_fields)}')
            row["gold"] = [f"{getattr(data, field)}"]
        rows.append(row)
    return rows


class Session:
    """One episode."""

    def open(self, task: dict[str, Any]) -> None:
        self._idx = task["idx"]

    async def run(self, urls: dict[str, str]) -> dict[str, Any]:
        """Runs the episode with the model at this address, and returns the end state with the verdict."""
        env = await _serving()
        task = next(each for each in _tasks() if each.data.idx == self._idx)
        client = vf.EvalClientConfig(base_url=urls["policy"], api_key_var=_KEY)
        [slot] = env.slots(task)
        episode = await env.run_slot(slot, vf.ModelContext(model="verigym", client=client))
        return _result(episode)


def _result(episode: Any) -> dict[str, Any]:
    traces = episode.traces
    errors = [*episode.errors, *(error for trace in traces for error in trace.errors)]
    words = "; ".join(f"{error.type}: {error.message}" for error in errors)
    if _OVER in words:
        return {"over": words[-500:]}
    if not episode.ok:
        raise RuntimeError(words[-1000:] or "verifiers could not complete the episode")
    trace = traces[-1]
    parts = {name: reward.value for name, reward in trace.rewards.items() if reward is not None}
    metrics = {name: value for name, value in trace.metrics.items() if value is not None}
    told = ", ".join(f"{name} {value:g}" for name, value in {**parts, **metrics}.items())
    verdict = {
        "reward": float(trace.reward),
        "passed": trace.reward >= OPTIONS.get("pass", 1.0),
        "parts": parts if len(parts) > 1 else {},
        "evidence": f"verifiers gave: {told or 'no reward'}"[:1000],
    }
    return {"external_verdict": verdict, "verifiers": {"stop": trace.stop_condition or "", "metrics": metrics}}


@functools.lru_cache
def _env() -> Any:
    """The environment of the taskset, with one agent."""
    name = _module(OPTIONS["taskset"])
    try:
        kind = loaders.environment_class(name)
        config_type = concrete_type(kind, vf.EnvConfig, origin=vf.Env) or vf.EnvConfig
        roles = [key for key, field in config_type.model_fields.items() if isinstance(field.default, AgentConfig)]
        if len(roles) != 1:
            raise ValueError(f"{name} has the agents {', '.join(roles)}. The bridge runs environments with one agent")
        agent: dict[str, Any] = {
            "harness": {"id": _harness(name)},
            "runtime": {"type": OPTIONS.get("runtime") or "subprocess"},
        }
        if OPTIONS.get("turns"):
            agent["max_turns"] = OPTIONS["turns"]
        taskset = {"id": name, **(OPTIONS.get("arguments") or {})}
        return loaders.load_environment(config_type.model_validate({"taskset": taskset, roles[0]: agent}))
    except Exception as error:
        raise ValueError(
            f'verifiers cannot load "{OPTIONS["taskset"]}": {type(error).__name__}: {error}'[:800]
        ) from error


def _harness(name: str) -> str:
    """The harness that was asked for, or the taskset's own, or the chat loop. A harness with which a model runs commands needs a
    container."""
    wanted = OPTIONS.get("harness") or loaders.default_harness_id(name)
    if wanted == "bash" and not OPTIONS.get("harness"):
        wanted = "null"
    runtime = OPTIONS.get("runtime") or "subprocess"
    if runtime == "subprocess" and loaders.harness_class(wanted).EXECUTES_CODE:
        raise ValueError(f'with the harness "{wanted}" a model runs commands on this machine. Add runtime=docker')
    return wanted


def _module(given: str) -> str:
    """The name of the taskset's module. The folder of a file, or of a package, becomes importable."""
    path = Path(given)
    if not given.endswith(".py") and not path.is_dir():
        return given
    path = path.resolve()
    if not path.exists():
        raise ValueError(f"{given} does not exist")
    inner = path / path.name
    package = inner if inner.is_dir() else path  # a project with a package of the same name inside
    sys.path.append(str(package.parent))
    return package.stem


@functools.lru_cache
def _tasks() -> list[Any]:
    taskset = _env().taskset
    return list(taskset if taskset.bounded else itertools.islice(taskset, OPTIONS.get("size") or 100))


_STARTING = asyncio.Lock()
_STACK = contextlib.AsyncExitStack()
_SERVED: list[Any] = []


async def _serving() -> Any:
    """The environment with its servers, which run until this process ends."""
    async with _STARTING:
        if not _SERVED:
            env = _env()
            await _STACK.enter_async_context(env.serving())
            _SERVED.append(env)
    return _SERVED[0]


# -- the chat program of verifiers in this process ----------------------------------------------------------------------------

_ARGUMENTS: contextvars.ContextVar[Any] = contextvars.ContextVar("arguments")


def _run_chat_program_here() -> None:
    program = types.ModuleType("verifiers_chat_program")
    exec(compile(launch.CHAT_PROGRAM_SOURCE, "verifiers_chat_program", "exec"), program.__dict__)
    parse: Any = program.__dict__["parse_args"]
    program.__dict__["parse_args"] = _ARGUMENTS.get

    async def run_program(words: list[str], env: dict[str, str]) -> Any:
        before, sys.argv = sys.argv, words
        try:
            _ARGUMENTS.set(parse())
        finally:
            sys.argv = before
        try:
            await program.__dict__["main"]()
        except SystemExit as error:
            return vf.ProgramResult(exit_code=int(error.code or 0), stdout="", stderr="")
        except Exception as error:
            return vf.ProgramResult(exit_code=1, stdout="", stderr=f"{type(error).__name__}: {error}")
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")

    class Here:
        """A runtime whose programs are this one."""

        def __init__(self, runtime: Any) -> None:
            self._runtime = runtime

        async def prepare_uv_script(self, *args: Any, **options: Any) -> list[str]:
            return ["verifiers_chat_program"]

        async def run_program(self, words: list[str], env: dict[str, str]) -> Any:
            folder = self._runtime.workdir or Path.cwd()
            absolute = [
                f"--initial-messages-file={folder / word.partition('=')[2]}"
                if word.startswith("--initial-messages")
                else word
                for word in words
            ]
            return await asyncio.create_task(run_program(absolute, env))  # a task has variables of its own

        def __getattr__(self, name: str) -> Any:
            return getattr(self._runtime, name)

    async def launch_here(
        source: str, config: Any, ctx: Any, trace: Any, runtime: Any, *args: Any, **options: Any
    ) -> Any:
        return await launch.launch_chat_program(source, config, ctx, trace, Here(runtime), *args, **options)

    async def setup(self: Any, runtime: Any) -> None:
        if OPTIONS.get("runtime"):
            await original(self, runtime)

    original = null.NullHarness.setup
    if not OPTIONS.get("runtime"):
        null.launch_chat_program = launch_here
        null.NullHarness.setup = setup
