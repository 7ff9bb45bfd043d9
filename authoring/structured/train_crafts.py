"""Training texts about things made, measured, grown and collected. Each function is a family."""

from datetime import timedelta
from random import Random

from authoring.structured.train_words import PEOPLE
from verigym.core.records import Json
from verigym.environments.structured.forms import (
    DATE,
    MONTHS,
    NUMBER,
    SPELT,
    TEXT,
    TIME,
    WHOLE,
    YES,
    Document,
    Family,
    an,
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


def assembly(draw: Random) -> Document:
    thing = draw.choice(["shelf", "crib", "desk", "swing", "wardrobe"])
    a, b, c, d, never = draw.sample(
        ["fit the legs", "insert the bolts", "glue the back", "mount the door", "level the base", "tighten the screws"],
        5,
    )
    minutes, people, tools = (
        draw.randrange(20, 120, 10),
        draw.randint(1, 3),
        draw.sample(["hammer", "spanner", "drill", "saw"], 2),
    )
    hands = f"{SPELT[people]} {'person' if people == 1 else 'people'}"
    text = draw.choice(
        [
            f"How to build the {thing}: {a}, then {b}, then {d}. Forgot: before you {d}, {c}. Do not {never}. You "
            f"need {an(tools[0])} and {an(tools[1])}, {minutes} minutes and {hands}.",
            f"{thing} / {minutes} min / {hands}\ntools: {tools[0]}, {tools[1]}\n1 {a}\n2 {b}\n3 {c}\n4 {never}  "
            f"[error in print, leave out]\n5 {d}",
            f"To put up the {thing}, {hands} will be busy for {minutes} minutes with {an(tools[1])} and "
            f"{an(tools[0])}. {c.capitalize()} after you {b}; {a} at the very start and {d} at the very end. Never "
            f"{never}.",
            f"Last of all, {d}. First of all, {a}. In the middle there are two steps: {b}, and after it {c}. It takes "
            f"{minutes} minutes, {hands}, {an(tools[0])}, {an(tools[1])}. My {thing} broke because I tried to "
            f"{never}.",
        ]
    )
    schema = fields(
        product=TEXT, steps=noted(listed(TEXT), "in the order in which they are done"), tools=unordered(TEXT),
        minutes=WHOLE,
        people=WHOLE,
    )  # fmt: skip
    gold = dict(product=thing, steps=[a, b, c, d], tools=tools, minutes=minutes, people=people)
    return Document(schema, gold, text, {"steps": [a, b, d, c], "tools": tools[:1]})


def power_cuts(draw: Random) -> Document:
    room = draw.choice(["kitchen", "hall", "garage", "nursery"])
    fuse, other = draw.sample(range(1, 13), 2)
    times = sorted({some_time(draw, 8, 20) for _ in range(3)})
    cost = either(draw, price(draw, 60, 200), 0.5)
    firm, when = draw.choice(["Volta and Sons", "Ampere Brothers", "Bright Wire"]), some_day(draw)
    bill = f"The bill is {money(draw, cost)}." if cost else "No bill yet."
    said = ", ".join(times)
    ago = counted(draw.randint(1, 4), "week")
    text = draw.choice(
        [
            f"{day(draw, when)}: light went off in the {room} at {said}. Fuse {fuse}, not {other}. {firm} came. {bill}",
            f"{firm} looked at the {room} on {day(draw, when)} and found fuse {fuse} loose. ({other} was changed "
            f"{ago} ago.) We had been dark at {said}. {bill}",
            f"fuse {other} is fine, fuse {fuse} is to blame\nroom: {room}\noff at: {said}\nrepair: {firm}, "
            f"{day(draw, when)}\n{bill}",
            f"{bill} {firm} swapped fuse {fuse}. Funny, {ago} ago it was fuse {other}. The {room} had no power at "
            f"{said} on {day(draw, when)}, the day they came.",
        ]
    )
    schema = fields(room=TEXT, fuse=WHOLE, date=DATE, off_at=unordered(TIME), repaired_by=TEXT, cost=maybe(NUMBER))
    gold = dict(room=room, fuse=fuse, date=when.isoformat(), off_at=times, repaired_by=firm, cost=cost)
    return Document(schema, gold, text, {"fuse": other, "off_at": times[1:]})


def boat_log(draw: Random) -> Document:
    boat, skipper = draw.choice(["Merle", "Tern", "Nordwind", "Alma"]), draw.choice(PEOPLE)
    when = some_day(draw)
    entries: list[Json] = [
        dict(
            time=some_time(draw, 7 + 4 * place, 9 + 4 * place),
            course=draw.randrange(10, 350, 5),
            knots=draw.randint(20, 75) / 10,
        )
        for place in range(3)
    ]
    engine = either(draw, draw.randrange(10, 90, 5), 0.5)
    ran = f"engine ran {engine} min" if engine else "engine time not noted"
    plan = draw.choice(["Kappel", "Stubbe Island", "Lynes"])
    port = draw.choice(["Vitte", "Maasholm", "Horup"])
    rows = [f"{clock(draw, one['time'])} course {one['course']}, {one['knots']:g} kn" for one in entries]
    prose = [
        f"at {clock(draw, one['time'])} we made {one['knots']:g} knots on {one['course']} degrees" for one in entries
    ]
    text = draw.choice(
        [
            f"log of the {boat}, {day(draw, when)}, skipper {skipper}\n{chr(10).join(rows)}\nbound for {plan}, but "
            f"made fast in {port}. {ran}",
            f"{boat}, {day(draw, when)}. We wanted to reach {plan} and ended up in {port}. {'; '.join(prose)}. "
            f"{ran.capitalize()}. {skipper}",
            f"{port}, {day(draw, when)}, in the evening. Dear log of the {boat}, {', '.join(prose)}. {plan} must "
            f"wait. {ran.capitalize()}, says {skipper}, who skippers us.",
            f"skipper: {skipper} / boat: {boat} / {ran}\n{scattered(draw, rows)}\nnight harbour: {port} (plan was "
            f"{plan})\n{day(draw, when)}",
        ]
    )
    entry = fields(time=TIME, course=WHOLE, knots=NUMBER)
    schema = fields(
        boat=TEXT, skipper=TEXT, date=DATE, entries=noted(listed(entry), "the earliest first"), harbour=TEXT,
        engine_minutes=maybe(WHOLE),
    )  # fmt: skip
    gold = dict(boat=boat, skipper=skipper, date=when.isoformat(), entries=entries, harbour=port, engine_minutes=engine)
    return Document(schema, gold, text, {"harbour": plan, "entries": entries[::-1]})


def trail_guide(draw: Random) -> Document:
    name = draw.choice(["Fox Path", "Ridge Loop", "Miller's Way", "Seven Springs Trail"])
    a, b, c = draw.sample(["the chapel", "Red Rock", "the weir", "Pine Hut", "the viewpoint"], 3)
    hours, half = draw.randint(2, 5), draw.choice([0, 30])
    km, up = draw.randint(60, 190) / 10, draw.randrange(150, 900, 10)
    level, loop = draw.choice(["easy", "moderate", "hard"]), draw.random() < 0.5
    time = f"{hours} h {half} min" if half else f"{hours} h"
    end = "You come back to where you began." if loop else "It ends in another village, take the bus back."
    closed = draw.choice(["the gorge", "the rope bridge"])
    text = draw.choice(
        [
            f"{name} ({level}): {km:g} km, {time}, {up} m up. You pass {a}, then {b}, then {c}. {end} "
            f"{closed.capitalize()} is closed.",
            f"{name}\n- via {a} > {b} > {c}, no longer via {closed}\n- {up} metres of climbing, {km:g} kilometres, "
            f"{time}\n- {level}\n- {end}",
            f"{end} {name} leads from {a} over {b} to {c}; {closed} had to be left out. It is {level}. Plan {time} "
            f"for the {km:g} km, as you climb {up} m.",
            f"How long? {time}. How far? {km:g} km. How high? {up} m in all. How hard? It is {level}. First sight of "
            f"{name} is {a}, last one {c}, with {b} halfway. Forget {closed}. {end}",
        ]
    )
    schema = fields(
        name=TEXT, level=one_of("easy", "moderate", "hard"), distance_km=NUMBER, ascent_m=WHOLE, minutes=WHOLE,
        stages=noted(listed(TEXT), "from the first to the last"), round_trip=YES,
    )  # fmt: skip
    gold = dict(
        name=name,
        level=level,
        distance_km=km,
        ascent_m=up,
        minutes=hours * 60 + half,
        stages=[a, b, c],
        round_trip=loop,
    )
    return Document(schema, gold, text, {"minutes": hours, "stages": [a, closed, c], "round_trip": not loop})


def garden_diary(draw: Random) -> Document:
    start = some_day(draw, "2026-03-01", 60)
    one, two = draw.randint(2, 6), draw.randint(7, 12)
    crops = draw.sample(["beans", "peas", "carrots", "leeks", "beets"], 3)
    did = draw.sample(["sown", "watered", "thinned", "picked"], 3)
    entries = [
        dict(date=(start + timedelta(skip)).isoformat(), crop=crop, action=action)
        for skip, crop, action in zip((0, one, one + two), crops, did, strict=True)
    ]
    slug = draw.choice(["slugs", "moles", "crows"])
    d = day(draw, start)
    text = draw.choice(
        [
            f"{d}: {crops[0]} {did[0]}. {one} days later: {crops[1]} {did[1]}. Another {two} days on: {crops[2]} "
            f"{did[2]}. Damn {slug}!",
            f"Began on {d} ({crops[0]} {did[0]}). After {counted(one, 'day')} {crops[1]} {did[1]}; "
            f"{counted(two, 'day')} after that {crops[2]} {did[2]}. I will fight the {slug}.",
            f"day 0 = {d}\nday 0 {crops[0]} {did[0]}\nday {one} {crops[1]} {did[1]}\nday {one + two} {crops[2]} "
            f"{did[2]}\npests: {slug}",
            f"{slug.capitalize()} everywhere. {crops[2].capitalize()} {did[2]}, {two} days after {crops[1]} were "
            f"{did[1]}, and that was {one} days after {d}, when {crops[0]} were {did[0]}.",
        ]
    )
    entry = fields(date=DATE, crop=TEXT, action=one_of("sown", "watered", "thinned", "picked"))
    schema = fields(entries=noted(listed(entry), "the earliest first"), pest=TEXT)
    wrong = (start + timedelta(two)).isoformat()
    return Document(schema, dict(entries=entries, pest=slug), text, {"entries.2.date": wrong, "entries": entries[::-1]})


def bird_count(draw: Random) -> Document:
    place, when = draw.choice(["the reed bank", "Otter Pond", "the north meadow"]), some_day(draw)
    names = draw.sample(["heron", "lapwing", "teal", "kestrel", "snipe", "wren"], 4)
    seen: list[Json] = [dict(species=name, count=draw.randint(2, 30)) for name in names[:3]]
    slip = seen[0]["count"] + draw.randint(1, 6)
    total, two = sum(one["count"] for one in seen), draw.sample(PEOPLE, 2)
    start, fog = some_time(draw, 5, 9), draw.random() < 0.4
    sky = "There was fog." if fog else "The view was clear."
    later = f"{seen[1]['species']} {seen[1]['count']}, {seen[2]['species']} {seen[2]['count']}"
    bird, number = seen[0]["species"], seen[0]["count"]
    text = draw.choice(
        [
            f"{place}, {day(draw, when)}, from {clock(draw, start)}. {bird} {slip}, but we counted one group twice, "
            f"so {number}. {later}. No {names[3]}. {sky} {two[0]}, {two[1]}",
            f"Counted by {two[0]} and {two[1]} at {place}: {later}, {bird} {number} (struck out: {slip}), {names[3]} "
            f"only heard, not counted. {sky} {clock(draw, start)}, {day(draw, when)}",
            f"{two[1]} + {two[0]}\n{place} / {day(draw, when)} / {clock(draw, start)}\n{later}\n{bird} {number} (the "
            f"app shows {slip}, which is wrong)\n{names[3]} -\n{sky}",
            f"{sky} {two[0]} went with {two[1]} to {place} on {day(draw, when)} at {clock(draw, start)}. List: {bird} "
            f"{number}, {later}. Last year it was {bird} {slip} and even {names[3]} 1.",
        ]
    )
    schema = fields(
        place=TEXT, date=DATE, start=TIME, observers=unordered(TEXT), seen=unordered(fields(species=TEXT, count=WHOLE)),
        birds_in_all=WHOLE, fog=YES,
    )  # fmt: skip
    gold = dict(place=place, date=when.isoformat(), start=start, observers=two, seen=seen, birds_in_all=total, fog=fog)
    wrong = {
        "seen.0.count": slip,
        "birds_in_all": total - number + slip,
        "seen": [*seen, dict(species=names[3], count=1)],
    }
    return Document(schema, gold, text, wrong)


def seed_packet(draw: Random) -> Document:
    crop, kind = (
        draw.choice(["radish", "spinach", "kale", "dill"]),
        draw.choice(["Rondo", "Viking", "Early Star", "Green Lace"]),
    )
    first = draw.randint(2, 6)
    last = first + draw.randint(1, 4)
    deep, apart, wait = draw.choice([1, 1.5, 2, 3]), draw.randrange(5, 40, 5), draw.randrange(30, 95, 5)
    spots = draw.sample(["full sun", "half shade", "shade"], 2)
    price_now = either(draw, price(draw, 1, 5), 0.5)
    cost = f"{money(draw, price_now)}." if price_now else "The price is on the shelf."
    m1, m2 = MONTHS[first - 1], MONTHS[last - 1]
    text = draw.choice(
        [
            f"{crop} '{kind}'. Sow {m1} to {m2}, {deep:g} cm deep, {apart} cm apart, in {spots[0]}; never in "
            f"{spots[1]}. Ready in {wait} days. {cost}",
            f"{kind} ({crop})\nsowing: {m1} - {m2}\ndepth: {deep * 10:g} mm\ndistance: {apart} cm\nharvest: after "
            f"{wait} days\nplace: {spots[0]}, not {spots[1]}\n{cost}",
            f"{cost} Our {crop} {kind} likes {spots[0]} and dies in {spots[1]}. {wait} days after sowing it is on "
            f"your plate. Put the seeds {deep * 10:g} mm deep with {apart} cm between, from {m1} until {m2}.",
            f"From {m1} you can sow {crop} {kind}, and {m2} is the last month for it. Keep {apart} cm, cover with "
            f"{deep:g} cm of soil, choose {spots[0]} ({spots[1]} is for ferns), wait {wait} days. {cost}",
        ]
    )
    schema = fields(
        crop=TEXT, variety=TEXT, sowing=fields(first_month=noted(WHOLE, "1 to 12"), last_month=WHOLE), depth_cm=NUMBER,
        distance_cm=NUMBER, days_to_harvest=WHOLE, place=TEXT, price=maybe(NUMBER),
    )  # fmt: skip
    gold = dict(
        crop=crop, variety=kind, sowing=dict(first_month=first, last_month=last), depth_cm=deep, distance_cm=apart,
        days_to_harvest=wait, place=spots[0], price=price_now,
    )  # fmt: skip
    return Document(schema, gold, text, {"depth_cm": deep * 10, "place": spots[1], "sowing.last_month": last + 1})


def paint_mix(draw: Random) -> Document:
    shade = draw.choice(["moss", "brick", "dove", "plum", "sand"])
    tints = draw.sample(["white", "ochre", "black", "blue", "red"], 4)
    parts: list[Json] = [dict(tint=tint, parts=draw.randint(1, 9)) for tint in tints[:3]]
    litres, coats = draw.choice([2.5, 5, 10, 12.5]), draw.randint(2, 3)
    wall, dry = draw.choice(["the stairwell", "the gable", "the porch"]), draw.randint(3, 12)
    said = ", ".join(f"{counted(one['parts'], 'part')} {one['tint']}" for one in parts)
    spelt = " and ".join(f"{SPELT[one['parts']]} of {one['tint']}" for one in parts)
    text = draw.choice(
        [
            f"{shade} for {wall}: {said}. No {tints[3]}! {litres:g} litres, {coats} coats, {dry} hours between.",
            f"Customer wants {wall} in {shade}. Mix {litres:g} l out of {said}; the old mix had {tints[3]} in it, the "
            f"new one has not. {SPELT[coats].capitalize()} coats, let dry {dry} h after each.",
            f"{wall} / {shade} / {coats} coats\nparts: {spelt} (leave out {tints[3]})\ndrying time: {dry} hours\n"
            f"quantity: {litres:g} litres",
            f"Wait {dry} hours from coat to coat, {SPELT[coats]} coats for {wall}. For {litres:g} litres of {shade} "
            f"take, in parts, {spelt}. A drop of {tints[3]} would spoil it.",
        ]
    )
    schema = fields(
        shade=TEXT,
        surface=TEXT,
        mix=unordered(fields(tint=TEXT, parts=WHOLE)),
        litres=NUMBER,
        coats=WHOLE,
        drying_hours=NUMBER,
    )
    gold = dict(shade=shade, surface=wall, mix=parts, litres=litres, coats=coats, drying_hours=dry)
    return Document(
        schema, gold, text, {"mix": [*parts, dict(tint=tints[3], parts=1)], "mix.0.parts": parts[0]["parts"] + 1}
    )


def cut_list(draw: Random) -> Document:
    wood, job = draw.choice(["oak", "larch", "birch"]), draw.choice(["fence", "raised bed", "bench", "kennel"])
    names = draw.sample(["post", "rail", "slat", "brace"], 3)
    pieces: list[Json] = [
        dict(part=name, count=draw.randint(2, 12), length_mm=draw.randrange(300, 2400, 50)) for name in names
    ]
    units = [
        draw.choice([f"{one['length_mm']} mm", f"{one['length_mm'] / 10:g} cm", f"{one['length_mm'] / 1000:g} m"])
        for one in pieces
    ]
    old = pieces[1]["count"] + draw.randint(1, 4)
    a = [f"{one['part']}: {one['count']} at {unit}" for one, unit in zip(pieces, units, strict=True)]
    planed = draw.random() < 0.5
    finish = "planed" if planed else "rough, not planed"
    text = draw.choice(
        [
            f"Please cut for the {job}, all in {wood}, {finish}:\n{scattered(draw, a)}\n(the drawing shows {old} for "
            f"{names[1]}, that is old)",
            f"{wood}, {finish}. {'; '.join(a)}. All this is for a {job}. If your copy says {old} at {names[1]}, throw "
            "it away.",
            f"cut list {job}\nmaterial {wood}, {finish}\n{scattered(draw, a)}\nnew: {names[1]} no longer {old}",
            f"I am building a {job} out of {wood} ({finish}). Saw {', '.join(a)}. My uncle would take {old} for "
            f"{names[1]}. I don't.",
        ]
    )
    schema = fields(
        project=TEXT, wood=TEXT, planed=YES, pieces=unordered(fields(part=TEXT, count=WHOLE, length_mm=WHOLE))
    )
    gold = dict(project=job, wood=wood, planed=planed, pieces=pieces)
    return Document(schema, gold, text, {"pieces.1.count": old, "planed": not planed})


def temperature_log(draw: Random) -> Document:
    room, unit = (
        draw.choice(["cold store 2", "the greenhouse", "vault B", "the cheese cellar"]),
        f"T{draw.randint(10, 99)}",
    )
    readings = [draw.randint(-60, 240) / 10 for _ in range(4)]
    low, high = min(readings), max(readings)
    bad, when = draw.choice([88.8, 99.9]), some_day(draw)
    row = " ".join(f"{one:g}" for one in readings)
    limit = either(draw, draw.randrange(25, 40), 0.5)
    alarm = f"Alarm set to {limit}." if limit else "No alarm limit set."
    split = [f"{one:g}" for one in readings]
    text = draw.choice(
        [
            f"{room}, sensor {unit}, {day(draw, when)}, degrees C: {row} {bad} (the {bad} is a fault of the sensor, "
            f"drop it). {alarm}",
            f"{alarm} {unit} in {room} gave {split[0]}, then {split[1]}, {split[2]} and at last {split[3]} degrees on "
            f"{day(draw, when)}. In between it flashed {bad}, an error.",
            f"{day(draw, when)}\n{unit} @ {room}\n06h {split[0]}\n12h {split[1]}\n13h {bad} ERR\n18h {split[2]}\n24h "
            f"{split[3]}\n{alarm}",
            f"Four good readings from {unit} ({room}) on {day(draw, when)}: {' | '.join(split)}. One bad one: {bad}. "
            f"{alarm}",
        ]
    )
    schema = fields(
        sensor=TEXT, room=TEXT, date=DATE, readings=noted(listed(NUMBER), "valid ones, in order"), lowest=NUMBER,
        highest=NUMBER,
        alarm_limit=maybe(NUMBER),
    )  # fmt: skip
    gold = dict(
        sensor=unit, room=room, date=when.isoformat(), readings=readings, lowest=low, highest=high, alarm_limit=limit
    )
    return Document(schema, gold, text, {"highest": bad, "readings": [*readings, bad]})


FAMILIES: list[Family] = [
    assembly,
    power_cuts,
    boat_log,
    trail_guide,
    garden_diary,
    bird_count,
    seed_packet,
    paint_mix,
    cut_list,
    temperature_log,
]
