"""What the external agents of a run did, in two sentences: model calls, trees of turns, exact ids, and how programs ended."""

from collections import Counter
from collections.abc import Iterable

from verigym.core.records import Trajectory
from verigym.core.words import counted


def summary_of(trajectories: Iterable[Trajectory]) -> str:
    """`12 episodes of external agents: 31 model calls by policy, 2 by title. 13 roots, 1 of them because ...`"""
    episodes = roots = exact = policy = 0
    actors: Counter[str] = Counter()
    marks: Counter[str] = Counter()
    for one in trajectories:
        episodes += 1
        actors.update(turn.actor for turn in one.turns)
        roots += sum(turn.parent is None for turn in one.turns)
        own = [turn for turn in one.turns if turn.actor == "policy"]
        policy += len(own)
        exact += sum(bool(turn.completion_ids) and len(turn.logprobs) == len(turn.completion_ids) for turn in own)
        marks.update(mark.kind for mark in one.marks)
    calls = ", ".join(f"{count} by {actor}" for actor, count in actors.most_common()) or "none"
    words = f"{counted(episodes, 'episode')} of external agents. Model calls: {calls}. Roots: {roots}"
    if marks["new_root"]:
        words += f", {marks['new_root']} of them because a client sent its past in a changed form"
    words += f". Replies with exact token ids: {exact} of {policy}"
    ends = {
        "agent_exit": "ended with an error",
        "agent_stopped": "were stopped at the time limit",
        "agent_silent": "asked no model",
    }
    told = [f"{counted(marks[kind], 'agent')} {words}" for kind, words in ends.items() if marks[kind]]
    return ". ".join([words, *told])
