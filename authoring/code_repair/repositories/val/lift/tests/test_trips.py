from lift.trips import day, duration


def test_duration_1():
    got = duration(0, [2, 4])
    assert got == 24, got


def test_duration_2():
    got = duration(3, [5, 1])
    assert got == 30, got


def test_day_3():
    got = day([[2, 4], [1], []])
    assert got == [4, 1, 1], got
