"""A taskset of verifiers 0.4 in one file: sums with a reward of its own.

verigym bridges install verifiers
verigym check 'verifiers:examples/verifiers_sums.py?gold=answer'
verigym eval 'verifiers:examples/verifiers_sums.py' -m URL_OR_FOLDER
"""

import re

import verifiers.v1 as vf  # type: ignore[import-not-found]

__all__ = ["SumsTaskset"]


class SumsData(vf.TaskData):
    answer: str
    """The gold reply."""


class SumsTask(vf.Task[SumsData]):
    @vf.reward(weight=1.0)
    async def right(self, trace: vf.Trace) -> float:
        """Whether the last number of the reply is the sum."""
        numbers = re.findall(r"-?\d+", trace.last_reply or "")
        return float(bool(numbers) and numbers[-1] == self.data.answer)


class SumsConfig(vf.TasksetConfig):
    num_tasks: int = 20
    """Number of tasks."""


class SumsTaskset(vf.Taskset[SumsTask, SumsConfig]):
    def load(self) -> list[SumsTask]:
        pairs = [(3 * n + 1, 7 * n + 2) for n in range(self.config.num_tasks)]
        return [
            SumsTask(SumsData(id=f"sum-{a}-{b}", prompt=f"What is {a} + {b}?", answer=str(a + b)), self.config.task)
            for a, b in pairs
        ]
