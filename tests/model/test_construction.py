"""Models that are built in several threads at once keep their tied embeddings, and so do those that are built later."""

import threading
from pathlib import Path

from transformers import PreTrainedModel

from tests.model.families import make
from verigym.model.load import load_model
from verigym.model.shape import read_shape


def test_models_that_are_loaded_at_once_leave_tied_weights_tied(tmp_path: Path) -> None:
    make("Llama", tie_word_embeddings=True).save_pretrained(tmp_path)
    before, wrong = PreTrainedModel.tie_weights, []

    def load_and_count() -> None:
        for _ in range(5):
            model = load_model(str(tmp_path), device="cpu")
            parameters = sum(parameter.numel() for parameter in model.parameters())
            if (
                read_shape(str(tmp_path), "cpu").parameters != parameters
                or model.lm_head.weight is not model.model.embed_tokens.weight
            ):
                wrong.append(parameters)

    threads = [threading.Thread(target=load_and_count) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong and PreTrainedModel.tie_weights is before
