from almanac.days import weekday
from almanac.years import length


def working_days(year, month, holidays=()):
    """Days of a month from Monday to Friday that are no holidays (days of the month)."""
    days = range(1, length(year, month) + 1)
    return sum(weekday(year, month, day) < 5 and day not in holidays for day in days)


def first_monday(year, month):
    """Its day of the month."""
    return next(day for day in range(1, 8) if weekday(year, month, day) == 0)
