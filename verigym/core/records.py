"""The records of the ring, in the order in which they are made.

Every record is a frozen struct that nothing edits. A stage takes records and makes new ones. `codec` writes them as bytes."""

import enum
import hashlib
from typing import Any, Literal

import msgspec
from msgspec import Struct

from verigym.core.items import FunctionCall, Item, Message
from verigym.core.items import FunctionCallOutput as FunctionCallOutput
from verigym.core.items import Image as Image
from verigym.core.items import InputText as InputText
from verigym.core.items import OutputText as OutputText
from verigym.core.items import Reasoning as Reasoning
from verigym.core.items import ReasoningText as ReasoningText
from verigym.core.items import Refusal as Refusal
from verigym.core.items import SummaryText as SummaryText
from verigym.core.look import Look
from verigym.core.printable import Printable

Json = dict[str, Any]
Weights = Literal["", "int16", "int8"]


class Fault(enum.StrEnum):
    """Whose fault a failure was. Only the model's own failures are scored and trained on."""

    MODEL = "model"
    ENVIRONMENT = "environment"
    VERIFIER = "verifier"
    INFRASTRUCTURE = "infrastructure"


class Stop(enum.StrEnum):
    """Why an episode ended."""

    DONE = "done"
    """The model finished, the user has nothing more to say, or the environment ended the task."""
    MAX_TURNS = "max_turns"
    MAX_TOKENS = "max_tokens"
    """The last reply was cut off by the token limit per reply."""
    CONTEXT_FULL = "context_full"
    """The prompt no longer fits the model's context window."""
    TOKENS_SPENT = "tokens_spent"
    """The episode reached its limit of sampled tokens."""
    COST_SPENT = "cost_spent"
    """The episode reached its limit of US dollars."""
    TIME_OUT = "time_out"
    TOOL_TIME_OUT = "tool_time_out"
    """One call took longer than its tool allows."""
    MAX_CALLS = "max_calls"
    """One tool was called more often than allowed."""
    ERROR = "error"
    """See `Trajectory.error`."""


