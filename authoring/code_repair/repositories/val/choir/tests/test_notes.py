from choir.notes import height, name


def test_height_1():
    got = height("C4")
    assert got == 48, got


def test_height_2():
    got = height("A#3")
    assert got == 46, got


def test_name_3():
    got = name(48)
    assert got == 'C4', got


def test_name_4():
    got = name(59)
    assert got == 'B4', got
