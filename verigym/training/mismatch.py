"""How far the sampler's logprobs are from the trainer's, by the age of the version that sampled.

The age of a sample is the number of updates between its version and the trainer. If sampler and trainer compute the same
model, the mean of exp|difference| is 1 at age 0. It grows with age, because the model learns. A value above 1.05 at age 0 is a
fault of the setup: other weights, another precision, or other tokens.
"""

from collections import Counter
from collections.abc import Mapping, Sequence

import torch
from torch import Tensor

from verigym.core.records import Sample

_MOST = 20.0
"""Differences above this count as this, so that one token cannot make the mean infinite."""


def ratio(then_BS: Tensor, sampled_BS: Tensor, mask_BS: Tensor) -> Tensor:
    """Sum of exp|difference| over the scored tokens. `then_BS` has the trainer's logprobs before the updates."""
    apart_BS = ((then_BS - sampled_BS).abs() * mask_BS).clamp(max=_MOST)
    return (apart_BS.exp() * mask_BS).sum()


def tokens_by_age(samples: Sequence[Sample], ages: Sequence[int], parts: int) -> dict[int, float]:
    """Scored tokens of each age, in an average part of the samples. Empty if all are of age 0, as without asynchrony."""
    tokens: Counter[int] = Counter()
    for sample, age in zip(samples, ages, strict=bool(ages)):
        tokens[age] += sum(sample.mask)
    return {age: count / parts for age, count in sorted(tokens.items()) if count} if any(tokens) else {}


def ratios_by_age(
    then_BS: Tensor, sampled_BS: Tensor, mask_BS: Tensor, ages: Sequence[int], tokens: Mapping[int, float]
) -> dict[str, Tensor]:
    """The share of each age in its mean: `mismatch_ratio/age_1`. The shares of all micro-batches add up to the mean."""
    age_B = torch.tensor(ages, device=then_BS.device)[:, None]
    return {
        f"mismatch_ratio/age_{age}": ratio(then_BS, sampled_BS, mask_BS * (age_B == age)) / count
        for age, count in tokens.items()
    }
