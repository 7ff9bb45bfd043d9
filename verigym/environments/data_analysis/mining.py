"""Tasks mined from traces of data_analysis. The loader reads this file beside the environment, so its version stays the same."""

from verigym.core.records import Json, Trajectory
from verigym.environments import shipped


def mined_episode(data: Json, episode: Trajectory) -> Json:
    """The data of a mined task: the same tables, and the answer and chart of an episode that was right."""
    asked = [one["arguments"] for one in shipped.calls_of(episode) if one["name"] in ("query", "chart")]
    chart = episode.end_state.get("chart")
    found: Json = {"dataset": data["dataset"], "answer": episode.end_state.get("answer")}
    found["sql"] = asked[-1]["sql"] if asked else "SELECT 1"
    if chart is not None:
        drawn = next(one for one in reversed(asked) if "x" in one)
        found |= {"chart": chart, "axes": [drawn["x"], drawn["y"]], "sql": drawn["sql"]}
    return found
