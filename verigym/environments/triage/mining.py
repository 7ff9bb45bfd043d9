"""Tasks mined from traces of triage. The loader reads this file beside the environment, so its version stays the same."""

from verigym.core.records import Json, Trajectory
from verigym.environments import shipped
from verigym.environments.triage.verifier import CONTAINING, TARGET


def mined_episode(data: Json, episode: Trajectory) -> Json:
    """The data of a mined task: the same facts, and the verdict and containment of an episode that was right. Every lookup of
    the episode counts as proof, because nothing says which of them decided."""
    calls, end = shipped.calls_of(episode), episode.end_state
    looks = [one for one in calls if one["name"] not in CONTAINING and one["name"] != "close_alert"]
    return {
        "facts": data["facts"],
        "verdict": end.get("verdict", ""),
        "contain": end.get("contained", []),
        "deciding": [[one["name"], str(one["arguments"].get(TARGET.get(one["name"], ""), ""))] for one in looks],
        "expected_calls": calls,
    }
