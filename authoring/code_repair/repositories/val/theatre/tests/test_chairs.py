from theatre.chairs import label, position


def test_label_1():
    got = label(1, 4)
    assert got == 'B5', got


def test_position_2():
    got = position("B5")
    assert got == [1, 4], got


def test_position_3():
    got = position("A10")
    assert got == [0, 9], got
