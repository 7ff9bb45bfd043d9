from league.tables import ranking, table


def test_table_1():
    got = table(["Owls 2:1 Elks", "Elks 0:0 Hens"])
    assert got == {'Owls': [3, 2, 1], 'Elks': [1, 1, 2], 'Hens': [1, 0, 0]}, got


def test_ranking_2():
    got = ranking(["Owls 1:0 Elks", "Hens 5:1 Cats", "Elks 0:0 Cats"])
    assert got == ['Hens', 'Owls', 'Elks', 'Cats'], got
