from stencil.fields import field, pieces


def test_pieces_1():
    got = pieces("Hi <x>!")
    assert got == ['Hi ', 'x', '!'], got


def test_field_2():
    got = field("town | upper|initial")
    assert got == ['town', ['upper', 'initial']], got
