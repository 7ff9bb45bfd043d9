"""ScienceWorld inside the virtual environment of its bridge: one Java machine per process. `child_host` serves this file.

The simulator is asked directly (`PythonInterface`), because `ScienceWorldEnv.step` also lists every valid action of every object,
which takes longer than the step. Observations, scores and the end of a game are the simulator's own. A session has a simulator
of its own in the same Java machine.
"""

import importlib
from typing import Any

_SPLITS = {"train": "getVariationsTrain", "val": "getVariationsDev", "test": "getVariationsTest"}
_options: dict[str, Any] = {}


def start(options: dict[str, Any]) -> None:
    package: Any = importlib.import_module("scienceworld")
    _options.update(options, java=package.ScienceWorldEnv(""))


def _loaded(variation: int, gold: bool = False) -> Any:
    simulator = _options["java"]._gateway.jvm.scienceworld.runtime.pythonapi.PythonInterface()
    simulator.load(_options["task"], variation, _options["simplify"], gold)
    return simulator


def tasks() -> list[dict[str, Any]]:
    """The variations of a task with their descriptions, in the splits of ScienceWorld."""
    simulator = _loaded(0)
    found: list[dict[str, Any]] = []
    for split, method in _SPLITS.items():
        most = _options["size" if split == "train" else "val"]
        for variation in list(getattr(simulator, method)())[:most]:
            text = _loaded(variation).getTaskDescription()
            found.append({"variation": int(variation), "split": split, "description": text})
    return found


def gold(variation: int) -> list[str]:
    """The actions that ScienceWorld's own solver takes."""
    return [str(each) for each in _loaded(variation, gold=True).getGoldActionSequence()]


class Session:
    def open(self, task: dict[str, Any]) -> None:
        self._simulator = _loaded(task["variation"])
        self._simulator.reset()
        self._simulator.step("look around")  # as ScienceWorldEnv.reset does
        self._score = 0

    def step(self, reply: str) -> dict[str, Any]:
        observation = self._simulator.step(reply)
        score = round(100 * self._simulator.getScore())
        reward, self._score = score - self._score, score
        done = bool(self._simulator.getCompleted()) or score < 0
        return {"observation": observation, "reward": reward / 100, "done": done, "score": score}
