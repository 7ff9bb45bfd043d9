"""Changes that a model proposes after reading failures: a system prompt, a tool description or a skill.

The model sees what the agent did on feedback tasks and the evidence of the verifier, and writes the whole new text. Each answer
is stored by model and question, so a repeated search asks nothing twice. Texts of tasks and episodes are quoted as untrusted.
"""

import re
from collections.abc import Callable, Iterator

from msgspec import Struct

from verigym.core.protocols import Policy, Request
from verigym.core.records import Message, Sampling
from verigym.optimize.mutations import misused
from verigym.optimize.records import Change, Evidence, Situation
from verigym.verifiers.judge import UNTRUSTED, quoted, reason, task_text, transcript

SAMPLING = Sampling(temperature=0.7, max_tokens=600)
SKILL = "lessons"
"""Name of the skill that reflection writes."""
_FAILURES, _PASSES = 4, 1
_CUT = 1500
"""Maximum characters of one episode."""
_LONGEST = 6000
"""Maximum characters of a new text."""
_FENCE = re.compile(r"```[^\n]*\n(.*?)(?:\n```|$)", re.DOTALL)

Ask = Callable[[str], str]
"""Asks the reflection model."""


class StoredReflection(Struct, frozen=True, kw_only=True):
    """An answer of the reflection model."""

    model: str
    prompt: str
    answer: str
    tokens: int = 0


async def answer(policy: Policy, prompt: str, seed: int) -> tuple[str, int]:
    """The text of the answer, and the tokens that it cost."""
    reply = await policy.respond(Request(items=[Message("user", prompt)], sampling=SAMPLING, seed=seed))
    text = "".join(item.text for item in reply.items if isinstance(item, Message))
    return text, reply.turn.usage.prompt_tokens + reply.turn.usage.completion_tokens


def reflections(situation: Situation, ask: Ask) -> Iterator[Change]:
    """New texts for the allowed parts. A model that answers with nothing usable yields nothing."""
    parts, episodes = situation.settings.parts, _episodes(situation)
    if "prompt" in parts:
        text = new_text(ask(_question("the instructions of an assistant", situation.system, episodes, _PROMPT)))
        if _usable(text, situation.system):
            yield Change("prompt", "reflection on the prompt", {"system_prompt": text})
    tools = {tool.name: tool for tool in situation.environment.tools}
    name = next((name for name in misused(situation) if name in tools), "")
    if "tools" in parts and name:
        had = situation.parent.tool_descriptions
        old = had.get(name, tools[name].description)
        text = new_text(ask(_question(f'the description of the tool "{name}"', old, episodes, _DESCRIPTION)))
        if _usable(text, old):
            merged = dict(sorted({**had, name: text}.items()))
            yield Change("tools", f"reflection on {name}", {"tool_descriptions": merged})
    if "skills" in parts and (situation.environment.max_turns > 1 or situation.parent.skills):
        old = situation.parent.skills.get(SKILL, "")
        text = new_text(ask(_question("a guide that the assistant can read while it works", old, episodes, _GUIDE)))
        if _usable(text, old):
            yield Change("skills", "reflection on a skill", {"skills": {**situation.parent.skills, SKILL: text}})


_PROMPT = (
    "Write the whole new instructions. Keep what works. State general rules that prevent these failures, and the form of a right "
    "answer. Do not mention single requests."
)
_DESCRIPTION = (
    "Write the whole new description in at most three sentences: when to use the tool, how to fill its arguments."
)
_GUIDE = (
    "Write the whole new guide. Its first line says in one sentence what it is for. Then list steps and rules that prevent these "
    "failures."
)


def _question(what: str, old: str, episodes: str, task: str) -> str:
    return "\n\n".join(
        [
            f"You improve {what}. This is the current text:",
            f"```\n{old or '(none)'}\n```",
            "These are episodes of the assistant with that text, and what a program found about each.",
            episodes,
            UNTRUSTED,
            f"{task} Answer with the new text between ``` marks and nothing else.",
        ]
    )


def _episodes(situation: Situation) -> str:
    passed = [one for one in situation.evidence if not one.failed][:_PASSES]
    return "\n\n".join(_told(one, situation) for one in [*_varied(situation.failures), *passed])


def _varied(failures: list[Evidence]) -> list[Evidence]:
    """Failures with different symptoms first."""
    symptoms: dict[str, Evidence] = {}
    for one in failures:
        symptoms.setdefault(one.episode.symptom, one)
    first = list(symptoms.values())
    rest = [one for one in failures if all(one is not other for other in first)]
    return [*first, *rest][:_FAILURES]


def _told(one: Evidence, situation: Situation) -> str:
    episode = one.episode
    outcome = f"failed ({episode.reason.bucket}): {reason(episode.reason.evidence)}" if one.failed else "passed"
    lines = [quoted("task", task_text(one.task)[:_CUT]), quoted("reply", transcript(episode.trajectory)[:_CUT])]
    lines.append(f"Result: {outcome[:_CUT]}")
    gold = situation.environment.gold_replies(one.task) if situation.settings.gold and one.failed else []
    if gold:
        lines.append(f"A right solution: {' then '.join(map(_written, gold))[:_CUT]}")
    return "\n".join(lines)


def _written(reply: object) -> str:
    if isinstance(reply, str):
        return reply
    assert isinstance(reply, list)
    return " ".join(f"{item.name} {item.arguments}" if hasattr(item, "name") else item.text for item in reply)


def new_text(answer: str) -> str:
    """The text between the first ``` marks, or the whole answer if there are none."""
    fenced = _FENCE.search(answer)
    return (fenced[1] if fenced else answer).strip()


def _usable(text: str, old: str) -> bool:
    return bool(text) and text != old.strip() and len(text) <= _LONGEST
