from harbour.berths import assign, fits


def test_fits_1():
    got = fits("Gull 10 3", [10, 4])
    assert got == True, got


def test_fits_2():
    got = fits("Gull 10 4", [12, 4])
    assert got == False, got


def test_fits_3():
    got = fits("Gull 10 4", [12, 4], 1)
    assert got == True, got


def test_assign_4():
    got = assign(["Gull 8 2", "Tern 8 2"], [[20, 5], [9, 5]])
    assert got == {'Gull': 1, 'Tern': 0}, got


def test_assign_5():
    got = assign(["Gull 10 2", "Tern 8 2"], [[20, 5], [10, 5], [9, 5]])
    assert got == {'Gull': 1, 'Tern': 2}, got
