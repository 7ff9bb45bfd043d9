"""The records of the ring, in the order in which they are made.

Every record is a frozen struct: a stage takes records and makes new ones, nothing edits what it was given.
Only data lives here. How a record is written to bytes is `codec`; who may make one is the stage's own business.
"""

import enum
import hashlib
from typing import Any, Literal

import msgspec
from msgspec import Struct

Json = dict[str, Any]


class Fault(enum.StrEnum):
    """Whose fault a failure was. Only the model's own failures are scored and trained on."""

    MODEL = "model"
    ENVIRONMENT = "environment"
    VERIFIER = "verifier"
    INFRASTRUCTURE = "infrastructure"


class Stop(enum.StrEnum):
    """Why an episode ended."""

    DONE = "done"
    """The model finished, the user has nothing more to say, or the environment says that the task is over."""
    MAX_TURNS = "max_turns"
    MAX_TOKENS = "max_tokens"
    """The last reply was cut off by the token limit of one reply."""
    CONTEXT_FULL = "context_full"
    """The prompt no longer fits the model's window."""
    TOKENS_SPENT = "tokens_spent"
    """The episode's limit of sampled tokens."""
    COST_SPENT = "cost_spent"
    """The episode's limit of US dollars."""
    TIME_OUT = "time_out"
    TOOL_TIME_OUT = "tool_time_out"
    """One call took longer than its tool may."""
    MAX_CALLS = "max_calls"
    """One tool was called more often than it may be."""
    ERROR = "error"
    """See `Trajectory.error`."""


# -- Task ---------------------------------------------------------------------------------------------------------


