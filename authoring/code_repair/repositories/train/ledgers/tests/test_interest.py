from ledgers.interest import interest, statement


def test_interest_1():
    got = interest(10000, 10, 2)
    assert got == 2100, got


def test_interest_2():
    got = interest(999, 5, 1)
    assert got == 49, got


def test_statement_3():
    got = statement(["1 a 2000"], "a", 5)
    assert got == [2000, 100], got


def test_statement_4():
    got = statement(["1 a -9"], "a", 5)
    assert got == [-9, 0], got
