"""Tokens that a model never learnt to write, found by equal rows of its output layer."""

import torch

from tests.model.families import make, with_adapter
from verigym.model.untrained import untrained_tokens


def model_with_equal_rows(noise: float = 0.0):
    model = make("Llama")
    with torch.no_grad():
        rows_VH = model.get_output_embeddings().weight
        rows_VH[11] = rows_VH[7] * (1 + noise)
    return model


def test_tokens_with_the_row_of_another_token_are_untrained():
    assert untrained_tokens(model_with_equal_rows(), [5, 7, 11]) == {7, 11}


def test_equal_rows_that_a_small_file_blurred_are_still_equal():
    assert untrained_tokens(model_with_equal_rows(noise=0.003), [7]) == {7}
    assert untrained_tokens(model_with_equal_rows(noise=0.1), [7]) == set()


def test_an_adapter_does_not_hide_the_rows():
    model = with_adapter(model_with_equal_rows())
    assert untrained_tokens(model, [5, 7]) == {7}


def test_a_row_of_zeros_is_no_copy_of_another_row():
    model = make("Llama")
    with torch.no_grad():
        model.get_output_embeddings().weight[3] = 0.0
    assert untrained_tokens(model, [3]) == set()
