"""Models in this process: the engine that decodes, and the policy that uses it."""
