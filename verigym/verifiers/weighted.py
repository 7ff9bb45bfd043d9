"""Several verifiers as one: the reward is their weighted sum, each is a part of it, and the first says what passed."""

import asyncio
from collections.abc import Mapping, Sequence

import msgspec

from verigym.core.protocols import Context, Verifier
from verigym.core.records import Task, Trajectory, Verdict, content_hash
from verigym.verifiers.lift import named


class Weighted:
    def __init__(self, parts: Mapping[str, tuple[float, Verifier]]) -> None:
        self._parts = parts
        version = content_hash({name: [weight, verifier.name] for name, (weight, verifier) in parts.items()})
        self.name = f"{'+'.join(parts)}@{version[:8]}"

    async def verify(self, task: Task, group: Sequence[Trajectory], context: Context) -> list[Verdict]:
        found = await asyncio.gather(*(verifier.verify(task, group, context) for _, verifier in self._parts.values()))
        return named(self.name, group, [self._sum(verdicts) for verdicts in zip(*found, strict=True)])

    def _sum(self, verdicts: tuple[Verdict, ...]) -> Verdict:
        """Without a reward where one has none: half a judgement is none."""
        reward, parts = 0.0, {}
        for (name, (weight, _)), verdict in zip(self._parts.items(), verdicts, strict=True):
            if verdict.reward is None:
                return verdict
            reward += weight * verdict.reward
            parts |= {f"{name}.{part}": value for part, value in verdict.parts.items()} | {name: verdict.reward}
        evidence = "\n".join(verdict.evidence for verdict in verdicts if verdict.evidence)
        unsafe = any(verdict.unsafe for verdict in verdicts)
        return msgspec.structs.replace(verdicts[0], reward=reward, parts=parts, unsafe=unsafe, evidence=evidence)
