"""Held-out texts that offices, schools, museums and transport tell the public, and are told. Each function is a family."""

from datetime import timedelta
from random import Random

from authoring.structured.val_words import GUESTS, PEOPLE
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


def library_notice(draw: Random) -> Document:
    reader, card = draw.choice(GUESTS), f"{draw.randint(10, 99)}-{draw.randint(100, 999)}"
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
            f'"{loan["title"]}" was due {day(draw, some_day(draw, loan["due"], 1))}: '
            + (money(draw, loan["fine"]) if loan["fine"] else "no fine")
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


def lost_property(draw: Random) -> Document:
    finder, thing = draw.choice(GUESTS), draw.choice(["violin case", "backpack", "handbag", "basket", "suitcase"])
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


def emergency_call(draw: Random) -> Document:
    kind = draw.choice(["fire", "flood", "crash"])
    heard = dict(fire="flames from a roof", flood="water up to the windows", crash="two cars in a ditch")[kind]
    road = f"{draw.choice(['Weaver', 'Tanner', 'Potter'])} Row {draw.randint(2, 60)}"
    guess, hurt = draw.sample(range(2, 9), 2)
    at, there = some_time(draw, 0, 11), some_time(draw, 13, 22)
    units = draw.sample(["engine 3", "engine 8", "ambulance 2", "boat 1", "crane truck"], 3)
    recalled = units.pop()
    text = draw.choice(
        [
            f"{clock(draw, at)} caller: {heard}, {road}! Maybe {guess} hurt.\ncontrol: sending {units[0]}, "
            f"{units[1]}, {recalled}.\ncontrol: {recalled} turn round.\ncrew, {clock(draw, there)}: all over, {hurt} "
            f"hurt, I repeat {hurt}.",
            f"Report: the call of {clock(draw, at)} spoke of {heard} at {road}. {units[0]} and {units[1]} went out, "
            f"{recalled} was called back at once. Instead of {guess} there were {hurt} hurt. Finished "
            f"{clock(draw, there)}.",
            f"hurt: {hurt} (phone said {guess})\nplace: {road}\nwhat: {heard}\nstart/end: {clock(draw, at)} / "
            f"{clock(draw, there)}\nout: {units[1]}, {units[0]}; stood down: {recalled}",
        ]
    )
    schema = fields(
        kind=one_of("fire", "flood", "crash"), where=TEXT, called_at=TIME, over_at=TIME, hurt=WHOLE,
        units=noted(unordered(TEXT), "that went there"),
    )  # fmt: skip
    gold = dict(kind=kind, where=road, called_at=at, over_at=there, hurt=hurt, units=units)
    return Document(schema, gold, text, {"hurt": guess, "units": [*units, recalled]})


def playground_check(draw: Random) -> Document:
    park, inspector = draw.choice(["Rabbit Green", "the Tower Garden", "Lime Court"]), draw.choice(PEOPLE)
    names = draw.sample(["slide", "seesaw", "sandpit", "climbing net", "zip line"], 3)
    words = dict(sound="sound", repair="to be repaired", removed="taken away")
    items = [dict(item=name, result=draw.choice(list(words))) for name in names]
    when = some_day(draw)
    months = draw.choice([30, 60, 90])
    fenced = draw.random() < 0.5
    fence = "The fence is complete." if fenced else "There is a hole in the fence."
    rows = [f"{one['item']}: {words[one['result']]}" for one in items]
    last = day(draw, when - timedelta(200))
    text = draw.choice(
        [
            f"{park}, looked over by {inspector}, {day(draw, when)}\n{scattered(draw, rows)}\n{fence} Another look in "
            f"{months} days. Previous look: {last}",
            f"{inspector} reports from {park}: {', '.join(rows)}. {fence} Visits were on {last} and now on "
            f"{day(draw, when)}, {months} days until the one that follows.",
            f"{fence} Inspection of {day(draw, when)} (before that: {last}).\n{' ; '.join(rows)}\nrepeat after "
            f"{months} days\n{park} / {inspector}",
        ]
    )
    schema = fields(
        playground=TEXT, inspector=TEXT, inspected=DATE, next_inspection=DATE, fence_intact=YES,
        items=unordered(fields(item=TEXT, result=one_of(*words))),
    )  # fmt: skip
    gold = dict(
        playground=park, inspector=inspector, inspected=when.isoformat(), fence_intact=fenced, items=items,
        next_inspection=(when + timedelta(months)).isoformat(),
    )  # fmt: skip
    return Document(schema, gold, text, {"inspected": (when - timedelta(200)).isoformat(), "fence_intact": not fenced})


