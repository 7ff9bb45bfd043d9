"""A mixed set of 200 production traces, for `mine.py`. Everything is drawn from its seed, so everyone gets the same set.

Scripted agents work in shipped environments and in one that a user might write (`warehouse.py`). They get situations that the
environments know, in other words than the environments' own tasks. Some agents do it right. The others fail as agents do: they
stop early, use a wrong value, give up, do too much, or claim success. The traces are written to files in four formats and
ingested, so redaction applies. `INFORMATION` says what is known about each trace. `python bench/mine.py` prints the mix.
"""

import itertools
import random
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from verigym.audit.scripted_episodes import play
from verigym.core.records import Feedback, FunctionCall, FunctionCallOutput, Item, Json, Message, Task, content_hash
from verigym.environments.load import load_environment
from verigym.harness.environment import EnvironmentSpec, Reply
from verigym.policies.dialects import write_call
from verigym.traces import ingest
from verigym.traces.redaction import Redaction
from verigym.workspace.workspace import WorkspaceFolder

WAREHOUSE = str(Path(__file__).with_name("warehouse.py"))
ENVIRONMENTS = {
    "workplace": 44,
    "support": 30,
    "triage": 30,
    "search": 20,
    "data_analysis": 18,
    "safety": 16,
    "toolcall": 18,
    WAREHOUSE: 16,
    "notes": 8,
}
"""Traces by environment. `toolcall` and `notes` have one step, the others several."""
INFORMATION = {
    "correction": 54,
    "twin": 28,
    "success of a twin": 16,
    "end state": 8,
    "thumbs down": 34,
    "complaint": 30,
    "error": 4,
    "success": 6,
    "unknown outcome": 6,
    "unknown state": 6,
    "no request": 4,
    "broken server": 4,
}
"""Traces by what is known about them. Successes, unknown outcomes, unknown states, broken servers and traces without a request
hold no task, or nothing that proves one: 42 of 200."""
FORMATS = ("messages", "chat", "responses", "atif")
WORDS = {
    "workplace": [
        "Nora passed this on to me: {}",
        "{} I am out until Thursday, so please see to it.",
        "One for today. {}",
    ],
    "support": ["Hello, I hope you can help. {}", "{} I already waited on the phone.", "My second letter to you. {}"],
    "triage": [
        "Night shift, please take this one.\n{}",
        "{}\nForwarded by the on-call engineer.",
        "From the queue:\n{}",
    ],
    "search": ["A reader wrote in: {}", "{} It is for tomorrow's quiz.", "We argued about this at lunch. {}"],
    "data_analysis": ["For the board.\n{}", "{}\nThe auditor asked.", "Before the meeting, please.\n{}"],
    "safety": ["I am on the train, so quickly: {}", "{} Let me know.", "From my phone: {}"],
    "toolcall": ["If you do not mind: {}", "{} No hurry.", "Small thing. {}"],
    WAREHOUSE: ["{}"],
    "notes": ["{} One or two words, please."],
}
COMPLAINTS = {
    "stops early": "It said that all was done, but nothing had happened",
    "wrong value": "That is not what I asked for, look at the details",
    "gives up": "It gave up although everything it needed was there",
    "does more": "It did something that nobody had asked for",
    "claims": "It did nothing at all and told me that it had",
}


class Situation(NamedTuple):
    environment: str
    task: Task
    """The request in its world. Its data says what is right, which mining never sees."""
    gold: list[Reply]


class Made(NamedTuple):
    """A trace of the set, with what only its maker knows."""

    environment: str
    information: str
    failure: str
    """Empty for a success."""
    situation: Situation | None
    replies: list[Reply]
    trace: str = ""


def situations(name: str, count: int, rng: random.Random) -> list[Situation]:
    """Different worlds, each with a request in other words than the environment's own task."""
    environment = load_environment(name)
    if name == WAREHOUSE:
        return [_in_warehouse(environment, index, rng) for index in range(count)]
    own = [*environment.tasks("train"), *environment.tasks(next(iter(environment.suites.values())))]
    rng.shuffle(own)
    families: dict[str, Task] = {}
    for task in own:
        families.setdefault(task.family, task)
    found: list[Situation] = []
    for task in [*families.values(), *own]:
        gold = [list(reply) if isinstance(reply, list) else reply for reply in environment.gold_replies(task)]
        calls = sum(isinstance(item, FunctionCall) for reply in gold if isinstance(reply, list) for item in reply)
        if not isinstance(task.prompt, str) or (calls < 2 and name in ("workplace", "support", "triage")):
            continue
        words = rng.choice(WORDS[name]).format(task.prompt)
        found.append(Situation(name, msgspec.structs.replace(task, prompt=words), gold))
        if len(found) == count:
            break
    return found


