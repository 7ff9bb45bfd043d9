def network(lines):
    """Lines such as "A-B 12" as town to neighbour to length; roads go both ways."""
    found = {}
    for line in lines:
        ends, length = line.split()
        one, two = ends.split("-")
        found.setdefault(one, {})[two] = int(length)
        found.setdefault(two, {})[one] = int(length)
    return found
