"""Options that several commands share: each is declared and explained once."""

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_type_hints

import typer
from typer.core import TyperGroup

from verigym.cli import complete, show
from verigym.core.errors import BadInput, not_found

if TYPE_CHECKING:
    from verigym.cli.command_workspace import CommandWorkspace
    from verigym.core.records import Version
    from verigym.harness.environment import EnvironmentSpec
    from verigym.rollout.settings import EpisodeLimits, Prices, ProgramOptions, RunSettings

MODEL = "a version (id, name, champion, latest), smollm2-135m, a Hugging Face model id, a folder, a named server or URL#MODEL"

Home = Annotated[Path | None, typer.Option("--home", help="Workspace folder (default: VERIGYM_HOME, or .verigym)")]
Json = Annotated[bool, typer.Option("--json", help="Print JSON")]
DryRun = Annotated[bool, typer.Option("--dry-run", help="Show what would be deleted and delete nothing")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Delete without asking")]
Out = Annotated[Path | None, typer.Option("--out", "-o", help="Output file")]
FORMATS = "trl, verl, openrlhf, nemo-rl, openai, parquet or hf"
Plain = Annotated[
    bool,
    typer.Option(
        "--plain",
        help="Write tools into the system prompt and calls as text, for trainers that pass no tools to the chat template",
    ),
]
AllowHeldOut = Annotated[
    bool,
    typer.Option(
        "--allow-held-out", help="Also export held-out tasks. A model that is trained on them cannot be measured"
    ),
]
Environment = Annotated[
    str,
    typer.Argument(
        metavar="ENV",
        help="Environment: a name, a Python file (code that runs as you), a task file (q.jsonl), "
        "or a training and a held-out task file "
        "(train.csv,val.parquet), or an environment of another project (bfcl:simple_python, listed by verigym bridges). "
        "ENV+FILE adds the tasks of a file. ENV?tags=easy keeps only the tasks with this tag. "
        "ENV?train=NAME uses the training tasks of the set NAME",
        autocompletion=complete.environments,
    ),
]
Model = Annotated[str, typer.Option("--model", "-m", help=f"Model to run: {MODEL}", autocompletion=complete.models)]
Run = Annotated[
    str, typer.Argument(metavar="RUN", help="Run: id, unique prefix of an id, or latest", autocompletion=complete.runs)
]
KnownVersion = Annotated[
    str,
    typer.Argument(metavar="VERSION", help="Version: id, name, champion or latest", autocompletion=complete.versions),
]
SkipBad = Annotated[
    bool, typer.Option("--skip-bad", help="Write invalid rows of a task file to FILE.bad.jsonl and continue")
]
Seed = Annotated[int, typer.Option("--seed", help="Random seed for sampling, and for the choice of -n training tasks")]
EvalSeed = Annotated[int, typer.Option("--seed", help="Random seed for sampling. Held-out tasks do not depend on it")]
Name = Annotated[
    str, typer.Option("--name", help="Name of the run (default: derived from its content, so repeating resumes it)")
]
Concurrency = Annotated[
    int, typer.Option("--concurrency", min=1, help="Maximum episodes at once. With --agent, 32 if you do not set it")
]
NumTasks = Annotated[
    int | None, typer.Option("--num", "-n", min=1, help="Number of tasks, spread over families (default: all)")
]
Repeats = Annotated[int, typer.Option("-k", min=1, help="Episodes per task")]
Temperature = Annotated[float, typer.Option("--temperature", min=0, max=10, help="Sampling temperature (0: greedy)")]
EvalTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens",
        min=1,
        max=1_000_000,
        help="Maximum tokens per reply (default: 64, or 4096 for a model that reasons)",
    ),
]
RolloutTokens = Annotated[
    int | None,
    typer.Option(
        "--max-tokens",
        min=1,
        max=1_000_000,
        help="Maximum tokens per reply (default: 256, or 4096 for a model that reasons)",
    ),
]
Limit = Annotated[
    list[str],
    typer.Option(
        "--limit",
        metavar="NAME=NUMBER",
        help="Limit per episode: seconds, turns, tokens (sampled) or cost (dollars). reasoning_tokens limits the reasoning in "
        "each reply. Repeatable",
    ),
]
Price = Annotated[
    str,
    typer.Option(
        "--price",
        metavar="PROMPT,COMPLETION",
        help="Dollars per million prompt and completion tokens, such as 0.15,0.60. Enables cost figures",
    ),
]
Verifier = Annotated[
    str,
    typer.Option(
        "--verifier",
        help="Verifier of the environment to use. For a task file: exact_match, numeric, choice or by_data",
    ),
]
User = Annotated[
    str,
    typer.Option(
        "--user",
        help="Model that plays the user in environments with a persona (same values as -m)",
        autocompletion=complete.models,
    ),
]
Weights = Annotated[
    Literal["int16", "int8"] | None,
    typer.Option(
        "--weights",
        help="Sample with weights rounded to integers, on a CPU: up to 1.6 times as fast. "
        "Probabilities differ by 0.2% (int16) or 5.5% (int8)",
    ),
]
Constrain = Annotated[
    str,
    typer.Option(
        "--constrain",
        help="Constrain the replies of a local model: tools (only valid calls of the offered tools), copy (as tools, "
        "and an argument is copied from the request if every training task copies it), copy:name,file (these arguments), or a "
        "JSON schema file. Makes a new version with this constraint",
    ),
]
Judge = Annotated[
    str,
    typer.Option(
        "--judge",
        help="Model that judges (same values as -m), or a reward model for verifiers that compare replies",
        autocompletion=complete.models,
    ),
]
AgentProgram = Annotated[
    str,
    typer.Option(
        "--agent",
        metavar="COMMAND",
        help="External agent that drives the episodes: a command, such as 'codex exec {prompt}', or module:function. "
        "It runs as you, one process per episode, and reaches the model at the address of its episode",
    ),
]
AgentVariable = Annotated[
    list[str] | None,
    typer.Option(
        "--agent-env",
        metavar="NAME",
        help="Environment variable that the agent gets too. It gets none of yours otherwise. Repeatable",
    ),
]
AgentSandbox = Annotated[
    bool,
    typer.Option("--agent-sandbox", help="Run the agent in the sandbox: no files of yours, only its episode's address"),
]
AgentNetwork = Annotated[
    bool,
    typer.Option("--agent-network", help="Give the agent in the sandbox the whole network. Containers need it"),
]
AgentRead = Annotated[
    list[Path] | None,
    typer.Option(
        "--agent-read", metavar="PATH", help="File or folder that the agent in the sandbox can read. Repeatable"
    ),
]
RequireSandbox = Annotated[bool, typer.Option("--require-sandbox", help="Refuse to run code if it cannot be isolated")]


