"""Rules that say why one episode failed. They run in order, and the first that applies decides.

They read what the verifier and the harness recorded (a verdict's parts and evidence, marks, items, stop reason) and what the
task expects. They ask no model. If no rule applies, the bucket is "wrong answer". `failures` lists the buckets.
"""

import re
from collections import Counter
from collections.abc import Callable
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import msgspec

from verigym.core import codec
from verigym.core.records import (
    FunctionCall,
    FunctionCallOutput,
    Json,
    Message,
    Stop,
    Task,
    Trajectory,
    Verdict,
    content_hash,
)
from verigym.policies import dialects
from verigym.tasks.near_duplicates import text_of
from verigym.verifiers.toolcall import agree, canonical

CUT_SHORT = set(Stop) - {Stop.DONE, Stop.MAX_TOKENS, Stop.ERROR}
"""A limit ended the episode."""
_VALID = ("valid", "valid_json", "valid_schema")
"""Parts in which verifiers report whether an output could be parsed."""
_UNREADABLE = re.compile(
    r"no number in|got no option|^not JSON|SyntaxError|IndentationError|cannot be (read|parsed)|no answer found"
)
_NOT_UNDERSTOOD = re.compile(
    r"(?i)not? (?:\w+ )?underst[ao]+|n't understand"
    r"|(invalid|unknown|unrecogni[sz]ed|malformed) (command|action|format|input|reply)"
    r"|could not (be )?(pars|read)|cannot (be )?(pars|read)"
)
_INVENTED = re.compile(
    r"(ModuleNotFoundError|ImportError|AttributeError): [^\n]*(has no attribute|No module|cannot import)[^\n]*"
)
_NOTHING = re.compile(
    r"(?i)\W*(|none|null|nothing( found)?|empty|0( \w+)?|no( \w+){1,3}( found)?|not found|nothing found for .*)\W*"
)
_CLAIM = re.compile(
    r"(?i)\b(?:i(?:'ve| have|'m| am)?|it(?:'s| is| has been)|(?:has|have) been|is now|are now|was|were|all)\b[^.?!\n]{0,60}?"
    r"\b(?:done|sent|booked|cancell?ed|created|updated|changed|added|removed|deleted|scheduled|moved|refunded|completed|saved"
    r"|ordered|assigned|closed|opened|renamed|set|placed|processed|taken care of)\b|^\W*(?:all )?(?:done|completed)\b"
)
"""A sentence that says that something was done."""
_NUMBER = re.compile(r"(?<![\w.])[-+]?\d+(?:[.,]\d+)*(?!\w)")
_SHORT = 100
"""Maximum length of a tool output that only says that nothing was found."""
_WRITTEN_CALL = re.compile(r"\s*(?:<function[=_]|<\|?tool|[A-Za-z_]\w*(?:\.\w+)*(?:\([^()]*\)\s*$|\s*:?\s*\{))")
_SIDE_EFFECT, _DIFFERS, _MISSING = "- side effect: ", "~ ", "+ "
"""How the lines of a state diff begin (verifiers/state.py)."""
_READING = {
    *("search", "find", "lookup", "look", "query", "retrieve", "read", "fetch", "get", "list"),
    *("show", "open", "browse", "view", "check", "inspect", "describe", "count", "ls", "cat", "grep", "refuse"),
}
_NO_TOOLS = ("", content_hash([])[:16])
_FAILED = {"unknown_tool", "bad_arguments", "tool_error", "tool_limit", "tool_time_out"}


class Reason(NamedTuple):
    bucket: str
    evidence: str = ""
    """Plain text about this episode."""
    symptom: str = ""
    """What it has in common with other failures. If empty, it is derived from the evidence."""
    by: str = "rules"
    """Who decided: the rules, the environment's own rule, or a judge by name."""


class ExpectedCall(NamedTuple):
    name: str
    arguments: Json | None
    """None if any arguments are accepted."""


