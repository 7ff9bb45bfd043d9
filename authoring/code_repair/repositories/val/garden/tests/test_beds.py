from garden.beds import bed, days_between


def test_bed_1():
    got = bed("roses 3d 8l")
    assert got == ['roses', 3, 8], got


def test_days_between_2():
    got = days_between("2031-02-27", "2031-03-02")
    assert got == 3, got