def pool_water(draw: Random) -> Document:
    pool, who = draw.choice(["Dolphin Bath", "the spa", "the diving tank"]), draw.choice(PEOPLE)
    tests = [
        ("chlorine", draw.randint(2, 30) / 10),
        ("acidity", draw.randint(66, 80) / 10),
        ("hardness", draw.randint(5, 30)),
    ]
    values = [dict(test=name, value=value) for name, value in tests]
    warm, redo = draw.randint(240, 330) / 10, draw.randint(31, 45) / 10
    ok = draw.random() < 0.5
    ruling = "Swimming is allowed" if ok else "Swimming is forbidden for now"
    at = some_time(draw, 6, 20)
    rest = f"acidity {tests[1][1]:g}, hardness {tests[2][1]}"
    text = draw.choice(
        [
            f"{pool} {clock(draw, at)}: chlorine {redo:g}?? Strip was old. Fresh strip: chlorine {tests[0][1]:g}. "
            f"{rest}. {warm:g} degrees. {ruling}. {who}",
            f"{ruling}. Water of {pool} sampled at {clock(draw, at)} by {who}: {warm:g} C, {rest}, chlorine "
            f"{tests[0][1]:g} (yesterday {redo:g})",
            f"sampled by {who} / {pool} / {clock(draw, at)}\n{rest}\nchlorine {tests[0][1]:g}, where the probe in the "
            f"wall claims {redo:g}, it is broken\ntemperature {warm:g}\n{ruling}",
        ]
    )
    schema = fields(
        pool=TEXT,
        sampled_by=TEXT,
        time=TIME,
        celsius=NUMBER,
        tests=unordered(fields(test=TEXT, value=NUMBER)),
        open_to_swimmers=YES,
    )
    gold = dict(pool=pool, sampled_by=who, time=at, celsius=warm, tests=values, open_to_swimmers=ok)
    return Document(schema, gold, text, {"tests.0.value": redo, "open_to_swimmers": not ok})


def snow_report(draw: Random) -> Document:
    hill = draw.choice(["Kahlberg", "Mount Orso", "Schneekopf"])
    lifts = draw.sample(["Gondola", "Bear Lift", "North Chair", "Baby Tow", "Summit Rope"], 4)
    valley = draw.randrange(5, 80, 5)
    top, fresh = valley + draw.randrange(20, 150, 5), either(draw, draw.randint(3, 40), 0.6)
    danger = draw.randint(1, 5)
    new = f"{fresh} cm fell overnight" if fresh else "no data on new snow"
    when = some_day(draw, "2026-12-01", 90)
    run, stand = lifts[:2], lifts[2:]
    text = draw.choice(
        [
            f"{hill}, {day(draw, when)}: {top} cm at the top, {valley} cm in the valley, {new}. Running: {run[0]}, "
            f"{run[1]}. Standing still: {stand[0]}, {stand[1]}. Avalanche level {danger} of 5.",
            f"Avalanche danger {danger} on {hill} today, {day(draw, when)}. {run[0]} and {run[1]} take you up, "
            f"{stand[0]} and {stand[1]} wait for calmer wind. Depth {valley} cm below and {top} cm above; {new}.",
            f"snow line {hill}\nvalley/top: {valley}/{top} cm ({new})\nlifts ON {run[1]}, {run[0]}\nlifts OFF "
            f"{stand[1]}, {stand[0]}\ndanger level: {danger}\nas of {day(draw, when)}",
        ]
    )
    schema = fields(
        mountain=TEXT, date=DATE, depth_cm=fields(top=WHOLE, valley=WHOLE, fresh=maybe(WHOLE)),
        lifts=fields(running=unordered(TEXT), stopped=unordered(TEXT)), avalanche_level=WHOLE,
    )  # fmt: skip
    gold = dict(
        mountain=hill, date=when.isoformat(), depth_cm=dict(top=top, valley=valley, fresh=fresh),
        lifts=dict(running=run, stopped=stand), avalanche_level=danger,
    )  # fmt: skip
    wrong = {"lifts": dict(running=stand, stopped=run), "depth_cm.top": valley}
    return Document(schema, gold, text, wrong)


