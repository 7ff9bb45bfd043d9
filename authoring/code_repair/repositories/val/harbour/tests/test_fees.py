from harbour.fees import fee, total


def test_fee_1():
    got = fee("Gull 10 2", 3)
    assert got == 60, got


def test_fee_2():
    got = fee("Gull 10 2", 9)
    assert got == 160, got


def test_total_3():
    got = total([["Gull 10 2", 0], ["Tern 8 2", 2]])
    assert got == 52, got