def _named_cluster(context: typer.Context, value: str) -> str:
    """Refuses an empty value, such as that of a variable that is not set: the command would run on this machine only."""
    source = context.get_parameter_source("cluster")
    if not value.strip() and source is not None and source.name == "COMMANDLINE":
        raise typer.BadParameter("It is empty. Name a cluster file, addresses or auto, or leave out --cluster")
    return value


Cluster = Annotated[
    str,
    typer.Option(
        "--cluster",
        callback=_named_cluster,
        metavar="FILE|auto|ADDRESS",
        help="Use other processes and machines: a cluster file, addresses of engines (http://a:8000,http://b:8000), the address "
        "of a Ray cluster (HOST:PORT), or auto for all GPUs of this machine or of the Ray cluster in RAY_ADDRESS",
    ),
]
Rules = Annotated[
    Path | None,
    typer.Option("--rules", help="YAML file with extra redaction rules: a name and a regular expression each"),
]
FeedbackOption = Annotated[
    list[str] | None,
    typer.Option(
        "--feedback",
        metavar="RULE",
        help="Rule for a feedback field: 'rating>=4', or 'verdict=solved,fine/wrong' for the values that mean success and "
        "failure. Repeatable",
    ),
]


def env_option(help: str) -> Any:
    """`-e/--env`, with what the environment is for."""
    help += ". A Python file is code that runs as you"
    return typer.Option("--env", "-e", metavar="ENV", help=help, autocompletion=complete.environments)


