"""NeMo Gym: `nemogym:URL#rows.jsonl` is a resources server, and `nemogym:workplace_assistant` one that is started from the wheel.

The whole name is `nemogym:SERVER[#ROWS][?OPTIONS]`. ROWS are rows of NeMo Gym: one file for evaluation, or two files,
`train.jsonl,val.jsonl`. A server of the wheel has example rows. An episode is one session: POST /seed_session, one POST per tool
call, and POST /verify at the end. The tools come from the row. `verify=record` asks /verify with the stored record, so a stored
run can be scored again. This is right if the verdict does not depend on the session. Otherwise (`verify=session`, the default for
a URL), the verdict is asked for before the session ends and is stored as an external verdict.
"""

import functools
import itertools
import json
from pathlib import Path
from typing import Any

import aiohttp
import msgspec

from verigym.core.errors import BadInput, InfrastructureFailure, VerifierFailure
from verigym.core.protocols import Verifier
from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Json, Message, Task, Trajectory, Verdict
from verigym.environments.bridges.about import Bridge, Package
from verigym.environments.bridges.find import name_and_options, whole_number
from verigym.environments.bridges.install import installed_version
from verigym.environments.bridges.nemogym_host import example_rows, post, servers, verdict_needs_only_record
from verigym.environments.bridges.processes import ChildProcess, ProcessPool
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox, ToolResult
from verigym.tasks.files import rows_of
from verigym.verifiers.external import external_verdict
from verigym.verifiers.lift import lift
from verigym.verifiers.version import version
from verigym.wire.items import read_items

BRIDGE = Bridge(
    example="nemogym:workplace_assistant",
    what="resources servers of NeMo Gym",
    package=Package(
        name="nemo-gym",
        version="0.4.0",
        place="venv",
        module="nemo_gym",
        without_requirements=("nemo-gym==0.4.0",),
        requirements=(
            "openai==2.7.2", "pydantic==2.14.3", "fastapi==0.162.7", "itsdangerous==2.2.0", "uvicorn==0.54.0",
            "hydra-core==1.3.8", "omegaconf==2.3.1", "aiohttp==3.14.5", "yappi==1.7.6", "psutil==7.2.2", "orjson==3.13.0",
            "rich==15.0.0", "requests==2.34.2", "pandas==3.1.1", "mcp==1.30.0", "devtools==0.13.0", "tqdm==4.70.1",
            "pydot==4.0.1",
        ),
        python="3.12",
        why="it needs Python 3.12, and packages of other versions",
    ),
    licence="Apache-2.0",
)  # fmt: skip
_TURNS = 10
_SECONDS = 120
_SHOWN = 300
_BY_RECORD, _BY_SESSION = "record", "session"


class Source(msgspec.Struct, frozen=True):
    """Where the server is: its URL, or a server of the wheel and its options (JSON)."""

    url: str = ""
    name: str = ""
    options: str = "{}"
    seconds: int = _SECONDS
    """Limit of one request."""


@functools.lru_cache(maxsize=32)
def servers_of(source: Source) -> ProcessPool:
    return servers(source.name, json.loads(source.options))


def http_session(source: Source) -> aiohttp.ClientSession:
    """A client with cookies of its own, which are the session. `unsafe` allows cookies of an IP address."""
    return aiohttp.ClientSession(
        cookie_jar=aiohttp.CookieJar(unsafe=True), timeout=aiohttp.ClientTimeout(total=source.seconds)
    )


class Session:
    """One episode: a session of the server."""

    source: Source
    server: ChildProcess | None = None
    http: aiohttp.ClientSession | None = None

    async def open(self, task: Task) -> None:
        self.row = task.data["row"]
        self.output: list[Json] = []
        if self.source.name:
            self.server = await servers_of(self.source).session()
        self.url = self.server.url if self.server else self.source.url
        self.http = http_session(self.source)
        status, text = await post(self.http, f"{self.url}/seed_session", self.row)
        if status != 200:
            raise InfrastructureFailure(f"{self.url}/seed_session: status {status}: {text[:_SHOWN]}")

    def tools(self) -> list[Json]:
        return [each for each in self.row["responses_create_params"].get("tools") or [] if "name" in each]

    async def call(self, name: str, arguments: Json) -> ToolResult:
        assert self.http is not None, "open comes first"
        status, text = await post(self.http, f"{self.url}/{name}", arguments)
        number = len(self.output)
        self.output += [
            _call(f"call_{number}", name, json.dumps(arguments)),
            {"type": "function_call_output", "call_id": f"call_{number}", "output": text},
        ]
        return ToolResult(output=text, failed=status != 200)

    async def close(self) -> None:
        if self.http is not None:
            await self.http.close()
        if self.server is not None:
            servers_of(self.source).leave(self.server)


