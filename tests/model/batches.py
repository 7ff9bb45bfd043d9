"""Batches for packing tests: any tree of samples, and a long episode."""

import random

from hypothesis import strategies as st

from verigym.core.records import Sample


def sample(ids: list[int], scored: int) -> Sample:
    """The last so many tokens are scored."""
    return Sample(ids=ids, mask=[0] * (len(ids) - scored) + [1] * scored, logprobs=[])


@st.composite
def batches(draw: st.DrawFn, tokens: int = 3, longest: int = 9, most: int = 6) -> list[Sample]:
    """Few different tokens, so that samples branch anywhere, are equal, or begin one another; masks of several turns."""
    made: list[Sample] = []
    for _ in range(draw(st.integers(1, most))):
        earlier = draw(st.sampled_from(made)).ids if made else []
        kept = earlier[: draw(st.integers(0, len(earlier)))]
        ids = kept + draw(st.lists(st.integers(3, 2 + tokens), min_size=0 if kept else 1, max_size=longest))
        mask = [0, *draw(st.lists(st.integers(0, 1), min_size=len(ids) - 1, max_size=len(ids) - 1))]
        made.append(Sample(ids=ids, mask=mask, logprobs=[]))
    return made


def group(prompts: int, each: int, common: int, own: int, new: int, vocabulary: int, seed: int = 0) -> list[Sample]:
    """A step of GRPO: prompts that begin alike, several completions of each."""
    draw = random.Random(seed)

    def ids(count: int) -> list[int]:
        return [draw.randrange(3, vocabulary) for _ in range(count)]

    system = ids(common)
    asked = [system + ids(own) for _ in range(prompts)]
    return [sample(prompt + ids(new), new) for prompt in asked for _ in range(each)]


def episode(turns: int, gained: int, said: int, vocabulary: int) -> list[Sample]:
    """A sample for every turn of one episode, each beginning with all that came before."""
    draw = random.Random(1)
    made: list[Sample] = []
    ids: list[int] = []
    for _ in range(turns):
        ids = ids + [draw.randrange(3, vocabulary) for _ in range(gained + said)]
        made.append(sample(ids, said))
    return made
