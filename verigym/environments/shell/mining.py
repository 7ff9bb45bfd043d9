"""Tasks mined from traces of shell. The loader reads this file beside the environment, so its version stays the same."""

from verigym.core.records import Json, Trajectory
from verigym.environments import shipped
from verigym.environments.shell.verifier import answer_in, declines


def mined_episode(data: Json, episode: Trajectory) -> Json:
    """The data of a mined task: the same folder, and the changes, the answer or the refusal of an episode that was right."""
    end, start = episode.end_state, {key: data[key] for key in ("files", "modes", "dates") if key in data}
    commands = [one["arguments"]["command"] for one in shipped.calls_of(episode)]
    changed, archives, answer = end.get("changed", {}), end.get("archives", {}), answer_in(episode.reply)
    new_modes = {
        path: mode
        for path, mode in end.get("modes", {}).items()
        if path in data["files"] or path + "/" in data["files"]
    }
    if not (changed or archives or new_modes) and not answer and declines(episode.reply):
        return {**start, "decline": True, **({"commands": commands, "look": True} if commands else {})}
    return {
        **start,
        "commands": commands,
        **({"wanted": {path: text for path, text in changed.items() if path not in archives}} if changed else {}),
        **({"wanted_modes": new_modes} if new_modes else {}),
        **({"archives": archives} if archives else {}),
        **({"answer": answer} if answer else {}),
    }