class CallRecord(NamedTuple):
    """A call that was made, and its result."""

    name: str
    arguments: Json | None
    """None if they were not a JSON object."""
    output: str
    marks: frozenset[str]
    details: str
    """What the harness recorded about it."""
    position: int
    """Among the items of the trajectory."""

    @property
    def worked(self) -> bool:
        return not self.marks & _FAILED

    @property
    def key(self) -> tuple[str, str]:
        """Equal for calls with the same tool and arguments."""
        written = "?" if self.arguments is None else content_hash(canonical(self.arguments))
        return self.name, written


class EpisodeFacts:
    """The facts that the rules look at, each computed once."""

    def __init__(self, task: Task, trajectory: Trajectory, verdict: Verdict) -> None:
        self.task, self.trajectory, self.verdict = task, trajectory, verdict
        self.parts, self.reply = verdict.parts, trajectory.reply

    @cached_property
    def steps(self) -> list[CallRecord]:
        return steps_of(self.trajectory)

    @cached_property
    def expected(self) -> list[ExpectedCall]:
        return expected_calls(self.task)

    @cached_property
    def changed(self) -> list[CallRecord]:
        """Calls that change something, on tools that exist."""
        return [step for step in self.steps if not reads(step.name) and "unknown_tool" not in step.marks]

    @cached_property
    def answers(self) -> list[str]:
        """What the reply should have contained, if known."""
        answer: Any = self.task.data.get("answer")
        given = answer if isinstance(answer, list) else [] if answer is None else [answer]
        return [" ".join(str(each).split()).casefold() for each in given]

    @cached_property
    def exchanges(self) -> list[tuple[str, str, float]]:
        """For a reset/step environment: each reply, the observation after it, and its reward."""
        turns: list[tuple[str, str]] = []
        for item in self.trajectory.items:
            if isinstance(item, Message) and item.role == "assistant":
                turns.append((" ".join(item.text.split()).casefold(), ""))
            elif isinstance(item, Message) and item.role == "user" and turns:
                turns[-1] = (turns[-1][0], item.text)
        return [(*turn, reward) for turn, reward in zip(turns, self.trajectory.rewards, strict=False)]

    def amiss(self, part: str) -> bool:
        return self.parts.get(part, 1.0) < 1


def reason(task: Task, trajectory: Trajectory, verdict: Verdict) -> Reason:
    """Why a scored episode did not pass."""
    episode = EpisodeFacts(task, trajectory, verdict)
    return next(filter(None, (rule(episode) for rule in RULES)), Reason("wrong answer", verdict.evidence))


def _truncated(one: EpisodeFacts) -> Reason | None:
    """A reply in the right format that was cut off. Prose instead of a call does not count."""
    invalid = any(one.amiss(part) for part in _VALID)
    if one.trajectory.stop is not Stop.MAX_TOKENS or (not invalid and "valid" in one.parts):
        return None
    text = one.reply.lstrip()
    begun = not text or text[:1] in "{[<`" or dialects.has_markup(text)
    if invalid and not begun:
        return _with_reply("format error", "prose up to the token limit", text)
    return _with_reply("truncated", "cut off by the token limit", text[-80:])


def _format(one: EpisodeFacts) -> Reason | None:
    if any(one.amiss(part) for part in _VALID):
        shape = "JSON that does not fit the schema" if one.parts.get("valid_json") == 1 else _shape(one.reply)
        return Reason("format error", one.verdict.evidence, shape)
    if any(part in one.parts for part in _VALID):
        return None
    last = max((step.position for step in one.steps), default=-1)
    if any(mark.kind == "format_error" and (mark.item is None or mark.item > last) for mark in one.trajectory.marks):
        return _with_reply("format error", _shape(one.reply), one.reply)
    if one.steps or one.trajectory.rewards:
        return None
    if not one.reply.strip():
        replied = any(isinstance(item, Message) and item.role == "assistant" for item in one.trajectory.items)
        return Reason("format error", "empty reply") if replied else None
    if has_tools(one.trajectory) and (_WRITTEN_CALL.match(one.reply) or dialects.looks_like_call(one.reply)):
        return _with_reply("format error", "a call in another format", one.reply)
    if match := _UNREADABLE.search(one.verdict.evidence):
        return Reason("format error", one.verdict.evidence, f"no readable answer ({match[0]})")
    if any(_contains(one, answer) for answer in one.answers):
        return _with_reply("format error", "the answer inside a longer reply", one.reply)
    return None