class SessionWithVerdict(Session):
    """A session whose verdict only the living server can give. It asks for it at the end."""

    async def user(self, reply: str) -> str | None:
        """Nobody answers. The harness passes the last message here, which the verdict needs."""
        self.output.append(_message(f"msg_{len(self.output)}", reply))
        return None

    async def end_state(self) -> Json:
        assert self.http is not None, "open comes first"
        answer = await _verify(self.http, self.url, self.row, self.output, "live")
        return {"external_verdict": {"reward": answer["reward"], "evidence": _evidence(answer)}}


class NemoGymVerify(msgspec.Struct, frozen=True):
    """Asks /verify with the stored record."""

    source: Source

    async def __call__(self, task: Task, trajectory: Trajectory) -> Verdict:
        output = response_output(trajectory)
        async with http_session(self.source) as http:
            if not self.source.name:
                answer = await _verify(http, self.source.url, task.data["row"], output, trajectory.id)
            else:
                pool = servers_of(self.source)
                server = await pool.session()
                try:
                    answer = await _verify(http, server.url, task.data["row"], output, trajectory.id)
                finally:
                    pool.leave(server)
        reward = float(answer["reward"])
        return Verdict(reward=reward, passed=reward >= 1.0, evidence=_evidence(answer))


def load(where: str, rest: str) -> EnvironmentSpec:
    head, options = name_and_options(where, rest)
    server, _, file = head.partition("#")
    turns = whole_number(where, options, "turns", _TURNS, 1, 1000)
    seconds = whole_number(where, options, "seconds", _SECONDS, 1, 3600)
    mode = options.pop("verify", "")
    if mode not in ("", _BY_RECORD, _BY_SESSION):
        raise BadInput(f'"{where}": verify must be {_BY_RECORD} or {_BY_SESSION}, not {mode!r}')
    if "://" in server:
        source = Source(url=_checked_url(where, server, file, options), seconds=seconds)
        package = ""
    else:
        package = _package()
        source = Source(name=server, options=json.dumps(options, sort_keys=True), seconds=seconds)
        file = file or str(example_rows(server))
        mode = mode or (_BY_RECORD if verdict_needs_only_record(server) else _BY_SESSION)
    rows = _tasks(where, file)
    verifier: Verifier = (
        lift("nemogym", NemoGymVerify(source)) if mode == _BY_RECORD else lift("external_verdict", external_verdict)
    )
    base = Session if mode == _BY_RECORD else SessionWithVerdict
    kind = type("Environment", (base,), {"source": source, "max_turns": turns, "__module__": __name__})
    return EnvironmentSpec(
        name=where,
        tasks=lambda split: [task for task in rows if task.split == split],
        factory=kind,
        toolbox=ToolBox(kind),
        verifiers={verifier.name.partition("@")[0]: verifier},
        suites={"val": "val"},
        max_turns=turns,
        gold=gold,
        version=f"{version(base)}{package}",
    )


def _package() -> str:
    installed = installed_version("nemogym")
    if installed is None:
        raise BadInput(
            f"nemo-gym {BRIDGE.package.version} is not installed. Run: verigym bridges install nemogym. "
            "To use a server that is running, write nemogym:http://HOST:PORT#rows.jsonl"
        )
    return f"-nemo-gym-{installed}"


def _checked_url(where: str, url: str, file: str, options: dict[str, Any]) -> str:
    if not url.startswith(("http://", "https://")):
        raise BadInput(f'"{where}": "{url}" is not a URL of a server. Begin it with http:// or https://')
    if not file:
        raise BadInput(f'"{where}" names no rows. Write nemogym:{url}#rows.jsonl, with rows of NeMo Gym')
    if options:
        raise BadInput(
            f'"{where}": there is no option {next(iter(options))}. The options are turns, seconds and verify'
        )
    return url.rstrip("/")


def gold(task: Task) -> list[Any] | None:
    """The calls of `ground_truth`, one per reply, if the row has such a list."""
    truth = task.data["row"].get("ground_truth")
    if not isinstance(truth, list) or not all(isinstance(each, dict) and "name" in each for each in truth):
        return None
    calls = [
        [FunctionCall(f"call_{n}", each["name"], _text(each.get("arguments", {})))] for n, each in enumerate(truth)
    ]
    return [*calls, "Done."]