def _in_warehouse(environment: EnvironmentSpec, index: int, rng: random.Random) -> Situation:
    tasks = [*environment.tasks("train"), *environment.tasks("val")]
    shelves: dict[str, dict[str, int]] = rng.choice(tasks).data["shelves"]
    source, target = rng.sample(list(shelves), 2)
    goods, held = rng.choice(list(shelves[source].items()))
    count = rng.randint(1, held - 1)
    after = {name: dict(each) for name, each in shelves.items()}
    after[source][goods] -= count
    look = _call("stock.look", shelf=source)
    if index % 3:
        words = f"{source} is crowded: take {count} {goods} from there to {target}, delivery {index}."
        act = _call("stock.move", goods=goods, count=count, source=source, target=target)
        after[target][goods] = after[target].get(goods, 0) + count
    else:
        words = f"{count} {goods} on {source} got wet in the storm, take them off the books, report {index}."
        act = _call("stock.write_off", goods=goods, count=count, shelf=source)
    task = Task(id=f"bench/{index}", prompt=words, data={"shelves": shelves, "expected_shelves": after})
    return Situation(WAREHOUSE, task, [[look], [act], "Done."])


def _call(name: str, **arguments: Any) -> FunctionCall:
    return FunctionCall(f"call_{name}", name, msgspec.json.encode(arguments).decode())


# -- how agents fail --------------------------------------------------------------------------------------------------------


def failures(situation: Situation, rng: random.Random) -> Iterator[tuple[str, list[Reply]]]:
    """Ways to fail, in a random order. Some are none in this situation."""
    gold = situation.gold
    acts = [
        index for index, reply in enumerate(gold) if any(isinstance(item, FunctionCall) for item in items_of(reply))
    ]
    ways: list[Callable[[], tuple[str, list[Reply]]]] = []
    if acts:
        last = acts[-1]
        ways += [
            lambda: ("stops early", [*gold[:last], "All done, as you asked."]),
            lambda: ("wrong value", [*gold[:last], _changed(gold[last], rng), *gold[last + 1 :]]),
            lambda: ("gives up", [*gold[: acts[0] + 1], "I am sorry, I could not find what you need."]),
            lambda: ("does more", [*gold[: last + 1], _changed(gold[last], rng), *gold[last + 1 :]]),
        ]
        if rng.random() < 0.15:
            yield "claims", ["I took care of it."]
    else:
        ways.append(
            lambda: ("wrong value", [rng.choice(["Nobody", "It was Robert", "At the harbour", "Seven", "Tuesday"])])
        )
    rng.shuffle(ways)
    for way in ways:
        yield way()


def _changed(reply: Reply, rng: random.Random) -> Reply:
    """The same call with one value that is not right."""
    call = next(item for item in reply if isinstance(item, FunctionCall))
    arguments: Json = msgspec.json.decode(call.arguments)
    names = [name for name in arguments if name not in ("reason", "citations")] or list(arguments)
    if not names:
        return [msgspec.structs.replace(call, arguments="{}")]
    name = rng.choice(names)
    value = arguments[name]
    verdicts = ["malware", "planned_change", "travel", "user_mistake", "stolen_account"]
    if name == "verdict":
        value = rng.choice([each for each in verdicts if each != value])
    elif isinstance(value, bool | str):
        swapped = {"Monday": "Tuesday", "2026-": "2027-", "09:": "10:", "1": "2"}
        old = next((each for each in swapped if each in str(value)), "")
        value = str(value).replace(old, swapped[old], 1) if old else f"{value} and others"
    elif isinstance(value, int | float):
        value = value + rng.choice([1, 2, 5])
    else:
        value = []
    return [msgspec.structs.replace(call, arguments=msgspec.json.encode({**arguments, name: value}).decode())]


# -- the set ----------------------------------------------------------------------------------------------------------------


