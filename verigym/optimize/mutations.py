"""Changes that need no model: rules, examples, tool descriptions, harness settings and combinations, made from failures.

Each function yields changes for one situation. The order of `MUTATIONS` is the order in which they are tried. A change that the
evidence does not call for is not proposed.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence

import msgspec

from verigym.core.records import FunctionCall, Harness, Json, Stop, ToolSpec, Version
from verigym.evaluation.rules import expected_calls, steps_of
from verigym.harness.environment import EnvironmentSpec
from verigym.optimize.examples import demonstrations, numbered
from verigym.optimize.records import Change, Part, Situation
from verigym.optimize.rules import rules_for

Mutation = Callable[[Situation], Iterator[Change]]
_EXAMPLES = (2, 4)
_RETRIES = 2
_MOST_TURNS = 64
_TURNS_WITH_TOOLS = 4
_MALFORMED = {"format_error", "unknown_tool", "bad_arguments"}
FIELDS: dict[Part, tuple[str, ...]] = {
    "prompt": ("system_prompt",),
    "examples": ("examples",),
    "tools": ("tool_descriptions", "tools"),
    "skills": ("skills",),
    "harness": ("harness", "constraints"),
}
"""Fields of a version by part."""


def examples(situation: Situation) -> Iterator[Change]:
    """Shows solutions before the task."""
    had = len(situation.parent.examples)
    for n in _EXAMPLES:
        shown = demonstrations(situation, n)
        if len(shown) <= had or (n > _EXAMPLES[0] and len(shown) <= _EXAMPLES[0]):
            continue
        own = sum(one.own for one in shown)
        source = "its own" if own == len(shown) else "gold" if not own else f"{own} its own"
        yield Change(
            "examples", f"examples: {len(shown)} ({source})", {"examples": numbered([one.items for one in shown])}
        )


def fewer_examples(situation: Situation) -> Iterator[Change]:
    """Half of the examples, which costs fewer tokens."""
    shown = situation.parent.examples
    if len(shown) > 1:
        half = shown[: len(shown) // 2]
        yield Change("examples", f"examples: {len(half)} of {len(shown)}", {"examples": half})


def rules(situation: Situation) -> Iterator[Change]:
    """Adds rules against the most frequent failures to the system prompt."""
    lines = [rule for rule in rules_for(situation) if rule not in situation.system]
    if lines:
        text = "\n".join([situation.system, *lines]).strip()
        yield Change("prompt", "rules from failures", {"system_prompt": text})


def descriptions(situation: Situation) -> Iterator[Change]:
    """Writes the arguments of misused tools, and a correct call, into their descriptions."""
    named = misused(situation)
    known = {tool.name: tool for tool in situation.environment.tools}
    calls = _correct_calls(situation)
    had, texts = situation.parent.tool_descriptions, dict[str, str]()
    for name in named:
        if name in known:
            text = _described(known[name], had.get(name, known[name].description), calls.get(name))
            if text != had.get(name, known[name].description):
                texts[name] = text
    if texts:
        count = f"{len(texts)} tools" if len(texts) > 1 else next(iter(texts))
        merged = dict(sorted({**had, **texts}.items()))
        yield Change("tools", f"descriptions of {count}", {"tool_descriptions": merged})


def tools_files(situation: Situation) -> Iterator[Change]:
    """Brings a tools file, such as a search over a folder of documents. An agent with few turns gets more, to use a result."""
    parent, environment = situation.parent, situation.environment
    harness = parent.harness or Harness()
    few = (harness.turns or environment.max_turns) < _TURNS_WITH_TOOLS
    for name, sha256 in situation.settings.tools_files.items():
        if parent.tools != sha256:
            turns = {"harness": msgspec.structs.replace(harness, turns=_TURNS_WITH_TOOLS)} if few else {}
            yield Change("tools", f"tools of {name}", {"tools": sha256, **turns})


def format_retries(situation: Situation) -> Iterator[Change]:
    """Answers a malformed call with an explanation and allows another try."""
    harness = situation.parent.harness or Harness()
    malformed = any(mark.kind in _MALFORMED for one in situation.failures for mark in one.episode.trajectory.marks)
    if malformed and not harness.format_retries and not situation.environment.steps:
        changed = msgspec.structs.replace(harness, format_retries=_RETRIES)
        yield Change("harness", f"format retries: {_RETRIES}", {"harness": changed})


def turns(situation: Situation) -> Iterator[Change]:
    """Allows twice as many replies if episodes end at the limit."""
    harness = situation.parent.harness or Harness()
    now = harness.turns or situation.settings.episodes.limits.turns or situation.environment.max_turns
    stopped = any(one.episode.trajectory.stop is Stop.MAX_TURNS for one in situation.failures)
    if stopped and now * 2 <= _MOST_TURNS:
        changed = msgspec.structs.replace(harness, turns=now * 2)
        yield Change("harness", f"turns: {now * 2} instead of {now}", {"harness": changed})


def constraint(situation: Situation) -> Iterator[Change]:
    """Constrains the decoding of a local model to valid tool calls."""
    parent, environment = situation.parent, situation.environment
    unread = any(one.episode.reason.bucket in ("format error", "hallucinated API") for one in situation.failures)
    if unread and environment.tools and not parent.is_remote and not parent.constraints and not parent.program:
        yield Change("harness", "constrained to tool calls", {"constraints": constraint_for(parent, environment)})


MUTATIONS: tuple[tuple[Part, Mutation], ...] = (
    ("tools", tools_files),
    ("examples", examples),
    ("prompt", rules),
    ("harness", constraint),
    ("tools", descriptions),
    ("harness", format_retries),
    ("harness", turns),
    ("examples", fewer_examples),
)


def mutations(situation: Situation) -> Iterator[Change]:
    """All changes of the allowed parts."""
    for part, mutation in MUTATIONS:
        if part in situation.settings.parts:
            yield from mutation(situation)


def combinations(best: Version, others: Sequence[Version], root: Version) -> Iterator[Change]:
    """The best version with a part of another that differs from the root, if the best still has the root's."""
    for other in others:
        for part, fields in FIELDS.items():
            theirs = {name: getattr(other, name) for name in fields if getattr(other, name) != getattr(root, name)}
            free = all(getattr(best, name) == getattr(root, name) for name in fields)
            if theirs and free:
                yield Change(part, f"with the {part} of {other.label}", theirs)