def _contains(one: EpisodeFacts, answer: str) -> bool:
    """Whether the reply contains the answer as whole words. Many wrong replies contain a number of the right value, so a number
    counts only if it is the last one, or the only one that the request does not have."""
    reply = " ".join(one.reply.split()).casefold()
    if not _NUMBER.fullmatch(answer):
        return bool(answer) and re.search(rf"(?<!\w){re.escape(answer)}(?!\w)", reply) is not None
    numbers = [number.replace(",", "") for number in _NUMBER.findall(reply)]
    asked = {number.replace(",", "") for number in _NUMBER.findall(text_of(one.task))}
    value = answer.replace(",", "")
    return value in numbers[-1:] or {*numbers} - asked == {value}


def _format_of_steps(one: EpisodeFacts) -> Reason | None:
    """A reset/step environment did not understand the reply: prose, or a command that it does not have."""
    refused = [reply for reply, seen, _ in one.exchanges if _NOT_UNDERSTOOD.search(seen)]
    if 2 * len(refused) < len(one.exchanges) or not refused:
        return None
    lengths = {len(reply.split()) for reply, seen, _ in one.exchanges if not _NOT_UNDERSTOOD.search(seen)}
    prompt = " ".join(item.text for item in one.trajectory.items[:2] if isinstance(item, Message)).casefold().split()
    new = [reply for reply in refused if reply and len(reply.split()) in lengths and reply.split()[0] not in prompt]
    if len(new) == len(refused):
        evidence = f'used a command that does not exist: "{new[0]}"'
        return Reason("hallucinated API", evidence, "commands that do not exist")
    reason = _with_reply("format error", "not understood", refused[-1])
    return reason._replace(symptom="replies that were not understood")


def _hallucinated(one: EpisodeFacts) -> Reason | None:
    unknown = [step for step in one.steps if "unknown_tool" in step.marks]
    if unknown and one.parts.get("tool", 0) < 1:
        called = {step.name for step in one.steps}
        lacking = any(wanted.name not in called for wanted in one.expected if not reads(wanted.name))
        if one.steps[-1] is unknown[-1] or lacking:
            name = unknown[0].name
            return Reason("hallucinated API", f"called {name}, which does not exist", f"called {name}")
    if not one.steps and one.trajectory.marked("unknown_tool") and one.parts.get("tool", 0) < 1:
        return Reason("hallucinated API", _details(one.trajectory, "unknown_tool"))
    if "tests" in one.task.data and (match := _INVENTED.search(one.verdict.evidence)):
        return Reason("hallucinated API", match[0])
    return None


def _loops(one: EpisodeFacts) -> Reason | None:
    """The same call repeated, or something done twice that should be done once."""
    if one.amiss("tool") or one.amiss("arguments"):
        return None
    times = Counter(step.key for step in one.steps)
    for step in one.steps:
        again = times[step.key]
        wanted = sum(each.name == step.name for each in one.expected)
        if again > max(2, wanted) or (again > max(1, wanted) and step.worked and not reads(step.name)):
            evidence = f"called {step.name} {again} times with the same arguments"
            return Reason("bad planning", evidence, f"{step.name} repeated")
    failed = Counter((reply, seen) for reply, seen, reward in one.exchanges if reward < 0)
    for (reply, seen), again in failed.most_common(1):
        if again > 1:
            evidence = f'replied "{reply}" {again} times, each time with the result: {seen}'
            return Reason("bad planning", evidence, "the same reply after it failed")
    replies = [reply for reply, _, _ in one.exchanges]
    if len(replies) > 3 and len(set(replies)) < 3:
        return Reason("bad planning", f"went in circles: {', '.join(replies[:4])}, ...", "went in circles")
    return None


def _judged_calls(one: EpisodeFacts) -> Reason | None:
    """What the verifier's parts `tool`, `arguments` and `executed` say about the call."""
    if one.amiss("tool"):
        return _wrong_tool(one, one.steps[0].name if one.steps else "no call")
    if one.amiss("arguments"):
        return _wrong_arguments(one, one.steps[0] if one.steps else None)
    failed = next((step for step in one.steps if not step.worked), None)
    if one.amiss("executed") and failed and one.expected and one.expected[0].arguments != failed.arguments:
        return Reason("wrong arguments", f"{failed.name}: {failed.details}")
    return None


