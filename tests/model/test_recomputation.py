"""What a layer keeps for its backward pass follows from the memory, and the gradients do not."""

from typing import Any

import pytest
import torch

from tests.model.batches import group
from tests.model.families import VOCABULARY, assert_same_gradients, gradients, make, packed, uneven, with_adapter
from verigym.model import layers
from verigym.model.llama_family import llama_model


def tiny(name: str) -> Any:
    return with_adapter(uneven(make(name, "TextConfig" if name == "Gemma3" else "Config")))


@pytest.mark.parametrize("name", ["Llama", "Qwen3", "Gemma3"])
def test_gradients_do_not_depend_on_what_is_kept(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    model, samples = tiny(name), group(2, 3, 5, 3, 4, VOCABULARY)
    assert llama_model(model) is not None
    made: list[list[torch.Tensor]] = []
    for room in ((2, 0), (0, 0), (1, 0), (0, 1), (0, 2)):
        monkeypatch.setattr(layers, "layers_with_room", lambda *_, room=room: room)
        made.append(gradients(model, [logprobs for logprobs, _ in packed(model, samples)]))
    for other in made[1:]:
        assert_same_gradients(other, made[0])


def test_what_is_kept_follows_from_the_free_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    found = llama_model(tiny("Llama"))
    assert found is not None
    states = torch.zeros(100, 32, device="meta")

    def room(free: float) -> tuple[int, int]:
        monkeypatch.setattr(layers, "free_bytes", lambda _: free)
        return layers.layers_with_room(found, states)

    number = 100 * 4
    kept, gates = 2 * 32 + 64 + 32, 2 * 48  # x and middle, q k v with 4 + 2 + 2 heads of 8, attention
    least = number * (2 * kept + 4 * gates)
    assert room(1e12) == (2, 0)
    assert room((least + 1.5 * number * gates) / 0.6) == (1, 0)
    assert room(least / 0.8) == (0, 0)
    assert room((least - 0.5 * number * (kept - 32)) / 0.85) == (0, 1)
    assert room(1.0) == (0, 2)


def test_only_the_input_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    model = tiny("Llama")
    monkeypatch.setattr(layers, "layers_with_room", lambda *_: (0, 2))
    sizes: list[int] = []

    def pack(tensor: torch.Tensor) -> torch.Tensor:
        sizes.append(tensor.numel())
        return tensor

    batch = group(1, 1, 0, 0, 20, VOCABULARY)
    batch[0].ids.insert(0, 5)
    batch[0].mask.insert(0, 0)
    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        packed(model, batch)
    assert 21 * 32 in sizes, "the input of a layer"
    assert 21 * 2 * 48 not in sizes and 21 * 64 not in sizes, "no gate and up, and no q, k and v"
