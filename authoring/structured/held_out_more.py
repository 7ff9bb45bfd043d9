"""More held-out families: workshops, boards and the services that people call. Each in three ways."""

from datetime import timedelta
from random import Random

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

PEOPLE = [
    "Alva Nyqvist", "Baptiste Roux", "Ciara Doyle", "Dimitri Kostas", "Esra Tekin", "Florin Matei", "Gwen Hughes",
    "Hannes Pohl", "Ines Carvalho", "Jelle Smit", "Kirsti Aho", "Ludvik Hora", "Maeve Quinn", "Nuno Braga",
    "Orla Byrne", "Piet Maas",
]  # fmt: skip
NICK = ["Zoe", "Yann", "Wanda", "Vito", "Ursel", "Tom", "Silke", "Ruben", "Quirina", "Petra", "Oskar", "Noemi"]


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


def tea_tasting(draw: Random) -> Document:
    host = draw.choice(PEOPLE)
    teas = draw.sample(["Cloud Peak", "Jade Nine", "Old Gate", "Rain Temple", "Smoke Hill"], 4)
    scores: list[Json] = [
        dict(tea=tea, score=each / 2) for tea, each in zip(teas, draw.sample(range(4, 20), 3), strict=False)
    ]
    best = max(scores, key=lambda one: one["score"])["tea"]
    spilt, seconds = teas[3], draw.randrange(60, 300, 30)
    told = [f"{one['tea']} {one['score']:g}" for one in scores]
    degrees = draw.choice([70, 75, 80, 85])
    text = draw.choice(
        [
            f"Tasted with {host}: {', '.join(told)}; {spilt} was spilt and has no score. All at {degrees} degrees, "
            f"{seconds // 60} min {seconds % 60} s.",
            f"cupping card / {host}\n{scattered(draw, told)}\n{spilt} n.a. (cup fell over)\nwater {degrees} C, "
            f"steeped {seconds} s",
            f"We steeped each for {seconds} seconds at {degrees} C. {host} wrote down {' and '.join(told)} out of "
            f"ten. {spilt} could not be judged.",
        ]
    )
    schema = fields(
        host=TEXT, water_celsius=WHOLE, steeped_seconds=WHOLE, scores=unordered(fields(tea=TEXT, score=NUMBER)),
        best=noted(TEXT, "highest score"),
    )  # fmt: skip
    gold = dict(host=host, water_celsius=degrees, steeped_seconds=seconds, scores=scores, best=best)
    worst = min(scores, key=lambda one: one["score"])["tea"]
    return Document(schema, gold, text, {"best": worst, "scores": [*scores, dict(tea=spilt, score=0)]})


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
    voters = draw.sample(NICK, len(given))
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


def star_log(draw: Random) -> Document:
    dome, who = draw.choice(["North Dome", "Roof 2", "Heather Hill"]), draw.choice(PEOPLE)
    names = draw.sample(["Rigel", "Altair", "Capella", "Mira", "Deneb"], 4)
    hours = sorted(draw.sample(range(1, 6), 3))
    seen = [
        dict(star=star, time=f"{hour:02}:{draw.randrange(0, 60, 5):02}", magnitude=draw.randint(-14, 45) / 10)
        for star, hour in zip(names, hours, strict=False)
    ]
    seeing = draw.choice(["poor", "fair", "good"])
    night, moon = some_day(draw), either(draw, draw.randint(5, 95), 0.5)
    lit = f"Moon {moon}% lit." if moon else "Moon not noted."
    rows = [f"{one['time']} {one['star']}, mag {one['magnitude']:g}" for one in seen]
    text = draw.choice(
        [
            f"{dome}, morning of {day(draw, night)}, {who} at the eyepiece. {'; '.join(rows)}. {names[3]} behind "
            f"cloud. Seeing {seeing}. {lit}",
            f"seeing: {seeing}\n{scattered(draw, rows)}\n{names[3]}: clouded out, no value\n{lit}\nobserver {who}, "
            f"{dome}, {day(draw, night)}",
            f"{lit} {who} had {seeing} seeing at {dome} before dawn, {day(draw, night)}, but lost {names[3]} to "
            f"clouds. Kept: {', '.join(rows)}",
        ]
    )
    schema = fields(
        site=TEXT, observer=TEXT, date=DATE, seeing=one_of("poor", "fair", "good"), moon_percent=maybe(NUMBER),
        observations=noted(listed(fields(star=TEXT, time=TIME, magnitude=NUMBER)), "in order of time"),
    )  # fmt: skip
    gold = dict(site=dome, observer=who, date=night.isoformat(), seeing=seeing, moon_percent=moon, observations=seen)
    return Document(schema, gold, text, {"observations": seen[::-1], "observations.0.star": names[3]})


def hive_card(draw: Random) -> Document:
    keeper, when = draw.choice(PEOPLE), some_day(draw)
    hives = [
        dict(
            hive=number,
            frames=draw.randint(4, 10),
            queen_seen=draw.random() < 0.5,
            honey_kg=either(draw, draw.randint(4, 30) / 2, 0.6),
        )
        for number in draw.sample(range(1, 13), 2)
    ]
    empty = draw.randint(14, 20)
    rows = [
        f"hive {one['hive']} has bees on {SPELT[one['frames']]} frames, "
        f"{'queen spotted' if one['queen_seen'] else 'queen not found'}, "
        + (f"{one['honey_kg']:g} kg taken" if one["honey_kg"] else "nothing harvested")
        for one in hives
    ]
    text = draw.choice(
        [
            f"{day(draw, when)}, {keeper}. {rows[0].capitalize()}; {rows[1]}. Hive {empty} stands empty.",
            f"bee diary of {keeper}\n{scattered(draw, rows)}\nempty box: {empty}\n{day(draw, when)}",
            f"Went round on {day(draw, when)}: {rows[1]}. Then {rows[0]}. No bees in {empty}. {keeper}",
        ]
    )
    row = fields(hive=WHOLE, frames=WHOLE, queen_seen=YES, honey_kg=noted(maybe(NUMBER), "null if none was taken"))
    schema = fields(keeper=TEXT, date=DATE, hives=noted(unordered(row), "those with bees"), empty=unordered(WHOLE))
    gold = dict(keeper=keeper, date=when.isoformat(), hives=hives, empty=[empty])
    wrong = {"hives": [*hives, dict(hive=empty, frames=0, queen_seen=False, honey_kg=None)]}
    return Document(schema, gold, text, wrong | {"hives.0.queen_seen": not hives[0]["queen_seen"]})


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
    heirs = draw.sample(NICK, 4)
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


FAMILIES: list[Family] = [
    car_service, emergency_call, tea_tasting, playground_check, conference_day, flat_handover, customs_slip,
    lunch_poll, star_log,
    hive_card, tailor_sheet, last_will,
]  # fmt: skip
