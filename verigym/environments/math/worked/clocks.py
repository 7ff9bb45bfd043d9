"""Families whose answer is a time of day: durations, timetables, deadlines, speeds and time zones."""

from fractions import Fraction
from random import Random

from verigym.core.records import Json
from verigym.environments.math.questions import at
from verigym.environments.math.worked.steps import (
    between,
    divided,
    earlier,
    hours_and_minutes,
    later,
    minus,
    plus,
    times,
    to_hours,
    to_minutes,
)
from verigym.environments.math.worked.telling import Clock, Decimal, Duration, Told, names, tell


def _clock(minutes: int) -> Json:
    return {"rule": "clock", "answer": at(minutes)}


def _moment(random: Random, first: int, last: int, step: int = 5) -> Clock:
    return Clock(random.randrange(first * 60, last * 60 + 1, step))


def shift_end(random: Random) -> Told:
    start, work, rest = (
        _moment(random, 5, 11),
        Duration(random.randrange(300, 520, 15)),
        random.choice((15, 20, 30, 45)),
    )
    who = names(random, 1)[0]
    total = work + rest
    return tell(
        random,
        "shift_end",
        f"start {start}, work {work}, break {rest} min.",
        "the time of the end.",
        [
            f"{to_minutes(work)}.",
            f"With the break: {plus(int(work), rest)} min.",
            f"{to_hours(total)}.",
            f"{later(start, total)}.",
        ],
        _clock(start + total),
        who=who,
        start=start,
        work=work,
        rest=rest,
    )


def two_programmes(random: Random) -> Told:
    start, one, two = _moment(random, 7, 18), random.randrange(35, 100), random.randrange(20, 70)
    first, second = random.choice(
        (("washing machine", "dryer"), ("dough mixer", "bread oven"), ("scanner", "printer"), ("kiln", "cooling rack"))
    )
    return tell(
        random,
        "two_programmes",
        f"start {start}, then {one} min, then {two} min.",
        "the time of the end.",
        [f"{plus(one, two)} min.", f"{to_hours(one + two)}.", f"{later(start, one + two)}."],
        _clock(start + one + two),
        first=first,
        second=second,
        start=start,
        one=one,
        two=two,
    )


def started_when(random: Random) -> Told:
    length = Duration(random.randrange(65, 240, 5))
    end = _moment(random, 11, 22)
    what, verb = random.choice((("hike", "walking"), ("concert", "playing"), ("exam", "writing"), ("match", "playing")))
    return tell(
        random,
        "started_when",
        f"end {end}, duration {length}.",
        "the start, so go back in time.",
        [f"{earlier(end, length)}.", f"Check: {later(end - length, length)}."],
        _clock(end - length),
        what=what,
        verb=verb,
        end=end,
        length=length,
    )


def morning_routine(random: Random) -> Told:
    leave = _moment(random, 6, 9)
    wash, eat, pack = random.randrange(8, 26), random.randrange(10, 31), random.randrange(4, 16)
    who = names(random, 1)[0]
    total = wash + eat + pack
    return tell(
        random,
        "morning_routine",
        f"leave at {leave}; {wash} min, {eat} min and {pack} min before it.",
        "the time to get up.",
        [f"{plus(wash, eat, pack)} min.", f"{earlier(leave, total)}."],
        _clock(leave - total),
        who=who,
        leave=leave,
        wash=wash,
        eat=eat,
        pack=pack,
    )


def lessons(random: Random) -> Told:
    start, count, each, pause = (
        _moment(random, 7, 14),
        random.randint(2, 5),
        random.choice((30, 40, 45, 50)),
        random.choice((5, 10, 15)),
    )
    total = count * each + (count - 1) * pause
    return tell(
        random,
        "lessons",
        f"start {start}, {count} lessons of {each} min, {pause} min between them.",
        "the end of the last lesson.",
        [
            f"{count} lessons have {count - 1} pauses between them.",
            f"Lessons: {times(count, each)} min.",
            f"Pauses: {times(count - 1, pause)} min.",
            f"{plus(count * each, (count - 1) * pause)} min.",
            f"{to_hours(total)}.",
            f"{later(start, total)}.",
        ],
        _clock(start + total),
        start=start,
        count=count,
        each=each,
        pause=pause,
    )


def delayed(random: Random) -> Told:
    plan, late, ride = _moment(random, 6, 17), random.randrange(12, 75), Duration(random.randrange(70, 260, 5))
    total = late + ride
    vehicle = random.choice(("coach", "express train", "flight", "night bus", "hydrofoil"))
    return tell(
        random,
        "delayed",
        f"planned {plan}, {late} min late, journey {ride}.",
        "the time of arrival.",
        [f"New departure: {later(plan, late)}.", f"{later(plan + late, ride)}."],
        _clock(plan + total),
        vehicle=vehicle,
        plan=plan,
        late=late,
        ride=ride,
    )


