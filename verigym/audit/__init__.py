"""Whether an environment and its verifier can be trusted, before anything is trained against them."""
