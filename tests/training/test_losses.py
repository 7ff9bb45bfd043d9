"""Losses against loops over tokens, as the papers write them; what is masked has no part; parts of a batch add up to it.
That they are TRL's is in test_oracle_policy.py and test_oracle_preferences.py."""

import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from verigym.training.losses import Totals, dpo_loss, policy_loss, reward_loss, sft_loss
from verigym.training.recipe_groups import PolicyLoss, PreferenceLoss

numbers = st.floats(-3, 0, width=32)
any_loss = st.builds(
    PolicyLoss,
    ratio=st.sampled_from(["token", "sequence", "product"]),
    objective=st.sampled_from(["clip", "cispo"]),
    clip_low=st.sampled_from([0.1, 0.2]),
    clip_high=st.sampled_from([0.2, 0.5]),
    clip_most=st.sampled_from([0.0, 1.1, 2.0]),
    average=st.sampled_from(["tokens", "sequences", "constant"]),
    kl=st.sampled_from([0.0, 0.3]),
    correction=st.sampled_from(["none", "tis", "icepop", "sequence_tis", "sequence_mask"]),
    correction_low=st.sampled_from([0.0, 0.7]),
    correction_high=st.sampled_from([1.3, 3.0]),
    entropy_bonus=st.sampled_from([0.0, 0.2]),
)


class Batch:
    """Any logprobs of now, of then, of the sampler and of a reference; any entropies, masks and advantages of tokens."""

    def __init__(self, draw: Any, rows: int, width: int) -> None:
        def table(values: st.SearchStrategy[Any]) -> list[list[Any]]:
            return draw(st.lists(st.lists(values, min_size=width, max_size=width), min_size=rows, max_size=rows))

        self.now, self.old, self.sampled, self.reference = (table(numbers) for _ in range(4))
        self.entropy, self.advantages = table(st.floats(0, 3, width=32)), table(st.floats(-2, 2, width=32))
        self.mask = table(st.integers(0, 1))
        self.rows, self.width = rows, width

    def loss(self, own: PolicyLoss, totals: Totals, rows: slice = slice(None)) -> tuple[Tensor, dict[str, Tensor]]:
        def tensor(table: list[list[float]]) -> Tensor:
            return torch.tensor(table[rows]).view(-1, self.width)

        return policy_loss(
            tensor(self.now),
            tensor(self.mask).bool(),
            tensor(self.advantages),
            own,
            totals,
            old_BS=tensor(self.old),
            sampled_BS=tensor(self.sampled),
            reference_BS=tensor(self.reference) if own.kl else None,
            entropy_BS=tensor(self.entropy) if own.entropy_bonus else None,
        )


@st.composite
def batches(draw: st.DrawFn) -> Batch:
    return Batch(draw, draw(st.integers(1, 3)), draw(st.integers(1, 4)))


def by_hand(batch: Batch, own: PolicyLoss, totals: Totals) -> float:
    """The loop over rows and tokens."""
    loss = 0.0
    for i in range(batch.rows):
        scored = [t for t in range(batch.width) if batch.mask[i][t]]
        moved = {t: batch.now[i][t] - batch.old[i][t] for t in scored}
        apart = {t: batch.old[i][t] - batch.sampled[i][t] for t in scored}
        for t in scored:
            advantage = batch.advantages[i][t]
            log = moved[t] if own.ratio == "token" else sum(moved.values())
            ratio = math.exp(log / len(scored) if own.ratio == "sequence" else log)
            if own.objective == "cispo":
                gain = min(ratio, own.clip_high) * advantage * batch.now[i][t]
            else:
                free = min(ratio, own.clip_most) if own.clip_most else ratio
                kept = min(max(ratio, 1 - own.clip_low), 1 + own.clip_high)
                gain = min(free * advantage, kept * advantage)
            weight = math.exp(sum(apart.values()) if own.correction.startswith("sequence") else apart[t])
            if own.correction in ("tis", "sequence_tis"):
                gain *= min(max(weight, own.correction_low), own.correction_high)
            elif own.correction in ("icepop", "sequence_mask"):
                gain *= weight if own.correction_low <= weight <= own.correction_high else 0.0
            away = batch.reference[i][t] - batch.now[i][t]
            cost = -gain + own.kl * ratio * (math.exp(away) - away - 1)
            share = {
                "tokens": 1 / totals.tokens,
                "sequences": 1 / (len(scored) * totals.rows),
                "constant": 1 / (totals.longest * totals.rows),
            }
            loss += cost * share[own.average] - own.entropy_bonus * batch.entropy[i][t] / totals.tokens
    return loss


@settings(max_examples=150)
@given(batches(), any_loss)
def test_every_setting_is_the_loop_over_tokens_that_the_papers_write(batch: Batch, own: PolicyLoss) -> None:
    totals = Totals(rows=5, tokens=7, longest=9)
    found, _ = batch.loss(own, totals)
    assert found.item() == pytest.approx(by_hand(batch, own, totals), rel=1e-3, abs=1e-4)


@settings(max_examples=60)
@given(batches(), any_loss, st.integers(0, 3))
def test_parts_of_a_batch_add_up_to_it(batch: Batch, own: PolicyLoss, cut: int) -> None:
    totals = Totals(rows=batch.rows, tokens=6, longest=9)
    whole, figures = batch.loss(own, totals)
    parts = [batch.loss(own, totals, rows) for rows in (slice(0, cut), slice(cut, None))]
    assert sum(loss.item() for loss, _ in parts) == pytest.approx(whole.item(), rel=1e-4, abs=1e-4)
    for name, value in figures.items():
        assert sum(each[name].item() for _, each in parts) == pytest.approx(value.item(), rel=1e-4, abs=1e-4)


