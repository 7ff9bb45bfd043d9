"""A model in this process: the engine that decodes, and the policy that speaks through it."""