def ready_plates(random: Random) -> Told:
    end, count, each, extra = (
        _moment(random, 12, 20),
        random.randint(6, 24),
        random.randint(3, 9),
        random.choice((10, 15, 20, 25)),
    )
    total = count * each + extra
    thing = random.choice(("plates", "cakes", "bouquets", "parcels", "bikes"))
    return tell(
        random,
        "ready_plates",
        f"end {end}, {count} {thing} at {each} min each, and {extra} min more.",
        "the latest start.",
        [
            f"{times(count, each)} min.",
            f"{plus(count * each, extra)} min.",
            f"{to_hours(total)}.",
            f"{earlier(end, total)}.",
        ],
        _clock(end - total),
        end=end,
        count=count,
        each=each,
        extra=extra,
        thing=thing,
    )


def laps(random: Random) -> Told:
    start, count, each = _moment(random, 8, 17), random.randint(4, 15), random.randint(6, 18)
    sport = random.choice(("skating", "rowing", "cycling", "swimming", "running"))
    who = names(random, 1)[0]
    return tell(
        random,
        "laps",
        f"start {start}, {count} rounds of {each} min.",
        "the time after the last round.",
        [f"{times(count, each)} min.", f"{to_hours(count * each)}.", f"{later(start, count * each)}."],
        _clock(start + count * each),
        start=start,
        count=count,
        each=each,
        sport=sport,
        who=who,
    )


def walking_pace(random: Random) -> Told:
    speed = random.choice((3, 4, 5, 6, 12, 15, 20, 30, 40, 60))
    minutes = (
        random.randrange(1, 20) * {3: 20, 4: 15, 5: 12, 6: 10, 12: 10, 15: 12, 20: 6, 30: 10, 40: 15, 60: 10}[speed]
    )
    start, way = _moment(random, 7, 16), Decimal(Fraction(speed * minutes, 60))
    who = names(random, 1)[0]
    return tell(
        random,
        "walking_pace",
        f"{way} km at {speed} km/h, start {start}.",
        "the time of arrival.",
        [
            "Time is distance ÷ speed.",
            f"1 km takes {divided(60, speed)} min.",
            f"{way} km take {times(Fraction(way), Fraction(60, speed))} min.",
            f"{to_hours(minutes)}.",
            f"{later(start, minutes)}.",
        ],
        _clock(start + minutes),
        way=way,
        speed=speed,
        start=start,
        who=who,
    )


def download(random: Random) -> Told:
    rate, minutes = random.randrange(12, 90), random.randrange(15, 150)
    done = rate * random.randint(2, 14)
    size, start = rate * minutes + done, _moment(random, 6, 20)
    what, unit = random.choice((("file", "MB"), ("tank", "litres"), ("pile of letters", "letters"), ("silo", "kg")))
    return tell(
        random,
        "download",
        f"{size} {unit} in all, {done} done at {start}, {rate} a minute.",
        "the time when all is done.",
        [
            f"Left: {minus(size, done)} {unit}.",
            f"{divided(size - done, rate)} min.",
            f"{to_hours(minutes)}.",
            f"{later(start, minutes)}.",
        ],
        _clock(start + minutes),
        what=what,
        unit=unit,
        size=size,
        done=done,
        rate=rate,
        start=start,
    )


def next_departure(random: Random) -> Told:
    first, every = _moment(random, 5, 8, 1), random.choice((8, 9, 12, 14, 15, 18, 20, 25, 35, 40))
    arrive = Clock(first + random.randrange(50, 300))
    gone = arrive - first
    wait = -gone % every
    vehicle = random.choice(("tram", "metro train", "shuttle", "water taxi", "minibus"))
    count = gone // every
    return tell(
        random,
        "next_departure",
        f"first departure {first}, then every {every} min, arrival {arrive}.",
        "the first departure that is not before the arrival.",
        [
            f"{between(first, arrive)}.",
            f"{to_minutes(gone)}.",
            f"{gone} ÷ {every}: {every} × {count} = {every * count}, {minus(gone, every * count)}.",
            f"The wait is {minus(every, gone % every)} min." if wait else "Nothing is left, so one leaves just then.",
            f"{later(arrive, wait)}.",
        ],
        _clock(arrive + wait),
        vehicle=vehicle,
        first=first,
        every=every,
        arrive=arrive,
    )


