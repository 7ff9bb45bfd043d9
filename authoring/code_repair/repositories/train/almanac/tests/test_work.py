from almanac.work import first_monday, working_days


def test_working_days_1():
    got = working_days(2026, 2)
    assert got == 20, got


def test_working_days_2():
    got = working_days(2026, 3, [4, 7])
    assert got == 21, got


def test_first_monday_3():
    got = first_monday(2026, 6)
    assert got == 1, got


def test_first_monday_4():
    got = first_monday(2026, 3)
    assert got == 2, got
