"""Our environments for other projects: one file per target. Each drives live episodes, and none is imported by the others.

`openenv` is a server. `inspect_task`, `trl`, `openrlhf`, `verl` and `verifiers_taskset` run inside the other project's process
and share `episodes`. `translate` writes a recipe as the configuration of another trainer, with one `to_*` file per trainer.

Stability: experimental. It may change in any minor version.
"""
