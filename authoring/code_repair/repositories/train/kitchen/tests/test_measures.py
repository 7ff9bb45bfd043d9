from kitchen.measures import from_ml, simplest, to_ml


def test_to_ml_1():
    got = to_ml(2, "dl")
    assert got == 200, got


def test_from_ml_2():
    got = from_ml(260, "cup")
    assert got == 1, got


def test_simplest_3():
    got = simplest(500)
    assert got == [2, 'cup'], got


def test_simplest_4():
    got = simplest(45)
    assert got == [3, 'spoon'], got


def test_simplest_5():
    got = simplest(7)
    assert got == [7, 'ml'], got
