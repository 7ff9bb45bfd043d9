from ledgers.balances import balance, overdrawn


def test_balance_1():
    got = balance(["1 a 500", "3 a -200", "3 b 9"], "a")
    assert got == 300, got


def test_balance_2():
    got = balance(["1 a 500", "3 a -200"], "a", 3)
    assert got == 300, got


def test_overdrawn_3():
    got = overdrawn(["2 a 100", "1 a -50", "1 b 5"])
    assert got == ['a'], got
