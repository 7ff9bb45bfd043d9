from barriers.moves import move, states


def test_move_1():
    got = move("open", "car")
    assert got == 'closed', got


def test_move_2():
    got = move("locked", "ticket")
    assert got == 'locked', got


def test_move_3():
    got = move("open", "timeout")
    assert got == 'closed', got


def test_states_4():
    got = states(["ticket", "alarm", "key"])
    assert got == ['closed', 'open', 'locked', 'closed'], got