def _text(arguments: Any) -> str:
    return arguments if isinstance(arguments, str) else json.dumps(arguments)


# -- rows -----------------------------------------------------------------------------------------------------------------


def _tasks(where: str, files: str) -> list[Task]:
    """The rows of one file, or of a training and a held-out file."""
    train, comma, held_out = files.partition(",")
    parts = [(train, "train"), (held_out, "val")] if comma else [(train, "val")]
    tasks = list(itertools.chain.from_iterable(_read(file.strip(), split) for file, split in parts))
    seen: dict[str, Task] = {}
    for task in tasks:
        if task.id in seen:
            raise BadInput(f'"{where}": two rows have the id {task.id}. Give each row its own id')
        seen[task.id] = task
    return tasks


def _read(file: str, split: str) -> list[Task]:
    tasks: list[Task] = []
    for row in rows_of(Path(file)):
        place = f"{file} {row.position}"
        value = row.value
        if row.problem or not isinstance(value, dict):
            raise BadInput(f"{place}: {row.problem or 'not an object'}. Write one row of NeMo Gym per line")
        params = value.get("responses_create_params")
        if not isinstance(params, dict) or "input" not in params:
            raise BadInput(f'{place}: "responses_create_params" with "input" is missing. Every row of NeMo Gym has it')
        id = f"{value['id']}" if "id" in value else f"{Path(file).stem}-{row.number}"
        tasks.append(
            Task(
                id=id,
                prompt=_prompt(params["input"], place),
                data={"row": value},
                split=str(value.get("split", split)),
                family=f"{Path(file).stem}-{id}",
                lineage=[f"{Path(file).name} {row.position}"],
            )
        )
    return tasks


def _prompt(given: Any, place: str) -> str | list[Item]:
    if isinstance(given, str):
        return given
    try:
        return read_items(given, "input")
    except BadInput as error:
        raise BadInput(f"{place}: {error}") from error


# -- what goes to /verify ---------------------------------------------------------------------------------------------------


def response_output(trajectory: Trajectory) -> list[Json]:
    """What the policy and the tools added after the prompt, as output items of the Responses API."""
    first = next((turn.made[0] for turn in trajectory.turns if turn.made), len(trajectory.items))
    output: list[Json] = []
    for number, item in enumerate(trajectory.items[first:]):
        match item:
            case Message(role="assistant"):
                output.append(_message(f"msg_{number}", item.text))
            case FunctionCall():
                output.append(_call(item.call_id, item.name, item.arguments))
            case FunctionCallOutput():
                output.append({"type": "function_call_output", "call_id": item.call_id, "output": item.output})
            case _:
                pass
    return output


def _message(id: str, text: str) -> Json:
    part = {"type": "output_text", "text": text, "annotations": []}
    return {"type": "message", "id": id, "role": "assistant", "status": "completed", "content": [part]}


def _call(call_id: str, name: str, arguments: str) -> Json:
    call = {"call_id": call_id, "name": name, "arguments": arguments, "status": "completed"}
    return {"type": "function_call", "id": f"fc_{call_id}", **call}


async def _verify(http: aiohttp.ClientSession, url: str, row: Json, output: list[Json], id: str) -> Json:
    params = row["responses_create_params"]
    response = {
        "id": f"resp_{id}",
        "created_at": 0.0,
        "model": "verigym",
        "object": "response",
        "output": output,
        "parallel_tool_calls": bool(params.get("parallel_tool_calls", False)),
        "tool_choice": "auto",
        "tools": params.get("tools") or [],
    }
    status, text = await post(http, f"{url}/verify", {**row, "response": response})
    if status != 200:
        raise VerifierFailure(f"{url}/verify: status {status}: {text[:_SHOWN]}")
    try:
        answer = msgspec.json.decode(text)
    except msgspec.DecodeError:
        answer = None
    if not isinstance(answer, dict) or not isinstance(answer.get("reward"), int | float):
        raise VerifierFailure(f"{url}/verify gave no reward: {text[:_SHOWN]}")
    return answer


def _evidence(answer: Json) -> str:
    """What the server says besides what it was sent."""
    told = {
        key: value
        for key, value in answer.items()
        if key not in ("responses_create_params", "response", "reward") and isinstance(value, int | float | str | bool)
    }
    return f"/verify gave the reward {answer['reward']}{f' and {json.dumps(told)}' if told else ''}"[:1000]