def constraint_for(agent: Version, environment: EnvironmentSpec) -> str:
    """`tools`, or the schema of one call if the model writes calls as plain JSON and all gold solutions are calls."""
    gold = [reply for task in environment.tasks("train")[:8] for reply in environment.gold_replies(task)]
    only_calls = bool(gold) and all(
        not isinstance(reply, str) and any(isinstance(item, FunctionCall) for item in reply) for reply in gold
    )
    return call_schema(environment.tools) if only_calls and _writes_plain(agent) else "tools"


def _writes_plain(agent: Version) -> bool:
    from verigym.model.load import load_tokenizer
    from verigym.policies import dialects
    from verigym.policies.render import Renderer

    return Renderer(load_tokenizer(agent.base)).dialect is dialects.ALL[-1]


def call_schema(tools: Sequence[ToolSpec]) -> str:
    """The JSON schema of a reply that is one tool call. The constraint `tools` would also allow text."""
    calls = [
        {
            "type": "object",
            "properties": {"tool": {"const": spec.name}, "args": spec.parameters},
            "required": ["tool", "args"],
            "additionalProperties": False,
        }
        for spec in tools
    ]
    return msgspec.json.encode({"anyOf": calls}).decode()


def misused(situation: Situation) -> list[str]:
    """Tools that were called wrongly, or were needed and not called, the most frequent first."""
    count: Counter[str] = Counter()
    for one in situation.failures:
        made = steps_of(one.episode.trajectory)
        expected = {call.name for call in expected_calls(one.task)}
        count.update({call.name for call in made if not call.worked or call.name in expected})
        count.update(expected)
    return [name for name, _ in count.most_common()]


def _correct_calls(situation: Situation) -> dict[str, str]:
    """Tool to the arguments of a call that was part of a solution."""
    found: dict[str, str] = {}
    for one in demonstrations(situation, 16):
        for item in one.items:
            if isinstance(item, FunctionCall):
                found.setdefault(item.name, item.arguments)
    return found


def _described(tool: ToolSpec, text: str, example: str | None) -> str:
    """`Books a room. Arguments: day (string, required), seats (integer). Example: {"day": "Monday"}`"""
    arguments = _arguments(tool.parameters)
    parts = [text.rstrip()]
    if arguments and "Arguments: " not in text:
        parts.append(f"Arguments: {arguments}.")
    if example and "Example: " not in text:
        parts.append(f"Example: {example}")
    return " ".join(filter(None, parts))


def _arguments(schema: Json) -> str:
    required = schema.get("required", [])
    words: list[str] = []
    for name, kind in schema.get("properties", {}).items():
        values = kind.get("enum") if isinstance(kind, dict) else None
        what = (
            " or ".join(map(str, values))
            if values
            else str(kind.get("type", "value"))
            if isinstance(kind, dict)
            else ""
        )
        words.append(f"{name} ({what}{', required' if name in required else ''})")
    return ", ".join(words)
