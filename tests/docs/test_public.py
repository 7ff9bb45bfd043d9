"""The public surface is a list: what it names is there, and nothing joins it unnoticed."""

import verigym

PUBLIC = [
    "Choice",
    "Code",
    "Combine",
    "FunctionCall",
    "FunctionCallOutput",
    "Item",
    "JsonSchema",
    "Judge",
    "LocalPolicy",
    "Message",
    "Numeric",
    "PairwiseJudge",
    "Reasoning",
    "Regex",
    "RemotePolicy",
    "Sampling",
    "ScriptedPolicy",
    "Shortest",
    "StateDiff",
    "Task",
    "Trajectory",
    "Verdict",
    "VerigymError",
    "Version",
    "exact_match",
    "lift_group",
    "open_sandbox",
    "tool",
]


def test_the_public_surface_is_exactly_this_list() -> None:
    assert sorted(verigym.__all__) == PUBLIC


def test_every_public_name_can_be_had() -> None:
    assert all(getattr(verigym, name) is not None for name in verigym.__all__)


def test_a_name_that_is_not_public_is_refused() -> None:
    assert not hasattr(verigym, "Store")
