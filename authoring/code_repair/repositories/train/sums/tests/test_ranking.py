from sums.ranking import postfix


def test_postfix_1():
    got = postfix("1+2*3")
    assert got == ['1', '2', '3', '*', '+'], got


def test_postfix_2():
    got = postfix("8-3-2")
    assert got == ['8', '3', '-', '2', '-'], got


def test_postfix_3():
    got = postfix("2^3^2")
    assert got == ['2', '3', '2', '^', '^'], got


def test_postfix_4():
    got = postfix("(1+2)*3")
    assert got == ['1', '2', '+', '3', '*'], got
