from shelves.titles import index, words


def test_words_1():
    got = words("The Sea: a Life of Salt!")
    assert got == ['sea', 'life', 'salt'], got


def test_index_2():
    got = index(["Red Sea", "sea and sea"])
    assert got == {'red': [0], 'sea': [0, 1]}, got
