"""An adapter for tests, without any package: a counter that must reach the task's goal."""

import asyncio
import os
import time
from typing import Any

OPTIONS: dict[str, Any] = {}


def start(options: dict[str, Any]) -> None:
    if options.get("broken"):
        raise RuntimeError("the counter is broken")
    OPTIONS.update(options)


def tasks() -> list[dict[str, Any]]:
    if OPTIONS.get("refuse"):
        raise ValueError("there is no such counter")
    print("noise on standard output")
    return [{"id": f"{goal}", "goal": goal, "pid": os.getpid()} for goal in (1, 2, 3)]


class Session:
    def open(self, task: dict[str, Any]) -> dict[str, Any]:
        self.goal, self.count = task["goal"], 0
        return {
            "tools": [{"name": "add", "description": "Adds one", "parameters": {"type": "object", "properties": {}}}]
        }

    async def call(self, name: str, arguments: dict[str, Any]) -> dict[str, Any]:
        await asyncio.sleep(0)
        self.count += 1
        return {"output": f"{self.count}", "done": self.count >= self.goal, "reward": 1.0 / self.goal}

    def step(self, reply: str) -> dict[str, Any]:
        if reply == "hang":
            time.sleep(60)
        if reply == "fail":
            raise RuntimeError("the counter fell down")
        self.count += 1
        return {"observation": f"{self.count}", "reward": 0.5, "done": self.count >= self.goal}

    def end_state(self) -> dict[str, Any]:
        return {"external_verdict": {"reward": float(self.count == self.goal)}, "pid": os.getpid()}
