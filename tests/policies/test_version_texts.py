"""A version's examples and skills when it answers a client."""

from verigym.core.records import FunctionCall, FunctionCallOutput, Item, Message, Version
from verigym.policies.answering import as_version

EXAMPLE: list[Item] = [
    Message("user", "buy milk"),
    FunctionCall("example_0_a", "shop.add", '{"item": "milk"}'),
    FunctionCallOutput("example_0_a", "1 milk"),
]
ASKED: list[Item] = [Message("system", "The client's."), Message("user", "buy tea")]


def test_examples_follow_the_versions_system_prompt_which_holds_its_skills() -> None:
    version = Version(base="b", system_prompt="Ours.", examples=[EXAMPLE], skills={"buying": "How to buy."})
    system, *rest = as_version(ASKED, version)
    assert isinstance(system, Message) and system.text == "Ours.\n\nSkill buying:\nHow to buy."
    assert rest == [*EXAMPLE, Message("user", "buy tea")]


def test_skills_of_a_version_without_a_prompt_are_added_to_the_clients() -> None:
    system, _ = as_version(ASKED, Version(base="b", skills={"buying": "How to buy."}))
    assert isinstance(system, Message) and system.text == "The client's.\n\nSkill buying:\nHow to buy."


def test_an_external_program_gets_its_skills_as_files_and_not_in_the_prompt() -> None:
    assert as_version(ASKED, Version(base="b", skills={"a": "b"}, program="codex exec")) == ASKED


def test_a_plain_version_changes_nothing() -> None:
    assert as_version(ASKED, Version(base="b")) == ASKED
