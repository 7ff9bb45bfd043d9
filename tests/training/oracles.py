"""TRL's trainers as oracles: made on a given model, asked for the loss of given samples. Plus the slow way to a logprob."""

import warnings
from collections.abc import Iterable, Sequence
from typing import Any

import torch
from torch import Tensor

from tests.tiny import tiny
from verigym.core.records import Sample
from verigym.model import lora

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import datasets
    from trl.trainer.dpo_config import DPOConfig
    from trl.trainer.dpo_trainer import DPOTrainer
    from trl.trainer.grpo_config import GRPOConfig
    from trl.trainer.grpo_trainer import GRPOTrainer
    from trl.trainer.kto_config import KTOConfig
    from trl.trainer.kto_trainer import KTOTrainer
    from trl.trainer.reward_config import RewardConfig
    from trl.trainer.reward_trainer import RewardTrainer
    from trl.trainer.rloo_config import RLOOConfig
    from trl.trainer.rloo_trainer import RLOOTrainer
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

datasets.disable_progress_bars()

COMMON: dict[str, Any] = {"use_cpu": True, "bf16": False, "gradient_checkpointing": False, "report_to": []}
GENERATED: dict[str, Any] = {"num_generations": 2, "per_device_train_batch_size": 2, "steps_per_generation": 1}
PAIRS = {"prompt": ["a", "b"], "chosen": ["c", "d"], "rejected": ["d", "c"]}
LONGEST = 11
"""The most tokens that a reply may have (dr_grpo's constant)."""

Table = list[list[float]]
"""A figure for every scored token of every sample."""


def trained(seed: int = 0) -> Any:
    """The tiny model with every parameter trained."""
    return tiny(seed).model.requires_grad_(True)


def adapted(seed: int = 2, head: bool = False) -> Any:
    """The tiny model with an adapter that does something already."""
    model = tiny().model
    lora.attach(model, lora.LoraConfig(r=4, head=head))
    shake(model, seed)
    return model


