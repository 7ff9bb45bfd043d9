"""Tools from plain functions, and the contract of an environment. Episodes are run by `rollout`."""
