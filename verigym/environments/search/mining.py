"""Tasks mined from traces of search. The loader reads this file beside the environment, so its version stays the same."""

from verigym.core.records import Json, Trajectory
from verigym.environments import shipped


def mined_episode(data: Json, episode: Trajectory) -> Json:
    """The data of a mined task: the same library, and the answer and citations of an episode that was right."""
    said = episode.end_state.get("answer") or {"text": "", "citations": []}
    searches = [one["arguments"].get("query", "") for one in shipped.calls_of(episode) if one["name"] == "search"]
    text: str = said["text"].strip()
    answer = int(text) if text.isdecimal() and text.isascii() else text
    return {
        "library": data["library"],
        "answer": answer,
        "needed": [[id] for id in said["citations"]],
        "searches": searches,
    }
