from gauges.averages import moving
from gauges.readings import numbers, without_outliers


def alarms(texts, limit, width=3):
    """The places at which the moving mean rises above the limit, having been at or below it before."""
    rows = moving(without_outliers(numbers(texts), 50), width)
    return [at for at, now in enumerate(rows) if now > limit and (at == 0 or rows[at - 1] <= limit)]
