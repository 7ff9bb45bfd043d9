from versions.demands import meets, suits


def test_meets_1():
    got = meets("1.2.0", ">=1.2")
    assert got == True, got


def test_meets_2():
    got = meets("2.0", "~1.4")
    assert got == False, got


def test_suits_3():
    got = suits("1.5", ">=1.2, <2")
    assert got == True, got


def test_suits_4():
    got = suits("2.1", ">=1.2, <2")
    assert got == False, got


def test_meets_5():
    got = meets("2", "<2.0.0")
    assert got == False, got
