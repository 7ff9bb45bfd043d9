from shares.dividing import balances, parts


def test_parts_1():
    got = parts(100, ["Ann", "Bo", "Cy"])
    assert got == {'Ann': 34, 'Bo': 33, 'Cy': 33}, got


def test_balances_2():
    got = balances(["Ann 9 for Ann, Bo", "Bo 1.00 for Ann"])
    assert got == {'Ann': 350, 'Bo': -350}, got
