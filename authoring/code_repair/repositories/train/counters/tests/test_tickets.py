from counters.tickets import ordered


def test_ordered_1():
    got = ordered([["a", 0, False], ["b", 1, True]])
    assert got == [['b', 1, True], ['a', 0, False]], got


def test_ordered_2():
    got = ordered([["a", 2, True], ["b", 1, True]])
    assert got == [['b', 1, True], ['a', 2, True]], got
