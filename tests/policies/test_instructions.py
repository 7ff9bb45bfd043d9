"""System prompts never ask a model with a tool channel for another form of calls than its template does."""

import json
import pkgutil

import pytest

from tests.policies.templates import FAMILIES, tokenizer
from verigym import environments
from verigym.core.records import FunctionCall, Item, Message, ToolSpec
from verigym.environments.load import load_environment
from verigym.environments.toolcall import BETTER_SYSTEM
from verigym.policies.dialects.instructions import adapted, in_words
from verigym.policies.dialects.markup import HERMES
from verigym.policies.render import Renderer
from verigym.wire.tools import ToolNames

RENDERS = {family: Renderer(tokenizer(family)) for family in FAMILIES}
NATIVE = [family for family in FAMILIES if RENDERS[family].dialect.name != "plain"]
PLAIN = [family for family in FAMILIES if family not in NATIVE]
WITH_TOOLS = [
    module.name
    for module in pkgutil.iter_modules(environments.__path__)
    if module.ispkg and module.name not in ("bridges", "plain") and load_environment(module.name).tools
]
TOOLS = [ToolSpec(name="calendar.create_event"), ToolSpec(name="refuse")]
NAMES = ToolNames(tool.name for tool in TOOLS)
FORM = '{"tool": name, "args": {...}}'


def hermes(call: FunctionCall) -> str:
    return HERMES.write([call])


def shown(family: str, system: str, tools: list[ToolSpec]) -> str:
    items: list[Item] = [Message("system", system), Message("user", "Book Omar.")]
    return RENDERS[family].decode(RENDERS[family].prompt(items, tools))


def test_there_are_environments_with_tools() -> None:
    assert {"toolcall", "workplace", "safety", "triage"} <= {*WITH_TOOLS}


@pytest.mark.parametrize("name", WITH_TOOLS)
@pytest.mark.parametrize("family", ["qwen2", "nemotron"])
def test_no_shipped_environment_contradicts_the_template(name: str, family: str) -> None:
    environment = load_environment(name)
    prompt = shown(family, environment.system, environment.tools)
    assert '"tool":' not in prompt and "tool channel" not in prompt
    first = environment.system.partition("\n")[0]
    assert '"tool":' in first or first in prompt  # the rest of the prompt is still there


@pytest.mark.parametrize("family", NATIVE)
def test_every_family_with_a_tool_channel_gets_only_its_own_form(family: str) -> None:
    prompt = shown(family, BETTER_SYSTEM, TOOLS)
    assert '"tool":' not in prompt and "JSON object and nothing else" not in prompt
    example = RENDERS[family].dialect.write([FunctionCall("", "refuse", "{}")])
    assert "Reply with one tool call and nothing else" in prompt and example in prompt


@pytest.mark.parametrize("family", PLAIN)
def test_a_model_without_a_tool_channel_gets_the_prompt_as_it_is(family: str) -> None:
    assert BETTER_SYSTEM in shown(family, BETTER_SYSTEM, TOOLS)


def test_without_tools_a_prompt_stays_as_it_is() -> None:
    assert BETTER_SYSTEM in shown("qwen2", BETTER_SYSTEM, [])


def test_the_words_of_a_user_stay_as_they_are() -> None:
    items: list[Item] = [Message("system", "Be brief."), Message("user", f"Reply with one JSON object: {FORM}")]
    render = RENDERS["qwen2"]
    assert FORM in render.decode(render.prompt(items, TOOLS))


@pytest.mark.parametrize(
    ("prompt", "expected"),
    [
        ("Be brief.", "Be brief."),
        (f"Book. Reply with one JSON object: {FORM}", "Book. Reply with one tool call"),
        (
            f"Answer with exactly one JSON object and nothing else: {FORM}.",
            "Answer with exactly one tool call and nothing else.",
        ),
        (f"Write {FORM} to act, or text to end.", "Write a tool call to act, or text to end."),
        ('Write {"tool": "<name>", "args": {"key": value}}.', "Write a tool call."),
        ('Write {"tool": "name", "args": {}}.', "Write a tool call."),
        (f"First.\nWithout a tool channel of your own, write {FORM}\nLast.", "First.\nLast."),
        (f"Without a tool channel of your own, write {FORM}. Last.", "Last."),
        (f"Ünï.\nReply with one JSON object: {FORM}", "Ünï.\nReply with one tool call"),
        ('{"tool": "unclosed', '{"tool": "unclosed'),
        ('A hammer is a "tool", {"tool": "hammer"} too.', 'A hammer is a "tool", {"tool": "hammer"} too.'),
        (
            'Like {"tool": "refuse", "args": {"why": {"deep": ["ü"]}}}!',
            'Like <tool_call>\n{"name": "refuse", "arguments": {"why": {"deep": ["ü"]}}}\n</tool_call>!',
        ),
    ],
)
def test_a_prompt_keeps_everything_but_the_plain_form(prompt: str, expected: str) -> None:
    assert adapted(prompt, NAMES, hermes) == expected
    assert adapted(expected, NAMES, hermes) == expected


def test_an_example_for_a_server_is_written_in_words_with_the_name_on_the_wire() -> None:
    call = json.dumps({"tool": "calendar.create_event", "args": {"day": "Monday"}})
    assert adapted(f"So:\n{call}", NAMES, in_words) == 'So:\n(call calendar-create_event with {"day": "Monday"})'


def test_a_huge_prompt_is_adapted_in_time() -> None:
    prompt = '{"tool": ' * 20_000 + "Without a tool channel " * 2_000
    assert adapted(prompt, NAMES, hermes) == prompt.strip()
