"""Seeded nonsense at every door: task files, tool arguments and model replies. Nothing may crash, and no row may be lost.

    python bench/fuzz.py                      # 100,000 cases
    python bench/fuzz.py --quick              # 5,000
    python bench/fuzz.py --case files:17      # one of them again

A case is its door and its number, which is its seed. What is fed in is something valid, changed at the level of its JSON,
its types or its bytes, or made of nothing. One that crashes is cut down to what still does, and shown.
"""

import asyncio
import csv
import dataclasses
import enum
import io
import json
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypedDict

import msgspec
from figures import figure, finish, parser

from verigym.core import codec
from verigym.core.errors import BadInput
from verigym.core.protocols import Context
from verigym.core.records import Fault, FunctionCall, Item, Task, Trajectory, Verdict, Version
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import ToolBox, tool
from verigym.policies import dialects
from verigym.policies.dialects import plain
from verigym.policies.scripted import ScriptedPolicy
from verigym.rollout.episode import run_episode
from verigym.rollout.many import judge
from verigym.tasks.load import BadRow, load_tasks
from verigym.verifiers.lift import lift
from verigym.verifiers.match import exact_match
from verigym.wire import chat, responses
from verigym.wire.tools import ToolNames
from verigym.wire.types import ServerError
from verigym.wire.values import write_json

AGENT = Version(base="scripted", id="scripted")
Draw = random.Random


class Crash(NamedTuple):
    case: str
    error: BaseException
    repro: str


# -- making nonsense ----------------------------------------------------------------------------------------------------

TOKENS = [
    b'"', b"'", b"\\", b"{", b"}", b"[", b"]", b",", b":", b"\n", b"\r\n", b"\r", b"\x00", b"\x1e", b"\xff", b"\xed\xa0\x80",
    b"\xef\xbb\xbf", b"\xe2\x80\xa8", b"\\ud800", b"\\u0000", b"NaN", b"-Infinity", b"1e999", b"-0", b"9" * 40, b"9" * 5000,
    b"null", b'"tool"', b'"args"', b"\xf0\x9f\x8d\xb5", b"{" * 50, b"[" * 2000, b'{"a":' * 1100,
]  # fmt: skip
TEXTS = [
    "", " ", "tea", "é", "\u202e", "a\x00b", "x" * 300, "null", "{}", '{"role": "user"}', "\ud83c", "\udf75!", "0", "-1.5"
]  # fmt: skip
NUMBERS = [0, -1, 1, 2**31, 2**53 + 1, 2**63, 2**64, 10**30, 0.5, -0.0, 1e-320, 1e308]
NAMES = ["prompt", "answer", "id", "data", "messages", "chosen", "role", "content", "schema", "tool", "args", "x", ""]


def scrambled(draw: Draw, data: bytes) -> bytes:
    """The bytes with a few of them cut, doubled, flipped or put in."""
    for _ in range(draw.randint(1, 3)):
        place = draw.randint(0, len(data))
        match draw.randrange(5):
            case 0:
                data = data[:place] + draw.choice(TOKENS) + data[place:]
            case 1:
                data = data[:place] + data[place + draw.randint(1, 8) :]
            case 2:
                data = data[:place] + bytes([draw.randrange(256)]) + data[place + 1 :]
            case 3:
                data = data[:place] + data[max(0, place - draw.randint(1, 40)) :]
            case _:
                data = data[:place] if draw.random() < 0.3 else data
    return data


def anything(draw: Draw, deep: int = 3) -> Any:
    """A JSON value."""
    kind = draw.randrange(8 if deep else 6)
    if kind < 2:
        return draw.choice(TEXTS)
    if kind < 4:
        return draw.choice(NUMBERS)
    if kind < 6:
        return draw.choice([None, True, False, [], {}])
    if kind == 6:
        return [anything(draw, deep - 1) for _ in range(draw.randint(0, 3))]
    return {draw.choice(NAMES): anything(draw, deep - 1) for _ in range(draw.randint(0, 3))}


def twisted(draw: Draw, value: Any) -> Any:
    """The value with one place in it of another type, missing, renamed or wrapped."""
    if isinstance(value, dict) and value and draw.random() < 0.8:
        name = draw.choice(list(value))
        match draw.randrange(6):
            case 0:
                return {key: each for key, each in value.items() if key != name}
            case 1:
                return {draw.choice(NAMES) if key == name else key: each for key, each in value.items()}
            case 2:
                return {**value, draw.choice(NAMES): anything(draw)}
            case _:
                return {**value, name: twisted(draw, value[name])}
    if isinstance(value, list) and value and draw.random() < 0.8:
        place = draw.randrange(len(value))
        return [*value[:place], twisted(draw, value[place]), *value[place + draw.randint(0, 1) :]]
    return draw.choice([anything(draw), [value], {"data": value}, json.dumps(value), None])


