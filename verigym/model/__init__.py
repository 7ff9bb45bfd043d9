"""The tensors: fetching and loading models, LoRA adapters, logprobs. Training updates them, the engine decodes with them."""
