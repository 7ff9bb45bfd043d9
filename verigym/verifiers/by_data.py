"""Chooses the verifier of a task by the keys of its data, for task files without an environment."""

from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Context
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers.choice import Choice
from verigym.verifiers.code import Code
from verigym.verifiers.lift import judged
from verigym.verifiers.match import Regex, exact_match
from verigym.verifiers.schema import JsonSchema

BY_KEY = {"tests": Code(), "schema": JsonSchema(), "pattern": Regex(), "choices": Choice(), "answer": exact_match}
"""Key of the task's data to verifier. The first key that the data has decides."""


async def by_data(task: Task, trajectory: Trajectory, context: Context) -> Verdict:
    for key, verify in BY_KEY.items():
        if key in task.data:
            return await judged(verify, task, trajectory, context)
    raise VerifierFailure(f"task {task.id}: data has no key to score a reply by. Add one of {', '.join(BY_KEY)}")
