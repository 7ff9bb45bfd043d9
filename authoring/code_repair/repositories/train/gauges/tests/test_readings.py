from gauges.readings import numbers, without_outliers


def test_numbers_1():
    got = numbers(["4", "x", "-7", " 3 "])
    assert got == [4, -7, 3], got


def test_without_outliers_2():
    got = without_outliers([5, 6, 90, 7], 10)
    assert got == [5, 6, 7], got


def test_without_outliers_3():
    got = without_outliers([5, 15], 10)
    assert got == [5, 15], got
