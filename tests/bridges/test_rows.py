"""Rows and tool files for other trainers, written without them."""

import pytest

from verigym.bridges.episodes import TASK, PeerEnvironment
from verigym.bridges.rows import openrlhf_rows, verl_rows, verl_tools
from verigym.core.errors import BadInput


def test_rows_for_verl_name_the_task_for_each_tool_and_for_the_reward() -> None:
    peer = PeerEnvironment("workplace", "val")
    row = verl_rows(peer, "workplace", "val")[0]
    task = row["reward_model"]["ground_truth"]
    assert task == peer.tasks[0].id and row["agent_name"] == "tool_agent"
    assert all(each["create_kwargs"] == {TASK: task} for each in row["extra_info"]["tools_kwargs"].values())
    tools = verl_tools(peer, "workplace")["tools"]
    assert [each["tool_schema"]["function"]["name"] for each in tools] == row["extra_info"]["tool_selection"]
    properties = {
        (each["config"]["tool"], name): schema
        for each in tools
        for name, schema in each["tool_schema"]["function"]["parameters"]["properties"].items()
    }
    assert properties["calendar.update", "value"]["type"] == ["string", "integer"]
    assert properties["analytics.count_sources", "source"]["enum"] == [
        "direct",
        "referral",
        "search_engine",
        "social_media",
    ]


def test_rows_for_openrlhf_hold_the_task_as_the_label_of_a_split() -> None:
    peer = PeerEnvironment("sudoku", ["train", "val"])
    assert [row["label"] for row in openrlhf_rows(peer, "val")] == [
        task.id for task in peer.tasks if task.split == "val"
    ]


def test_verl_cannot_drive_an_environment_that_answers_messages() -> None:
    with pytest.raises(BadInput, match="OpenRLHF"):
        verl_rows(PeerEnvironment("sudoku", "val"), "sudoku", "val")
