"""The pages, one file each. `MODULES` lists the files that have any."""

MODULES: tuple[str, ...] = (
    "audit",
    "compare",
    "flip",
    "gate",
    "label",
    "mined",
    "run",
    "run_map",
    "runs",
    "traces",
    "trajectory",
    "trajectory_item",
    "home",
    "training",
    "versions",
    "ledger",
    "suites",
)
"""Modules of this package, each with a list `PAGES`. They are imported when the view starts."""
