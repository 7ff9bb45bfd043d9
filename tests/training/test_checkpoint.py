"""Checkpoints: whole or not there at all."""

from pathlib import Path
from typing import Any

import torch

from tests.tiny import tiny
from verigym.model import lora
from verigym.training.checkpoint import load_checkpoint, save_checkpoint
from verigym.training.update import make_optimizer


def trained(steps: int, seed: int = 0) -> tuple[Any, torch.optim.Optimizer]:
    """A model and its optimizer after some steps in random directions."""
    model = tiny().model
    lora.attach(model, lora.LoraConfig(r=2))
    optimizer = make_optimizer(model, 1e-2)
    step_on(model, optimizer, steps, seed)
    return model, optimizer


def step_on(model: Any, optimizer: torch.optim.Optimizer, steps: int, seed: int) -> None:
    generator = torch.Generator().manual_seed(seed)
    for _ in range(steps):
        for parameter in lora.parameters(model):
            parameter.grad = torch.randn(parameter.shape, generator=generator)
        optimizer.step()


def same(one: Any, other: Any) -> bool:
    theirs = lora.weights(other)
    return all(torch.equal(weight, theirs[name]) for name, weight in lora.weights(one).items())


def test_what_is_saved_is_loaded_and_goes_on_as_if_nothing_had_happened(tmp_path: Path) -> None:
    model, optimizer = trained(3)
    torch.manual_seed(5)
    save_checkpoint(tmp_path, model, optimizer, 3)
    drawn = torch.rand(4)
    other, fresh = trained(0)
    torch.manual_seed(99)
    assert load_checkpoint(tmp_path, other, fresh) == 3
    assert torch.equal(torch.rand(4), drawn), "the random state came back"
    assert same(model, other)
    for each in ((model, optimizer), (other, fresh)):
        step_on(*each, steps=2, seed=7)
    assert same(model, other), "the optimizer's moments came back"


def test_where_there_is_no_checkpoint_training_begins_at_the_beginning(tmp_path: Path) -> None:
    model, optimizer = trained(2)
    before = lora.weights(model)
    assert load_checkpoint(tmp_path / "nothing", model, optimizer) == 0
    assert all(torch.equal(weight, before[name]) for name, weight in lora.weights(model).items())


def test_only_the_newest_is_kept(tmp_path: Path) -> None:
    model, optimizer = trained(1)
    for step in (9, 10, 11):
        save_checkpoint(tmp_path, model, optimizer, step)
    assert [path.name for path in tmp_path.iterdir()] == ["step-000011.pt"]


def test_a_checkpoint_that_was_cut_while_it_was_written_is_passed_over(tmp_path: Path) -> None:
    model, optimizer = trained(2)
    save_checkpoint(tmp_path, model, optimizer, 2)
    whole = (tmp_path / "step-000002.pt").read_bytes()
    (tmp_path / "step-000003.partial").write_bytes(whole[: len(whole) // 2])
    other, fresh = trained(0)
    assert load_checkpoint(tmp_path, other, fresh) == 2
    assert same(model, other)


def test_of_two_whole_ones_the_later_is_taken(tmp_path: Path) -> None:
    model, optimizer = trained(1)
    save_checkpoint(tmp_path, model, optimizer, 1)
    early = (tmp_path / "step-000001.pt").read_bytes()
    step_on(model, optimizer, 1, seed=3)
    save_checkpoint(tmp_path, model, optimizer, 2)
    (tmp_path / "step-000001.pt").write_bytes(early)  # killed between writing the new one and removing the old
    other, fresh = trained(0)
    assert load_checkpoint(tmp_path, other, fresh) == 2
    assert same(model, other)


def test_saving_does_not_tie_the_file_to_the_model(tmp_path: Path) -> None:
    model, optimizer = trained(1)
    save_checkpoint(tmp_path, model, optimizer, 1)
    kept = lora.weights(model)
    step_on(model, optimizer, 1, seed=3)
    load_checkpoint(tmp_path, model, optimizer)
    assert all(torch.equal(weight, kept[name]) for name, weight in lora.weights(model).items())
