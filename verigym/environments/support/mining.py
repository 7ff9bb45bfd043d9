"""Tasks mined from traces of support. The loader reads this file beside the environment, so its version stays the same."""

import itertools
from typing import Any

from verigym.core.codec import read_json
from verigym.core.records import FunctionCall, Json, Message, Trajectory
from verigym.environments.support.verifier import bare


def mined_episode(data: Json, episode: Trajectory) -> Json:
    """The data of a mined task: the same shop, the customer's lines, and the actions of an episode that was right. A conversation
    that ended early does not show all lines, so the rest is that of the start. Addresses and postcodes of other customers stay
    secret."""
    lines: list[str] = []
    steps: list[Any] = []
    for item, following in itertools.zip_longest(episode.items, episode.items[1:]):
        if isinstance(item, FunctionCall):
            steps.append({"name": item.name, "arguments": read_json(item.arguments)})
        elif isinstance(item, Message) and item.role == "assistant":
            # What a model writes beside a call does not reach the customer.
            steps += [] if isinstance(following, FunctionCall) else [item.text]
        elif isinstance(item, Message) and item.role == "user":
            lines.append(item.text)
    told, verified = bare("".join(lines)), episode.end_state.get("verified", "")
    others = [one for email, one in data["customers"].items() if email != verified]
    hidden = [text for one in others for text in (one["address"].partition(",")[0], one["postcode"])]
    script: list[str] = data["script"]
    if script[: len(lines[1:])] != lines[1:]:  # the conversation did not follow the script of the start
        script = lines[1:]
    return {
        "customers": data["customers"],
        "orders": data["orders"],
        "script": script,
        "expected": episode.end_state.get("acts", []),
        "secrets": [text for text in hidden if bare(text) not in told],
        "steps": steps,
    }
