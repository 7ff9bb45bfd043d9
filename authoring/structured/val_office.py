"""Held-out texts written at work: orders, reports, chats, settings and tables. Each function is a family."""

from datetime import timedelta
from random import Random

from authoring.structured.val_words import FIRST_NAMES, GUESTS, PEOPLE
from authoring.vocabulary import WORKDAYS
from verigym.core.records import Json
from verigym.environments.structured.forms import (
    DATE,
    NUMBER,
    TEXT,
    TIME,
    WHOLE,
    YES,
    Document,
    Family,
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


def incident_report(draw: Random) -> Document:
    place = draw.choice(["gate 4", "hall B", "the paint shop", "loading ramp 2"])
    hurt, saw, wrote = draw.sample(GUESTS, 3)
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


def timesheet(draw: Random) -> Document:
    who, week = draw.choice(GUESTS), draw.randint(2, 50)
    shifts = [
        {
            "day": name,
            "start": some_time(draw, 6, 9),
            "end": some_time(draw, 14, 18),
            "break_minutes": draw.choice([15, 30, 45, 60]),
        }
        for name in draw.sample(WORKDAYS, 3)
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
    maker, client = draw.sample(GUESTS, 2)
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


def conference_day(draw: Random) -> Document:
    name = draw.choice(["SoilCon", "Mapping Days", "the Bridge Forum"])
    topics = draw.sample(["Peat", "Open Maps", "Cheap Sensors", "Roots", "Old Steel", "River Mud"], 4)
    speakers = draw.sample(PEOPLE, 4)
    starts = sorted(f"{hour:02}:{draw.choice([0, 15, 30, 45]):02}" for hour in draw.sample(range(9, 18), 3))
    room, was = draw.sample(["Hall K", "Aula", "Room 17", "the Loft"], 2)
    talks = [dict(start=a, title=b, speaker=c) for a, b, c in zip(starts, topics, speakers, strict=False)]
    rows = [f'{clock(draw, one["start"])} {one["speaker"]}: "{one["title"]}"' for one in talks]
    off = f'{speakers[3]} with "{topics[3]}"'
    text = draw.choice(
        [
            f"{name}, programme\n{scattered(draw, rows)}\ncancelled: {off}\nall talks in {room}, no more in {was}",
            f"Attention guests of {name}: {off} will not take place. {'. '.join(rows)}. We had to leave {was}; find "
            f"us in {room}.",
            f"{was} is flooded, so {name} meets in {room}. Order of the day: {' | '.join(rows)}. {off} fell through.",
        ]
    )
    talk = fields(start=TIME, title=TEXT, speaker=TEXT)
    schema = fields(event=TEXT, room=TEXT, talks=noted(listed(talk), "by time"), cancelled_speakers=unordered(TEXT))
    gold = dict(event=name, room=room, talks=talks, cancelled_speakers=[speakers[3]])
    return Document(schema, gold, text, {"room": was, "talks.0.speaker": speakers[3], "talks": talks[::-1]})


def customs_slip(draw: Random) -> Document:
    sender, land = draw.choice(PEOPLE), draw.choice(["Norland", "Bessaria", "Tavria"])
    goods: list[Json] = [
        dict(what=what, pieces=draw.randint(2, 7), value=draw.randrange(4, 90))
        for what in draw.sample(["scarves", "teapots", "carved spoons", "maps of the coast"], 2)
    ]
    total, grams = goods[0]["value"] + goods[1]["value"], draw.randrange(200, 4800, 50)
    gift = draw.random() < 0.5
    kind = "a gift" if gift else "goods for sale"
    free = total + draw.randrange(5, 60)
    weight = draw.choice([f"{grams} g", f"{grams / 1000:g} kg"])
    rows = [f"{one['pieces']} {one['what']} worth {one['value']} together" for one in goods]
    text = draw.choice(
        [
            f"CUSTOMS {land}. Inside: {rows[0]}; {rows[1]}. Kind: {kind}. {weight}. Below {free} no duty. Sent by "
            f"{sender}",
            f"I, {sender}, declare for {land} {kind}, namely {rows[1]} and {rows[0]}. Gross {weight}. (duty-free "
            f"limit {free})",
            f"limit {free} | sender {sender} | to {land} | {weight} | nature: {kind}\n{scattered(draw, rows)}",
        ]
    )
    schema = fields(
        sender=TEXT, country=TEXT, gift=YES, weight_g=WHOLE,
        goods=unordered(fields(what=TEXT, pieces=WHOLE, value=noted(NUMBER, "of all its pieces"))), total_value=NUMBER,
    )  # fmt: skip
    gold = dict(sender=sender, country=land, gift=gift, weight_g=grams, goods=goods, total_value=total)
    return Document(schema, gold, text, {"total_value": free, "gift": not gift})


def lunch_poll(draw: Random) -> Document:
    places = draw.sample(["Noodle Bar", "Green Spoon", "Trattoria Pino", "the Grill"], 3)
    win, lose = places[0], places[1]
    more = draw.randint(0, 2)
    given = [win, lose, win, places[2], win, *[win] * more]
    voters = draw.sample(FIRST_NAMES, len(given))
    votes = [dict(who=who, place=place) for who, place in zip(voters, given, strict=True)]
    hour = some_time(draw, 11, 13)
    swing = voters[2]
    fixed = [f"{one['who']}: {one['place']}" for one in votes if one["who"] != swing]
    draw.shuffle(fixed)
    rest = "\n".join(fixed[3:])
    text = draw.choice(
        [
            f"{fixed[0]}\n{swing}: {lose}\n{fixed[1]}\n{fixed[2]}\n{swing}: hm, {win} rather\n{rest}\n"
            f"{voters[0]}: ok table at {clock(draw, hour)}",
            f"Where do we eat at {clock(draw, hour)}? {'; '.join(fixed)}; {swing}: {win} (first {lose}).",
            f"poll closes, lunch {clock(draw, hour)}. {swing} switched from {lose} to {win}. Others as before, "
            f"{' + '.join(fixed)}",
        ]
    )
    schema = fields(
        time=TIME,
        votes=noted(unordered(fields(who=TEXT, place=TEXT)), "last word of each"),
        winner=TEXT,
        winning_votes=WHOLE,
    )
    gold = dict(time=hour, votes=votes, winner=win, winning_votes=3 + more)
    return Document(schema, gold, text, {"votes.2.place": lose, "winning_votes": 2 + more})


def firewall(draw: Random) -> Document:
    box = f"gw-{draw.choice(['east', 'west', 'lab'])}-{draw.randint(1, 9)}"
    ports = draw.sample([22, 25, 53, 80, 443, 993, 3306, 8080], 4)
    rules: list[Json] = [
        dict(action=draw.choice(["allow", "deny"]), port=port, protocol=draw.choice(["tcp", "udp"]))
        for port in ports[:3]
    ]
    rest = draw.choice(["allow", "deny"])
    lines = [f"{one['action']} {one['protocol']} {one['port']}" for one in rules]
    off = f"{draw.choice(['allow', 'deny'])} tcp {ports[3]}"
    first, second, third = lines
    text = draw.choice(
        [
            f"# rules of {box}\n{first}\n{second}\n!{off}\n{third}\ndefault {rest}\n# a line that begins with ! is "
            "switched off",
            f"{box}, top to bottom: {first}, {second}, {third}; everything else: {rest}. There was one more, "
            f'"{off}", we took it out.',
            f'On {box} the last of three rules is "{third}", the top one "{first}", with "{second}" in the '
            f'middle. Default is {rest}. Not active: "{off}".',
        ]
    )
    act = one_of("allow", "deny")
    rule = fields(action=act, port=WHOLE, protocol=one_of("tcp", "udp"))
    schema = fields(device=TEXT, rules=noted(listed(rule), "active ones, from the top"), default=act)
    gold = dict(device=box, rules=rules, default=rest)
    ghost = dict(action="allow", port=ports[3], protocol="tcp")
    return Document(schema, gold, text, {"rules": [*rules, ghost], "default": "deny" if rest == "allow" else "allow"})


FAMILIES: list[Family] = [
    timesheet,
    price_offer,
    survey_answer,
    incident_report,
    conference_day,
    lunch_poll,
    customs_slip,
    firewall,
]
