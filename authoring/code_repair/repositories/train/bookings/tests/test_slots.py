from bookings.slots import overlap, stretch


def test_stretch_1():
    got = stretch("9:00-9:45")
    assert got == [540, 585], got


def test_stretch_2():
    got = stretch("14:10")
    assert got == [850, 880], got


def test_overlap_3():
    got = overlap([540, 600], [600, 660])
    assert got == False, got


def test_overlap_4():
    got = overlap([1, 9], [3, 4])
    assert got == True, got
