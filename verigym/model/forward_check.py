"""Checks that our forward pass and that of transformers give the same logprobs: once per model, and on the first batch of a
run."""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from verigym.core.errors import Refused
from verigym.core.printable import warn
from verigym.core.records import Sample
from verigym.model.logprobs import token_logprobs
from verigym.model.tree import common, pack

_MOST_SAMPLES, _MOST_TOKENS = 4, 2000


def can_share(model: Any) -> bool:
    """Whether samples can share prefixes in this model, tested once on two samples. Layers with a recurrent state (Mamba) cannot
    share, so such a model computes every sample separately."""
    if not hasattr(model, "_verigym_shares"):
        step = model.config.get_text_config().vocab_size // 16
        ids = [step * i for i in range(1, 15)]
        probes = [Sample(ids=ids[:6] + own, mask=[0] * 6 + [1] * 4, logprobs=[]) for own in (ids[6:10], ids[10:])]
        try:
            with torch.no_grad():
                together, apart = (
                    token_logprobs(model, pack(probes, 100, share=share, device=model.device)[0])[0]
                    for share in (True, False)
                )
            why = "" if _alike(together, apart, model.dtype) else "branches of the prefix tree affect each other"
        except Exception as error:  # any error means that the model is not supported
            why = f"{type(error).__name__}: {error}"
        model._verigym_shares = not why
        if why:
            line = (
                f"{type(model).__name__}: shared prefixes are computed again for every sample ({why.splitlines()[0]})"
            )
            warn(line)
    return model._verigym_shares


def check_agreement(model: Any, samples: Sequence[Sample]) -> None:
    """Compares the logprobs of training with those of the transformers forward pass on a few samples. Refuses to train if they
    differ."""
    chosen = _some(samples)
    apart: list[float] = []
    with torch.no_grad():
        [packed] = pack(chosen, _MOST_SAMPLES * _MOST_TOKENS, share=can_share(model), device=model.device)
        logprobs_BS, _, mask_BS = token_logprobs(model, packed)
        for row, i in enumerate(packed.samples):
            plain = _plain(model, chosen[i].ids)
            ours = logprobs_BS[row][mask_BS[row]]
            if not _alike(ours, plain, model.dtype):
                apart.append((ours - plain).abs().max().item())
    if apart:
        raise Refused(
            f"{type(model).__name__}: logprobs of the first batch differ by up to {max(apart):.2g} from those of transformers, "
            "so training would use wrong values. Nothing was updated. Try another version of transformers "
            "or another model, and please report this model"
        )


def _some(samples: Sequence[Sample]) -> list[Sample]:
    """A few neighbouring samples around the two that share the longest prefix, with every token scored."""
    rows = sorted(sample.ids[: _MOST_TOKENS // 2] for sample in samples)
    pairs = range(len(rows) - 1)
    first = max(pairs, key=lambda i: common(rows[i], rows[i + 1]), default=0)
    chosen: list[Sample] = []
    for ids in rows[first : first + _MOST_SAMPLES]:
        if sum(len(sample.ids) for sample in chosen) + len(ids) <= _MOST_TOKENS:
            chosen.append(Sample(ids=ids, mask=[0] + [1] * (len(ids) - 1), logprobs=[]))
    return chosen


def _plain(model: Any, ids: list[int]) -> Tensor:
    ids_1T = torch.tensor([ids], device=model.device)
    logits_TV = model(input_ids=ids_1T, use_cache=False).logits[0, :-1].float()
    return torch.log_softmax(logits_TV, -1).gather(-1, ids_1T[0, 1:, None])[:, 0]


def _alike(first: Tensor, second: Tensor, dtype: torch.dtype) -> bool:
    """Whether logprobs agree within rounding: each of them in float32, and their mean difference in half precision."""
    if dtype.itemsize < 4:
        return (first - second).abs().mean().item() <= 0.25
    return torch.allclose(first, second, rtol=1e-4, atol=1e-4)