def _rejected(one: EpisodeFacts) -> Reason | None:
    """Arguments that never fit the tool's schema, or that the tool never accepted."""
    worked = {step.name for step in one.steps if step.worked}
    for step in reversed(one.steps):
        if "bad_arguments" in step.marks and step.name not in worked and "arguments" not in one.parts:
            return _wrong_arguments(one, step)
    if not one.steps and one.trajectory.marked("bad_arguments") and "arguments" not in one.parts:
        return Reason("wrong arguments", _details(one.trajectory, "bad_arguments"))
    return None


def _claimed(one: EpisodeFacts) -> Reason | None:
    """The reply says that something was done, and no tool was called."""
    if one.steps or "tool" in one.parts or not has_tools(one.trajectory) or not _CLAIM.search(one.reply):
        return None
    if not any(not reads(each.name) for each in one.expected) and "side_effects" not in one.parts and one.answers:
        return None
    return _with_reply("claimed without acting", "said that it was done, without a call", one.reply)


def _nothing_found(one: EpisodeFacts) -> Reason | None:
    """The agent searched, did not see the needed fact, and answered anyway or gave up."""
    looked = [step for step in one.steps if reads(step.name) and "unknown_tool" not in step.marks]
    if not looked or one.changed or "tool" in one.parts:
        return None
    empty = [step for step in looked if not step.worked or _NOTHING.fullmatch(step.output[:_SHORT])]
    if one.answers:
        seen = " ".join(" ".join(step.output.split()) for step in looked if step.worked).casefold()
        if not any(answer in seen for answer in one.answers):
            symptom = "found nothing" if len(empty) == len(looked) else "the answer was in nothing it read"
            return Reason("retrieval failure", f"{looked[-1].name}: {symptom}", symptom)
        if not one.reply.strip():
            return Reason("incomplete execution", "it read the answer but did not reply", "no answer at the end")
    elif empty and empty[-1] is looked[-1]:
        symptom = f"{looked[-1].name} found nothing"
        return Reason("retrieval failure", f"{symptom}: {looked[-1].output}", symptom)
    return None


def _wrong_object(one: EpisodeFacts) -> Reason | None:
    """It called the expected tool on another object than the expected one."""
    if "tool" in one.parts:
        return None
    for each in one.expected:
        calls = [step for step in one.steps if step.name == each.name]
        wrong = [differences(each, step.arguments) for step in calls]
        if calls and all("wrong" in found.values() for found in wrong):
            return _wrong_arguments(one, calls[-1], each)
    return None


def _not_looked(one: EpisodeFacts) -> Reason | None:
    """A question that only the tools can answer, answered without a tool."""
    if one.answers and not one.steps and not one.parts and has_tools(one.trajectory):
        return _with_reply("bad planning", "answered without using a tool", one.reply)
    return None


def _calls(one: EpisodeFacts) -> Reason | None:
    """Compares the calls that were made with those expected."""
    wanted = [each for each in one.expected if not reads(each.name)] or one.expected
    if not wanted or "tool" in one.parts:
        return None
    called = {step.name for step in one.steps}
    names = {each.name for each in one.expected}
    missing = [each for each in wanted if each.name not in called]
    last = len(one.trajectory.items) - 2  # of a call that no message follows
    alone = len(one.steps) == 1 and one.steps[0].position >= last
    others = [step for step in one.steps if step.name not in names and (alone or not reads(step.name))]
    if missing and others:
        return _wrong_tool(one, others[0].name, missing[0].name)
    for each in wanted:
        calls = [step for step in one.steps if step.name == each.name]
        if calls and all(differences(each, step.arguments) for step in calls):
            return _wrong_arguments(one, calls[-1], each)
    if missing:
        return _incomplete(one, f"never called {missing[0].name}")
    return None