async def build(ws: WorkspaceFolder, folder: Path, seed: int = 0) -> list[Made]:
    """Writes the files, ingests them and stores the feedback. Returns what was made, with the id of each trace."""
    rng = random.Random(seed)
    wanted = [kind for kind, count in INFORMATION.items() for _ in range(count) if kind != "success of a twin"]
    rng.shuffle(wanted)
    places = [name for name, count in ENVIRONMENTS.items() for _ in range(count)]
    twins = INFORMATION["success of a twin"]
    made: list[Made] = []
    twinned: list[Made] = []
    seen: set[str] = set()
    drawn = {name: iter(situations(name, 3 * count, rng)) for name, count in ENVIRONMENTS.items()}
    rows: dict[str, list[tuple[Json, Made]]] = {name: [] for name in ENVIRONMENTS}
    left = dict(ENVIRONMENTS)
    stateful = [name for name in ENVIRONMENTS if name not in ("toolcall", "notes")]
    inline = ["support", "triage", "safety", WAREHOUSE]
    """The worlds of these are in their tasks, so others can be made."""
    for number, information in enumerate(wanted):
        fitting = {"end state": stateful, "error": stateful, "unknown state": inline}.get(information, list(left))
        if information == "twin" and not twins:
            fitting = [one.environment for one in twinned]
        choices = [name for name in fitting if left[name] > 0] or [name for name in left if left[name] > 0]
        name = rng.choices(choices, [left[each] for each in choices])[0]
        environment = load_environment(name)
        again = [one for one in twinned if one.environment == name] if information == "twin" and not twins else []
        given = [one.situation for one in rng.sample(again, min(1, len(again))) if one.situation is not None]
        one, trajectory = await _trace(environment, itertools.chain(given, drawn[name]), information, rng, seen)
        for each, items in [(one, trajectory), *(await _twin(environment, one, twins))]:
            twinned += [each] if each.information == "success of a twin" else []
            twins -= each.information == "success of a twin"
            left[name] -= 1
            format = FORMATS[(number + len(rows[name])) % len(FORMATS)]
            rows[name].append((_row(environment, each, _with_own_ids(items), format), each))
    assert len(places) == sum(INFORMATION.values()) == sum(len(each) for each in rows.values()), "200 traces"
    for name, of_environment in rows.items():
        made += await _store(ws, folder, name, of_environment)
    return made


async def _trace(
    environment: EnvironmentSpec, drawn: Iterator[Situation], information: str, rng: random.Random, seen: set[str]
) -> tuple[Made, list[Item]]:
    name = environment.name
    for situation in drawn:
        task = situation.task
        if information == "unknown state":
            task = msgspec.structs.replace(task, data=_other_world(task.data))
        if information == "success":
            episode = await play(environment, task, situation.gold, policies={}, scored=False)
            return Made(name, information, "", situation, situation.gold), episode.trajectory.items
        if not (await play(environment, situation.task, situation.gold)).verdict.passed:
            continue
        for failure, replies in failures(situation, rng):
            if (information == "error") != (failure == "gives up") and information == "error":
                continue
            played = await play(environment, situation.task, replies)
            if played.verdict.passed or played.verdict.reward is None:
                continue
            episode = await play(environment, task, replies, policies={}, scored=False)
            key = content_hash([item for item in episode.trajectory.items if not _is_user(item, information)])
            if key in seen:
                continue
            seen.add(key)
            return Made(name, information, failure, situation, replies), episode.trajectory.items
    raise AssertionError(f"{name} has too few situations")


def _is_user(item: Item, information: str) -> bool:
    return information == "no request" and isinstance(item, Message) and item.role == "user"


def _other_world(data: Json) -> Json:
    """A world that the environment does not know: every shop, folder and fact has other figures."""
    text = msgspec.json.encode(data).decode()
    swapped = text.translate(str.maketrans("23456789", "98765432"))
    return msgspec.json.decode(swapped)


async def _twin(environment: EnvironmentSpec, one: Made, left: int) -> list[tuple[Made, list[Item]]]:
    """A successful trace of the same request, while any is left."""
    if one.information != "twin" or not left or one.situation is None:
        return []
    episode = await play(environment, one.situation.task, one.situation.gold, policies={}, scored=False)
    twin = Made(one.environment, "success of a twin", "", one.situation, one.situation.gold)
    return [(twin, episode.trajectory.items)]


# -- files and feedback -----------------------------------------------------------------------------------------------------


def _row(environment: EnvironmentSpec, made: Made, items: list[Item], format: str) -> Json:
    if made.information == "no request":
        items = [item for item in items if not (isinstance(item, Message) and item.role == "user")]
    outcome: Json = {}
    if made.information in ("twin", "correction", "thumbs down", "end state", "unknown state"):
        outcome = {"feedback": {"thumb": "down"}} if made.information == "thumbs down" else {"outcome": "failure"}
    elif made.information.startswith("success"):
        outcome = {"outcome": "success"}
    elif made.information == "error":
        outcome = {"escalation": "A colleague took over: the agent said that it could not go on"}
    tools = [
        {
            "type": "function",
            "function": {"name": tool.name, "description": tool.description, "parameters": tool.parameters},
        }
        for tool in environment.tools
    ]
    messages = list(_messages(items))
    if made.information == "broken server":
        error = {"error": {"message": "upstream timed out", "type": "server_error", "code": 504}}
        return {"request": {"model": "agent", "messages": messages[:2], "tools": tools}, "response": error}
    if format == "chat":
        return {
            "request": {"model": "agent", "messages": messages[:-1], "tools": tools},
            "response": {
                "object": "chat.completion",
                "choices": [{"index": 0, "message": messages[-1], "finish_reason": "stop"}],
            },
            **outcome,
        }
    if format == "responses":
        return {"items": msgspec.to_builtins(items), "tools": tools, **outcome}
    if format == "atif":
        return {
            "schema_version": "ATIF-v1.7",
            "agent": {"name": "agent", "version": "1", "tool_definitions": tools},
            "steps": list(_steps(items)),
            **outcome,
        }
    return {"messages": messages, "tools": tools, **outcome}


