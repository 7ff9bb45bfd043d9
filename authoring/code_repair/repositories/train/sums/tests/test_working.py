from sums.working import joined, value


def test_joined_1():
    got = joined("/", -7, 2)
    assert got == -3, got


def test_value_2():
    got = value("20/4")
    assert got == 5, got


def test_value_3():
    got = value("9-(2-5)")
    assert got == 12, got


def test_value_4():
    got = value("6/(3-3)")
    assert got == 'undefined', got


def test_value_5():
    got = value("2 + 3")
    assert got == 5, got
