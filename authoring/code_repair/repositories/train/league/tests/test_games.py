from league.games import game


def test_game_1():
    got = game("Red Owls 2:1 Foxes")
    assert got == ['Red Owls', 'Foxes', 2, 1], got
