"""What Verigym adds to a worker process of vLLM. vLLM loads this file in its own Python (`--worker-extension-cls`).

vLLM's `reload_weights` leaves one thing behind on a CPU: a head that is tied to the embeddings has a packed copy of them, and the
copy is not made again. So the head of the old weights would answer for the new ones.
"""

from typing import Any


class ReplaceableWorker:
    """Methods that `/collective_rpc` calls by name."""

    model_runner: Any

    def verigym_replace(self, weights_path: str) -> None:
        """Replaces all weights by those of a model in a folder."""
        self.model_runner.reload_weights(weights_path=weights_path)
        for module in self.model_runner.get_model().modules():
            if type(module).__name__ == "ParallelLMHead" and getattr(module, "cpu_linear", None) is not None:
                module.quant_method.process_weights_after_loading(module)
