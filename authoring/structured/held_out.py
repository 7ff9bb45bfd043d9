"""The held-out families: other kinds of text, other schemas and other names than those to learn from."""

from datetime import timedelta
from random import Random

from verigym.environments.structured.forms import (
    DATE,
    NUMBER,
    TEXT,
    TIME,
    WHOLE,
    YES,
    Document,
    Family,
    address,
    clock,
    counted,
    day,
    either,
    fields,
    listed,
    maybe,
    money,
    noted,
    one_of,
    price,
    scattered,
    some_day,
    some_time,
    unordered,
)

PEOPLE = [
    "Aino Salo", "Bjarne Vik", "Chloe Martin", "Dorian Pop", "Edda Jonsdottir", "Felipe Rocha", "Gudrun Hahn", "Hamid Aziz",
    "Iris Wolff",
]  # fmt: skip
HOUSES = ["Hotel Seeblick", "Villa Aurora", "The Old Lighthouse", "Pension Mirabell"]
NOISE = [
    "(forwarded three times)", "Kindly do not reply to this mailbox.", "## draft 2 ##", "Printed on recycled paper",
    "............", "tl;dr below", "Copy for the files", "Weather was fine, by the way.", "End of document",
]  # fmt: skip


def hotel_booking(draw: Random) -> Document:
    guest, house = draw.choice(PEOPLE), draw.choice(HOUSES)
    arrive, nights = some_day(draw), draw.randint(2, 9)
    asked = nights + draw.randint(1, 3)
    sleeps = {"single": 1, "double": 2, "triple": 3, "family": 4}
    rooms = [
        {"type": kind, "adults": sleeps[kind], "rate": price(draw, 60, 190)} for kind in draw.sample(list(sleeps), 2)
    ]
    late = either(draw, some_time(draw, 20, 22), 0.5)
    text = (
        f"{house} - reservation desk\n{guest} first wanted {asked} nights, now it is {nights}, check-in {day(draw, arrive)}.\n"
        + scattered(
            draw,
            [
                f"one {room['type']} room for {counted(room['adults'], 'adult')} at {money(draw, room['rate'])} the night"
                for room in rooms
            ],
        )
        + f"\n{'breakfast is in the price' if (fed := draw.random() < 0.5) else 'breakfast is extra and was not wanted'}; "
        + (f"will be late, about {clock(draw, late)}" if late else "comes in the afternoon")
        + f"\ncontact {address(guest, 'inbox')}; dogs: see house rules"
    )
    schema = fields(
        hotel=TEXT, guest=fields(name=TEXT, email=TEXT), check_in=DATE, check_out=DATE,
        rooms=unordered(fields(type=one_of(*sleeps), adults=WHOLE, rate=NUMBER)), breakfast=YES, late_arrival=maybe(TIME),
    )  # fmt: skip
    gold = {
        "hotel": house, "guest": {"name": guest, "email": address(guest, "inbox")}, "check_in": arrive.isoformat(),
        "check_out": (arrive + timedelta(nights)).isoformat(), "rooms": rooms, "breakfast": fed, "late_arrival": late,
    }  # fmt: skip
    return Document(schema, gold, text, {"check_out": (arrive + timedelta(asked)).isoformat(), "breakfast": not fed})


