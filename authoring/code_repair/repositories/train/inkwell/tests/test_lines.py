from inkwell.lines import clean, pair


def test_clean_1():
    got = clean("a = 1  # one")
    assert got == 'a = 1', got


def test_pair_2():
    got = pair("Name = a=b")
    assert got == ['name', 'a=b'], got