def connection(random: Random) -> Told:
    start, ride, change = _moment(random, 6, 16, 1), Duration(random.randrange(45, 190)), random.choice((5, 8, 10, 12))
    offsets = sorted(random.sample((2, 7, 13, 18, 24, 29, 36, 41, 47, 52, 58), 3))
    ready = start + ride + change
    leaves = next(moment for moment in range(ready, ready + 61) if moment % 60 in offsets)
    shown = ", ".join(f":{minute:02}" for minute in offsets)
    return tell(
        random,
        "connection",
        f"start {start}, journey {ride}, change {change} min, next trains at {shown}.",
        "the first departure after the change.",
        [
            f"Arrival: {later(start, ride)}.",
            f"After the change: {later(start + ride, change)}.",
            f"The first of {shown} that is not before {at(ready)} is {at(leaves)}.",
        ],
        _clock(leaves),
        start=start,
        ride=ride,
        change=change,
        shown=shown,
        offsets=offsets,
    )


_ZONES = ("Oslo", "Tokyo", "Lima", "Delhi", "Cairo", "Quito", "Perth", "Nairobi", "Boston", "Athens")


def call_abroad(random: Random) -> Told:
    here, there = random.sample(_ZONES, 2)
    start, length, ahead = (
        _moment(random, 7, 20),
        random.randrange(15, 110, 5),
        random.choice((1, 2, 3, 4, 5, 6, 7, 8, 9)),
    )
    sign = random.choice((1, -1))
    relation, word = ("ahead of", "later") if sign > 0 else ("behind", "earlier")
    end = start + length
    result = end + sign * ahead * 60
    shift = later(end, ahead * 60) if sign > 0 else earlier(end, ahead * 60)
    return tell(
        random,
        "call_abroad",
        f"{start} in {here}, {length} min, {there} is {ahead} h {relation} {here}.",
        f"the time in {there} at the end.",
        [f"In {here}: {later(start, length)}.", f"In {there} it is {ahead} h {word}: {shift}."],
        _clock(result),
        here=here,
        there=there,
        start=start,
        length=length,
        ahead=ahead,
        relation=relation,
        sign=sign,
    )


def parking_meter(random: Random) -> Told:
    each, per = random.choice(((10, 4), (10, 5), (20, 6), (20, 8), (50, 15), (50, 20), (50, 12)))
    coins = random.randint(4, 16)
    start = _moment(random, 8, 17, 1)
    paid, total = coins * each / 100, coins * per
    shown = f"€{paid:.2f}"
    return tell(
        random,
        "parking_meter",
        f"{per} min for {each} cents, {shown} paid at {start}.",
        "the time when it ends.",
        [
            f"{shown} is {coins * each} cents.",
            f"{divided(coins * each, each)} times {each} cents.",
            f"{times(coins, per)} min.",
            f"{to_hours(total)}.",
            f"{later(start, total)}.",
        ],
        _clock(start + total),
        each=each,
        per=per,
        shown=shown,
        start=start,
        coins=coins,
    )


def battery(random: Random) -> Told:
    level, per = random.randrange(8, 60), random.randint(3, 9)
    start = _moment(random, 7, 17, 1)
    low = random.choice((0, 2, 5))
    used = level - low
    total = used * per
    thing = random.choice(("phone", "drone camera", "tablet", "hearing aid", "speaker"))
    goal = f"falls to {low}%" if low else "is empty"
    return tell(
        random,
        "battery",
        f"{level}% at {start}, 1% every {per} min, down to {low}%.",
        "the time when that is reached.",
        [
            f"{minus(level, low)} percent are used.",
            f"{times(used, per)} min.",
            f"{to_hours(total)}.",
            f"{later(start, total)}.",
        ],
        _clock(start + total),
        thing=thing,
        level=level,
        start=start,
        per=per,
        goal=goal,
        low=low,
    )


def catching_up(random: Random) -> Told:
    slow, lead = random.choice((4, 5, 6, 8, 10, 12, 16, 18, 40, 60)), random.choice((15, 20, 30, 40, 45, 60, 90))
    while slow * lead % 60:
        slow, lead = random.choice((4, 5, 6, 8, 10, 12, 16, 18, 40, 60)), random.choice((15, 20, 30, 40, 45, 60, 90))
    faster = random.choice([v for v in range(slow + 1, 4 * slow + 1) if slow * lead % (v - slow) == 0])
    start = _moment(random, 7, 14)
    second = Clock(start + lead)
    need = Fraction(slow * lead, faster - slow)
    gap = Fraction(slow * lead, 60)
    one, two = names(random, 2)
    assert need.denominator == 1
    return tell(
        random,
        "catching_up",
        f"{one} from {start} at {slow} km/h, {two} from {second} at {faster} km/h.",
        f"the time when {two} reaches {one}.",
        [
            f"{one} has a start of {between(start, second).replace(f'{start} to {second} is ', '')}.",
            f"In {lead} min {one} goes {slow} × {lead} ÷ 60 = {Decimal(gap)} km.",
            f"Each hour {two} gains {minus(faster, slow)} km.",
            f"{Decimal(gap)} ÷ {faster - slow} × 60 = {int(need)} min.",
            f"{later(second, int(need))}.",
        ],
        _clock(second + int(need)),
        one=one,
        two=two,
        slow=slow,
        faster=faster,
        start=start,
        second=second,
    )


