from folds.lines import wrap


def test_wrap_1():
    got = wrap("one two three", 7)
    assert got == ['one two', 'three'], got


def test_wrap_2():
    got = wrap("a bcd ef", 4)
    assert got == ['a', 'bcd', 'ef'], got


def test_wrap_3():
    got = wrap("unbelievable as it is", 6)
    assert got == ['unbelievable', 'as it', 'is'], got
