from league.forms import form, letter


def test_letter_1():
    got = letter("Elks", "Owls 0:2 Elks")
    assert got == 'W', got


def test_form_2():
    got = form(["Owls 2:1 Elks", "Elks 1:0 Hens", "Hens 3:3 Owls", "Cats 1:0 Owls", "Owls 4:0 Hens"], "Owls")
    assert got == 'WLD', got


def test_form_3():
    got = form(["Owls 2:1 Elks", "Elks 1:0 Hens"], "Elks")
    assert got == 'WL', got
