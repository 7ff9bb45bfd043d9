"""Word problems to learn from that take one or two steps. A function is a family: a story of its own."""

from fractions import Fraction
from random import Random

from verigym.environments.math.asked import Asked, Family, clock, euros, number
from verigym.environments.math.asked import at as time

NAMES = [
    "Alba", "Bram", "Celia", "Dario", "Elin", "Fabio", "Greta", "Hugo", "Ilse", "Jonas", "Kira", "Leon", "Mila", "Noor",
    "Otto", "Petra", "Quirin", "Rosa", "Silas", "Thea",
]  # fmt: skip


def orchard(draw: Random) -> Asked:
    name, picked, given, more = draw.choice(NAMES), draw.randint(40, 95), draw.randint(8, 35), draw.randint(5, 30)
    left = picked - given
    return number(
        f"{name} picks {picked} pears in the orchard and gives {given} of them to a neighbour. Then {name} picks {more} more. "
        "How many pears does that make?",
        f"{picked} - {given} = {left} pears are left.\n{left} + {more} = {left + more} after picking again.",
        left + more,
    )


def bus(draw: Random) -> Asked:
    start, off1, on1, off2, on2 = (
        draw.randint(low, high) for low, high in ((25, 50), (3, 12), (2, 15), (3, 12), (2, 9))
    )
    first = start - off1 + on1
    last = first - off2 + on2
    return number(
        f"A bus leaves the depot with {start} passengers. At the market {off1} get off and {on1} get on; at the harbour {off2} "
        f"get off and {on2} get on. How many passengers are on the bus now?",
        f"After the market: {start} - {off1} + {on1} = {first}.\nAfter the harbour: {first} - {off2} + {on2} = {last}.",
        last,
    )


def shelves(draw: Random) -> Asked:
    shelves, each, boxed = draw.randint(6, 18), draw.randint(14, 38), draw.randint(20, 90)
    return number(
        f"A reading room has {shelves} shelves with {each} books each, and {boxed} books that are still in boxes. How many "
        "books are there in all?",
        f"On shelves: {shelves} × {each} = {shelves * each}.\nWith the boxes: {shelves * each} + {boxed} = "
        f"{shelves * each + boxed}.",
        shelves * each + boxed,
    )


def bakery(draw: Random) -> Asked:
    name, count, cents = draw.choice(NAMES), draw.randint(3, 9), draw.randrange(85, 340, 5)
    total = count * cents
    note = next(note for note in (1000, 2000, 5000) if note > total)
    return number(
        f"At the bakery {name} buys {count} rolls at {euros(cents)} each and pays with a {euros(note)} note. How much change is "
        "there, in euros?",
        f"The rolls cost {count} × {euros(cents)} = {euros(total)}.\nThe change is {euros(note)} - {euros(total)} = "
        f"{euros(note - total)}.",
        Fraction(note - total, 100),
        "euros",
    )


def rope(draw: Random) -> Asked:
    piece = draw.choice([15, 20, 25, 30, 40, 45, 60, 75])
    count = draw.randint(7, 40)
    length = Fraction(piece * count, 100)
    return number(
        f"A sailor cuts a rope of {float(length):g} m into pieces of {piece} cm. Nothing is left over. How many pieces are "
        "there?",
        f"{float(length):g} m are {piece * count} cm.\n{piece * count} ÷ {piece} = {count}.",
        count,
    )


def tiles(draw: Random) -> Asked:
    side, wide, long = draw.choice([20, 25, 40, 50]), draw.randint(6, 16), draw.randint(17, 30)
    return number(
        f"A hall of {plain_m(side * long)} m by {plain_m(side * wide)} m is laid with square tiles of {side} cm. How many tiles "
        "does that take?",
        f"Along the long side: {side * long} ÷ {side} = {long} tiles.\nAlong the short side: {side * wide} ÷ {side} = {wide} "
        f"tiles.\n{long} × {wide} = {long * wide}.",
        long * wide,
    )


def plain_m(cm: int) -> str:
    return f"{cm / 100:g}"


def meadow(draw: Random) -> Asked:
    long, wide, gate = draw.randint(45, 120), draw.randint(20, 44), draw.randint(3, 6)
    around = 2 * (long + wide)
    return number(
        f"A sheep meadow is {long} m long and {wide} m wide. It gets a fence all around, apart from a gate of {gate} m. How many "
        "metres of fence are needed?",
        f"All around: 2 × ({long} + {wide}) = {around} m.\nWithout the gate: {around} - {gate} = {around - gate} m.",
        around - gate,
        "m",
    )


