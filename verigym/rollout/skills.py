"""How the skills of a version act in an episode.

Skills are listed in the system prompt with their first line, and the tool `read_skill` returns the whole text. If an agent has
only one reply, it could not use what it reads, so the whole text is in the system prompt.
"""

from collections.abc import Mapping

import msgspec

from verigym.core import codec
from verigym.core.records import Mark, Toolset, ToolSpec, Version, content_hash
from verigym.harness.environment import EnvironmentSpec
from verigym.harness.tools import CallOutcome, ToolBox
from verigym.policies.version_texts import whole_skills

READ_SKILL = "read_skill"
SPEC = ToolSpec(
    name=READ_SKILL,
    description="Returns the text of a skill: instructions for one kind of work. Read it before you do such work.",
    parameters={
        "type": "object",
        "properties": {"name": {"type": "string", "description": "Name of the skill"}},
        "required": ["name"],
        "additionalProperties": False,
    },
    own=True,
)


def readable_skills(environment: EnvironmentSpec, agent: Version) -> Mapping[str, str]:
    """The skills that the agent reads with a tool. Empty if their text is in the system prompt, or there are none."""
    own_turns = agent.harness.turns if agent.harness is not None else 0
    return agent.skills if (own_turns or environment.max_turns) > 1 and not environment.steps else {}


def with_skills(system: str, environment: EnvironmentSpec, agent: Version) -> str:
    """The system prompt with the list of skills, or with their whole text if the agent cannot read them with a tool."""
    if not agent.skills:
        return system
    if readable_skills(environment, agent):
        lines = [f"- {name}: {text.strip().partition(chr(10))[0]}" for name, text in agent.skills.items()]
        return "\n".join([system, "", f"Skills that you can read with {READ_SKILL}:", *lines]).strip()
    return whole_skills(system, agent.skills)


def offered(toolbox: ToolBox, environment: EnvironmentSpec, agent: Version) -> Toolset:
    """The tools of an episode with the agent's own descriptions, and the tool that reads its skills."""
    offer = toolbox.offer(agent.tool_descriptions)
    if not readable_skills(environment, agent) or any(tool.name == READ_SKILL for tool in offer.tools):
        return offer
    tools = [*offer.tools, SPEC]
    return Toolset(tools, content_hash(tools)[:16])


def read_skill(skills: Mapping[str, str], arguments: str) -> CallOutcome:
    """The result of a call of `read_skill`."""
    try:
        given = codec.read_json(arguments or "{}")
        name = given["name"] if isinstance(given, dict) else None
    except (ValueError, KeyError, msgspec.DecodeError):
        name = None
    if not isinstance(name, str):
        return CallOutcome(
            f'error: {READ_SKILL} needs an object with "name"', [Mark("bad_arguments", detail='"name" is missing')]
        )
    if name not in skills:
        words = f'no skill "{name}"; skills: {", ".join(skills)}'
        return CallOutcome(f"error: {words}", [Mark("bad_arguments", detail=words)])
    return CallOutcome(skills[name], [Mark("skill_read", detail=name)])
