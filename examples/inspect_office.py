"""An environment of Verigym as a task of inspect: `inspect eval examples/inspect_office.py --model openai/gpt-5-mini`."""

# pyright: reportMissingImports=false
from inspect_ai import Task, task

from verigym.bridges.inspect_task import inspect_task


@task
def office(split: str = "val", limit: int = 50) -> Task:
    return inspect_task("workplace", split, limit)