class Task(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One thing to be done, with all that the environment and the verifier need to know about it."""

    id: str
    prompt: "str | list[Item]"
    data: Json = {}
    """What the environment and the verifier need: expected call, starting state, an answer."""
    split: str = "train"
    """`train` is trained on; every other split is held out."""
    family: str = ""
    """Tasks from one seed, one template or one failure share it. A family never crosses a split."""
    tags: list[str] = []
    lineage: list[str] = []
    """Where it came from: a generator and its seed, a file and line, a trajectory."""


# -- Items: the OpenAI Responses items, as the same JSON -----------------------------------------------------------


class InputText(Struct, frozen=True, tag="input_text"):
    text: str


class OutputText(Struct, frozen=True, tag="output_text"):
    text: str
    annotations: list[Any] = []


class Refusal(Struct, frozen=True, tag="refusal"):
    refusal: str


class Image(Struct, frozen=True, tag="input_image"):
    """An image is kept by hash and never trained on."""

    sha256: str


class Message(Struct, frozen=True, tag="message", omit_defaults=True):
    role: Literal["system", "developer", "user", "assistant"]
    content: str | list[InputText | OutputText | Refusal | Image]

    @property
    def text(self) -> str:
        """All text of the message; images and refusals left out."""
        if isinstance(self.content, str):
            return self.content
        return "".join(part.text for part in self.content if isinstance(part, InputText | OutputText))


class SummaryText(Struct, frozen=True, tag="summary_text"):
    text: str


class ReasoningText(Struct, frozen=True, tag="reasoning_text"):
    text: str


class Reasoning(Struct, frozen=True, tag="reasoning", omit_defaults=True):
    summary: list[SummaryText] = []
    content: list[ReasoningText] | None = None
    encrypted_content: str | None = None
    """Kept byte for byte."""


class FunctionCall(Struct, frozen=True, tag="function_call"):
    call_id: str
    name: str
    arguments: str
    """A JSON string, exactly as the model wrote it: a malformed call stays visible."""


class FunctionCallOutput(Struct, frozen=True, tag="function_call_output"):
    call_id: str
    output: str


Item = Message | Reasoning | FunctionCall | FunctionCallOutput


# -- Model calls ----------------------------------------------------------------------------------------------------


class ToolSpec(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A tool as the model is shown it."""

    name: str
    description: str = ""
    parameters: Json = {}
    """JSON schema of the arguments object."""
    own: bool = False
    """The description is the agent's own (`Version.tool_descriptions`): it is shown even where a tool takes one line."""


class Toolset(Struct, frozen=True):
    """The tools as one agent was offered them; a trajectory names them by their hash."""

    tools: list[ToolSpec]
    hash: str


class Sampling(Struct, frozen=True, kw_only=True, omit_defaults=True):
    temperature: float = 1.0
    """0 is greedy."""
    top_p: float = 1.0
    """Only the likeliest tokens that together reach this probability; 1 for all."""
    top_k: int = 0
    """Only so many of the likeliest tokens; 0 for all."""
    min_p: float = 0.0
    """Only tokens at least this share as likely as the likeliest."""
    max_tokens: int = 256
    stop: list[str] = []
    constrain: str = ""
    """`tools`: a call is one of the offered tools with arguments of its schema. A JSON schema: the reply is such a value.
    Empty for a free reply. See `Version.constraints`."""


class Usage(Struct, frozen=True, omit_defaults=True):
    prompt_tokens: int = 0
    completion_tokens: int = 0


class Turn(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One model call by one actor. Example with ids: context `[1 2 3]`, completion `[4 5]`; the next turn's context
    gains `[6]` (a tool result), completion `[7]`: ids `1 2 3 4 5 6 7`, trained mask `0 0 0 1 1 0 1`."""

    actor: str = "policy"
    """`policy`, `user`, `judge`, or an agent's name. Only the policy's turns are trained on."""
    parent: int | None = None
    """Index of the turn whose context this one extends; none for a root."""
    saw: list[tuple[int, int]] = []
    """The items in its context, as half-open ranges: `[[0, 3], [5, 6]]` is items 0, 1, 2 and 5."""
    made: list[int] = []
    """Indices of the items it made."""
    context_ids: list[int] = []
    """Token ids its context gained since the parent's completion (all of the context for a root)."""
    completion_ids: list[int] = []
    logprobs: list[float] = []
    """Of each completion token, at the sampling temperature, untruncated."""
    restricted: list[float] = []
    """The same under truncation (top_p, top_k, min_p) or constraint; empty where neither was on."""
    rewritten: bool = False
    """A root because the chat template writes what came before differently now (it dropped earlier thinking)."""
    sampling: Sampling = Sampling()
    agent: str = ""
    """Agent version that replied."""
    usage: Usage = Usage()
    latency_s: float = 0.0
    finish: Literal["stop", "length", "tool_calls", "context_full", "error"] = "stop"


# -- Trajectory and verdict -----------------------------------------------------------------------------------------


class Mark(Struct, frozen=True, omit_defaults=True):
    """Something that the harness saw happen: `format_error`, `unknown_tool`, `bad_arguments`, `executed`, `unsafe`, ..."""

    kind: str
    item: int | None = None
    """Index of the item it is about."""
    detail: str = ""


class Failure(Struct, frozen=True):
    fault: Fault
    kind: str
    """Name of the exception or of the limit."""
    message: str


class Trajectory(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One episode, whole. Everything a verifier needs is here, so a stored run can be scored again."""

    id: str
    task: str
    """Task id."""
    group: str
    """Episodes of one task in one run, compared with each other, share it."""
    index: int = 0
    """Which of the group's episodes."""
    items: list[Item] = []
    """Append-only log."""
    tools: str = ""
    """Hash of the tools offered."""
    turns: list[Turn] = []
    marks: list[Mark] = []
    rewards: list[float] = []
    """By step, for reset/step environments."""
    end_state: Json = {}
    blobs: dict[str, str] = {}
    """Name to sha256: parts of the end state that are bytes, or too large for JSON. A verifier reads one by `context.blob`."""
    outcome: str = ""
    """What became of it in production, where that is known."""
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
    """name@version of the rules by which secrets and personal data were taken out before it was stored."""

    @property
    def scorable(self) -> bool:
        """Whether the episode says something about the model: it ended well, or badly by the model's own fault."""
        return self.error is None or self.error.fault is Fault.MODEL

    @property
    def reply(self) -> str:
        """Text of the assistant's last message, empty when there is none."""
        for item in reversed(self.items):
            if isinstance(item, Message) and item.role == "assistant":
                return item.text
        return ""

    @property
    def calls(self) -> list[FunctionCall]:
        return [item for item in self.items if isinstance(item, FunctionCall)]

    def marked(self, kind: str) -> bool:
        return any(mark.kind == kind for mark in self.marks)


class Feedback(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of a production trace, said later: it is kept beside the trajectory, which stays as it was."""

    trajectory: str
    outcome: Literal["success", "failure", ""] = ""
    """Empty where it is not known, which is never a failure."""
    correction: list[Item] = []
    """What should have been said or called instead."""
    intervention: str = ""
    """What a person had to do: took over, retried, escalated."""
    note: str = ""
    who: str = ""
    when: str = ""
    """UTC, ISO 8601."""


class Verdict(Struct, frozen=True, kw_only=True, omit_defaults=True):
    trajectory: str = ""
    verifier: str = ""
    """name@version; both are filled in for a plain `verify` function"""
    reward: float | None
    """None when the verifier itself failed."""
    passed: bool = False
    parts: dict[str, float] = {}
    """Named shares of the reward, and rates worth counting."""
    unsafe: bool = False
    evidence: str = ""
    """A diff, or a reason in words."""
    error: Failure | None = None


class Sample(Struct, frozen=True, kw_only=True):
    """What is trained on: one root-to-leaf path of the policy's turns.
    `ids = prompt + reply + tool result + reply`, mask `0 1 0 1`."""

    ids: list[int]
    mask: list[int]
    """1 where the policy sampled the token (or, in a demonstration, should have)."""
    logprobs: list[float]
    """The sampler's, 0 where mask is 0; empty for a demonstration."""
    advantage: float = 1.0
    advantages: list[float] = []
    """Of each scored token, where turns of one episode differ; else `advantage` is that of all."""
    trajectory: str = ""


class Example(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A conversation to imitate: of a person, of a stronger policy, or the policy's own that passed."""

    task: str
    family: str = ""
    items: list[Item]
    made: list[tuple[int, int]]
    """What is imitated, reply by reply, as half-open ranges of the items: `[[1, 2], [3, 5]]` is two replies."""
    tools: list[ToolSpec] = []
    source: str = ""
    """The trajectory, or the file and line, that it came from."""


class Preference(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Of two replies to one prompt, the one that was preferred."""

    task: str
    family: str = ""
    prompt: list[Item]
    chosen: list[Item]
    """What followed the prompt: one reply, or replies with tool results between them."""
    rejected: list[Item]
    tools: list[ToolSpec] = []
    margin: float = 0.0
    """By how much it was better, where rewards say so."""
    source: str = ""


class Dataset(Struct, frozen=True, kw_only=True):
    """Examples or preferences, kept as one file of JSON lines; its id is the hash of that file."""

    id: str
    kind: Literal["demonstrations", "preferences"]
    name: str
    environment: str
    source: str
    """How it was made, in words."""
    rows: int
    tasks: int
    families: list[str]
    counts: dict[str, int]
    """What was looked at, what was kept, and what was dropped for which reason."""


# -- Measuring ------------------------------------------------------------------------------------------------------


class Suite(Struct, frozen=True, kw_only=True):
    """A frozen list of held-out tasks with the verifier that scores them."""

    name: str
    environment: str
    tasks: list[str]
    families: list[str]
    verifier: str
    hash: str
    """Of the tasks' content and the verifier's version."""


class Estimate(Struct, frozen=True):
    """A figure with its 95% interval."""

    value: float
    low: float
    high: float
    n: int


class TaskResult(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One task of a report: means over its repeats."""

    task: str
    family: str
    tags: list[str] = []
    repeats: int = 1
    passed: float = 0.0
    reward: float = 0.0
    rates: dict[str, float] = {}
    """valid, tool, arguments, executed, unsafe: whatever the verifier names in `parts`, and the marks."""
    bucket: str = ""
    """Failure bucket of its first failed trajectory; empty when all passed."""
    trajectory: str = ""
    """The one to look at: the first failed, else the first."""
    passing: str = ""
    """The first that passed, where `trajectory` is one that did not."""
    latency_s: float = 0.0
    tokens: float = 0.0
    """Sampled by the agent; 0 with `prompt_tokens` where an older verigym did not keep them."""
    prompt_tokens: float = 0.0
    cost: float = 0.0
    """Dollars; 0 where no prices were given."""
    error: bool = False
    """No repeat could be scored: infrastructure, environment or verifier failed."""


class Report(Struct, frozen=True, kw_only=True):
    """An agent version measured on a suite."""

    id: str
    run: str
    agent: str
    suite: Suite
    metrics: dict[str, Estimate]
    results: list[TaskResult]
    buckets: dict[str, int]
    errors: int = 0
    """Episodes that could not be scored; not in any metric."""
    reasons: dict[str, int] = {}
    """Why they could not, the most frequent first; at most five."""
    seed: int = 0
    repeats: int = 1


class Cluster(Struct, frozen=True, kw_only=True):
    """Failures of one bucket with the same symptom."""

    symptom: str
    """What they have in common; numbers, quoted values and ids are left out."""
    count: int
    example: str
    """What is said of the first of them."""
    trajectories: list[str]
    """The first few."""
    by: str = "rules"
    """Who says so: the rules, the environment's own one, or a judge."""


class Finding(Struct, frozen=True, kw_only=True):
    """A bucket of failures with its evidence."""

    bucket: str
    count: int
    share: float
    """Of all scored episodes."""
    meaning: str
    evidence: list[str]
    """A few reasons in words, the most frequent first."""
    trajectories: list[str]
    clusters: list[Cluster] = []
    """By symptom, the largest first."""


class Advice(Struct, frozen=True, kw_only=True):
    """Something to try, or not to, with what speaks for it."""

    fix: str
    reasons: list[str]
    figures: dict[str, float]
    command: str
    """To type next; empty where there is nothing to type."""
    advised: bool = True
    """Else it was thought of, and the reasons say why not."""
    estimate: dict[str, float] = {}
    """What it would take: rollouts, tokens, hours (on the device that was measured), dollars where a price is known."""


class Label(Struct, frozen=True, kw_only=True):
    """A person's judgement of an output, or of one output against another."""

    trajectory: str
    judgement: Literal["good", "bad", "better", "worse", "same", "skip"]
    other: str = ""
    """The trajectory it was compared with."""
    who: str = ""
    note: str = ""


class Case(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An output that a verifier once judged wrongly, with what is right: one of its regression tests."""

    should: Literal["pass", "fail"]
    note: str = ""
    """Why, in words."""
    who: str = ""
    verifier: str = ""
    """Its name without version; empty for the environment's first."""
    task: Task
    trajectory: Trajectory
    blobs: dict[str, bytes] = {}
    """By sha256: what the verifier needs beside the record."""


# -- Versions and decisions -----------------------------------------------------------------------------------------


class Version(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """An agent, not only weights: a changed prompt is a version just as a trained adapter is.
    Its id is the hash of what makes it behave as it does; where it came from is kept beside that."""

    base: str
    """Base model: a hub id, a path, `smollm2-135m`, or the address of a server and the model's name there."""
    adapter: str = ""
    """sha256 of the adapter's weights; empty for none."""
    system_prompt: str | None = None
    """None leaves the environment's own."""
    tool_descriptions: dict[str, str] = {}
    """Tool name to the text that replaces its description."""
    constraints: str = ""
    """What its replies are held to while they are sampled: see `Sampling.constrain`."""
    sampling: Sampling | None = None
    """None leaves the caller's."""
    id: str = ""
    name: str = ""
    parent: str = ""
    recipe: Json = {}
    data_hash: str = ""
    families: list[str] = []
    """Families it was trained on, so that no gate compares it on one of them."""
    adapter_config: str = ""
    """sha256 of the adapter's settings (rank, scale), a file beside its weights."""
    software: dict[str, str] = {}
    """What it was made with: verigym, python, and torch and transformers where they are installed."""
    made: str = ""
    """When it was registered: UTC, ISO 8601."""
    seal: str = ""
    """Hash of all of the above, so that damage shows in where it came from as well. Its reports and the decisions about it
    come later: they name it."""


class Check(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One question the gate asked."""

    name: str
    outcome: Literal["pass", "fail", "unclear", "skipped"]
    """skipped: there was nothing to ask, or the policy does not ask it; the words say which."""
    words: str
    figures: dict[str, float] = {}
    suite: str = ""
    """Whose tasks it looked at."""
    needed: int = 0
    """Tasks of that suite that would settle it, when unclear."""
    needed_families: int = 0
    """Families that they should be spread over at the least."""


class Measurement(Struct, frozen=True, kw_only=True):
    """What a decision rests on: one suite, measured on both sides."""

    suite: str
    hash: str
    verifier: str
    tasks: int
    repeats: int
    candidate: str
    """Report."""
    champion: str
    """Report."""


class Decision(Struct, frozen=True, kw_only=True, omit_defaults=True):
    candidate: str
    champion: str
    verdict: Literal["PROMOTE", "REJECT", "NEED MORE DATA"]
    checks: list[Check] = []
    words: str = ""
    kind: Literal["gate", "override", "rollback", "first"] = "gate"
    reports: list[str] = []
    """Candidate's and champion's on the primary suite."""
    policy: Json = {}
    """What the gate demanded, whole, and its hash: what may not be changed after looking."""
    policy_hash: str = ""
    measured: list[Measurement] = []
    who: str = ""
    when: str = ""
    why: str = ""


def content_hash(value: Any) -> str:
    """sha256 of a value's canonical JSON: keys sorted, so that equal content has equal hashes."""
    return hashlib.sha256(msgspec.json.encode(value, order="sorted")).hexdigest()