def incident_report(draw: Random) -> Document:
    place = draw.choice(["gate 4", "hall B", "the paint shop", "loading ramp 2"])
    hurt, saw, wrote = draw.sample(PEOPLE, 3)
    when, at = some_day(draw), some_time(draw)
    kind = draw.choice(["fall", "cut", "burn", "collision"])
    words = {
        "fall": "slipped and fell",
        "cut": "cut a finger",
        "burn": "got a burnt hand",
        "collision": "was hit by a trolley",
    }[kind]
    lost, first = either(draw, draw.randint(1, 20), 0.6), draw.random() < 0.5
    causes = draw.sample(["wet floor", "no gloves", "broken lamp", "missing sign"], 2)
    text = (
        f"What happened: at {place} {hurt} {words}. It was {clock(draw, at)} on {day(draw, when)}; reported "
        f"{day(draw, when + timedelta(2))} by {wrote}, who "
        f"was not there. {saw} saw it. Why: {causes[0]}, also {causes[1]}; the machine itself was in order. "
        + ("First aid was given on the spot. " if first else "No first aid was needed. ")
        + (f"Off work for {counted(lost, 'day')}." if lost else "Days off work: not known yet.")
    )
    schema = fields(
        kind=one_of("fall", "cut", "burn", "collision"),
        where=TEXT,
        date=DATE,
        time=TIME,
        injured=TEXT,
        witnesses=unordered(TEXT),
        reported=fields(by=TEXT, on=DATE),
        causes=unordered(TEXT),
        first_aid=YES,
        days_off=maybe(WHOLE),
    )
    gold = {
        "kind": kind,
        "where": place,
        "date": when.isoformat(),
        "time": at,
        "injured": hurt,
        "witnesses": [saw],
        "reported": {"by": wrote, "on": (when + timedelta(2)).isoformat()},
        "causes": causes,
        "first_aid": first,
        "days_off": lost,
    }
    return Document(schema, gold, text, {"witnesses": [saw, wrote], "date": (when + timedelta(2)).isoformat()})


def library_notice(draw: Random) -> Document:
    reader, card = draw.choice(PEOPLE), f"{draw.randint(10, 99)}-{draw.randint(100, 999)}"
    titles = draw.sample(
        [
            "The Salt Road",
            "Birds of the Fen",
            "A Winter Alphabet",
            "Nine Lighthouses",
            "Bread and Iron",
            "The Quiet Engine",
        ],
        4,
    )
    loans = [
        {"title": title, "due": some_day(draw).isoformat(), "fine": fine}
        for title, fine in zip(titles[:3], [price(draw, 1, 6), 0, price(draw, 1, 4)], strict=True)
    ]  # fmt: skip
    total = round(sum(loan["fine"] for loan in loans), 2)
    rows = scattered(
        draw,
        [
            f'"{loan["title"]}" was due {_day(draw, loan["due"])}: {money(draw, loan["fine"]) if loan["fine"] else "no fine"}'
            for loan in loans
        ],
    )
    text = (
        f"Overdue! card {card}, {reader}\n{rows}\ntogether {money(draw, total)}. You returned \"{titles[3]}\" in time, "
        "thank you. The book you reserved "
        + (f'is here: shelf {shelf}' if (shelf := either(draw, f"R{draw.randint(1, 60)}", 0.5)) else "has not come yet")
        + f". Cards run out after 12 months; yours on {day(draw, ends := some_day(draw, '2027-01-01'))}."
    )  # fmt: skip
    schema = fields(
        reader=TEXT, card=TEXT, card_expires=DATE, loans=unordered(fields(title=TEXT, due=DATE, fine=NUMBER)), total_fine=NUMBER,
        reserved_shelf=maybe(TEXT),
    )  # fmt: skip
    gold = {
        "reader": reader,
        "card": card,
        "card_expires": ends.isoformat(),
        "loans": loans,
        "total_fine": total,
        "reserved_shelf": shelf,
    }
    returned = {"title": titles[3], "due": loans[0]["due"], "fine": 0}
    return Document(schema, gold, text, {"loans": [*loans, returned]})


def _day(draw: Random, iso: str) -> str:
    return day(draw, some_day(draw, iso, 1))


def timesheet(draw: Random) -> Document:
    who, week = draw.choice(PEOPLE), draw.randint(2, 50)
    shifts = [
        {
            "day": name,
            "start": some_time(draw, 6, 9),
            "end": some_time(draw, 14, 18),
            "break_minutes": draw.choice([15, 30, 45, 60]),
        }
        for name in draw.sample(["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"], 3)
    ]
    job, extra = (
        draw.choice(["roof Miller street", "kitchen Adams", "bridge 12", "school yard"]),
        either(draw, draw.randint(1, 6), 0.5),
    )
    forgot = shifts[0]["break_minutes"] + 5
    rows = "\n".join(
        f"{shift['day']} {clock(draw, shift['start'])}-{clock(draw, shift['end'])}, break "
        f"{forgot if place == 0 else shift['break_minutes']} min"
        for place, shift in enumerate(shifts)
    )
    text = (
        f"hours wk {week} / {who} / site: {job}\n{rows}\n(sorry: {shifts[0]['day']}'s break was only "
        f"{shifts[0]['break_minutes']} min)\n"
        + (f"overtime {extra} h, please pay out" if extra else "overtime not added up yet")
        + f"\nnext week: {draw.choice(['holiday', 'other site'])}"
    )
    schema = fields(
        worker=TEXT, week=WHOLE, site=TEXT, shifts=unordered(fields(day=TEXT, start=TIME, end=TIME, break_minutes=WHOLE)),
        overtime_hours=maybe(NUMBER),
    )  # fmt: skip
    gold = {"worker": who, "week": week, "site": job, "shifts": shifts, "overtime_hours": extra}
    return Document(schema, gold, text, {"shifts.0.break_minutes": forgot, "week": week + 1})


