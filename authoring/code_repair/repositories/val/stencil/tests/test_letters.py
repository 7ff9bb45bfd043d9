from stencil.letters import letter, letters


def test_letter_1():
    got = letter("Dear <name|upper>, you owe <sum>.", {"name": "Ada", "sum": 0})
    assert got == 'Dear ADA, you owe 0.', got


def test_letter_2():
    got = letter("<greeting> <name>", {"name": "Ada"})
    assert got == '___ Ada', got


def test_letters_3():
    got = letters("<name>, <town>", [{"name": "Ada", "town": "Ely"}, {"name": "Bea"}], {"town": "York"})
    assert got == ['Ada, Ely', 'Bea, York'], got
