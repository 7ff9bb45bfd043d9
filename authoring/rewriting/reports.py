"""Notes and news with more sentences than facts, and the sentence that sums them up. Held-out reports are others."""

from random import Random
from typing import NamedTuple


class Report(NamedTuple):
    """What a kind of report says. `{slot}` is filled with a value of the split."""

    name: str
    lines: tuple[str, ...]
    """In this order, with fillers between them."""
    summaries: tuple[str, ...]
    """Each of them is right."""
    facts: tuple[str, ...]
    """Slots whose value a summary has to name."""
    avoid: tuple[str, ...]
    """Slots that were rejected, or did not matter. A summary does not name them."""


REPORTS = {
    "train": [
        Report(
            "task",
            (
                "We still need somebody to {task}.",
                "{other} has no time this month.",
                "{owner} takes it over and wants to finish by {day}.",
                "The budget for it is {amount} euros.",
            ),
            (
                "{owner} will {task} by {day} with a budget of {amount} euros.",
                "{owner} will {task} by {day}, and the budget is {amount} euros.",
                "The team decided that {owner} will {task} by {day} for {amount} euros.",
            ),
            ("owner", "day", "amount"),
            ("other",),
        ),
        Report(
            "moved",
            (
                "The {event} was planned for {day2}.",
                "Then the {reason} came, and everybody had to think again.",
                "It will now take place on {day} at {hour} in the {place}.",
                "Tickets that were sold stay valid.",
            ),
            (
                "The {event} was moved to {day} at {hour} in the {place} because of the {reason}.",
                "Because of the {reason}, the {event} will take place on {day} at {hour} in the {place}.",
                "Due to the {reason}, the {event} now takes place on {day} at {hour} in the {place}.",
            ),
            ("event", "day", "hour", "place"),
            (),
        ),
        Report(
            "outage",
            (
                "At {hour} the {system} stopped working.",
                "At first {other} blamed the new screen.",
                "In the end the cause was a {cause}.",
                "{owner} repaired it within {num} minutes.",
            ),
            (
                "The {system} stopped working at {hour} because of a {cause}, and {owner} repaired it within {num} minutes.",
                "The {system} failed at {hour} due to a {cause}, which {owner} repaired within {num} minutes.",
                "A {cause} stopped the {system} at {hour}, and {owner} repaired it in {num} minutes.",
            ),
            ("system", "cause", "owner", "num"),
            ("other",),
        ),
        Report(
            "purchase",
            (
                "The old {thing} has to be replaced.",
                "{shop2} asked for {amount2} euros, which is too much.",
                "{shop} offers one for {amount} euros and delivers in {num} days.",
                "So we order it there.",
            ),
            (
                "We order a new {thing} from {shop} for {amount} euros, delivered in {num} days.",
                "The old {thing} will be replaced by one from {shop} for {amount} euros, delivered in {num} days.",
                "{shop} will deliver a new {thing} in {num} days for {amount} euros.",
            ),
            ("thing", "shop", "amount", "num"),
            ("amount2", "shop2"),
        ),
        Report(
            "closure",
            (
                "Drivers in {city} need patience again.",
                "{street} will be closed from {day} to {day2}.",
                "Workers renew the {pipe} under the road.",
                "Buses take {street2} during this time.",
            ),
            (
                "{street} in {city} will be closed from {day} to {day2} to renew the {pipe}, and buses take {street2}.",
                "From {day} to {day2}, {street} in {city} is closed because workers renew the {pipe}; buses take {street2}.",
            ),
            ("street", "day", "day2", "street2"),
            (),
        ),
        Report(
            "match",
            (
                "{city} and {city2} met for the last game of the season.",
                "There was no goal before the break.",
                "{owner} scored the only goal in minute {num}.",
                "{city} won in front of {amount} people.",
            ),
            (
                "{city} beat {city2} in front of {amount} people with a goal by {owner} in minute {num}.",
                "{city} won against {city2} thanks to a goal by {owner} in minute {num}, in front of {amount} people.",
            ),
            ("city", "city2", "owner", "num"),
            (),
        ),
        Report(
            "hired",
            (
                "In all, {num} people applied for the job.",
                "{other} was invited too, but took another offer.",
                "{owner} convinced everybody.",
                "The first day as our new {job} is {day}.",
            ),
            (
                "{owner} was chosen from {num} applicants and starts as the new {job} on {day}.",
                "Out of {num} applicants, {owner} was hired as the new {job} and starts on {day}.",
                "{owner} will start as our new {job} on {day}, chosen from {num} people.",
            ),
            ("owner", "job", "day", "num"),
            ("other",),
        ),
        Report(
            "donation",
            (
                "The pupils of {city} had an idea.",
                "For {num} days they sold {goods} in front of their school.",
                "They collected {amount} euros.",
                "All of it goes to the {place}.",
            ),
            (
                "Pupils of {city} collected {amount} euros for the {place} by selling {goods} for {num} days.",
                "The pupils of {city} sold {goods} for {num} days and collected {amount} euros for the {place}.",
            ),
            ("city", "goods", "amount", "place"),
            (),
        ),
    ],
    "val": [
        Report(
            "hours",
            (
                "Until now the {place} closed at {hour2}.",
                "Many visitors found that too early and wrote letters.",
                "From {day} on it stays open until {hour}.",
                "{owner}, who runs it, hopes for {num} more guests a week.",
            ),
            (
                "From {day} on, the {place} stays open until {hour}, and {owner} hopes for {num} more guests a week.",
                "The {place} will stay open until {hour} from {day}, and {owner} hopes for {num} more guests a week.",
            ),
            ("place", "day", "hour", "num"),
            (),
        ),
        Report(
            "recall",
            (
                "{shop} asks its customers to bring back the {thing}.",
                "A {cause} was found in {num} cases.",
                "Nobody was hurt, said {other}.",
                "Whoever returns it by {day} gets {amount} euros.",
            ),
            (
                "{shop} recalls the {thing} because of a {cause} and pays {amount} euros to whoever returns it by {day}.",
                "Customers who return the {thing} to {shop} by {day} get {amount} euros because of a {cause}.",
            ),
            ("shop", "thing", "day", "amount"),
            ("other",),
        ),
        Report(
            "trip",
            (
                "The class wanted to see {city2} this year.",
                "All trains there are full.",
                "{owner} found something better: {city}, on {day}.",
                "Everybody pays {amount} euros.",
            ),
            (
                "The class travels to {city} on {day} for {amount} euros each.",
                "The class will go to {city} on {day}, and everybody pays {amount} euros.",
                "{owner} found a trip to {city} on {day}, for which everybody pays {amount} euros.",
            ),
            ("city", "day", "amount"),
            ("city2",),
        ),
        Report(
            "storm",
            (
                "The night to {day} was a loud one in {city}.",
                "A storm broke {num} trees.",
                "Nobody was in the {place} when one of them fell on its roof.",
                "It stays closed until {day2}.",
            ),
            (
                "A storm broke {num} trees in {city}, and the {place} stays closed until {day2}.",
                "In {city}, a storm broke {num} trees and damaged the {place}, which stays closed until {day2}.",
            ),
            ("city", "num", "place", "day2"),
            (),
        ),
        Report(
            "vote",
            (
                "The club had to choose who leads it.",
                "{other} was proposed as well.",
                "With {num} votes, {owner} won.",
                "The new leader wants to {task} before {day}.",
            ),
            (
                "{owner} won the vote to lead the club with {num} votes and wants to {task} before {day}.",
                "{owner} was chosen to lead the club with {num} votes and wants to {task} before {day}.",
            ),
            ("owner", "num", "day"),
            ("other",),
        ),
    ],
}
VALUES = {
    "train": {
        "owner": ["Priya", "Jonas", "Mei", "Omar", "Sofia", "Lars"],
        "other": ["Tom", "Elena", "Viktor", "Ruth"],
        "task": ["paint the hallway", "write the brochure", "book the speakers", "test the alarm", "order the chairs"],
        "day": ["Monday", "Tuesday", "Thursday"],
        "day2": ["Saturday", "Sunday"],
        "hour": ["9:30", "14:00", "16:45", "18:15"],
        "amount": ["240", "380", "650", "1200", "95"],
        "amount2": ["2900", "1850", "3300"],
        "num": ["12", "25", "34", "48"],
        "event": ["summer concert", "book fair", "chess evening", "flea market"],
        "reason": ["storm", "strike", "power cut"],
        "place": ["town hall", "animal shelter", "old theatre", "youth centre"],
        "system": ["ticket machine", "heating", "payroll server", "lift"],
        "cause": ["broken cable", "full disk", "worn belt"],
        "thing": ["printer", "oven", "projector"],
        "shop": ["Hartmann", "Nordlicht", "Colway"],
        "shop2": ["Pereira", "Brixton"],
        "city": ["Arlen", "Bergau", "Corvo"],
        "city2": ["Delford", "Estrick"],
        "street": ["Mill Street", "Castle Road", "Harbour Lane"],
        "street2": ["Oak Avenue", "Bridge Street"],
        "pipe": ["water pipes", "gas pipes"],
        "job": ["nurse", "driver", "librarian"],
        "goods": ["cakes", "painted stones", "lemonade"],
    },
    "val": {
        "owner": ["Amara", "Felix", "Ines", "Kofi"],
        "other": ["Greta", "Pavel", "Dora"],
        "task": ["repair the boats", "plant an orchard", "print a songbook"],
        "day": ["Wednesday", "Friday"],
        "day2": ["next Tuesday", "next Sunday"],
        "hour": ["20:00", "21:30", "22:15"],
        "hour2": ["17:00", "18:30"],
        "amount": ["45", "70", "130", "310"],
        "num": ["17", "29", "56", "83"],
        "place": ["aquarium", "ice rink", "city archive", "skate hall"],
        "cause": ["loose screw", "sharp edge", "weak battery"],
        "thing": ["toaster", "baby chair", "lantern"],
        "shop": ["Wendell", "Sorrento", "Halvorsen"],
        "city": ["Fenmore", "Grisco", "Hallin"],
        "city2": ["Ivanport", "Jarrow"],
    },
}
FILLERS = {
    "train": [
        "It was a long day.",
        "The coffee was good this time.",
        "Some of us arrived late.",
        "The rain did not stop.",
        "Nobody had any questions about that.",
        "We opened a window.",
        "There was a short break.",
    ],
    "val": [
        "The sun was shining.",
        "A dog barked outside.",
        "People talked about it for hours.",
        "Somebody brought biscuits.",
        "It was not the first time.",
    ],
}


def told(report: Report, split: str, random: Random) -> tuple[str, list[str], list[str], list[str]]:
    """The notes, the summaries, the facts to name and the ones to leave out."""
    values = {slot: random.choice(some) for slot, some in VALUES[split].items()}
    lines = [line.format(**values) for line in report.lines]
    for filler in random.sample(FILLERS[split], 3):
        lines.insert(random.randrange(1, len(lines) + 1), filler)
    return (
        "\n".join(f"- {line}" for line in lines),
        [text.format(**values) for text in report.summaries],
        [values[slot] for slot in report.facts],
        [values[slot] for slot in report.avoid],
    )
