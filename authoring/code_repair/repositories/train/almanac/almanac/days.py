from almanac.years import leap, length


def number(year, month, day):
    """Of a day in its year: 1 January is 1."""
    return sum(length(year, each) for each in range(1, month)) + day


def weekday(year, month, day):
    """0 is Monday. 1 January of the year 1 was one."""
    before = sum(366 if leap(each) else 365 for each in range(1, year))
    return (before + number(year, month, day) - 1) % 7