def test_figures_are_means_over_the_tokens_of_the_batch() -> None:
    own = PolicyLoss(kl=0.1, correction="none")
    now_BS, mask_BS = torch.tensor([[-1.0, -1.0, 0.0], [-1.0, -2.0, -3.0]]), torch.tensor([[1, 1, 0], [1, 1, 1]]).bool()
    old_BS = now_BS - torch.tensor([[0.5, 0.0, 0.0], [0.5, -0.5, 0.0]])
    _, figures = policy_loss(
        now_BS,
        mask_BS,
        torch.tensor([[1.0], [-1.0]]),
        own,
        Totals(2, 5, 3),
        old_BS=old_BS,
        sampled_BS=now_BS - 0.25,
        reference_BS=now_BS,
    )
    clipped = 2 / 5  # up with an advantage above 0, down with one below
    assert {name: round(value.item(), 6) for name, value in figures.items()} == {
        "clipped": pytest.approx(clipped), "mismatch": 0.25, "kl": 0.0,
    }  # fmt: skip


@pytest.mark.parametrize("ratio", ["sequence", "product"])
@pytest.mark.parametrize("objective", ["clip", "cispo"])
def test_a_reply_that_is_clipped_counts_with_its_own_tokens(ratio: Any, objective: Any) -> None:
    """The first row, of two tokens in a table of three, is far off; the second is not."""
    now_BS, mask_BS = torch.tensor([[-1.0, -1.0, 0.0], [-1.0, -2.0, -3.0]]), torch.tensor([[1, 1, 0], [1, 1, 1]]).bool()
    old_BS = (now_BS - torch.tensor([[2.0], [0.0]])) * mask_BS
    own = PolicyLoss(ratio=ratio, objective=objective, clip_high=1.5)
    _, figures = policy_loss(now_BS, mask_BS, torch.tensor([[1.0], [1.0]]), own, Totals(2, 5, 3), old_BS=old_BS)
    assert figures["clipped"].item() == pytest.approx(2 / 5)


def losses_of(values_BS: Tensor, mask_BS: Tensor) -> dict[str, Tensor]:
    """Each a function of one table of logprobs."""
    totals, one = Totals(1, 1, 3), torch.tensor([[2.0]])
    made = {"sft": sft_loss(values_BS, mask_BS, 1)}
    for ratio in ("token", "sequence", "product"):
        for objective in ("clip", "cispo"):
            own = PolicyLoss(ratio=ratio, objective=objective, kl=0.1, correction="sequence_tis")
            made[f"{ratio} {objective}"] = policy_loss(
                values_BS, mask_BS, one, own, totals,
                sampled_BS=values_BS.detach() - 9 * ~mask_BS, reference_BS=values_BS.detach() + 0.1,
            )[0]  # fmt: skip
    return made


def test_masked_tokens_have_no_part_in_any_loss() -> None:
    mask_BS = torch.tensor([[False, True, False]])
    values_BS = torch.tensor([[-5.0, -1.0, -9.0]], requires_grad=True)
    for name, loss in losses_of(values_BS, mask_BS).items():
        (gradient,) = torch.autograd.grad(loss, values_BS, retain_graph=True)
        assert gradient[0, [0, 2]].tolist() == [0, 0] and gradient[0, 1] < 0, name


gains = st.lists(st.tuples(st.floats(-20, 20, width=32), st.floats(-20, 20, width=32)), min_size=1, max_size=4)


@given(gains, st.sampled_from([0.1, 0.5]), st.sampled_from([0.0, 0.2]))
def test_dpo_is_the_mean_over_pairs_that_the_paper_writes(
    given_gains: list[tuple[float, float]], beta: float, smoothing: float
) -> None:
    def cost(apart: float) -> float:
        return math.log1p(math.exp(-beta * apart))

    slow = [(1 - smoothing) * cost(a - b) + smoothing * cost(b - a) for a, b in given_gains]
    lengths = torch.ones(len(given_gains), 2)
    own = PreferenceLoss(beta=beta, smoothing=smoothing)
    found, figures = dpo_loss(torch.tensor(given_gains), lengths, own, len(given_gains))
    assert found.item() == pytest.approx(sum(slow) / len(slow), rel=1e-4, abs=1e-5)
    assert figures["told_apart"].item() == pytest.approx(sum(a > b for a, b in given_gains) / len(slow))


@given(gains, st.sampled_from([0.1, 0.5]))
def test_ipo_wants_a_margin_a_token_and_no_more(given_gains: list[tuple[float, float]], beta: float) -> None:
    lengths = torch.tensor([[2, 5]] * len(given_gains))
    slow = [(a / 2 - b / 5 - 1 / (2 * beta)) ** 2 for a, b in given_gains]
    own = PreferenceLoss(objective="ipo", beta=beta)
    found, _ = dpo_loss(torch.tensor(given_gains), lengths, own, len(given_gains))
    assert found.item() == pytest.approx(sum(slow) / len(slow), rel=1e-4, abs=1e-4)


@given(gains, st.lists(st.floats(0, 3), min_size=4, max_size=4), st.sampled_from([0.0, 0.05]))
def test_a_reward_model_is_bradley_and_terrys(
    scores: list[tuple[float, float]], margins: list[float], centre: float
) -> None:
    slow = [
        math.log1p(math.exp(-(a - b - margin))) + centre * (a + b) ** 2
        for (a, b), margin in zip(scores, margins, strict=False)
    ]
    own = PreferenceLoss(centre=centre)
    found, _ = reward_loss(torch.tensor(scores), torch.tensor(margins[: len(scores)]), own, len(scores))
    assert found.item() == pytest.approx(sum(slow) / len(slow), rel=1e-4, abs=1e-4)
