"""Tasks mined from traces of support. The loader reads this file beside the environment, so its version stays the same."""

from typing import Any

from verigym.core.codec import read_json
from verigym.core.records import FunctionCall, Json, Message, Trajectory
from verigym.environments.support.verifier import bare


def mined_episode(data: Json, episode: Trajectory) -> Json:
    """The data of a mined task: the same shop, the customer's lines, and the actions of an episode that was right. Addresses and
    postcodes of other customers stay secret."""
    lines: list[str] = []
    steps: list[Any] = []
    for item in episode.items:
        if isinstance(item, FunctionCall):
            steps.append({"name": item.name, "arguments": read_json(item.arguments)})
        elif isinstance(item, Message) and item.role == "assistant":
            steps.append(item.text)
        elif isinstance(item, Message) and item.role == "user":
            lines.append(item.text)
    told, verified = bare("".join(lines)), episode.end_state.get("verified", "")
    others = [one for email, one in data["customers"].items() if email != verified]
    hidden = [text for one in others for text in (one["address"].partition(",")[0], one["postcode"])]
    return {
        "customers": data["customers"],
        "orders": data["orders"],
        "script": lines[1:],
        "expected": episode.end_state.get("acts", []),
        "secrets": [text for text in hidden if bare(text) not in told],
        "steps": steps,
    }
