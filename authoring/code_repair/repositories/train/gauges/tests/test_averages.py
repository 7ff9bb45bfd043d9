from gauges.averages import mean, moving


def test_mean_1():
    got = mean([1, 2, 4])
    assert got == 2, got


def test_mean_2():
    got = mean([])
    assert got == 0, got


def test_moving_3():
    got = moving([1, 3, 5, 7], 2)
    assert got == [2, 4, 6], got