def price_offer(draw: Random) -> Document:
    maker, client = draw.sample(PEOPLE, 2)
    made = some_day(draw)
    parts = [
        {"work": work, "hours": draw.randint(2, 40), "hourly_rate": draw.randrange(45, 95, 5)}
        for work in draw.sample(["painting", "plastering", "new sockets", "floor sanding", "tiling"], 2)
    ]  # fmt: skip
    material, cut = price(draw, 80, 900), either(draw, draw.choice([2, 3, 5]), 0.5)
    total = round(sum(part["hours"] * part["hourly_rate"] for part in parts) + material, 2)
    rows = scattered(draw, [f"{part['work']}: about {part['hours']} hrs at {part['hourly_rate']}/h" for part in parts])
    text = (
        f"Offer for {client}, good until {day(draw, until := made + timedelta(draw.randint(20, 60)))}\n{rows}\nplus "
        f"material, flat: {money(draw, material)}\n"
        f"makes {money(draw, total)} before tax. My competitor takes {money(draw, total + 120)}, I know."
        + (f" {cut}% off if you pay within 10 days." if cut else " Prices are net.")
        + f" Could start on {day(draw, made + timedelta(70))}.\n{maker}, {day(draw, made)}"
    )
    schema = fields(
        client=TEXT,
        from_whom=TEXT,
        date=DATE,
        valid_until=DATE,
        work=unordered(fields(work=TEXT, hours=NUMBER, hourly_rate=NUMBER)),
        material=NUMBER,
        total=NUMBER,
        discount_percent=maybe(NUMBER),
        possible_start=DATE,
    )
    gold = {
        "client": client, "from_whom": maker, "date": made.isoformat(), "valid_until": until.isoformat(), "work": parts,
        "material": material, "total": total, "discount_percent": cut, "possible_start": (made + timedelta(70)).isoformat(),
    }  # fmt: skip
    return Document(schema, gold, text, {"total": total + 120, "client": maker})


def race_result(draw: Random) -> Document:
    race, km = draw.choice(["Dike Run", "Forest Loop", "Harbour Night Race"]), draw.choice([5, 10, 12, 21])
    names = draw.sample(PEOPLE, 4)
    seconds = sorted(draw.sample(range(190 * km, 260 * km), 4))
    held, started = some_day(draw), draw.randint(40, 400)
    podium = [
        {"place": place, "runner": name, "seconds": time}
        for place, (name, time) in enumerate(zip(names, seconds, strict=False), start=1)
    ][:3]
    spoken = draw.sample(podium, 3)
    told = " ".join(
        f"{one['runner']} came in {['first', 'second', 'third'][one['place'] - 1]} after {one['seconds']} s."
        for one in spoken
    )
    record = either(draw, draw.randint(170 * km, 185 * km), 0.5)
    text = (
        f"{race}, {km} km, {day(draw, held)}. {told} {names[3]} was fast as well ({seconds[0] - 5} s) but took a short cut "
        "and is out. "
        f"{started} started, {(done := started - draw.randint(1, 30))} finished. "
        + (f"The course record of {record} s stands." if record else "Nobody knows the record.")
    )
    schema = fields(
        race=TEXT, distance_km=NUMBER, date=DATE,
        podium=noted(listed(fields(place=WHOLE, runner=TEXT, seconds=WHOLE)), "by place"), disqualified=unordered(TEXT),
        starters=WHOLE, finishers=WHOLE, record_seconds=maybe(WHOLE),
    )  # fmt: skip
    gold = {
        "race": race,
        "distance_km": km,
        "date": held.isoformat(),
        "podium": podium,
        "disqualified": [names[3]],
        "starters": started,
        "finishers": done,
        "record_seconds": record,
    }
    cut = [{"place": 1, "runner": names[3], "seconds": seconds[0] - 5}, *podium[1:]]
    return Document(schema, gold, text, {"podium": cut, "finishers": started})


