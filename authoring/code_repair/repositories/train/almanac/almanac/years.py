LENGTHS = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]


def leap(year):
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def length(year, month):
    """Days of a month, from 1 to 12."""
    return LENGTHS[month - 1] + (1 if month == 2 and leap(year) else 0)
