from lift.cabin import enter, journeys


def test_enter_1():
    got = enter([["Ivo", 90], ["Tia", 70], ["Lu", 30]], 120)
    assert got == ['Ivo', 'Lu'], got


def test_enter_2():
    got = enter([["Ivo", 300], ["Tia", 180], ["Lu", 1]])
    assert got == ['Ivo', 'Tia'], got


def test_journeys_3():
    got = journeys([["Ivo", 90], ["Tia", 70], ["Max", 200]], 150)
    assert got == [['Ivo'], ['Tia'], ['stairs: Max']], got