def deepened(draw: Draw, data: bytes) -> bytes:
    """Sometimes, something nested far too deeply in the place of a word."""
    if draw.random() > 0.03:
        return data
    depth = draw.choice([10, 150, 199, 200, 201, 400, 900, 990, 1200])
    return data.replace(b'"tea"', draw.choice([b"[" * depth + b"]" * depth, b'{"a":' * depth + b"1" + b"}" * depth]), 1)


def text_of(data: bytes) -> str:
    """Text with the broken halves of letters that bytes may hold."""
    return data.decode("utf-8", "surrogateescape" if len(data) % 2 else "replace")


# -- (a) task files -----------------------------------------------------------------------------------------------------

MESSAGES = [{"role": "user", "content": "tea?"}, {"role": "assistant", "content": "yes"}]
CALLED = [
    {"role": "user", "content": "tea?"},
    {"role": "assistant", "content": "", "tool_calls": [{"id": "c", "function": {"name": "add", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c", "content": "1 tea"},
    {"role": "assistant", "content": [{"type": "text", "text": "done"}]},
]
ROWS: list[dict[str, Any]] = [
    {"prompt": "1 + 1?", "answer": "tea"},
    {"prompt": "1 + 1?", "answer": 2, "split": "val", "family": "sums", "tags": ["easy"]},
    {"prompt": "tea", "expected_tool": "add", "expected_args": {"item": "tea", "count": 2}},
    {"prompt": "tea?", "completion": "yes"},
    {"prompt": [{"role": "user", "content": "tea?"}], "completion": [{"role": "assistant", "content": "yes"}]},
    {"messages": MESSAGES},
    {"messages": CALLED, "weight": 1},
    {"prompt": "tea?", "chosen": "yes", "rejected": "no"},
    {"chosen": MESSAGES, "rejected": [MESSAGES[0], {"role": "assistant", "content": "no"}]},
    {"responses_create_params": {"input": "tea?", "tools": [{"name": "add"}], "instructions": "be kind"}, "expected": "yes"},
    {"id": "t", "prompt": "tea", "data": {"answer": "yes", "state": {"n": [1, None]}}, "lineage": ["hand"]},
    {"schema": 2, "id": "t", "prompt": [{"type": "message", "role": "user", "content": "tea"}], "data": {}},
]  # fmt: skip


class File(NamedTuple):
    name: str
    content: bytes


def a_file(draw: Draw) -> File:
    rows: list[Any] = [{**draw.choice(ROWS)} for _ in range(draw.randint(0, 4))]
    for place, row in enumerate(rows):
        if draw.random() < 0.5:
            rows[place] = twisted(draw, row)
        elif "id" in row:
            row["id"] = draw.choice(["a", "b", "c"])
    kind = draw.choice(["jsonl", "jsonl", "json", "csv"])
    if kind == "jsonl":
        content = draw.choice(["\n", "\n", "\r\n", "\n\n"]).join(map(json.dumps, rows)).encode()
    elif kind == "json":
        content = json.dumps(draw.choice([rows, rows, {"data": rows}])).encode()
    else:
        content = a_table([row for row in rows if isinstance(row, dict)])
    content = deepened(draw, content)
    return File(f"tasks.{kind}", scrambled(draw, content) if draw.random() < 0.6 else content)


def a_table(rows: list[dict[str, Any]]) -> bytes:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    writer.writerow(columns)
    for row in rows:
        cells = [row.get(name, "") for name in columns]
        writer.writerow([cell if isinstance(cell, str) else json.dumps(cell) for cell in cells])
    return out.getvalue().encode(errors="replace")


def rows_in(file: File) -> int | None:
    """How many rows the file has, read in the plainest way; none where that cannot be said."""
    content = file.content.removeprefix(b"\xef\xbb\xbf")
    if file.name.endswith("jsonl"):
        return sum(bool(line.strip()) for line in content.split(b"\n"))
    try:
        if file.name.endswith("json"):
            value = json.loads(content) if content.strip() else []
            value = value["data"] if isinstance(value, dict) and isinstance(value.get("data"), list) else value
            return len(value) if isinstance(value, list) else None
        lines = io.StringIO(content.decode(errors="surrogateescape"), newline="\n")
        filled = [row for row in csv.reader(lines, strict=True) if "".join(row).strip()]
        return max(0, len(filled) - 1)
    except (ValueError, RecursionError, csv.Error):
        return None


class Folder:
    path = Path()


def feed_file(file: File) -> int:
    """Rows that were lost."""
    path = Folder.path / file.name
    path.write_bytes(file.content)
    refused = first = ""
    tasks: list[Task] = []
    bad: list[BadRow] = []
    try:
        tasks = load_tasks(path, bad=bad)
    except BadInput as error:
        refused = str(error)
    try:
        assert load_tasks(path) == tasks and not bad, "one bad row stops the load where none may be set aside"
    except BadInput as error:
        first = str(error)
    assert bool(first) == bool(refused or bad), f"with bad rows set aside: {refused or bad}; without: {first}"
    assert not refused or str(path) in refused, "a refusal names the file"
    for task in tasks:
        assert codec.decode(codec.encode(task), Task) == task, "a task can be written and read back"
    for row in bad:
        assert row.reason and row.row and msgspec.json.encode(row, enc_hook=str)
    count = rows_in(file)
    if count is None or (refused and not bad):  # not a file of rows at all
        return 0
    return abs(count - len(tasks) - len(bad))


# -- (b) tool arguments -------------------------------------------------------------------------------------------------


class Size(enum.Enum):
    SMALL = "small"
    LARGE = "large"


@dataclasses.dataclass
class Place:
    street: str
    number: int = 1


class Filter(TypedDict):
    field: str
    values: list[int]


class Desk:
    system = "You keep a desk."

    def open(self, task: Task) -> None:
        self.seen: list[Any] = []

    @tool
    def note(self, text: str, count: int = 1, share: float = 0.5, loud: bool = False) -> str:
        """Note something."""
        self.seen.append([text, count, share, loud])
        return text * min(abs(count), 3)

    @tool
    def ship(self, size: Size, place: Place, day: Literal["mon", "tue"], note: str | None = None) -> dict[str, Any]:
        """Ship it."""
        self.seen.append([size, place, day, note])
        return {"size": size, "street": place.street}

    @tool(unsafe_if=lambda self, where, **_: where["field"] == "secret")
    def find(self, where: Filter, tags: list[str] = [], scores: dict[str, list[float]] = {}) -> list[Any]:  # noqa: B006
        """Look for it."""
        self.seen.append([where, tags, scores])
        return [where, tags, scores]

    @tool
    async def wait(self, places: list[Place | None], either: int | str = 0, extra: Any = None) -> Any:
        """Wait."""
        self.seen.append([places, either, extra])
        return extra

    def end_state(self) -> dict[str, Any]:
        return {"seen": self.seen}


class Steps(Desk):
    def step(self, reply: str) -> tuple[str, float, bool]:
        self.seen.append(reply)
        return reply, 0.0, len(self.seen) > 2


class Talk(Desk):
    def user(self, reply: str) -> str | None:
        self.seen.append(reply)
        return reply if len(self.seen) < 3 else None


GOOD: dict[str, dict[str, Any]] = {
    "note": {"text": "tea", "count": 2, "share": 0.5, "loud": True},
    "ship": {"size": "small", "place": {"street": "Elm", "number": 3}, "day": "mon", "note": None},
    "find": {"where": {"field": "a", "values": [1, 2]}, "tags": ["x"], "scores": {"a": [0.5]}},
    "wait": {"places": [{"street": "Elm"}, None], "either": "x", "extra": {"a": [1]}},
}
MARKS = {"executed", "unknown_tool", "bad_arguments", "tool_error", "unsafe"}


class Call(NamedTuple):
    name: str
    arguments: str


def a_call(draw: Draw) -> Call:
    name = draw.choice(list(GOOD))
    value: Any = GOOD[name]
    for _ in range(draw.randrange(3)):
        value = twisted(draw, value)
    text = json.dumps(value) if draw.random() < 0.9 else draw.choice(TEXTS)
    text = text_of(deepened(draw, text.encode(errors="replace")))
    if draw.random() < 0.4:
        text = text_of(scrambled(draw, text.encode(errors="replace")))
    return Call(name if draw.random() < 0.95 else draw.choice(TEXTS), text)


def feed_call(call: Call) -> int:
    result = Loop.run(Loop.box.call(Loop.desk(), call.name, call.arguments))
    kinds = {mark.kind for mark in result.marks}
    assert kinds and kinds <= MARKS and isinstance(result.output, str), result
    if call.name in GOOD and call.arguments == json.dumps(GOOD[call.name]):
        assert "executed" in kinds, result
    return 0


# -- (c) model replies --------------------------------------------------------------------------------------------------

CHAT = {
    "choices": [
        {
            "message": {
                "content": "tea",
                "reasoning_content": "hm",
                "tool_calls": [{"id": "c", "function": {"name": "note", "arguments": '{"text": "tea"}'}}],
            },
            "finish_reason": "tool_calls",
            "logprobs": {"content": [{"logprob": -0.5}]},
            "token_ids": [1],
        }
    ],
    "usage": {"prompt_tokens": 3, "completion_tokens": 1},
    "prompt_token_ids": [5, 6],
}
RESPONSES = {
    "status": "completed",
    "output": [
        {"type": "reasoning", "summary": [], "content": [{"type": "reasoning_text", "text": "hm"}]},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "yes", "annotations": []}],
        },
        {"type": "function_call", "call_id": "c", "name": "note", "arguments": '{"text": "tea"}'},
    ],
    "usage": {"input_tokens": 3, "output_tokens": 1},
    "input_messages": [{"tokens": [5, 6]}],
    "output_messages": [{"tokens": [1]}],
}
READERS = {"chat": (chat, CHAT), "responses": (responses, RESPONSES)}


class Said(NamedTuple):
    """What a model said in one episode, and where: its texts, or a server's bodies."""

    environment: str
    reader: str
    replies: tuple[bytes, ...]


def a_reply(draw: Draw) -> Said:
    environment = draw.choice(["desk", "desk", "steps", "talk", "toolcall"])
    reader = draw.choice(["text", "text", "chat", "responses"])
    replies: list[bytes] = []
    for _ in range(draw.randint(1, 3)):
        if reader == "text":
            replies.append(a_text(draw))
        else:
            body: Any = READERS[reader][1]
            for _ in range(draw.randrange(3)):
                body = twisted(draw, body)
            written = deepened(draw, json.dumps(body).encode())
            replies.append(scrambled(draw, written) if draw.random() < 0.4 else written)
    return Said(environment, reader, tuple(replies))


def a_text(draw: Draw) -> bytes:
    kind = draw.random()
    if kind < 0.1:
        return bytes(draw.randrange(256) for _ in range(draw.randint(0, 60)))
    if kind < 0.15:
        return draw.choice(TOKENS) * draw.choice([1, 2, 200])
    if kind < 0.2:
        depth = draw.randint(100, 1200)
        return b'{"tool": "wait", "args": {"places": [], "extra": ' + b"[" * depth + b"]" * depth + b"}}"
    name = draw.choice(list(GOOD))
    value: Any = {"tool": name, "args": GOOD[name]}
    for _ in range(draw.randrange(3)):
        value = twisted(draw, value)
    written = deepened(draw, json.dumps(value, ensure_ascii=draw.random() < 0.5).encode(errors="surrogatepass"))
    return scrambled(draw, written) if draw.random() < 0.5 else written


def read(said: Said) -> list[str | list[Item]]:
    """What a policy would hand over; a body that is refused in words is what `RemotePolicy` tells as a failure."""
    if said.reader == "text":
        return [text_of(reply) for reply in said.replies]
    found: list[str | list[Item]] = []
    for body in said.replies:
        try:
            found.append(READERS[said.reader][0].read_reply(body).items)
        except (ServerError, msgspec.DecodeError, UnicodeDecodeError, RecursionError):
            found.append("refused")
    return found


def feed_reply(said: Said) -> int:
    environment = Loop.environments[said.environment]
    replies = read(said)
    for reply in replies:
        items = dialects.parse(reply) if isinstance(reply, str) else reply
        messages = plain.to_messages([*items, *items], environment.tools)
        assert all(set(message) == {"role", "content"} for message in messages)
        names = ToolNames([each.name for each in environment.tools], items)
        for api in (chat, responses):
            msgspec.json.decode(write_json(api.context(items, names)))
        msgspec.json.decode(write_json(messages))
        assert all(isinstance(item.arguments, str) for item in items if isinstance(item, FunctionCall))
    task = Loop.task[said.environment]
    policy = ScriptedPolicy([*replies, "Done."])
    trajectory = Loop.run(run_episode(environment, task, policy, agent=AGENT, id="r/t/0", group="r/t"))
    assert trajectory.error is None or trajectory.error.fault is Fault.MODEL, trajectory.error
    [verdict] = Loop.run(judge(environment.verifier, task, [trajectory], Context()))
    assert verdict.error is None and verdict.reward is not None, verdict.error
    for record, kind in ((trajectory, Trajectory), (verdict, Verdict)):
        written = codec.encode(record)
        assert codec.encode(codec.decode(written, kind)) == written, "what is written is read back as it was"
    return 0


class Loop:
    """What all cases share: one event loop, and the environments."""

    runner = asyncio.Runner()
    box = ToolBox(Desk)
    environments: dict[str, EnvironmentSpec] = {}
    task: dict[str, Task] = {}

    @classmethod
    def run(cls, work: Any) -> Any:
        return cls.runner.run(work)

    @classmethod
    def desk(cls) -> Desk:
        made = Desk()
        made.open(Task(id="t", prompt="p"))
        return made

    @classmethod
    def set_up(cls) -> None:
        for name, kind in (("desk", Desk), ("steps", Steps), ("talk", Talk)):
            cls.environments[name] = EnvironmentSpec(
                name=name,
                tasks=lambda split: [],
                factory=kind,
                toolbox=ToolBox(kind),
                verifiers={"exact_match": lift("exact_match", exact_match)},
                suites={},
                system=kind.system,
                max_turns=4,
            )
            cls.task[name] = Task(id="t", prompt="tea", data={"answer": "tea"})
        cls.environments["toolcall"] = load_environment("toolcall")
        cls.task["toolcall"] = cls.environments["toolcall"].tasks("val")[0]


# -- running ------------------------------------------------------------------------------------------------------------

DOORS: dict[str, tuple[Callable[[Draw], Any], Callable[[Any], int]]] = {
    "files": (a_file, feed_file),
    "calls": (a_call, feed_call),
    "replies": (a_reply, feed_reply),
}


def run_case(door: str, number: int) -> tuple[int, Crash | None]:
    """Rows lost, and the crash when there is one."""
    make, feed = DOORS[door]
    case = f"{door}:{number}"
    given = make(Draw(case))
    try:
        return feed(given), None
    except (Exception, SystemExit) as error:
        small = smallest(given, feed, type(error))
        return 0, Crash(case, error, f"python bench/fuzz.py --case {case}  # {feed.__name__}({small!r})")


def smallest(given: Any, feed: Callable[[Any], int], kind: type[BaseException]) -> Any:
    """The input with everything cut away that it still crashes without, in at most a few hundred tries."""

    def crashes(candidate: Any) -> bool:
        try:
            feed(candidate)
        except kind:
            return True
        except (Exception, SystemExit):
            return False
        return False

    for field in given._fields:
        if isinstance(getattr(given, field), tuple | bytes) or field == "arguments":
            given = cut(given, field, None, crashes)
        if isinstance(getattr(given, field), tuple):
            for place in range(len(getattr(given, field))):
                given = cut(given, field, place, crashes)
    return given


def cut(given: Any, field: str, place: int | None, crashes: Callable[[Any], bool]) -> Any:
    """The input with a field (or one of its members) as short as a couple of hundred tries find it."""
    step, tries = 0, 200
    while True:
        whole = getattr(given, field)
        part = whole if place is None else whole[place]
        step = step // 2 if step else max(1, len(part) // 2)
        where = 0
        while where < len(part) and tries:
            tries -= 1
            shorter = part[:where] + part[where + step :]
            candidate = given._replace(
                **{field: shorter if place is None else (*whole[:place], shorter, *whole[place + 1 :])}
            )
            if crashes(candidate):
                given, part = candidate, shorter
            else:
                where += step
        if step <= 1:
            return given


def main() -> None:
    options = parser(__doc__)
    options.add_argument("--case", metavar="DOOR:NUMBER", help="one case again")
    args = options.parse_args()
    Loop.set_up()
    with tempfile.TemporaryDirectory() as folder:
        Folder.path = Path(folder)
        if args.case:
            door, _, number = args.case.partition(":")
            make, feed = DOORS[door]
            given = make(Draw(args.case))
            print(f"{feed.__name__}({given!r})")
            print(f"rows lost: {feed(given)}")
            return
        total = 5_000 if args.quick else 100_000
        count, lost = 0, 0
        crashes: list[Crash] = []
        for number in range(-(-total // len(DOORS))):
            for door in DOORS:
                count += 1
                gone, crash = run_case(door, number)
                lost += gone
                if gone:
                    print(f"rows lost: {gone} in {door}:{number}", file=sys.stderr)
                if crash is not None:
                    crashes.append(crash)
                    print(f"crash in {crash.case}: {type(crash.error).__name__}: {crash.error}"[:500], file=sys.stderr)
                    print(crash.repro[:2000], file=sys.stderr)
    finish(
        [
            figure("random cases fed in", count, "cases", f">= {total}"),
            figure("crashes", len(crashes), "cases", "<= 0"),
            figure("rows of task files lost", lost, "rows", "<= 0"),
        ],
        args,
    )


if __name__ == "__main__":
    main()
