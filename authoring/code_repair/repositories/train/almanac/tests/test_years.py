from almanac.years import leap, length


def test_leap_1():
    got = leap(2024)
    assert got == True, got


def test_leap_2():
    got = leap(1900)
    assert got == False, got


def test_leap_3():
    got = leap(2000)
    assert got == True, got


def test_length_4():
    got = length(2024, 2)
    assert got == 29, got


def test_length_5():
    got = length(2026, 12)
    assert got == 31, got
