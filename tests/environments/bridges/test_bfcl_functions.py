"""The training tasks of `functions` have nothing of BFCL, which is their exam."""

import re
from pathlib import Path

import pytest

from verigym.environments.bridges import bfcl_rows
from verigym.environments.bridges.install import install
from verigym.environments.functions import requests


@pytest.fixture(autouse=True)
def installed(folder: Path) -> None:
    install("bfcl")


def wording(text: str) -> str:
    return re.sub(r"\W+", " ", text).casefold().strip()


def test_no_function_and_no_request_is_one_of_bfcl() -> None:
    ours = {each for split in ("train", "val") for each in requests.library_calls(split)}
    prompts = {wording(str(task.prompt)) for split in ("train", "val") for task in requests.tasks(split)}
    for category in (*bfcl_rows.SINGLE, *bfcl_rows.MULTI):
        for task in bfcl_rows.category_tasks(category, 0.0):
            several = category in bfcl_rows.MULTI
            tools = bfcl_rows.conversation_tools(task, 99) if several else bfcl_rows.question_tools(task)
            theirs = {(tool["name"], frozenset(tool["parameters"].get("properties", {}))) for tool in tools}
            assert not ours & theirs, f"{task.id}: {sorted(name for name, _ in ours & theirs)}"
            asked = (
                [task.prompt]
                if isinstance(task.prompt, str)
                else [str(getattr(item, "text", "")) for item in task.prompt]
            )
            assert prompts.isdisjoint(wording(text) for text in asked), task.id