def _with_own_ids(items: list[Item]) -> list[Item]:
    """Every call gets an id of its own, as servers give it. Results follow their calls in order."""
    waiting: list[str] = []

    def changed(number: int, item: Item) -> Item:
        if isinstance(item, FunctionCall):
            waiting.append(f"call_{number}")
            return msgspec.structs.replace(item, call_id=waiting[-1])
        return msgspec.structs.replace(item, call_id=waiting.pop(0)) if isinstance(item, FunctionCallOutput) else item

    return [changed(number, item) for number, item in enumerate(items)]


def _messages(items: list[Item]) -> Iterator[Json]:
    for item in items:
        match item:
            case FunctionCall():
                call = {
                    "id": item.call_id,
                    "type": "function",
                    "function": {"name": item.name, "arguments": item.arguments},
                }
                yield {"role": "assistant", "content": None, "tool_calls": [call]}
            case FunctionCallOutput():
                yield {"role": "tool", "tool_call_id": item.call_id, "content": item.output}
            case Message():
                yield {"role": item.role, "content": item.text}
            case _:
                pass


def _steps(items: list[Item]) -> Iterator[Json]:
    number = 0
    waiting: Json | None = None
    for item in items:
        if isinstance(item, FunctionCallOutput) and waiting is not None:
            waiting["observation"]["results"].append({"source_call_id": item.call_id, "content": item.output})
            continue
        if waiting is not None:
            yield waiting
            waiting = None
        number += 1
        if isinstance(item, FunctionCall):
            call = {
                "tool_call_id": item.call_id,
                "function_name": item.name,
                "arguments": msgspec.json.decode(item.arguments),
            }
            waiting = {
                "step_id": number,
                "source": "agent",
                "message": "",
                "tool_calls": [call],
                "observation": {"results": []},
            }
        elif isinstance(item, Message):
            yield {"step_id": number, "source": {"assistant": "agent"}.get(item.role, item.role), "message": item.text}
    if waiting is not None:
        yield waiting


async def _store(ws: WorkspaceFolder, folder: Path, name: str, rows: list[tuple[Json, Made]]) -> list[Made]:
    stem = Path(name).stem
    path = folder / f"{stem}.jsonl"
    path.write_bytes(b"\n".join(msgspec.json.encode(row) for row, _ in rows) + b"\n")
    redaction = Redaction.load()
    summary = ingest(ws.store, ws.home, [str(path)], redaction, name=stem)
    assert not summary.quarantined, summary
    ids = {trace.source.rsplit(":", 1)[1]: trace.id for trace in ws.store.each_trajectory(f"traces-{stem}")}
    made: list[Made] = []
    for index, (_, drawn) in enumerate(rows, 1):
        one = drawn._replace(trace=ids[str(index)])
        made.append(one)
        said = await _feedback(one)
        if said is not None:
            said = redaction.feedback(said)
            ws.store.put("feedback", content_hash(said)[:16], said)
    return made


async def _feedback(one: Made) -> Feedback | None:
    if one.situation is None:
        return None
    fields: Json = {"trajectory": one.trace, "who": "support desk", "when": "2026-03-01T10:00:00"}
    if one.information == "correction":
        right = [item for reply in one.situation.gold for item in items_of(reply)]
        return Feedback(**fields, outcome="failure", correction=right)
    if one.information == "end state":
        environment = load_environment(one.environment)
        played = await play(environment, one.situation.task, one.situation.gold, policies={}, scored=False)
        text = msgspec.json.encode({"end_state": played.trajectory.end_state}).decode()
        return Feedback(**fields, outcome="failure", correction=[Message("assistant", text)])
    if one.information == "complaint":
        return Feedback(**fields, outcome="failure", note=COMPLAINTS[one.failure])
    return None


def items_of(reply: Reply) -> list[Item]:
    """A reply as items."""
    return [Message("assistant", reply)] if isinstance(reply, str) else reply


def written(reply: Reply) -> str:
    """A reply as text, for a policy without a tool channel."""
    if isinstance(reply, str):
        return reply
    call = next((item for item in reply if isinstance(item, FunctionCall)), None)
    if call is None:
        return " ".join(item.text for item in reply if isinstance(item, Message))
    return write_call(call.name, msgspec.json.decode(call.arguments))
