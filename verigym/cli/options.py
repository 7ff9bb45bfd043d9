"""Options that several commands share, so that they are spelt and explained once."""

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from verigym.core.errors import BadInput, not_found

Home = Annotated[Path | None, typer.Option("--home", help="Folder of the workspace; default VERIGYM_HOME or .verigym")]
Model = Annotated[
    str,
    typer.Option(
        "--model",
        "-m",
        help="A version (id, name, champion, latest), smollm2-135m, a hub id, a folder, or URL#MODEL of a server",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON")]
Environment = Annotated[
    str,
    typer.Argument(
        help="An environment by name, a Python file, or a file of tasks (q.jsonl, or train.csv,val.parquet); ENV+FILE adds the "
        "tasks of a file"
    ),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Set rows of a task file that are wrong aside in FILE.bad.jsonl, and go on")
]
Seed = Annotated[int, typer.Option("--seed", help="Of tasks drawn and tokens sampled")]
Name = Annotated[
    str, typer.Option("--name", help="Name of the run; default: by its content, so that the same command resumes")
]
Concurrency = Annotated[int, typer.Option("--concurrency", min=1, help="Episodes at once")]
Tasks = Annotated[int | None, typer.Option("-n", min=1, help="Tasks, spread over families; default all")]
Repeats = Annotated[int, typer.Option("-k", min=1, help="Episodes of each task")]
Temperature = Annotated[float, typer.Option("--temperature", min=0, max=10, help="0 is greedy")]
MaxTokens = Annotated[int, typer.Option("--max-tokens", min=1, max=1_000_000, help="Of one reply")]
Limit = Annotated[
    list[str],
    typer.Option(
        "--limit",
        help="Of one episode, NAME=NUMBER: seconds, turns, tokens (sampled) or cost (dollars); may be repeated",
    ),
]
Price = Annotated[
    str,
    typer.Option("--price", help="Dollars for a million tokens, PROMPT,COMPLETION: 0.15,0.60; for cost and its limit"),
]
Verifier = Annotated[
    str,
    typer.Option(
        "--verifier", help="One of the environment's verifiers; of a file: exact_match, numeric, choice, by_data"
    ),
]
User = Annotated[
    str, typer.Option("--user", help="Model that plays the user, as for -m; for environments with a persona")
]
Constrain = Annotated[
    str,
    typer.Option(
        "--constrain",
        help="Hold replies of a local model to: tools (every call is one of the offered tools, with arguments of its schema), "
        "or a file with a JSON schema (the reply is such a value). It is part of the version",
    ),
]
Judge = Annotated[
    str, typer.Option("--judge", help="Model that judges, as for -m, or a reward model for verifiers that compare")
]
RequireSandbox = Annotated[
    bool, typer.Option("--require-sandbox", help="Refuse to run code where it cannot be isolated")
]


def workspace(home: Path | None) -> Any:
    from verigym.workspace.workspace import WorkspaceFolder

    return WorkspaceFolder(home)


def run_settings(
    ws: Any,
    *,
    limit: Sequence[str],
    price: str,
    user: str,
    judge: str,
    require_sandbox: bool,
    **plain: Any,
) -> Any:
    """The options that say what episodes run under, as `RunSettings`."""
    from verigym.rollout.settings import RunSettings

    roles = {role: ws.agent(name) if name else None for role, name in (("user", user), ("judge", judge))}
    if any(text.startswith("cost=") for text in limit) and not price:
        raise BadInput("--limit cost needs to know what tokens cost: --price PROMPT,COMPLETION, dollars for a million")
    return RunSettings(
        limits=_limits(limit), prices=prices_of(price), require_sandbox=require_sandbox, **roles, **plain
    )


def _limits(given: Sequence[str]) -> Any:
    import msgspec

    from verigym.rollout.settings import EpisodeLimits

    pairs: dict[str, str] = {}
    for text in given:
        name, _, number = text.partition("=")
        pairs[name] = number
    unknown = set(pairs) - set(EpisodeLimits.__struct_fields__)
    if unknown:
        raise not_found("limit", min(unknown), EpisodeLimits.__struct_fields__, "Write --limit NAME=NUMBER.")
    try:
        found = msgspec.convert(pairs, EpisodeLimits, strict=False)
    except msgspec.ValidationError as error:
        whole = " (turns and tokens are whole numbers)"
        raise BadInput(
            f"--limit {' '.join(given)}: write --limit NAME=NUMBER, such as --limit turns=4{whole}"
        ) from error
    wrong = [name for name, value in pairs.items() if not float(value) > 0]
    if wrong:
        raise BadInput(f"--limit {wrong[0]}={pairs[wrong[0]]}: a limit is a number above 0")
    return found


def prices_of(given: str) -> Any:
    from verigym.rollout.settings import Prices

    if not given:
        return Prices()
    try:
        prompt, completion = (float(part) for part in given.split(","))
    except ValueError as error:
        raise BadInput(
            f'--price "{given}": write two numbers, dollars for a million tokens in and out: 0.15,0.60'
        ) from error
    if not (0 <= prompt < float("inf") and 0 <= completion < float("inf")):
        raise BadInput(f'--price "{given}": a price is a number from 0 on')
    return Prices(prompt, completion)


def agent_of(ws: Any, model: str, constrain: str) -> Any:
    """The version that -m names, held to `--constrain`."""
    import msgspec

    from verigym.registry.versions import version_id

    agent = ws.agent(model)
    if not constrain:
        return agent
    if agent.is_remote:
        raise BadInput("--constrain is for local models; a server has options of its own for it")
    if constrain != "tools":
        path = Path(constrain)
        if not path.is_file():
            raise BadInput(f"--constrain {constrain}: no such file; it takes tools, or a file with a JSON schema")
        try:
            constrain = msgspec.json.encode(msgspec.json.decode(path.read_bytes(), type=dict)).decode()
        except (msgspec.DecodeError, OSError) as error:
            raise BadInput(f"--constrain {path}: not a JSON schema: {error}") from error
    named = msgspec.structs.replace(agent, constraints=constrain, name=f"{agent.name}, constrained", parent=agent.id)
    return msgspec.structs.replace(named, id=version_id(named))
