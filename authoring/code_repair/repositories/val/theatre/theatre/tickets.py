from theatre.chairs import position
from theatre.plans import sell, vacancies


def ticket(name, child=False):
    """Rows A and B cost 31, C to E 22, further back 13. Children pay half, rounded up to full coins."""
    row = position(name)[0]
    coins = 31 if row <= 1 else 22 if row <= 4 else 13
    return (coins + 1) // 2 if child else coins


def takings(plan, names, children=0):
    """[coins taken, vacancies beforehand, vacancies afterwards]. The earliest names on the order are children's."""
    coins = sum(ticket(name, at < children) for at, name in enumerate(names))
    after = sell(plan, names)
    return [coins, vacancies(plan), vacancies(after)]
