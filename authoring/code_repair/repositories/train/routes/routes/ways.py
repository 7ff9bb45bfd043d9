from routes.roads import network


def shortest(lines, start, goal):
    """Length of the shortest way; -1 where there is none."""
    roads = network(lines)
    best, todo = {start: 0}, [start]
    while todo:
        town = todo.pop(0)
        for near, length in roads.get(town, {}).items():
            if near not in best or best[town] + length < best[near]:
                best[near] = best[town] + length
                todo.append(near)
    return best.get(goal, -1)


def length_of(lines, towns):
    """Of a way through these towns; a road that is not there is a ValueError."""
    roads = network(lines)
    total = 0
    for one, two in zip(towns, towns[1:]):
        if two not in roads.get(one, {}):
            raise ValueError(f"no road from {one} to {two}")
        total += roads[one][two]
    return total