def _order(one: EpisodeFacts) -> Reason | None:
    """Everything expected was done, but in another order, or before reading what should have been read first."""
    names = [each.name for each in one.expected]
    if len(names) < 2 or "tool" in one.parts or one.trajectory.stop in CUT_SHORT:
        return None
    calls = [step.name for step in one.steps if step.name in names]
    unread = [name for name in names if name not in calls]
    if unread:
        return Reason("bad planning", symptom := f"acted without {unread[0]} first", symptom)
    firsts = sorted(set(names), key=calls.index)
    if firsts != sorted(set(names), key=names.index):
        evidence = f"called in another order: {', '.join(calls)}"
        return Reason("bad planning", evidence, "the right calls in another order")
    return None


def _state(one: EpisodeFacts) -> Reason | None:
    """What a diff of the end state shows: a wrong change, a wrong value, or a missing change."""
    if "side_effects" not in one.parts:
        return None
    lines = one.verdict.evidence.splitlines()
    effects = [line.removeprefix(_SIDE_EFFECT) for line in lines if line.startswith(_SIDE_EFFECT)]
    wrong = [line for line in lines if line.startswith(_DIFFERS)]
    missing = [line for line in lines if line.startswith(_MISSING)]
    failed = next((step for step in one.changed if not step.worked), None)
    if effects:
        fields = {_field(line[2:]) for line in wrong + missing}
        if fields & {_field(line) for line in effects}:
            return Reason("wrong arguments", "; ".join(lines), "changed the wrong object")
        return Reason("wrong tool", "; ".join(lines), "changed something else")
    if failed and failed.name not in {step.name for step in one.changed if step.worked}:
        return Reason("wrong arguments", f"{failed.name}: {failed.details}")
    if any(_moved(line, one.task) for line in wrong):
        return Reason("wrong arguments", "; ".join(wrong), "changed to the wrong value")
    return _incomplete(one, "not everything was done" if one.changed else "nothing was done")


def _unfinished(one: EpisodeFacts) -> Reason | None:
    if one.amiss("executed") or any(not step.worked for step in one.steps[-1:]):
        return _incomplete(one, "the last call failed")._replace(symptom="")
    if not one.steps and one.trajectory.marked("tool_error") and "executed" not in one.parts:
        return _incomplete(one, "a call failed")._replace(symptom="")
    if one.trajectory.stop in CUT_SHORT:
        return _incomplete(one, f"stopped: {one.trajectory.stop.replace('_', ' ')}")
    return None


RULES: tuple[Callable[[EpisodeFacts], Reason | None], ...] = (
    _truncated,
    _format,
    _format_of_steps,
    _hallucinated,
    _loops,
    _judged_calls,
    _rejected,
    _claimed,
    _wrong_object,
    _nothing_found,
    _not_looked,
    _calls,
    _order,
    _state,
    _unfinished,
)


def _wrong_tool(one: EpisodeFacts, got: str, expected: str = "") -> Reason:
    wanted = expected or (one.expected[0].name if one.expected else "")
    symptom = f"expected {wanted}, got {got}" if wanted else ""
    return Reason("wrong tool", one.verdict.evidence if not expected else symptom, symptom)


def _wrong_arguments(one: EpisodeFacts, step: CallRecord | None, wanted: ExpectedCall | None = None) -> Reason:
    """The evidence is the verifier's, the harness's, or the difference between the arguments."""
    if step is None:
        return Reason("wrong arguments", one.verdict.evidence)
    wanted = wanted or next((each for each in one.expected if each.name == step.name), None)
    wrong = differences(wanted, step.arguments) if wanted else {}
    listed = ", ".join(f"{name} {how}" for name, how in wrong.items())
    evidence = one.verdict.evidence if "arguments" in one.parts else f"{step.name}: {step.details or listed}"
    return Reason("wrong arguments", evidence, f"{step.name}: {listed}" if listed else "")


def _incomplete(one: EpisodeFacts, symptom: str) -> Reason:
    details = one.verdict.evidence or _details(one.trajectory, "tool_error")
    return Reason("incomplete execution", f"{symptom}; {details}" if details else symptom, symptom)


def _shape(reply: str) -> str:
    """Describes the shape of a reply that could not be parsed."""
    text = reply.strip()
    if not text:
        return "empty reply"
    if dialects.has_markup(text):
        return "malformed call"
    if text.startswith("```"):
        return "JSON in a code fence"
    if text.startswith(("{", "[")):
        return "JSON that is malformed or has another shape"
    return "prose with JSON in it" if "{" in text else "prose"


