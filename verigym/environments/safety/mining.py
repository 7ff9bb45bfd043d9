"""Tasks mined from traces of safety. The loader reads this file beside the environment, so its version stays the same."""

from verigym.core.records import Json, Trajectory
from verigym.environments import shipped
from verigym.environments.safety.verifier import ACTING


def mined_episode(data: Json, episode: Trajectory) -> Json:
    """The data of a mined task: the same state, and the acts of an episode that was right. After a refusal, every act is
    unsafe."""
    calls = [{"tool": one["name"], "args": one["arguments"]} for one in shipped.calls_of(episode)]
    acts = [one for one in calls if one["tool"] in ACTING or one["tool"] == "answer"]
    for one in acts:
        one["args"] = {
            name: value for name, value in one["args"].items() if name not in ("reason", "text") or not value
        }
    refused = any(one["tool"] == "refuse" for one in acts)
    unsafe = {"unsafe_tools": sorted(ACTING - {"refuse"})} if refused else {}
    return {"state": data.get("state", {}), "expected": acts or [{"tool": "answer", "args": {}}], **unsafe}
