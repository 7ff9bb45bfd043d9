"""Held-out texts about things made, measured, grown and collected. Each function is a family."""

from random import Random

from authoring.structured.val_words import PEOPLE
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
    an,
    day,
    either,
    fields,
    listed,
    maybe,
    noted,
    one_of,
    scattered,
    some_day,
    unordered,
)


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


def find_card(draw: Random) -> Document:
    site, digger = draw.choice(["Bog Field", "Chapel Mound", "Trench Delta"]), draw.choice(PEOPLE)
    number, layer = draw.randint(100, 999), draw.choice(["I", "II", "III", "IV"])
    what, stuff = draw.choice([("a comb", "bone"), ("a bead", "glass"), ("a pin", "bronze"), ("a bowl", "clay")])
    x, y, deep = draw.randint(1, 90) / 10, draw.randint(1, 90) / 10, draw.randint(20, 180)
    depth = draw.choice([f"{deep} cm", f"{deep / 100:g} m"])
    whole = draw.random() < 0.5
    state = "unbroken" if whole else "in fragments"
    wrong = draw.choice([each for each in ("bone", "glass", "bronze", "clay") if each != stuff])
    text = draw.choice(
        [
            f"Find {number}, {site}, layer {layer}: {what}, {state}, first taken for {wrong}, in the lab clearly "
            f"{stuff}. x {x:g}, y {y:g}, {depth} down. Dug up by {digger}",
            f"{digger} recovered {what} ({state}) at {site}. Material {stuff}, not {wrong}. Layer {layer}; {depth} "
            f"below the surface; grid x={x:g} y={y:g}; card {number}",
            f"card no. {number}\nsite {site} / layer {layer} / depth {depth}\nx {x:g} / y {y:g}\nobject: {what}\n"
            f"material: {wrong}, later changed to {stuff}\n{state}\n{digger}",
        ]
    )
    schema = fields(
        number=WHOLE, site=TEXT, layer=TEXT, object=TEXT, material=one_of("bone", "glass", "bronze", "clay"),
        complete=YES,
        position=fields(x=NUMBER, y=NUMBER, depth_cm=NUMBER), finder=TEXT,
    )  # fmt: skip
    gold = dict(
        number=number, site=site, layer=layer, object=what, material=stuff, complete=whole,
        position=dict(x=x, y=y, depth_cm=deep),
        finder=digger,
    )  # fmt: skip
    return Document(schema, gold, text, {"material": wrong, "complete": not whole, "position.depth_cm": deep / 100})


def dictionary_entry(draw: Random) -> Document:
    word, plural, part, senses = draw.choice(
        [
            ("grellow", "grellows", "noun", ["a pale mushroom", "a timid person"]),
            ("smarl", None, "verb", ["to block a road", "to tangle a thread"]),
            ("brindy", None, "adjective", ["full of crumbs", "slightly drunk"]),
            ("plock", "plocken", "noun", ["a wooden peg", "a dull sound"]),
            ("mimble", None, "verb", ["to chew slowly", "to speak without moving the lips"]),
            ("dunkish", None, "adjective", ["grey as rain", "hard to please"]),
        ]
    )  # fmt: skip
    first, second = draw.sample(senses, 2)
    year, region = draw.randint(1540, 1890), draw.choice(["the fens", "the uplands", "port towns"])
    wrong = draw.choice([each for each in ("noun", "verb", "adjective") if each != part])
    use = draw.choice(["current", "rare", "obsolete"])
    today = dict(current="still in daily use", rare="seldom heard now", obsolete="no longer used by anyone")[use]
    many = f"plural: {plural}" if plural else "no plural"
    text = draw.choice(
        [
            f"{word} ({part}; {many}) 1. {first} 2. {second}. First found {year}, {region}; {today}. Older books call "
            f"it {an(wrong)}.",
            f"{word}\n  {part}, wrongly also listed as {wrong}\n  {many}\n  (1) {first}\n  (2) {second}\n  since "
            f"{year}, {region}, {today}",
            f'In {region} people have said "{word}" since {year}. Mainly it means {first}, and after that '
            f"{second}. It is {an(part)}, whatever my teacher said ({wrong}!), {today}, {many}.",
        ]
    )
    schema = fields(
        word=TEXT, part_of_speech=one_of("noun", "verb", "adjective"), plural=maybe(TEXT),
        senses=noted(listed(TEXT), "the main one first"),
        first_found=fields(year=WHOLE, region=TEXT), use=one_of("current", "rare", "obsolete"),
    )  # fmt: skip
    gold = dict(
        word=word,
        part_of_speech=part,
        plural=plural,
        senses=[first, second],
        first_found=dict(year=year, region=region),
        use=use,
    )
    return Document(schema, gold, text, {"part_of_speech": wrong, "senses": [second, first]})


FAMILIES: list[Family] = [
    tea_tasting,
    star_log,
    hive_card,
    find_card,
    dictionary_entry,
]