def _field(line: str) -> str:
    """`orders.A17.status: paid, expected cancelled` is about `orders.status`. `coupons.Ines added: 10` is about `coupons`."""
    path = line.partition(":")[0].partition(" added")[0].partition(" deleted")[0]
    names = [part for part in re.split(r"[.\[]", path) if part]
    return ".".join([names[0], names[-1]] if len(names) > 2 else names[:1])


def _moved(line: str, task: Task) -> bool:
    """Whether a wrong value differs from the one the task started with."""
    path, _, rest = line.removeprefix(_DIFFERS).partition(": ")
    value: Any = task.data.get("state")
    for part in path.split("."):
        value = value.get(part) if isinstance(value, dict) else None
    return not rest.startswith(f"{value}, expected")


def _details(trajectory: Trajectory, kind: str) -> str:
    return "; ".join(mark.detail for mark in trajectory.marks if mark.kind == kind and mark.detail)


def _with_reply(bucket: str, symptom: str, text: str) -> Reason:
    """The evidence is the symptom and a part of the reply."""
    reply = " ".join(text.split())[:120]
    return Reason(bucket, f'{symptom}: "{reply}"' if reply else symptom, symptom)


def expected_calls(task: Task) -> list[ExpectedCall]:
    """The calls in the data of a task:

    {"expected_tool": "book", "expected_args": {...}}                    one call
    {"expected_calls": [{"name": "find", "arguments": {...}}, ...]}      several, `ground_truth` in NeMo Gym's rows
    {"completion": [...]}                                                those of a demonstration
    """
    data = task.data
    if "expected_tool" in data:
        return [ExpectedCall(str(data["expected_tool"]), _object(data.get("expected_args")))]
    rows: Any = data.get("expected_calls") or data.get("ground_truth") or data.get("completion")
    calls: list[ExpectedCall] = []
    for row in rows if isinstance(rows, list) else []:
        if isinstance(row, dict) and (name := row.get("name") or row.get("tool")):
            calls.append(ExpectedCall(str(name), _object(row.get("arguments", row.get("args")))))
    return calls


def steps_of(trajectory: Trajectory) -> list[CallRecord]:
    outputs = {item.call_id: item.output for item in trajectory.items if isinstance(item, FunctionCallOutput)}
    marks: dict[int | None, list[tuple[str, str]]] = {}
    for mark in trajectory.marks:
        marks.setdefault(mark.item, []).append((mark.kind, mark.detail))
    return [
        CallRecord(
            item.name,
            _object(item.arguments),
            outputs.get(item.call_id, ""),
            frozenset(kind for kind, _ in marks.get(index, [])),
            "; ".join(detail for kind, detail in marks.get(index, []) if kind != "executed"),
            index,
        )
        for index, item in enumerate(trajectory.items)
        if isinstance(item, FunctionCall)
    ]


def has_tools(trajectory: Trajectory) -> bool:
    return trajectory.tools not in _NO_TOOLS


@lru_cache(maxsize=4096)
def reads(name: str) -> bool:
    """Whether a tool only reads, judging by its name: `docs.search`, `get_order`, `listEvents`."""
    words = re.findall(r"[a-z]+|[A-Z][a-z]*", name.rsplit(".", 1)[-1])
    return bool(words) and words[0].casefold() in _READING


def differences(wanted: ExpectedCall, given: Json | None) -> dict[str, str]:
    """Argument to `wrong`, `missing` or `unknown`. Arguments that agree in meaning are left out."""
    if given is None:
        return {"arguments": "not a JSON object"}
    if wanted.arguments is None:
        return {}
    wrong = {
        name: "missing" if name not in given else "wrong"
        for name, value in wanted.arguments.items()
        if name not in given or not agree(given[name], value)
    }
    return wrong | {name: "unknown" for name in given if name not in wanted.arguments}


def _object(value: Any) -> Json | None:
    if isinstance(value, str):
        try:
            value = codec.read_json(value or "{}")
        except (msgspec.DecodeError, UnicodeEncodeError, RecursionError):
            return None
    return value if isinstance(value, dict) else None
