"""Tasks mined from traces of code_repair. The loader reads this file beside the environment, so its version stays the same."""

from verigym.core.records import Json, Trajectory
from verigym.environments import shipped


def mined_episode(data: Json, episode: Trajectory) -> Json:
    """The data of a mined task: the same repository with its hidden tests, and the edits of an episode that was right."""
    edits = [one["arguments"] for one in shipped.calls_of(episode) if one["name"] == "edit"]
    return {"files": data["files"], "tests": data["tests"], "fixes": edits}
