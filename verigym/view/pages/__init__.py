"""The pages, one file each. `MODULES` lists the files that have any."""

MODULES: tuple[str, ...] = (
    "audit",
    "blob",
    "compare",
    "data",
    "environments",
    "failures",
    "flip",
    "gate",
    "home",
    "label",
    "ledger",
    "mined",
    "run",
    "run_map",
    "runs",
    "search",
    "suites",
    "task",
    "traces",
    "training",
    "trajectory",
    "trajectory_item",
    "versions",
)
"""Modules of this package, each with a list `PAGES`. They are imported when the view starts."""
