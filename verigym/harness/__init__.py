"""Tools from plain functions, and the contract of an environment. `rollout` runs the episodes."""
