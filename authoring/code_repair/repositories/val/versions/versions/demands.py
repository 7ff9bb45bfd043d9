from versions.releases import parse


def meets(text, demand):
    """One demand: `>=1.2`, `<2`, or `~1.4`, which wants 1.4 or newer with the leading figure unchanged."""
    have = parse(text)
    if demand.startswith(">="):
        return have >= parse(demand[2:])
    if demand.startswith("<"):
        return have < parse(demand[1:])
    want = parse(demand[1:])
    return have >= want and have[0] == want[0]


def suits(text, demands):
    """Every demand of a comma-separated string is met; an empty string demands nothing."""
    return all(meets(text, demand.strip()) for demand in demands.split(",") if demand.strip())
