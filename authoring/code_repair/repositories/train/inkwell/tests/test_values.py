from inkwell.values import value


def test_value_1():
    got = value("TRUE")
    assert got == True, got


def test_value_2():
    got = value("-12")
    assert got == -12, got


def test_value_3():
    got = value("[1, two]")
    assert got == [1, 'two'], got


def test_value_4():
    got = value("[]")
    assert got == [], got


def test_value_5():
    got = value("a1")
    assert got == 'a1', got
