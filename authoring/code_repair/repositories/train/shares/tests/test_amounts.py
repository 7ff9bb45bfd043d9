from shares.amounts import cents, expense


def test_cents_1():
    got = cents("12.5")
    assert got == 1250, got


def test_cents_2():
    got = cents("3")
    assert got == 300, got


def test_expense_3():
    got = expense("Ann 12.50 for Bo, Cy")
    assert got == ['Ann', 1250, ['Bo', 'Cy']], got


def test_expense_4():
    got = expense("Ann 4")
    assert got == ['Ann', 400, ['Ann']], got
