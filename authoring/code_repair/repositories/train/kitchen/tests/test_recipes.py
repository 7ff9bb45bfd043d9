from kitchen.recipes import ingredient, scaled


def test_ingredient_1():
    got = ingredient("2 cup oat milk")
    assert got == [500, 'oat milk'], got


def test_scaled_2():
    got = scaled(["1 cup milk", "2 spoon oil"], 2, 3)
    assert got == ['25 spoon milk', '3 spoon oil'], got


def test_scaled_3():
    got = scaled(["4 dl stock"], 3, 3)
    assert got == ['4 dl stock'], got
