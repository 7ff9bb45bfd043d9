from larder.shopping import after_meal, to_buy


def test_after_meal_1():
    got = after_meal([["eggs", 3, 9], ["eggs", 2, 4]], "eggs", 3)
    assert got == [[['eggs', 2, 9]], 0], got


def test_after_meal_2():
    got = after_meal([["eggs", 3, 9]], "eggs", 5)
    assert got == [[], 2], got


def test_after_meal_3():
    got = after_meal([["rice", 1, 50], ["eggs", 4, 9]], "rice", 1)
    assert got == [[['eggs', 4, 9]], 0], got


def test_to_buy_4():
    got = to_buy([["eggs", 3, 9], ["tea", 2, 90]], {"eggs": 6, "tea": 1}, 5)
    assert got == {'eggs': 3}, got


def test_to_buy_5():
    got = to_buy([["eggs", 3, 9]], {"eggs": 3, "jam": 1}, 5)
    assert got == {'jam': 1}, got
