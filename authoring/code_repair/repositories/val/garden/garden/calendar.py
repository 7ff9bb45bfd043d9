from garden.beds import bed, days_between


def thirsty(texts, start, today):
    """Names of beds watered today: all on the start date, afterwards whenever a full interval has elapsed."""
    elapsed = days_between(start, today)
    return [name for name, interval, _ in map(bed, texts) if elapsed % interval == 0]


def postponed(texts, names, by=1):
    """Texts with longer intervals for the named beds: `by` days more, one unless stated."""
    longer = []
    for name, interval, litres in map(bed, texts):
        longer.append(f"{name} {interval + (by if name in names else 0)}d {litres}l")
    return longer
