"""Losses against loops over tokens, as the papers write them; what is masked has no part; parts of a batch add up to it.
That they are TRL's is in test_oracle_policy.py and test_oracle_preferences.py."""

import itertools
import math
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from verigym.training.losses import Totals, dpo_loss, policy_loss, reward_loss, sft_loss
from verigym.training.recipe_groups import PolicyLoss, PreferenceLoss, clips_of, correction_bounds

numbers = st.floats(-3, 0, width=32)
any_loss = st.builds(
    PolicyLoss,
    ratio=st.sampled_from([None, "token", "sequence", "product"]),
    objective=st.sampled_from(["clip", "cispo"]),
    clip_low=st.sampled_from([None, 0.1]),
    clip_high=st.sampled_from([None, 0.2, 0.5]),
    clip_most=st.sampled_from([0.0, 1.1, 2.0]),
    average=st.sampled_from(["tokens", "sequences", "constant"]),
    kl=st.sampled_from([0.0, 0.3]),
    correction=st.sampled_from(["none", "tis", "icepop", "geometric_mask", "sequence_tis", "sequence_mask"]),
    correction_low=st.sampled_from([None, 0.0, 0.7]),
    correction_high=st.sampled_from([None, 1.3, 3.0]),
    kl_estimator=st.sampled_from(["unbiased", "k1", "k2", "k3"]),
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
        return self._loss(own, totals, torch.tensor(self.now, dtype=torch.float64), rows)

    def loss_and_inputs(self, own: PolicyLoss, totals: Totals) -> tuple[Tensor, Tensor]:
        """The loss, and the logprobs of now that it is a function of."""
        now = torch.tensor(self.now, dtype=torch.float64, requires_grad=True)
        return self._loss(own, totals, now, slice(None))[0], now

    def at_a_clip(self, own: PolicyLoss) -> bool:
        """Whether a ratio is so near a bound that its gradient depends on rounding."""
        bounds = [1 - clips_of(own)[0], 1 + clips_of(own)[1], clips_of(own)[1], own.clip_most]
        for i in range(self.rows):
            moved = [now - old for now, old, one in zip(self.now[i], self.old[i], self.mask[i], strict=True) if one]
            logs = [*moved, sum(moved), sum(moved) / max(1, len(moved))]
            if any(abs(math.exp(log) - bound) < 1e-6 for log in logs for bound in bounds):
                return True
        return False

    def _loss(self, own: PolicyLoss, totals: Totals, now: Tensor, rows: slice) -> tuple[Tensor, dict[str, Tensor]]:
        def tensor(table: list[list[float]]) -> Tensor:
            return torch.tensor(table[rows], dtype=torch.float64).view(-1, self.width)

        return policy_loss(
            now[rows],
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


def by_hand(batch: Batch, own: PolicyLoss, totals: Totals) -> tuple[Tensor, Tensor]:
    """The loop over rows and tokens, one number at a time, and the logprobs of now that it is a function of."""
    now = torch.tensor(batch.now, dtype=torch.float64, requires_grad=True)
    loss = now.sum() * 0.0
    low, high = clips_of(own)
    for i in range(batch.rows):
        scored = [t for t in range(batch.width) if batch.mask[i][t]]
        moved = {t: now[i, t] - batch.old[i][t] for t in scored}
        apart = {t: batch.old[i][t] - batch.sampled[i][t] for t in scored}
        for t in scored:
            advantage = batch.advantages[i][t]
            ratio = torch.exp(moved[t])
            if own.ratio == "product":
                ratio = torch.exp(sum(moved.values(), torch.tensor(0.0)))
            if own.ratio == "sequence":  # GSPO-token, eq. 13 and 14: the value is the reply's, the gradient the token's
                reply = torch.exp(sum(moved.values(), torch.tensor(0.0)) / len(scored))
                ratio = reply.detach() * torch.exp(now[i, t]) / torch.exp(now[i, t]).detach()
            if own.objective == "cispo":
                gain = min(ratio.item(), high) * advantage * now[i, t]
            else:
                free = ratio.clamp(max=own.clip_most) if own.clip_most else ratio
                kept = ratio.clamp(1 - low, 1 + high)
                gain = torch.minimum(free * advantage, kept * advantage)
            weight = math.exp(sum(apart.values()) if own.correction.startswith("sequence") else apart[t])
            least, most = correction_bounds(own)
            if own.correction in ("tis", "sequence_tis"):
                gain = gain * min(max(weight, least), most)
            elif own.correction in ("icepop", "sequence_mask"):
                gain = gain * (weight if least <= weight <= most else 0.0)
            elif (
                own.correction == "geometric_mask"
            ):  # Geo-RS-Token-TIS: the reply is dropped, or its tokens are bounded
                mean = math.exp(sum(apart.values()) / len(scored))
                gain = gain * (min(weight, 3.0) if least <= mean <= most else 0.0)
            log = now[i, t] - batch.reference[i][t]
            inverse = torch.exp(batch.reference[i][t] - now[i, t])
            kl = {
                "k1": log,
                "k2": 0.5 * log * log,
                "k3": inverse - 1 + log,
                "unbiased": torch.exp(moved[t]) * (inverse - 1 + log),
            }[own.kl_estimator]
            share = {
                "tokens": 1 / totals.tokens,
                "sequences": 1 / (len(scored) * totals.rows),
                "constant": 1 / (totals.longest * totals.rows),
            }[own.average or "tokens"]
            loss = loss + (-gain + (own.kl or 0.0) * kl) * share
            loss = loss - own.entropy_bonus * batch.entropy[i][t] / totals.tokens
    return loss, now


@settings(max_examples=200)
@given(batches(), any_loss)
def test_every_setting_is_the_loop_over_tokens_that_the_papers_write(batch: Batch, own: PolicyLoss) -> None:
    """In value and gradient. Where a ratio is exactly at a clip, either gradient is right, and hypothesis finds those."""
    totals = Totals(rows=5, tokens=7, longest=9)
    slow, theirs = by_hand(batch, own, totals)
    found, now = batch.loss_and_inputs(own, totals)
    assert found.item() == pytest.approx(slow.item(), rel=1e-6, abs=1e-6)
    (mine,), (reference,) = torch.autograd.grad(found, now), torch.autograd.grad(slow, theirs)
    if not batch.at_a_clip(own):
        assert (mine - reference).abs().max() < 1e-6 * max(1.0, reference.abs().max().item())


def test_turns_of_one_reply_that_differ_have_a_gradient_under_the_ratio_of_the_reply() -> None:
    """Praise for one token and blame for another cancel out in the mean of the reply."""
    now_BS = torch.tensor([[-1.0, -2.0]], requires_grad=True)
    for ratio in ("token", "sequence"):
        loss, _ = policy_loss(
            now_BS, torch.ones(1, 2), torch.tensor([[1.0, -1.0]]), PolicyLoss(ratio=ratio), Totals(1, 2, 2)
        )
        assert torch.autograd.grad(loss, now_BS)[0].tolist() == [[-0.5, 0.5]], ratio


def expected_gradients(own: PolicyLoss, off: float) -> tuple[Tensor, Tensor]:
    """The mean gradient of the KL term over all replies of two tokens of three words, by their probability under the policy that
    sampled; and the gradient of the divergence itself."""
    now = torch.tensor([[0.3, -0.2, 0.1], [0.5, 0.0, -0.4]], dtype=torch.float64, requires_grad=True)
    shift = torch.tensor([[0.5, -0.3, 0.0], [-0.4, 0.2, 0.3]], dtype=torch.float64)
    reference = torch.tensor([[0.0, 0.4, -0.3], [-0.2, 0.3, 0.1]], dtype=torch.float64).log_softmax(-1)
    policy, old = now.log_softmax(-1), (now.detach() + off * shift).log_softmax(-1)
    total = now.sum() * 0.0
    for reply in itertools.product(range(3), repeat=2):
        at = (torch.arange(2), torch.tensor(reply))
        loss, _ = policy_loss(
            policy[at][None], torch.ones(1, 2, dtype=torch.float64), torch.zeros(1, 1, dtype=torch.float64), own,
            Totals(1, 2, 2), old_BS=old[at][None], reference_BS=reference[at][None],
        )  # fmt: skip
        total = total + old[at].sum().exp() * loss
    whole = (policy.exp() * (policy - reference)).sum(-1).mean()
    return torch.autograd.grad(total, now, retain_graph=True)[0], torch.autograd.grad(whole, now)[0]


@pytest.mark.parametrize("ratio", ["token", "sequence", "product"])
@pytest.mark.parametrize("off", [0.0, 1.0], ids=["on-policy", "off-policy"])
def test_the_unbiased_divergence_has_the_gradient_of_the_divergence(ratio: Any, off: float) -> None:
    mine, whole = expected_gradients(PolicyLoss(ratio=ratio, kl=1.0, correction="none"), off)
    assert (mine - whole).abs().max() < 1e-15


def test_what_the_gradients_of_the_other_estimators_are_on_average() -> None:
    def of(estimator: Any) -> tuple[Tensor, Tensor]:
        return expected_gradients(PolicyLoss(kl=1.0, kl_estimator=estimator, correction="none"), 0.0)

    (k1, _), (k2, whole), (k3, _) = of("k1"), of("k2"), of("k3")
    assert k1.abs().max() < 1e-15, "k1 in the loss teaches nothing"
    assert (k2 - whole).abs().max() < 1e-15, "k2 has the right gradient as long as there is one update per batch"
    assert 1e-3 < (k3 - whole).abs().max() < 0.3 * whole.abs().max(), "k3 is that of the reverse divergence"


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
    ratio = round((4 * math.exp(0.25) + math.exp(0.75)) / 5, 6)  # of the logprobs before the updates
    assert {name: round(value.item(), 6) for name, value in figures.items()} == {
        "clipped": pytest.approx(clipped), "mismatch": 0.25, "mismatch_ratio": ratio, "kl": 0.0,
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
