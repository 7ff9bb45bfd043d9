from almanac.days import number, weekday


def test_number_1():
    got = number(2026, 1, 5)
    assert got == 5, got


def test_number_2():
    got = number(2024, 3, 1)
    assert got == 61, got


def test_weekday_3():
    got = weekday(2026, 3, 4)
    assert got == 2, got


def test_weekday_4():
    got = weekday(2024, 2, 29)
    assert got == 3, got
