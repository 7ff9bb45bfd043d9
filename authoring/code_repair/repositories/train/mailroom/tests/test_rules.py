from mailroom.rules import matches, rule


def test_rule_1():
    got = rule("Bill* -> money")
    assert got == ['bill*', 'money'], got


def test_matches_2():
    got = matches("bill*", "Bill for May")
    assert got == True, got


def test_matches_3():
    got = matches("bill", "Bill for May")
    assert got == False, got
