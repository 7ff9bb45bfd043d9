from tills.receipts import money, receipt


def test_money_1():
    got = money(1205)
    assert got == '12.05', got


def test_money_2():
    got = money(7)
    assert got == '0.07', got


def test_receipt_3():
    got = receipt({"bread": 1, "apple": 5})
    assert got == ['apple x5 1.60', 'bread x1 2.50', 'total 4.10'], got


def test_receipt_4():
    got = receipt({"candle": 6}, True)
    assert got == ['candle x6 19.95', 'total 17.96'], got
