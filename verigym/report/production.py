"""Says if a report contains conversations of production, so that whoever mails it knows."""

from collections.abc import Iterable

from verigym.core.records import Task, Trajectory


def of_tasks(tasks: Iterable[Task]) -> str:
    """The warning of a report that shows tasks which were mined from production. Empty if none was."""
    if any(one.startswith("trace ") for task in tasks for one in task.lineage):
        return (
            "Some tasks of this report were mined from production traces. Their requests may repeat what customers "
            "wrote. Personal data was removed by rules before it was stored, and rules can miss some."
        )
    return ""


def of_traces(trajectories: Iterable[Trajectory]) -> str:
    """The warning of a report that shows traces."""
    rules = sorted({one.redacted for one in trajectories if one.redacted})
    how = f", redacted by {', '.join(rules)}" if rules else ", and no record says that they were redacted"
    return f"This report contains conversations of production{how}. Send it only to people who may read them."
