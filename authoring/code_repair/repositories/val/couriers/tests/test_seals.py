from couriers.seals import receive, seal, send


def test_seal_1():
    got = seal("1a")
    assert got == 3, got


def test_seal_2():
    got = seal("2b1c")
    assert got == 9, got


def test_send_3():
    got = send("hello", 2)
    assert got == '1j1g2n1q/7', got


def test_receive_4():
    got = receive("2b/9", 1)
    assert got == 'tampered', got


def test_receive_5():
    got = receive(send("hello", 2), 2)
    assert got == 'hello', got