class Task(Printable, Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing to do, with everything the environment and the verifier need to know about it."""

    id: str
    prompt: "str | list[Item]"
    data: Json = {}
    """What the environment and the verifier need: expected call, starting state, answer."""
    split: str = "train"
    """`train` is used for training. Every other split is held out."""
    family: str = ""
    """Tasks from the same seed, template or failure share a family. A family is never in two splits."""
    tags: list[str] = []
    lineage: list[str] = []
    """Where the task came from: a generator and its seed, a file and line, a trajectory."""
    difficulty: str = ""  # such as `hard`, for `verigym eval --by difficulty`


class ToolSpec(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool as the model sees it."""

    name: str
    description: str = ""
    parameters: Json = {}
    """JSON schema of the arguments object."""
    own: bool = False
    """Whether the description is the agent's own. It is then shown even if the prompt format gives a tool only one line."""
    recorded_as: str = ""
    """The name in records of a tool that training showed with another one (`tools.rename`). Empty if both are `name`."""


class Toolset(Struct, frozen=True):
    """The tools that one agent was offered. A trajectory refers to them by hash."""

    tools: list[ToolSpec]
    hash: str


class Sampling(Struct, frozen=True, kw_only=True, omit_defaults=True):
    temperature: float = 1.0
    """0 means greedy decoding."""
    top_p: float = 1.0
    """Sample only from the most likely tokens whose probabilities add up to this. 1 means all."""
    top_k: int = 0
    """Sample only from this many of the most likely tokens. 0 means all."""
    min_p: float = 0.0
    """Sample only tokens whose probability is at least this share of the most likely token's."""
    max_tokens: int = 256
    stop: list[str] = []
    constrain: str = ""
    """`tools`: a call fits an offered tool and its schema. `copy:name,file`: also, arguments of these names are copied from what
    users and tools said. A JSON schema: the reply is such a value. Empty: unconstrained."""
    reasoning_tokens: int = 0
    """Maximum tokens of reasoning in a reply. Reasoning ends there, and the answer follows. 0: limited by `max_tokens` only."""
    weights: Weights = ""
    """The engine in this process rounds weights to such integers, on a CPU. Empty: it does not."""


class Usage(Struct, frozen=True, omit_defaults=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Turn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One model call by one actor. Example with ids: context `[1 2 3]`, completion `[4 5]`; the next turn's context
    gains `[6]` (a tool result), completion `[7]`: ids `1 2 3 4 5 6 7`, trained mask `0 0 0 1 1 0 1`."""

    actor: str = "policy"
    """`policy`, `user`, `judge`, or an agent's name. Only turns of the policy are trained on."""
    tools: str = ""
    """Hash of the tools that this turn was offered, if they differ from those of the trajectory (a sub-agent's own tools)."""
    parent: int | None = None
    """Index of the turn whose context this one extends. None for a root."""
    saw: list[tuple[int, int]] = []
    """The items in its context, as half-open ranges: `[[0, 3], [5, 6]]` is items 0, 1, 2 and 5."""
    made: list[int] = []
    """Indices of the items it made."""
    context_ids: list[int] = []
    """Token ids that its context gained since the parent's completion. For a root, the whole context."""
    completion_ids: list[int] = []
    logprobs: list[float] = []
    """Log probability of each completion token at the sampling temperature, before truncation."""
    restricted: list[float] = []
    """The same after truncation (top_p, top_k, min_p) or constraint. Empty if neither was used."""
    forced: list[tuple[int, int]] = []
    """Half-open ranges of `completion_ids` that were not sampled: the end of reasoning at its limit. They are not trained on."""
    rewritten: bool = False
    """Whether this turn is a root because the chat template now renders earlier turns differently (it dropped thinking)."""
    sampling: Sampling = Sampling()
    agent: str = ""
    """The agent version that replied."""
    usage: Usage = Usage()
    latency_s: float = 0.0
    finish: Literal["stop", "length", "tool_calls", "context_full", "error"] = "stop"


class Mark(Struct, frozen=True, omit_defaults=True):
    """An event that the harness recorded: `format_error`, `unknown_tool`, `bad_arguments`, `executed`, `unsafe`, ..."""

    kind: str
    item: int | None = None
    """Index of the item that the mark refers to."""
    detail: str = ""


class Failure(Struct, frozen=True):
    fault: Fault
    kind: str
    """Name of the exception or the limit."""
    message: str


class Trajectory(Printable, Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One complete episode. It holds everything that a verifier needs, so a stored run can be rescored."""

    id: str
    task: str
    """Task id."""
    group: str
    """Shared by episodes of one task in one run, which are compared with each other."""
    index: int = 0
    """Index of the episode in its group."""
    items: list[Item] = []
    """Append-only log."""
    tools: str = ""
    """Hash of the tools that were offered."""
    turns: list[Turn] = []
    marks: list[Mark] = []
    rewards: list[float] = []
    """Reward per reply of the policy: from `step` of a reset/step environment, or from `step_reward` of one with tools."""
    states: list[str] = []
    """Hash of the environment's state before each reply of the policy. Recorded only if training compares equal states."""
    end_state: Json = {}
    blobs: dict[str, str] = {}
    """Name to sha256, for parts of the end state that are bytes or too large for JSON. Read one with `context.blob`."""
    outcome: str = ""
    """The outcome in production, if known."""
    interventions: list[str] = []
    """What people did during the episode."""
    stop: Stop = Stop.DONE
    error: Failure | None = None
    seed: int = 0
    seconds: float = 0.0
    cost: float = 0.0
    """US dollars."""
    gaps: list[str] = []
    """What could not be observed."""
    source: str = ""
    """Where a production trace came from: a file and line, or the gateway."""
    redacted: str = ""
    """name@version of the rules that removed secrets and personal data before the trace was stored."""

    @property
    def scorable(self) -> bool:
        """Whether the episode says something about the model: it ended normally, or failed by the model's own fault."""
        return self.error is None or self.error.fault is Fault.MODEL

    @property
    def reply(self) -> str:
        """Text of the policy's last message. Empty if it wrote none."""
        others = self._of_others()
        for index in range(len(self.items) - 1, -1, -1):
            item = self.items[index]
            if isinstance(item, Message) and item.role == "assistant" and index not in others:
                return item.text
        return ""

    @property
    def calls(self) -> list[FunctionCall]:
        """The policy's tool calls."""
        others = self._of_others()
        return [item for i, item in enumerate(self.items) if isinstance(item, FunctionCall) and i not in others]

    def _of_others(self) -> set[int]:
        """Indices of the items that other actors made: a judge, a title call, an agent that is not trained."""
        return {index for turn in self.turns if turn.actor != "policy" for index in turn.made}

    def marked(self, kind: str) -> bool:
        return any(mark.kind == kind for mark in self.marks)


class Feedback(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Feedback on a production trace. It is stored beside the trajectory, which does not change."""

    trajectory: str
    outcome: Literal["success", "failure", ""] = ""
    """Empty if unknown. Unknown never counts as a failure."""
    correction: list[Item] = []
    """What the agent should have said or called instead."""
    intervention: str = ""
    """What a person had to do: took over, retried, escalated."""
    note: str = ""
    who: str = ""
    when: str = ""
    """UTC, ISO 8601."""


class Verdict(Printable, Struct, frozen=True, kw_only=True, omit_defaults=True):
    trajectory: str = ""
    verifier: str = ""
    """name@version. Filled in for you if you write a plain `verify` function."""
    reward: float | None
    """None if the verifier itself failed."""
    passed: bool = False
    parts: dict[str, float] = {}
    """Named parts of the reward, and rates worth counting."""
    unsafe: bool = False
    evidence: str = ""
    """A diff, or a reason in plain text."""
    error: Failure | None = None


class Sample(Struct, frozen=True, kw_only=True):
    """One path of the policy's turns from root to leaf. `ids = prompt + reply + tool result + reply`, mask `0 1 0 1`."""

    ids: list[int]
    mask: list[int]
    """1 if the policy sampled the token or, in a demonstration, should have."""
    logprobs: list[float]
    """Log probabilities from the sampler, 0 where the mask is 0. Empty for a demonstration."""
    advantage: float = 1.0
    advantages: list[float] = []
    """Advantage per scored token, if turns of one episode differ. Otherwise `advantage` applies to all."""
    trajectory: str = ""


class Example(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A conversation to imitate, from a person, a stronger policy, or the policy's own passing episodes."""

    task: str
    family: str = ""
    items: list[Item]
    made: list[tuple[int, int]]
    """The replies to imitate, as half-open ranges of the items: `[[1, 2], [3, 5]]` is two replies."""
    tools: list[ToolSpec] = []
    source: str = ""
    """The trajectory, or the file and line, that it came from."""
    good: bool | None = None
    """A thumb: True for up, False for down. None for a demonstration, which nobody rated."""


class Preference(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Two replies to one prompt, one preferred over the other."""

    task: str
    family: str = ""
    prompt: list[Item]
    chosen: list[Item]
    """What followed the prompt: one reply, or several with tool results between them."""
    rejected: list[Item]
    tools: list[ToolSpec] = []
    margin: float = 0.0
    """How much better the chosen reply was, if rewards say so."""
    source: str = ""


class Dataset(Printable, Struct, frozen=True, kw_only=True):
    """Examples or preferences, stored as one JSONL file. The id is the hash of that file. Thumbs are examples that are rated."""

    id: str
    kind: Literal["demonstrations", "preferences", "thumbs"]
    name: str
    environment: str
    source: str
    """How it was made, in plain text."""
    rows: int
    tasks: int
    families: list[str]
    counts: dict[str, int]
    """How many rows were read, kept, and dropped for each reason."""


class Suite(Struct, frozen=True, kw_only=True):
    """A frozen list of held-out tasks with the verifier that scores them."""

    name: str
    environment: str
    tasks: list[str]
    families: list[str]
    verifier: str
    hash: str
    """Hash of the tasks' content and the verifier's version."""


class Estimate(Struct, frozen=True):
    """A value with its 95% interval."""

    value: float
    low: float
    high: float
    n: int


class TaskResult(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The result on one task: means over its repeats."""

    task: str
    family: str
    tags: list[str] = []
    repeats: int = 1
    passed: float = 0.0
    reward: float = 0.0
    rates: dict[str, float] = {}
    """Rates such as valid, tool, arguments, executed, unsafe: what the verifier names in `parts`, and the marks."""
    bucket: str = ""
    """Failure bucket of its first failed trajectory. Empty if all passed."""
    trajectory: str = ""
    """The trajectory to look at: the first that failed, or the first if none failed."""
    passing: str = ""
    """The first that passed, if `trajectory` failed."""
    latency_s: float = 0.0
    tokens: float = 0.0
    """Tokens the agent sampled. 0 together with `prompt_tokens` in reports of older versions, which did not count them."""
    prompt_tokens: float = 0.0
    cost: float = 0.0
    """US dollars. 0 if no prices were given."""
    error: bool = False
    """Whether no repeat could be scored, because infrastructure, environment or verifier failed."""


class Report(Printable, Struct, frozen=True, kw_only=True):
    """The measurement of an agent version on a suite."""

    id: str
    run: str
    agent: str
    suite: Suite
    metrics: dict[str, Estimate]
    results: list[TaskResult]
    buckets: dict[str, int]
    errors: int = 0
    """Episodes that could not be scored. They enter no metric."""
    reasons: dict[str, int] = {}
    """Why they could not be scored, the most frequent reasons first, at most five."""
    seed: int = 0
    repeats: int = 1


class Cluster(Struct, frozen=True, kw_only=True):
    """Failures of one bucket with the same symptom."""

    symptom: str
    """What the failures have in common, without numbers, quoted values and ids."""
    count: int
    example: str
    """The evidence of the first failure."""
    trajectories: list[str]
    """The first few trajectories."""
    by: str = "rules"
    """Who decided: the rules, the environment's own rule, or a judge."""


class Finding(Printable, Struct, frozen=True, kw_only=True):
    """A failure bucket with its evidence."""

    bucket: str
    count: int
    share: float
    """Share of all scored episodes."""
    meaning: str
    evidence: list[str]
    """A few reasons in plain text, the most frequent first."""
    trajectories: list[str]
    clusters: list[Cluster] = []
    """Clusters by symptom, the largest first."""


class Advice(Struct, frozen=True, kw_only=True):
    """Something to try or to avoid, with its reasons."""

    fix: str
    reasons: list[str]
    figures: dict[str, float]
    command: str
    """The command to type next. Empty if none applies."""
    advised: bool = True
    """False if it was considered and rejected. The reasons say why."""
    estimate: dict[str, float] = {}
    """Estimated cost: rollouts, tokens, hours on the measured device, and dollars if a price is known."""


class Label(Struct, frozen=True, kw_only=True):
    """A person's judgement of one output, or of one output against another."""

    trajectory: str
    judgement: Literal["good", "bad", "better", "worse", "same", "skip"]
    other: str = ""
    """The trajectory it was compared with."""
    who: str = ""
    note: str = ""


class Case(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An output that a verifier once judged wrongly, with the right verdict. It is a regression test of the verifier."""

    should: Literal["pass", "fail"]
    note: str = ""
    """Why, in plain text."""
    who: str = ""
    verifier: str = ""
    """The verifier's name without its version. Empty for the environment's first."""
    task: Task
    trajectory: Trajectory
    blobs: dict[str, bytes] = {}
    """Blobs by sha256 that the verifier needs besides the record."""


class Harness(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Settings of the loop around the model. They belong to the agent, because they change what it can do."""

    turns: int = 0
    """Maximum replies in an episode. 0 uses the environment's `max_turns`."""
    compact_at: int = 0
    """Summarize the conversation when the next prompt has more tokens than this, and continue from the summary. 0: never."""
    format_retries: int = 0
    """How often in an episode a malformed tool call is answered with an explanation instead of ending the episode."""


class Version(Printable, Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An agent, which is more than weights: a changed prompt makes a new version, just as a trained adapter does.
    The id is the hash of everything that affects behaviour. Provenance is stored beside it."""

    base: str
    """Base model: a Hugging Face model id, a path, `smollm2-135m`, or a server's address with the model's name there."""
    adapter: str = ""
    """sha256 of the adapter's weights. Empty without an adapter."""
    system_prompt: str | None = None
    """None uses the environment's system prompt."""
    tool_descriptions: dict[str, str] = {}
    """Tool name to the text that replaces its description."""
    constraints: str = ""
    """The constraint on its replies during sampling. See `Sampling.constrain`."""
    sampling: Sampling | None = None
    """None uses the caller's sampling."""
    tools: str = ""
    """sha256 of a tools file that the agent brings. Its tools are offered besides those of the environment."""
    examples: list[list[Item]] = []
    """Conversations that are shown before the task, as earlier messages."""
    skills: dict[str, str] = {}
    """Name to text of instructions that the agent can read when it needs them."""
    harness: Harness | None = None
    """None uses the environment's settings."""
    program: str = ""
    """The external agent that drives the episode: a command, or `module:function`. Empty for Verigym's own loop."""
    quantized: Literal["", "nf4"] = ""
    """How linear layers and experts of the base model are stored: nf4 for 4 bits. Empty for the precision of the base model."""
    full: bool = False
    """Whether `adapter` names a whole model, all of whose parameters were trained, instead of an adapter."""
    id: str = ""
    name: str = ""
    parent: str = ""
    recipe: Json = {}
    data_hash: str = ""
    families: list[str] = []
    """Families it was trained on, so that no gate compares it on them."""
    chosen_on: list[str] = []
    """Held-out families on which it was chosen among the checkpoints of its training run. The gate leaves them out."""
    adapter_config: str = ""
    """sha256 of the adapter's settings (rank, scale), a file beside its weights."""
    software: dict[str, str] = {}
    """Software versions it was made with: verigym, python, and torch and transformers if installed."""
    made: str = ""
    """When it was registered, in UTC, ISO 8601."""
    seal: str = ""
    """Hash of all fields above: damage to the provenance can be detected. Reports and decisions refer to the version."""

    @property
    def label(self) -> str:
        return self.name or self.id

    @property
    def weights(self) -> tuple[str, str, str]:
        """What its weights are: base, quantisation and adapter."""
        return self.base, self.quantized, self.adapter

    @property
    def is_remote(self) -> bool:
        return self.base.startswith(("http://", "https://"))


class Check(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One check of the gate."""

    name: str
    outcome: Literal["pass", "fail", "unclear", "skipped"]
    """skipped: nothing to check, or the policy does not require it. The words say which."""
    words: str
    figures: dict[str, float] = {}
    suite: str = ""
    """The suite whose tasks it used."""
    needed: int = 0
    """Number of tasks of that suite that would settle an unclear result."""
    needed_families: int = 0
    """Number of new families that would settle an unclear result."""
    margin: float = 0.0
    unit: str = ""
    """How much worse than the champion is tolerated, in `points` (0.05 is 5), `times` or `tasks`."""
    looks: list[Look] = []


class Measurement(Struct, frozen=True, kw_only=True):
    """The measurements behind a decision: one suite, measured for both versions."""

    suite: str
    hash: str
    verifier: str
    tasks: int
    repeats: int
    candidate: str
    """Report id."""
    champion: str
    """Report id."""


class Decision(Printable, Struct, frozen=True, kw_only=True, omit_defaults=True):
    candidate: str
    champion: str
    verdict: Literal["PROMOTE", "REJECT", "NEED MORE DATA"]
    checks: list[Check] = []
    words: str = ""
    kind: Literal["gate", "override", "rollback", "first"] = "gate"
    reports: list[str] = []
    """Reports of the candidate and the champion on the primary suite."""
    policy: Json = {}
    """The full gate policy and its hash. It must not change after the results are known."""
    policy_hash: str = ""
    measured: list[Measurement] = []
    who: str = ""
    when: str = ""
    why: str = ""
    seals: dict[str, str] = {}
    """Version id to seal, of the candidate and the champion. The ledger adds them, so that a seal cannot be removed later."""

    @property
    def promote(self) -> bool:
        """Whether the candidate may become the champion."""
        return self.verdict == "PROMOTE"


def content_hash(value: Any) -> str:
    """sha256 of a value's canonical JSON. Keys are sorted, so equal content has equal hashes."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()