def donation(draw: Random) -> Document:
    giver, cause = (
        draw.choice(PEOPLE),
        draw.choice(["the otter fund", "the lifeboat", "the night shelter", "the orchard"]),
    )
    often = draw.choice(["once", "monthly", "yearly"])
    said = dict(once="one single time", monthly="every month", yearly="every year")[often]
    amount, before = draw.sample(range(10, 200, 5), 2)
    hidden, receipt = draw.random() < 0.5, draw.random() < 0.5
    name = "do not print my name" if hidden else "you may print my name"
    proof = "I want a receipt" if receipt else "I need no receipt"
    reach = either(draw, address(giver, "quickpost"), 0.6)
    mail = f"write to {reach}" if reach else "do not write to me"
    start = some_day(draw)
    text = draw.choice(
        [
            f"From {day(draw, start)} I give {money(draw, amount)} to {cause}, {said}, instead of the {before} so "
            f"far. {name.capitalize()}; {proof}; {mail}. {giver}",
            f"{giver} pledges {amount} euros ({said}) for {cause}. Begin: {day(draw, start)}. Earlier pledge of "
            f'{before} is void. Wishes: "{name}", "{proof}", "{mail}".',
            f"pledge card\n{cause}\n[{before}] crossed out -> [{amount}] euros, {said}\nfirst payment "
            f"{day(draw, start)}\n{proof}\n{name}\n{mail}\nsigned {giver}",
        ]
    )
    schema = fields(
        donor=fields(name=TEXT, email=maybe(TEXT), anonymous=YES), cause=TEXT, amount=NUMBER,
        frequency=one_of("once", "monthly", "yearly"),
        first_payment=DATE, receipt=YES,
    )  # fmt: skip
    gold = dict(
        donor=dict(name=giver, email=reach, anonymous=hidden), cause=cause, amount=amount, frequency=often,
        first_payment=start.isoformat(), receipt=receipt,
    )  # fmt: skip
    return Document(schema, gold, text, {"amount": before, "donor.anonymous": not hidden})


def waiting_list(draw: Random) -> Document:
    what = draw.choice(["the garden plots", "a berth in the marina", "the day nursery"])
    a, b, c, d, gone = draw.sample(PEOPLE, 5)
    free, fee = draw.randint(1, 3), price(draw, 20, 90)
    since = some_day(draw)
    text = draw.choice(
        [
            f"Queue for {what}, {day(draw, since)}: 1 {a}, 2 {gone}, 3 {b}, 4 {d}, 5 {c}. {gone} withdrew. {c} moves "
            f"ahead of {d}. Places free: {free}. Yearly {money(draw, fee)}",
            f"As of {day(draw, since)} {a} is at the head of those who wait for {what}, and {d} at the tail. {b} "
            f"comes right after {a}, {c} right before {d}. {gone} struck off. {free} to give away, {money(draw, fee)} "
            "a year.",
            f"{what} - {free} free - {money(draw, fee)} yearly\nstruck off: {gone}\nfirst {a}\nthen {b}\nthen {c}\n"
            f"then {d}\n({day(draw, since)})",
        ]
    )
    schema = fields(
        waiting_for=TEXT, updated=DATE, queue=noted(listed(TEXT), "whose turn is next first"), removed=unordered(TEXT),
        places_free=WHOLE,
        yearly_fee=NUMBER,
    )  # fmt: skip
    gold = dict(
        waiting_for=what,
        updated=since.isoformat(),
        queue=[a, b, c, d],
        removed=[gone],
        places_free=free,
        yearly_fee=fee,
    )
    return Document(schema, gold, text, {"queue": [a, gone, b, d, c], "removed": []})


FAMILIES: list[Family] = [
    library_notice,
    lost_property,
    emergency_call,
    playground_check,
    pool_water,
    snow_report,
    donation,
    waiting_list,
]