def novel(draw: Random) -> Asked:
    name, pages, days, left = draw.choice(NAMES), draw.randint(14, 36), draw.randint(5, 13), draw.randint(40, 160)
    total = pages * days + left
    return number(
        f"{name} reads {pages} pages of a novel every evening. The novel has {total} pages. How many pages are still unread "
        "after "
        f"{days} evenings?",
        f"Read so far: {days} × {pages} = {days * pages}.\nUnread: {total} - {days * pages} = {left}.",
        left,
    )


def eggs(draw: Random) -> Asked:
    box, full, over = draw.choice([6, 10, 12]), draw.randint(13, 40), draw.randint(1, 5)
    total = box * full + over
    return number(
        f"A farmer packs {total} eggs into boxes of {box}. Only full boxes are sold; the rest goes into the kitchen. How "
        "many eggs "
        "go into the kitchen?",
        f"{total} ÷ {box} gives {full} full boxes.\n{full} × {box} = {full * box}, and {total} - {full * box} = {over}.",
        over,
    )


def piggy_bank(draw: Random) -> Asked:
    name, week, weeks, have = draw.choice(NAMES), draw.randint(6, 18), draw.randint(7, 25), draw.randint(19, 70)
    price = have + week * weeks
    return number(
        f"{name} wants a bicycle lamp set for €{price}, has €{have} in a piggy bank and adds €{week} every week. After how many "
        "weeks is there enough?",
        f"Missing: {price} - {have} = {price - have} euros.\n{price - have} ÷ {week} = {weeks}.",
        weeks,
    )


def frost(draw: Random) -> Asked:
    noon, drop, rise = draw.randint(-4, 7), draw.randint(9, 17), draw.randint(2, 7)
    night = noon - drop
    return number(
        f"At noon the thermometer at a mountain hut shows {noon} degrees. Until midnight it falls by {drop} degrees, then "
        "it rises "
        f"by {rise} degrees until sunrise. What does it show at sunrise?",
        f"At midnight: {noon} - {drop} = {night}.\nAt sunrise: {night} + {rise} = {night + rise}.",
        night + rise,
    )


def ferry(draw: Random) -> Asked:
    start, takes, late = draw.randrange(6 * 60, 20 * 60, 5), draw.randint(35, 170), draw.randint(4, 25)
    end = start + takes + late
    return clock(
        f"A ferry that should sail at {time(start)} casts off {late} minutes late. The crossing takes {takes // 60} h "
        f"{takes % 60} min. At what time does it land? Use 24-hour HH:MM.",
        f"It casts off at {time(start + late)}.\n{time(start + late)} plus {takes // 60} h {takes % 60} min is {time(end)}.",
        end,
    )


def pancakes(draw: Random) -> Asked:
    people, each, guests = draw.choice([3, 4, 5, 6]), draw.randrange(30, 90, 5), draw.randint(7, 15)
    return number(
        f"Pancakes for {people} people take {people * each} g of flour. How many grams of flour do {guests} people need?",
        f"One person needs {people * each} ÷ {people} = {each} g.\n{guests} × {each} = {guests * each} g.",
        guests * each,
        "g",
    )


def choir(draw: Random) -> Asked:
    rows, each, ill, guests = draw.randint(4, 9), draw.randint(6, 12), draw.randint(2, 9), draw.randint(2, 8)
    there = rows * each - ill + guests
    return number(
        f"A choir stands in {rows} rows of {each} singers. On the day of the concert {ill} are ill, and {guests} singers of "
        "another choir help out. How many sing?",
        f"{rows} × {each} = {rows * each}.\n{rows * each} - {ill} + {guests} = {there}.",
        there,
    )


def water_cans(draw: Random) -> Asked:
    cans, tenth, trips = draw.randint(2, 4), draw.choice([45, 55, 65, 75, 85]), draw.randint(3, 9)
    per_trip = Fraction(tenth * cans, 10)
    return number(
        f"A gardener carries {cans} cans of {tenth / 10:g} litres each from the well on every trip. How many litres does "
        "that make in "
        f"{trips} trips?",
        f"A trip brings {cans} × {tenth / 10:g} = {float(per_trip):g} litres.\n{trips} × {float(per_trip):g} = "
        f"{float(per_trip * trips):g} litres.",
        per_trip * trips,
        "litres",
    )


EASY: list[Family] = [
    orchard, bus, shelves, bakery, rope, tiles, meadow, novel, eggs, piggy_bank, frost, ferry, pancakes, choir, water_cans,
]  # fmt: skip