@torch.no_grad()
def shake(model: Any, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for parameter in lora.parameters(model):
        parameter.normal_(std=0.1, generator=generator)


def tokenizer() -> Any:
    return tiny().tokenizer


def rows_of(dataset: dict[str, list[str]]) -> Any:
    return datasets.Dataset.from_dict(dataset)


def no_reward(completions: Sequence[Any], **_: Any) -> list[float | None]:
    return [0.0] * len(completions)


# -- trainers -------------------------------------------------------------------------------------------------------


def grpo_trainer(model: Any, folder: Any, beta: float = 0.0, **settings: Any) -> Any:
    config = GRPOConfig(
        output_dir=str(folder), max_completion_length=LONGEST, beta=0.0, **COMMON, **GENERATED, **settings
    )
    trainer: Any = GRPOTrainer(
        model=model,
        reward_funcs=no_reward,
        args=config,
        train_dataset=rows_of({"prompt": ["a", "b"]}),
        processing_class=tokenizer(),
    )
    trainer.current_gradient_accumulation_steps = 1
    trainer.beta = beta  # set here, it wants no reference model: the logprobs are given
    return trainer


def rloo_trainer(model: Any, folder: Any, **settings: Any) -> Any:
    config = RLOOConfig(output_dir=str(folder), beta=0.0, **COMMON, **GENERATED, **settings)
    dataset = rows_of({"prompt": ["a", "b"]})
    return RLOOTrainer(
        model=model, reward_funcs=no_reward, args=config, train_dataset=dataset, processing_class=tokenizer()
    )


def dpo_trainer(model: Any, reference: Any, folder: Any, **settings: Any) -> Any:
    config = DPOConfig(output_dir=str(folder), **COMMON, **settings)
    return DPOTrainer(
        model=model, ref_model=reference, args=config, train_dataset=rows_of(PAIRS), processing_class=tokenizer()
    )


def kto_trainer(model: Any, reference: Any, folder: Any, **settings: Any) -> Any:
    config = KTOConfig(output_dir=str(folder), per_device_train_batch_size=2, **COMMON, **settings)
    rows = rows_of({"prompt": ["a", "b"], "completion": ["c", "d"], "label": [True, False]})  # type: ignore[dict-item]
    return KTOTrainer(model=model, ref_model=reference, args=config, train_dataset=rows, processing_class=tokenizer())


def reward_trainer(model: Any, folder: Any, **settings: Any) -> Any:
    config = RewardConfig(output_dir=str(folder), **COMMON, **settings)
    return RewardTrainer(model=model, args=config, train_dataset=rows_of(PAIRS), processing_class=tokenizer())


def sft_trainer(model: Any, folder: Any) -> Any:
    config = SFTConfig(output_dir=str(folder), **COMMON)
    return SFTTrainer(
        model=model, args=config, train_dataset=rows_of({"text": ["a", "b"]}), processing_class=tokenizer()
    )


# -- what they are given --------------------------------------------------------------------------------------------


def as_completions(samples: Sequence[Sample], **tables: Table | None) -> dict[str, Tensor]:
    """Prompts padded on the left, completions on the right. `tables` are spread over the completions' scored tokens."""
    cuts = [sample.mask.index(1) for sample in samples]
    widest, longest = max(cuts), max(len(sample.ids) - cut for sample, cut in zip(samples, cuts, strict=True))

    def right(values: list[Any]) -> list[Any]:
        return values + [0] * (longest - len(values))

    both = list(zip(samples, cuts, strict=True))
    made = {
        "prompt_ids": torch.tensor([[0] * (widest - cut) + sample.ids[:cut] for sample, cut in both]),
        "prompt_mask": torch.tensor([[0] * (widest - cut) + [1] * cut for _, cut in both]),
        "completion_ids": torch.tensor([right(sample.ids[cut:]) for sample, cut in both]),
        "completion_mask": torch.tensor([right([1] * len(sample.ids[cut:])) for sample, cut in both]),
        "tool_mask": torch.tensor([right(sample.mask[cut:]) for sample, cut in both]),
        "num_items_in_batch": torch.tensor(float(sum(sum(sample.mask) for sample in samples))),
    }
    for name, table in tables.items():
        if table is not None:
            made[name] = torch.zeros(made["tool_mask"].shape)
            made[name][made["tool_mask"].bool()] = torch.tensor([value for row in table for value in row])
    return made


def as_rows(samples: Sequence[Sample]) -> tuple[dict[str, Tensor], Tensor]:
    """Padded on the right; and the mask."""
    width = max(len(sample.ids) for sample in samples)

    def padded(rows: Iterable[list[int]]) -> Tensor:
        return torch.tensor([row + [0] * (width - len(row)) for row in rows])

    inputs = {
        "input_ids": padded(sample.ids for sample in samples),
        "attention_mask": padded([1] * len(sample.ids) for sample in samples),
    }
    return inputs, padded(sample.mask for sample in samples)


def as_pairs(pairs: Sequence[tuple[Sample, Sample]]) -> dict[str, Tensor]:
    """All chosen ones, then all rejected ones."""
    inputs, mask = as_rows([pair[0] for pair in pairs] + [pair[1] for pair in pairs])
    return {**inputs, "completion_mask": mask}


# -- the slow way ---------------------------------------------------------------------------------------------------


def slow_logprobs(model: Any, sample: Sample, temperature: float = 1.0) -> Tensor:
    """Of the scored tokens, from a forward of this sample alone."""
    table = torch.log_softmax(model(input_ids=torch.tensor([sample.ids])).logits[0] / temperature, -1)
    scored = [t for t, one in enumerate(sample.mask) if one]
    return torch.stack([table[t - 1, sample.ids[t]] for t in scored])


@torch.no_grad()
def moved(model: Any, samples: Sequence[Sample], temperature: float, by: float, seed: int) -> Table:
    """Logprobs that differ from the model's by up to `by`, both ways."""
    generator = torch.Generator().manual_seed(seed)
    found = []
    for sample in samples:
        now = slow_logprobs(model, sample, temperature)
        found.append((now + by * (2 * torch.rand(now.shape, generator=generator) - 1)).tolist())
    return found


def gradients(loss: Tensor, parameters: Iterable[Tensor]) -> list[Tensor]:
    return list(torch.autograd.grad(loss, list(parameters), materialize_grads=True))


def assert_same(ours: Sequence[Tensor], theirs: Sequence[Tensor]) -> None:
    largest = max(float(gradient.abs().max()) for gradient in theirs)
    assert largest > 1e-3, "a gradient of nothing proves nothing"
    for mine, reference in zip(ours, theirs, strict=True):
        assert (mine - reference).abs().max() < 1e-5 * max(largest, 1.0)
