from routes.roads import network


def test_network_1():
    got = network(["A-B 12", "B-C 3"])
    assert got == {'A': {'B': 12}, 'B': {'A': 12, 'C': 3}, 'C': {'B': 3}}, got
