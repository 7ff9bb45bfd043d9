from bookings.rooms import comparison, free_rooms, gaps, moved


def test_free_rooms_1():
    got = free_rooms({"Oak": ["9:00-10:00"], "Elm": ["10:00-11:00"]}, "10:00-10:30")
    assert got == ['Oak'], got


def test_gaps_2():
    got = gaps(["9:00-12:00", "10:00-10:30"])
    assert got == ['8:00-9:00', '12:00-18:00'], got


def test_moved_3():
    got = moved({"Oak": ["9:00", "11:00"], "Elm": []}, "9:00", "Oak", "Elm")
    assert got == {'Oak': ['11:00'], 'Elm': ['9:00']}, got


def test_comparison_4():
    got = comparison({"Oak": ["9:00", "11:00"], "Elm": []}, "9:00", "Oak", "Elm")
    assert got == [2, 1], got
