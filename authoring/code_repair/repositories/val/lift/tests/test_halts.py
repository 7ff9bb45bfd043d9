from lift.halts import halts


def test_halts_1():
    got = halts(3, [5, 1, 4, 2])
    assert got == [4, 5, 2, 1], got


def test_halts_2():
    got = halts(3, [5, 1, 2], False)
    assert got == [2, 1, 5], got


def test_halts_3():
    got = halts(2, [2, 6, 6])
    assert got == [2, 6], got