def two_taps(random: Random) -> Told:
    one, two, minutes = random.randrange(6, 40), random.randrange(5, 35), random.randrange(20, 170)
    out = random.choice((0, 0, 2, 3, 4))
    net = one + two - out
    size, start = net * minutes, _moment(random, 6, 18)
    leak = f", and {out} litres a minute run out through a leak" if out else ""
    parts = f"{one} + {two} - {out} = {net}" if out else f"{one} + {two} = {net}"
    return tell(
        random,
        "two_taps",
        f"{size} litres, {one} and {two} litres a minute{leak}, start {start}.",
        "the time when it is full.",
        [
            f"Each minute: {parts} litres.",
            f"{divided(size, net)} min.",
            f"{to_hours(minutes)}.",
            f"{later(start, minutes)}.",
        ],
        _clock(start + minutes),
        size=size,
        start=start,
        one=one,
        two=two,
        leak=leak,
        out=out,
    )


def moves_each_day(random: Random) -> Told:
    start, shift, days = (
        _moment(random, 5, 19, 1),
        random.choice((2, 3, 4, 12, 25, 40, 48, 50, 52)),
        random.randint(3, 12),
    )
    sign = random.choice((1, -1))
    word = "later" if sign > 0 else "earlier"
    total = shift * days
    what = random.choice(
        ("high tide", "moonrise", "feeding of the seals", "evening roll call", "lighting of the lamps")
    )
    moved = later(start, total) if sign > 0 else earlier(start, total)
    return tell(
        random,
        "moves_each_day",
        f"{start} today, {shift} min {word} a day, {days} days.",
        f"the time in {days} days.",
        [f"{times(days, shift)} min {word}.", f"{to_hours(total)}.", f"{moved}."],
        _clock(start + sign * total),
        what=what,
        start=start,
        shift=shift,
        days=days,
        word=word,
        sign=sign,
    )


def waiting_room(random: Random) -> Told:
    start, people, each, desks = (
        _moment(random, 8, 15),
        random.randint(2, 6),
        random.randint(6, 14),
        random.choice((2, 3)),
    )
    ahead = people * desks
    wait = people * each
    who = names(random, 1)[0]
    return tell(
        random,
        "waiting_room",
        f"{ahead} people first, {desks} at a time, {each} min each, start {start}.",
        f"the time when {who} is next.",
        [
            f"{divided(ahead, desks)} rounds.",
            f"{times(people, each)} min.",
            f"{to_hours(wait)}.",
            f"{later(start, wait)}.",
        ],
        _clock(start + wait),
        who=who,
        ahead=ahead,
        desks=desks,
        each=each,
        start=start,
    )


def longer_of_two(random: Random) -> Told:
    start, one, two = _moment(random, 9, 16), Duration(random.randrange(65, 200, 5)), random.randrange(50, 190, 5)
    head = random.choice((10, 15, 20, 30))
    end_one, end_two = start + one, start + head + two
    if end_one == end_two:
        two, end_two = two + 5, end_two + 5
    last, (left, right) = max(end_one, end_two), names(random, 2)
    return tell(
        random,
        "longer_of_two",
        f"{left} from {start} for {one}, {right} {head} min later for {two} min.",
        "the later of the two ends.",
        [
            f"{left}: {later(start, one)}.",
            f"{right} starts: {later(start, head)}.",
            f"{hours_and_minutes(two)}: {later(start + head, two)}.",
            f"The later one of {at(end_one)} and {at(end_two)} is {at(last)}.",
        ],
        _clock(last),
        left=left,
        right=right,
        start=start,
        one=one,
        two=two,
        head=head,
    )


EASY = [shift_end, two_programmes, started_when, morning_routine, delayed, laps, battery]
MEDIUM = [lessons, ready_plates, walking_pace, download, call_abroad, parking_meter, moves_each_day]
HARD = [next_departure, connection, catching_up, two_taps, waiting_room, longer_of_two]
