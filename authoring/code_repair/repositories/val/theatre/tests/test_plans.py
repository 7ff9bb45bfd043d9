from theatre.plans import adjacent, sell


def test_sell_1():
    got = sell(["ooo", "oxo"], ["A1", "B3"])
    assert got == ['xoo', 'oxx'], got


def test_adjacent_2():
    got = adjacent(["oxo", "xoo"], 2)
    assert got == ['B2', 'B3'], got


def test_adjacent_3():
    got = adjacent(["ox"], 2)
    assert got == [], got
