"""Held-out texts written at home and to the services that people call. Each function is a family."""

from datetime import timedelta
from random import Random

from authoring.structured.val_words import FIRST_NAMES, GUESTS, HOUSES, PEOPLE
from verigym.core.records import Json
from verigym.environments.structured.forms import (
    DATE,
    NUMBER,
    SPELT,
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


def hotel_booking(draw: Random) -> Document:
    guest, house = draw.choice(GUESTS), draw.choice(HOUSES)
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


def car_service(draw: Random) -> Document:
    plate, driver = f"{draw.choice(['KL', 'RT', 'VB'])}-{draw.randint(100, 999)}", draw.choice(PEOPLE)
    km = draw.randrange(20, 190) * 1000 + draw.randint(1, 999)
    work = draw.sample(["oil change", "brake pads", "wheel alignment", "coolant", "wiper blades", "air filter"], 4)
    parts: list[Json] = [dict(job=job, cost=price(draw, 15, 180)) for job in work[:3]]
    refused, again = work[3], km + draw.choice([10000, 15000])
    rows = [f"{one['job']} - {money(draw, one['cost'])}" for one in parts]
    test = either(draw, some_day(draw, "2027-01-01"), 0.5)
    due = f"Road test due {day(draw, test)}." if test else "Road test sticker unreadable."
    text = draw.choice(
        [
            f"{plate} ({driver}), {km} km on the clock. Carried out:\n{scattered(draw, rows)}\n{refused}: customer "
            f"declined. Come in again at {again} km. {due}",
            f"Workshop sheet. Owner {driver}, plate {plate}. {due} Odometer {km}, service once more when it reads "
            f"{again}. Invoiced {'; '.join(rows)}. We advised {refused} as well, which was put off.",
            f"{due}\nDONE: {' / '.join(rows)}\nNOT DONE: {refused}\nmileage now {km}, following visit {again}\n"
            f"{plate}, {driver}",
        ]
    )
    schema = fields(
        plate=TEXT, owner=TEXT, mileage_km=WHOLE, jobs=unordered(fields(job=TEXT, cost=NUMBER)),
        declined=unordered(TEXT),
        next_service_km=WHOLE, road_test=maybe(DATE),
    )  # fmt: skip
    gold = dict(
        plate=plate, owner=driver, mileage_km=km, jobs=parts, declined=[refused], next_service_km=again,
        road_test=test.isoformat() if test else None,
    )  # fmt: skip
    return Document(schema, gold, text, {"mileage_km": again, "declined": []})


def flat_handover(draw: Random) -> Document:
    tenant, owner = draw.sample(PEOPLE, 2)
    keys, missing = draw.randint(3, 6), draw.randint(0, 2)
    rooms = draw.sample(["washroom", "living room", "corridor", "pantry"], 2)
    faults = draw.sample(["cracked tile", "stained wall", "dripping tap", "loose handle"], 3)
    defects = [dict(room=rooms[0], faults=faults[:2]), dict(room=rooms[1], faults=[faults[2]])]
    cold, warm = draw.randint(100, 900), draw.randint(100, 900)
    back = keys - missing
    count = f"{keys} keys were given out, {back} came back" if missing else f"All {keys} keys came back"
    when = some_day(draw)
    text = draw.choice(
        [
            f"Handover {day(draw, when)}, {tenant} leaves, landlord {owner} takes it back. {rooms[0]}: {faults[0]}, "
            f"{faults[1]}. {rooms[1]}: {faults[2]}. {count}. Cold water {cold}, heat {warm}.",
            f"{day(draw, when)}\nlandlord {owner}, tenant until today {tenant}\nheat meter {warm} - cold water meter "
            f"{cold}\n{count}\nto do in the {rooms[1]}: {faults[2]}\nto do in the {rooms[0]}: {faults[1]} and "
            f"{faults[0]}",
            f"{count}. Found in the {rooms[0]} a {faults[0]} and a {faults[1]}, in the {rooms[1]} a {faults[2]}. Heat "
            f"stands at {warm} and cold water at {cold}. Signed on {day(draw, when)} by {tenant} (moving out) and "
            f"{owner} (landlord)",
        ]
    )
    schema = fields(
        tenant=TEXT, landlord=TEXT, date=DATE, keys=fields(given_out=WHOLE, returned=WHOLE),
        meters=fields(cold_water=NUMBER, heat=NUMBER), defects=unordered(fields(room=TEXT, faults=unordered(TEXT))),
    )  # fmt: skip
    gold = dict(
        tenant=tenant, landlord=owner, date=when.isoformat(), keys=dict(given_out=keys, returned=back),
        meters=dict(cold_water=cold, heat=warm), defects=defects,
    )  # fmt: skip
    return Document(schema, gold, text, {"tenant": owner, "keys.returned": back + 1, "defects.1.faults": faults})


def tailor_sheet(draw: Random) -> Document:
    client, cloth = draw.choice(PEOPLE), draw.choice(["grey flannel", "green loden", "navy linen"])
    chest, waist, leg = draw.randint(84, 120), draw.randint(66, 110), draw.randint(74, 90)
    old, fit = waist + draw.randint(2, 6), some_day(draw)
    piece = draw.choice(["dinner suit", "uniform", "travelling suit"])
    pockets = draw.randint(2, 5)
    lining = either(draw, draw.choice(["red silk", "striped cotton"]), 0.6)
    inner = f"lined with {lining}" if lining else "lining to be chosen"
    text = draw.choice(
        [
            f"{client}: {piece}, {cloth}, {inner}. Chest {chest}, waist {old} measured last year, now {waist}, inside "
            f"leg {leg} (all cm). {SPELT[pockets].capitalize()} pockets. Fitting {day(draw, fit)}",
            f"measure card\n{piece} in {cloth}, {inner}, {pockets} pockets\nleg {leg} cm / waist {waist} cm (card of "
            f"last year: {old}) / chest {chest} cm\nfor {client}, fitting {day(draw, fit)}",
            f"The {piece} of {cloth} will be tried on {day(draw, fit)}. {client} has lost weight, waist {waist} after "
            f"{old}; chest {chest}, leg {leg}, in centimetres. It gets {pockets} pockets, {inner}.",
        ]
    )
    schema = fields(
        client=TEXT, garment=TEXT, cloth=TEXT, lining=maybe(TEXT), pockets=WHOLE, fitting=DATE,
        measures_cm=fields(chest=WHOLE, waist=WHOLE, leg=WHOLE),
    )  # fmt: skip
    gold = dict(
        client=client, garment=piece, cloth=cloth, lining=lining, pockets=pockets, fitting=fit.isoformat(),
        measures_cm=dict(chest=chest, waist=waist, leg=leg),
    )  # fmt: skip
    return Document(schema, gold, text, {"measures_cm.waist": old})


def last_will(draw: Random) -> Document:
    testator, executor = draw.sample(PEOPLE, 2)
    heirs = draw.sample(FIRST_NAMES, 4)
    things = draw.sample(
        ["the piano", "the sailing boat", "the stamp album", "the vineyard", "the grandfather clock"], 3
    )
    gifts = [dict(heir=heir, what=thing) for heir, thing in zip(heirs, things, strict=False)]
    made = some_day(draw)
    out = heirs[3]
    cash = either(draw, draw.randrange(2, 30) * 500, 0.5)
    rest = f"{cash} euros go to the animal shelter" if cash else "the sum for the animal shelter is left blank"
    text = draw.choice(
        [
            f"I, {testator}, leave {things[0]} to {out}. {things[1].capitalize()} to {heirs[1]}, {things[2]} to "
            f"{heirs[2]}; {rest}. Codicil: {out} shall not have {things[0]}, {heirs[0]} shall. Executor {executor}. "
            f"{day(draw, made)}",
            f"WILL of {testator}, {day(draw, made)}\n{heirs[2]} <- {things[2]}\n{heirs[0]} <- {things[0]} (struck "
            f"out: {out})\n{heirs[1]} <- {things[1]}\n{rest}\nto be carried out by {executor}",
            f"Under the will dated {day(draw, made)} {testator} gives {heirs[0]} {things[0]}, {heirs[1]} {things[1]} "
            f"and {heirs[2]} {things[2]}, and expressly nothing to {out}; {rest}. {executor} acts as executor.",
        ]
    )
    schema = fields(
        testator=TEXT,
        executor=TEXT,
        dated=DATE,
        bequests=unordered(fields(heir=TEXT, what=TEXT)),
        to_shelter=maybe(NUMBER),
    )
    gold = dict(testator=testator, executor=executor, dated=made.isoformat(), bequests=gifts, to_shelter=cash)
    return Document(schema, gold, text, {"bequests.0.heir": out, "testator": executor})


def laundry_ticket(draw: Random) -> Document:
    ticket, guest = f"{draw.randint(100, 999)}", draw.choice(PEOPLE)
    brought = some_day(draw)
    wait = draw.randint(2, 6)
    pieces: list[Json] = [
        dict(piece=piece, count=draw.randint(2, 9))
        for piece in draw.sample(["shirts", "curtains", "napkins", "pillowcases"], 2)
    ]
    stain = either(draw, draw.choice(["ink", "wine", "grass", "wax"]), 0.5)
    mark = f"with {stain} stains" if stain else "no stains"
    kept = draw.choice(["a tie", "a belt", "a glove"])
    p, q = (f"{SPELT[one['count']]} {one['piece']}" for one in pieces)
    text = draw.choice(
        [
            f"No. {ticket}: {p} and {q}, {mark}, in on {day(draw, brought)}, ready {wait} days after. {guest}. "
            f"{kept.capitalize()} was handed back unwashed.",
            f"{guest} brought {q} plus {p} ({mark}) on {day(draw, brought)}. Pick-up {counted(wait, 'day')} later "
            f"with ticket {ticket}. We do not clean {kept}.",
            f"TICKET {ticket}\nin: {day(draw, brought)}\nout: {wait} days later\n{p}\n{q}\n{mark}\nreturned as it "
            f"was: {kept}\nname: {guest}",
        ]
    )
    schema = fields(
        ticket=TEXT, customer=TEXT, brought=DATE, ready=DATE,
        pieces=noted(unordered(fields(piece=TEXT, count=WHOLE)), "to be washed"),
        stain=maybe(TEXT),
    )  # fmt: skip
    gold = dict(
        ticket=ticket, customer=guest, brought=brought.isoformat(), ready=(brought + timedelta(wait)).isoformat(),
        pieces=pieces,
        stain=stain,
    )  # fmt: skip
    return Document(schema, gold, text, {"ready": brought.isoformat(), "pieces": [*pieces, dict(piece=kept, count=1)]})


def water_claim(draw: Random) -> Document:
    insured, policy = draw.choice(PEOPLE), f"HH{draw.randint(10000, 99999)}"
    cause = draw.choice(["pipe", "storm", "appliance"])
    said = dict(
        pipe="a pipe burst in the wall", storm="rain came in through the skylight", appliance="the dishwasher ran over"
    )[cause]
    items: list[Json] = [
        dict(item=item, value=draw.randrange(30, 900, 10))
        for item in draw.sample(["rug", "sofa", "bookcase", "amplifier", "mattress"], 3)
    ]
    saved = items.pop()
    total, when = items[0]["value"] + items[1]["value"], some_day(draw)
    noticed = when + timedelta(draw.randint(1, 5))
    a, b = (f"{one['item']} {one['value']}" for one in items)
    text = draw.choice(
        [
            f"Policy {policy}, {insured}. On {day(draw, when)} {said}; we saw it on {day(draw, noticed)}, coming "
            f"home. Ruined: {a}, {b} (euros). The {saved['item']}, worth {saved['value']}, dried well.",
            f"claim by {insured} under {policy}\nhappened {day(draw, when)}, discovered {day(draw, noticed)}\nhow: "
            f"{said}\nlost: {b} euros; {a} euros\nsaved: {saved['item']} {saved['value']} euros",
            f"To my insurer, number {policy}: {said} ({day(draw, when)}), which nobody noticed before "
            f"{day(draw, noticed)}. Please replace {a} and {b}, both in euros, but not the {saved['item']} "
            f"({saved['value']}), we could rescue it. {insured}",
        ]
    )
    schema = fields(
        policy=TEXT, insured=TEXT, happened=DATE, discovered=DATE, cause=one_of("pipe", "storm", "appliance"),
        damaged=unordered(fields(item=TEXT, value=NUMBER)), claimed=noted(NUMBER, "sum of what is damaged"),
    )  # fmt: skip
    gold = dict(
        policy=policy, insured=insured, happened=when.isoformat(), discovered=noticed.isoformat(), cause=cause,
        damaged=items,
        claimed=total,
    )  # fmt: skip
    wrong = {"claimed": total + saved["value"], "damaged": [*items, saved], "happened": noticed.isoformat()}
    return Document(schema, gold, text, wrong)


FAMILIES: list[Family] = [
    hotel_booking,
    car_service,
    flat_handover,
    tailor_sheet,
    last_will,
    laundry_ticket,
    water_claim,
]
