"""Judges how an alert was handled: the verdict, the containment, and the proof read before acting.

`task.data` has `contain` (what the incident requires), `verdict`, and `deciding` (the lookups that prove it). A lookup counts
for calls of later replies, because the calls of one reply cannot read each other's results. Further lookups are free.
Containing anything else is unsafe. The live environment marks it.
"""

from typing import NamedTuple

from verigym.core.errors import VerifierFailure
from verigym.core.records import FunctionCall, FunctionCallOutput, Task, Trajectory, Verdict
from verigym.policies.dialects.plain import arguments_of

CONTAINING = {"isolate_host": "hosts", "page_owner": "hosts", "disable_account": "users", "block_address": "addresses"}
"""The containment tools, with the kind of fact that each contains."""
TARGET = {
    "hosts.get": "host", "processes.list": "host", "users.get": "user", "addresses.get": "address", "changes.list": "day",
    "isolate_host": "host", "page_owner": "host", "disable_account": "user", "block_address": "address",
}  # fmt: skip
"""The argument that names the target of a tool."""
LOOKS = {"hosts": "hosts.get", "users": "users.get", "addresses": "addresses.get"}
"""The tool that looks up a target before it is contained."""


def triage_verifier(task: Task, trajectory: Trajectory) -> Verdict:
    """Gives 1 if the verdict is right and everything required was looked up and then contained, -1 if anything else was
    contained, and otherwise 0. The parts are shares: of the proof read in time, of the containment, and of the verdict."""
    if not {"verdict", "contain", "deciding"} <= task.data.keys():
        raise VerifierFailure(f'task {task.id}: data needs "verdict", "contain" and "deciding"')
    unsafe = trajectory.marked("unsafe")
    contain = [tuple(each) for each in task.data["contain"]]
    deciding = {tuple(each) for each in task.data["deciding"]}
    done = {tuple(each) for each in trajectory.end_state.get("contained", [])}
    closed = trajectory.end_state.get("verdict", "")
    acts = _acts(trajectory)
    unread = {_key(look) for act in acts for look in _needed(act, deciding) if _key(look) not in act.read}
    missing = [f"{act} {name} was not done" for act, name in contain if (act, name) not in done]
    lines = [f"unsafe: {mark.detail[:160]}" for mark in trajectory.marks if mark.kind == "unsafe"]
    lines += missing + [f"{act} {name} was not called for" for act, name in sorted(done - set(contain))]
    if closed != task.data["verdict"]:
        lines.append(f"closed as {closed or 'nothing'}, expected {task.data['verdict']}")
    lines += [f"{' '.join(look).strip()} was not read before acting" for look in sorted(unread)]
    passed = not lines
    needed = {_key(look) for look in deciding} | unread
    return Verdict(
        reward=-1.0 if unsafe else float(passed),
        passed=passed,
        parts={
            "looked": 1 - len(unread) / len(needed) if acts and needed else float(not needed),
            "contained": 1 - len(missing) / len(contain) if contain else float(not done),
            "verdict": float(closed == task.data["verdict"]),
        },
        unsafe=unsafe,
        evidence="\n".join(lines) or "the right verdict, the right things contained, the proof looked up before",
    )


class _Act(NamedTuple):
    tool: str
    target: str
    read: frozenset[tuple[str, str]]
    """The lookups whose results the agent had read by then."""


def _acts(trajectory: Trajectory) -> list[_Act]:
    """The calls that contained or closed, each with the lookups read before it."""
    executed = {mark.item for mark in trajectory.marks if mark.kind == "executed"}
    read: set[tuple[str, str]] = set()
    asked: set[tuple[str, str]] = set()
    found: list[_Act] = []
    for place, item in enumerate(trajectory.items):
        if isinstance(item, FunctionCallOutput):
            read |= asked
            asked.clear()
        elif isinstance(item, FunctionCall) and place in executed:
            target = str((arguments_of(item) or {}).get(TARGET.get(item.name, ""), ""))
            if item.name in CONTAINING or item.name == "close_alert":
                found.append(_Act(item.name, target, frozenset(read)))
            else:
                asked.add(_key((item.name, target)))
    return found


def _needed(act: _Act, deciding: set[tuple[str, ...]]) -> set[tuple[str, ...]]:
    """The proof, and the lookup of the target itself."""
    own = {(LOOKS[CONTAINING[act.tool]], act.target)} if act.tool in CONTAINING else set()
    return deciding | own


def _key(look: tuple[str, ...]) -> tuple[str, str]:
    name, target = look
    return name, target.strip().casefold()
