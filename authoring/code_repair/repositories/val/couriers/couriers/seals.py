from couriers.alphabet import shift
from couriers.runs import lengthen, shorten


def seal(body):
    """Final digit of a weighted total: character codes times position, counting positions from 1."""
    return sum(ord(sign) * place for place, sign in enumerate(body, 1)) % 10


def send(note, by):
    """Shifts, shortens, and puts a seal of just that body after a slash."""
    body = shorten(shift(note, by))
    return f"{body}/{seal(body)}"


def receive(sent, by):
    """Original note, or "tampered" whenever body and seal disagree."""
    body, _, digit = sent.rpartition("/")
    if str(seal(body)) != digit:
        return "tampered"
    return shift(lengthen(body), -by)