def num_option(help: str, min: int = 1) -> Any:
    """`-n/--num`, with what is counted."""
    return typer.Option("--num", "-n", min=min, help=help)


def workspace(home: Path | None, *, create: bool = False, cluster: str = "") -> "CommandWorkspace":
    """The workspace of a command. Only a command that stores something may create it."""
    from verigym.cli.command_workspace import CommandWorkspace

    show.set_home(home)
    ws = CommandWorkspace(home, cluster)
    if ws.home.is_file():
        raise BadInput(f"{'VERIGYM_HOME' if home is None else '--home'} {ws.home} is a file. Name a folder")
    if cluster:
        _ = ws.folder  # a cluster file may name the store
    if not create:
        ws.check_exists()
    return ws


class WholeSummaries(TyperGroup):
    """Lists commands with the whole first sentence of their help, not with its first words."""

    def format_commands(self, ctx: Any, formatter: Any) -> None:
        commands = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        with formatter.section("Commands"):
            formatter.write_dl([(name, command.get_short_help_str(200)) for name, command in commands if command])


def group(name: str, help: str, list_items: Callable[[bool, Path | None], None] | None = None) -> typer.Typer:
    """A command with subcommands. Without a subcommand it lists its items, or prints its help if it has none to list.

    `list` does the same. Its help is the docstring of `list_items`. A group may replace it by a `list` with more options."""
    app = typer.Typer(
        name=name,
        cls=WholeSummaries,
        help=help,
        no_args_is_help=list_items is None,
        invoke_without_command=list_items is not None,
        rich_markup_mode=None,
    )
    if list_items is not None:

        def bare(context: typer.Context, json: Json = False, home: Home = None) -> None:
            if context.invoked_subcommand is None:
                list_items(json, home)

        def list_command(json: Json = False, home: Home = None) -> None:
            list_items(json, home)

        app.callback(help=help)(bare)
        app.command("list", help=inspect.getdoc(list_items))(list_command)
    return app


@dataclass(frozen=True)
class RunOptions:
    """The options that `rollout` and `eval` share; `with_run_options` declares them on a command."""

    model: Model
    num: NumTasks = None
    k: Repeats = 1
    temperature: Temperature = 0.0
    max_tokens: EvalTokens = None
    weights: Weights = None
    seed: Seed = 0
    name: Name = ""
    concurrency: Concurrency = 512
    verifier: Verifier = ""
    limit: Limit = ()  # type: ignore[assignment]
    price: Price = ""
    user: User = ""
    judge: Judge = ""
    constrain: Constrain = ""
    agent: AgentProgram = ""
    agent_env: AgentVariable = None
    agent_sandbox: AgentSandbox = False
    agent_network: AgentNetwork = False
    agent_read: AgentRead = None
    require_sandbox: RequireSandbox = False
    skip_bad: SkipBad = False
    cluster: Cluster = ""
    json: Json = False
    home: Home = None

    def settings(self, ws: "CommandWorkspace", agent: "Version", usual_tokens: int = 64) -> "RunSettings":
        """The settings that episodes run under."""
        from verigym.core.records import Sampling
        from verigym.rollout.settings import RunSettings
        from verigym.workspace.measure import max_tokens_for

        most = self.max_tokens or max_tokens_for(agent, usual_tokens)
        if any(text.startswith("cost=") for text in self.limit) and not self.price:
            raise BadInput(
                "--limit cost needs token prices. Add --price PROMPT,COMPLETION in dollars per million tokens"
            )
        return RunSettings(
            k=self.k,
            sampling=Sampling(temperature=self.temperature, max_tokens=most, weights=self.weights or ""),
            seed=self.seed,
            concurrency=self.concurrency,
            limits=_limits(self.limit),
            prices=prices_of(self.price),
            user=ws.agent(self.user) if self.user else None,
            judge=ws.agent(self.judge) if self.judge else None,
            require_sandbox=self.require_sandbox,
            program=self._program(),
        )

    def _program(self) -> "ProgramOptions":
        from verigym.rollout.settings import ProgramOptions

        if (self.agent_network or self.agent_read) and not self.agent_sandbox:
            raise BadInput("--agent-network and --agent-read are for an agent in the sandbox. Add --agent-sandbox")
        for path in self.agent_read or ():
            if not path.exists():
                raise BadInput(f"--agent-read {path} does not exist. Name a file or a folder")
        return ProgramOptions(
            variables=tuple(self.agent_env or ()),
            sandbox=self.agent_sandbox,
            network=self.agent_network,
            readable=tuple(str(path.absolute()) for path in self.agent_read or ()),
        )


