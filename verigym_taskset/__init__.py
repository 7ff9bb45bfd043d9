"""The module that verifiers loads for the taskset id `verigym-taskset`. It looks for top-level modules only."""

from verigym.bridges.verifiers_taskset import VerigymHarness, VerigymTaskset

__all__ = ["VerigymHarness", "VerigymTaskset"]
