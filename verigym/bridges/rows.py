"""Tasks as rows of other trainers, and the files that go with them. None of the trainers has to be installed."""

from pathlib import Path

import msgspec
import yaml

from verigym.bridges.episodes import TASK, PeerEnvironment, described, functions, shared
from verigym.core.errors import BadInput
from verigym.core.install import install_command
from verigym.core.records import Json
from verigym.servers.environment_nemogym import rows as nemogym_rows
from verigym.tasks.files import write_new

VERL_ENVIRONMENT = "verigym_environment"
_KINDS = {str: "string", bool: "boolean", int: "integer", float: "number", type(None): "null"}


def openrlhf_rows(peer: PeerEnvironment, split: str) -> list[Json]:
    """The tasks of a split as rows: `prompt` for the logs, and `label` for the agent, which writes the real prompt."""
    tasks = [task for task in peer.tasks if task.split == split]
    return [{"prompt": peer.messages(task)[-1]["content"], "label": task.id} for task in tasks]


def verl_tools(peer: PeerEnvironment, environment: str) -> Json:
    """The tools of all tasks, as verl's `tool_config_path` reads them."""
    tools = peer.all_tools()
    written = [
        {"type": "function", "function": {**each["function"], "parameters": _flat(each["function"]["parameters"])}}
        for each in functions(tools)
    ]
    return {
        "tools": [
            {
                "class_name": "verigym.bridges.verl.VerigymTool",
                "config": {"type": "native", "environment": environment, "tool": tool.name},
                "tool_schema": schema,
            }
            for tool, schema in zip(tools, written, strict=True)
        ]
    }


def _flat(parameters: Json) -> Json:
    """Parameters as verl reads them: each has `type`, `description` and perhaps `enum`, and nothing else. The tool itself checks
    the whole schema."""
    whole = described(parameters)
    flat = {
        name: {"type": kinds[0] if len(kinds) == 1 else kinds, "description": schema["description"]}
        | ({"enum": values} if (values := _values(schema)) else {})
        for name, schema in whole["properties"].items()
        for kinds in [_kinds(schema)]
    }
    return {"type": "object", "properties": flat, "required": whole["required"]}


def _kinds(schema: Json) -> list[str]:
    """The JSON types that a schema allows."""
    if "type" in schema:
        return [schema["type"]] if isinstance(schema["type"], str) else list(schema["type"])
    if "enum" in schema:
        return sorted({_KINDS.get(type(value), "string") for value in schema["enum"]})
    nested = [kind for each in schema.get("anyOf", []) for kind in _kinds(each)]
    return list(dict.fromkeys(nested)) or ["string"]


def _values(schema: Json) -> list[object]:
    """The only values that a schema allows, if it lists them."""
    options = [each for each in schema.get("anyOf", [schema]) if each.get("type") != "null"]
    return [value for each in options for value in each["enum"]] if all("enum" in each for each in options) else []


def verl_rows(peer: PeerEnvironment, environment: str, split: str) -> list[Json]:
    """The tasks of a split as rows of a parquet file for verl."""
    if peer.spec.steps or peer.spec.scripted_user:
        raise BadInput(
            f"{peer.spec.name} answers the agent's messages (step or user). verl's tool loop ends at the first reply without "
            "a call. Use it with OpenRLHF, OpenEnv or inspect"
        )
    made: list[Json] = []
    for index, task in enumerate(each for each in peer.tasks if each.split == split):
        names = [each["function"]["name"] for each in functions(peer.tools(task))] if peer.spec.has_tools else []
        kwargs = {name: {"create_kwargs": {TASK: task.id}} for name in names}
        extra: Json = {"index": index, "split": split, VERL_ENVIRONMENT: environment}
        if names:
            extra |= {"need_tools_kwargs": True, "tools_kwargs": kwargs, "tool_selection": names}
        made.append(
            {
                "data_source": f"verigym/{peer.spec.name}",
                "agent_name": "tool_agent" if names else "single_turn_agent",
                "prompt": peer.messages(task),
                "ability": peer.spec.name,
                "reward_model": {"style": "rule", "ground_truth": task.id},
                "extra_info": extra,
            }
        )
    return made


def write_rows(trainer: str, environments: list[str], folder: Path) -> list[Path]:
    """Writes the tasks of an environment as the files that a trainer reads. Returns the files. A file with other content is not
    overwritten."""
    [environment] = environments
    peer = shared(environment)
    if folder.exists() and not folder.is_dir():
        raise BadInput(f"{folder} is a file. Name a folder with --rows")
    files: dict[str, bytes] = {}
    if trainer == "verl" and peer.spec.has_tools:
        files["tools.yaml"] = yaml.safe_dump(verl_tools(peer, environment), sort_keys=False).encode()
    if trainer == "openrlhf":
        lines = [
            "from verigym.bridges.openrlhf import agent_executor",
            "",
            f"AgentExecutor = agent_executor({environment!r})",
        ]
        files["agent.py"] = "\n".join([*lines, ""]).encode()
    for split in ("train", "val"):
        if trainer == "verl":
            files[f"{split}.parquet"] = _parquet(verl_rows(peer, environment, split))
        else:
            made = openrlhf_rows(peer, split) if trainer == "openrlhf" else peer.run(_nemogym(peer, split))
            files[f"{split}.jsonl"] = b"".join(msgspec.json.encode(row) + b"\n" for row in made)
    write_new({folder / name: body for name, body in files.items()})
    return [folder / name for name in files]


async def _nemogym(peer: PeerEnvironment, split: str) -> list[Json]:
    return [row async for row in nemogym_rows(peer.spec, [task for task in peer.tasks if task.split == split])]


def _parquet(rows: list[Json]) -> bytes:
    try:
        import pyarrow as arrow
        import pyarrow.parquet as parquet
    except ModuleNotFoundError as error:
        raise BadInput(f"Rows for verl are parquet files. Run: {install_command('parquet')}") from error
    out = arrow.BufferOutputStream()
    parquet.write_table(arrow.Table.from_pylist(rows), out)
    return out.getvalue().to_pybytes()