def with_run_options(
    annotations: Mapping[str, Any] = {}, /, **defaults: Any
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """Declares the fields of `RunOptions` on a command that takes them as its parameter `options`."""

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        hints = {**get_type_hints(RunOptions, include_extras=True), **annotations}
        shared = [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if field.name == "model" else defaults.get(field.name, field.default),
                annotation=hints[field.name],
            )
            for field in fields(RunOptions)
        ]
        own = [
            parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY)
            for parameter in inspect.signature(command).parameters.values()
            if parameter.name != "options"
        ]

        @functools.wraps(command)
        def wrapper(**given: Any) -> None:
            options = RunOptions(**{field.name: given.pop(field.name) for field in fields(RunOptions)})
            command(options=options, **given)

        wrapper.__signature__ = inspect.Signature([*own, *shared])  # type: ignore[attr-defined]
        wrapper.__annotations__ = {parameter.name: parameter.annotation for parameter in [*own, *shared]}
        del wrapper.__wrapped__  # type: ignore[attr-defined]
        return wrapper

    return decorate


def _limits(given: Sequence[str]) -> "EpisodeLimits":
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
        limits = msgspec.convert(pairs, EpisodeLimits, strict=False)
    except msgspec.ValidationError as error:
        raise BadInput(
            f"--limit {' '.join(given)} is not NAME=NUMBER, such as --limit turns=4. Turns and tokens are whole numbers"
        ) from error
    wrong = [name for name, value in pairs.items() if not float(value) > 0]
    if wrong:
        raise BadInput(f"--limit {wrong[0]}={pairs[wrong[0]]}: a limit must be greater than 0")
    return limits


def prices_of(given: str) -> "Prices":
    from verigym.rollout.settings import Prices

    if not given:
        return Prices()
    try:
        prompt, completion = (float(part) for part in given.split(","))
    except ValueError as error:
        raise BadInput(
            f'--price "{given}" is not two numbers. Write dollars per million prompt and completion tokens: 0.15,0.60'
        ) from error
    if not (0 <= prompt < float("inf") and 0 <= completion < float("inf")):
        raise BadInput(f'--price "{given}": a price must be 0 or more')
    return Prices(prompt, completion)


def constraints_of(given: str, environment: "EnvironmentSpec | None" = None) -> str | dict[str, object]:
    """The constraint that `--constrain` names: tools, copied arguments, or the JSON schema in a file."""
    import msgspec

    if given in ("", "tools") or given.startswith("copy:"):
        return given
    if given == "copy" and environment is not None:
        from verigym.evaluation.shift import copied_arguments

        return f"copy:{','.join(copied_arguments(environment))}"
    if given == "copy":
        raise BadInput("--constrain copy needs names of arguments here. Write them: --constrain copy:name,company")
    path = Path(given)
    if not path.is_file():
        raise BadInput(f"--constrain: the file {given} does not exist. Write tools, copy or the path of a JSON schema")
    try:
        return msgspec.json.decode(path.read_bytes(), type=dict)
    except (msgspec.DecodeError, OSError) as error:
        raise BadInput(f"--constrain {path} is not a JSON schema: {error}") from error
