"""The verifier that a task's own data asks for, for bare files of tasks: `{"prompt", "tests"}` is code, and so on."""

from verigym.core.errors import VerifierFailure
from verigym.core.protocols import Context
from verigym.core.records import Task, Trajectory, Verdict
from verigym.verifiers.choice import Choice
from verigym.verifiers.code import Code
from verigym.verifiers.lift import judged
from verigym.verifiers.match import exact_match
from verigym.verifiers.regex import Regex
from verigym.verifiers.schema import JsonSchema

BY_KEY = {
    "tests": Code(),
    "schema": JsonSchema(),
    "pattern": Regex(),
    "choices": Choice(),
    "answer": exact_match,
}
"""Key of the task's data to what judges it; the first that is there."""


async def by_data(task: Task, trajectory: Trajectory, context: Context) -> Verdict:
    for key, verify in BY_KEY.items():
        if key in task.data:
            return await judged(verify, task, trajectory, context)
    raise VerifierFailure(f"task {task.id}: nothing in its data to judge a reply by ({', '.join(BY_KEY)})")
