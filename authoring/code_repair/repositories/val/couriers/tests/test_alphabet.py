from couriers.alphabet import shift


def test_shift_1():
    got = shift("abz", 1)
    assert got == 'bca', got


def test_shift_2():
    got = shift("Go, Zoe!", 3)
    assert got == 'Jr, Crh!', got


def test_shift_3():
    got = shift("d", -3)
    assert got == 'a', got
