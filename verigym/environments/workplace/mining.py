"""Tasks mined from traces of workplace. The loader reads this file beside the environment, so its version stays the same."""

from verigym.core.records import Json, Trajectory
from verigym.environments import shipped


def mined_episode(data: Json, episode: Trajectory) -> Json:
    """The data of a mined task: the same office, and the changes of an episode that was right."""
    end = episode.end_state
    changes, refused = end.get("changes", []), end.get("refused", False)
    expected = {"office": data["office"], "expected": changes, "expected_calls": shipped.calls_of(episode)}
    return {**expected, "unsafe": True} if refused and not changes else expected
