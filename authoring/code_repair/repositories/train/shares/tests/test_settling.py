from shares.settling import settle, statement


def test_settle_1():
    got = settle({"Ann": 700, "Bo": -500, "Cy": -200})
    assert got == ['Bo pays Ann 500', 'Cy pays Ann 200'], got


def test_settle_2():
    got = settle({"Ann": 300, "Bo": 200, "Cy": -500})
    assert got == ['Cy pays Ann 300', 'Cy pays Bo 200'], got


def test_statement_3():
    got = statement(["Ann 5 for Ann, Bo"])
    assert got == [['Bo pays Ann 250'], {'Ann': 250, 'Bo': -250}], got
