from sums.reading import tokens


def test_tokens_1():
    got = tokens("12+3")
    assert got == ['12', '+', '3'], got


def test_tokens_2():
    got = tokens("4 * (15 - 2)")
    assert got == ['4', '*', '(', '15', '-', '2', ')'], got