def lost_property(draw: Random) -> Document:
    finder, thing = draw.choice(PEOPLE), draw.choice(["violin case", "backpack", "handbag", "basket", "suitcase"])
    colour, other = draw.sample(["red", "green", "black", "grey", "yellow"], 2)
    line, when, at = f"tram {draw.randint(1, 19)}", some_day(draw), some_time(draw)
    inside = draw.sample(["a key", "two letters", "an apple", "a notebook", "gloves"], 2)
    box = either(draw, f"box {draw.randint(1, 90)}", 0.6)
    text = (
        f"found in {line}, {day(draw, when)}, round {clock(draw, at)}: {thing}, {other}... no, in daylight it is {colour}. "
        f"In it: {inside[0]} and {inside[1]}, "
        f"no purse. Handed in by {finder} on {day(draw, when + timedelta(1))}"
        + (f", now in {box}" if box else ", not stored yet")
        + f". {'Owner has called' if (called := draw.random() < 0.5) else 'Nobody has asked for it'}. We keep things for "
        f"{(weeks := draw.randint(4, 26))} weeks."
    )
    schema = fields(
        item=TEXT,
        colour=TEXT,
        found=fields(where=TEXT, date=DATE, time=TIME),
        contents=unordered(TEXT),
        finder=TEXT,
        handed_in=DATE,
        stored_in=maybe(TEXT),
        owner_known=YES,
        keep_weeks=WHOLE,
    )
    gold = {
        "item": thing,
        "colour": colour,
        "found": {"where": line, "date": when.isoformat(), "time": at},
        "contents": inside,
        "finder": finder,
        "handed_in": (when + timedelta(1)).isoformat(),
        "stored_in": box,
        "owner_known": called,
        "keep_weeks": weeks,
    }
    return Document(schema, gold, text, {"colour": other, "contents": [*inside, "purse"]})


def survey_answer(draw: Random) -> Document:
    number, age = draw.randint(100, 998), draw.randint(18, 80)
    person = f"P{number}"
    asked = some_day(draw)
    marks = [
        {"topic": topic, "mark": draw.randint(1, 6)}
        for topic in draw.sample(["food", "staff", "noise", "price", "parking"], 3)
    ]
    slip = next(mark for mark in range(1, 7) if mark != marks[1]["mark"])
    visits, wishes = (
        either(draw, draw.randint(2, 30), 0.6),
        draw.sample(["longer hours", "more chairs", "a playground", "card payment"], 2),
    )
    text = (
        f"interview {person}, {day(draw, asked)}. Q: age? A: {age}. Q: marks, 1 is best, 6 is worst? A: {marks[0]['topic']} "
        f"a {marks[0]['mark']}, "
        f"{marks[1]['topic']} {slip}, no, say {marks[1]['mark']}, and {marks[2]['topic']} {marks[2]['mark']}. Q: how often "
        "a year? A: "
        + (f"{visits} times I guess" if visits else "no idea")
        + f". Q: wishes? A: {wishes[0]}! and {wishes[1]}. my wife wants a pool but I do not. Q: come again? A: "
        + ("sure" if (again := draw.random() < 0.5) else "rather not")
        + f". (interview P{number + 1} follows)"
    )
    schema = fields(
        participant=TEXT, date=DATE, age=WHOLE, marks=unordered(fields(topic=TEXT, mark=WHOLE)), visits_per_year=maybe(WHOLE),
        wishes=unordered(TEXT), would_return=YES,
    )  # fmt: skip
    gold = {
        "participant": person, "date": asked.isoformat(), "age": age, "marks": marks, "visits_per_year": visits, "wishes": wishes,
        "would_return": again,
    }  # fmt: skip
    return Document(schema, gold, text, {"marks.1.mark": slip, "wishes": [*wishes, "a pool"]})


FAMILIES: list[Family] = [
    hotel_booking, incident_report, library_notice, timesheet, price_offer, race_result, lost_property, survey_answer,
]  # fmt: skip
