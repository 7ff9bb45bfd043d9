from postal.sizes import kind


def test_kind_1():
    got = kind(24, 17, 2)
    assert got == 'letter', got


def test_kind_2():
    got = kind(2, 24, 17)
    assert got == 'letter', got


def test_kind_3():
    got = kind(30, 30, 30)
    assert got == 'parcel', got


def test_kind_4():
    got = kind(61, 1, 1)
    assert got == 'freight', got
