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
        draw.choice(
            [
                f"{name} picks {picked} pears in the orchard and gives {given} of them to a neighbour. Then {name} "
                f"picks {more} more. "
                "How many pears does that make?",
                f"How many pears does {name} have after picking {picked}, giving away {given} and picking {more} "
                "again?",
                f"Basket of {name}: first {picked} pears go in, then {given} come out for a neighbour, and at last "
                f"another {more} go in. How many are in it?",
                f"A neighbour gets {given} of the {picked} pears that {name} has picked. {name} goes back to the "
                f"trees and brings {more} more. What is the number of pears now?",
            ]
        ),
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
        draw.choice(
            [
                f"A bus leaves the depot with {start} passengers. At the market {off1} get off and {on1} get on; at "
                f"the harbour {off2} "
                f"get off and {on2} get on. How many passengers are on the bus now?",
                f"{start} people sit in a bus. First stop: {off1} out, {on1} in. Second stop: {off2} out, {on2} in. "
                "How many people sit in it then?",
                f"How many passengers does a bus carry after two stops, if it set out with {start}, {off1} left and "
                f"{on1} came in at the first, and {off2} left and {on2} came in at the second?",
                f"The driver counts. At the start {start}; at the market minus {off1} and plus {on1}; at the "
                f"harbour minus {off2} and plus {on2}. What is the count now?",
            ]
        ),
        f"After the market: {start} - {off1} + {on1} = {first}.\nAfter the harbour: {first} - {off2} + {on2} = {last}.",
        last,
    )


def shelves(draw: Random) -> Asked:
    shelves, each, boxed = draw.randint(6, 18), draw.randint(14, 38), draw.randint(20, 90)
    return number(
        draw.choice(
            [
                f"A reading room has {shelves} shelves with {each} books each, and {boxed} books that are still in "
                "boxes. How many "
                "books are there in all?",
                f"How many books belong to a reading room with {boxed} books in boxes and {shelves} shelves that "
                f"hold {each} books each?",
                f"On each of {shelves} shelves there are {each} books. Another {boxed} have not been unpacked. What "
                "do they come to altogether?",
                f"{each} books stand on every shelf, there are {shelves} shelves, and {boxed} more books lie in "
                "boxes. Count all the books.",
            ]
        ),
        f"On shelves: {shelves} × {each} = {shelves * each}.\nWith the boxes: {shelves * each} + {boxed} = "
        f"{shelves * each + boxed}.",
        shelves * each + boxed,
    )


def bakery(draw: Random) -> Asked:
    name, count, cents = draw.choice(NAMES), draw.randint(3, 9), draw.randrange(85, 340, 5)
    total = count * cents
    note = next(note for note in (1000, 2000, 5000) if note > total)
    return number(
        draw.choice(
            [
                f"At the bakery {name} buys {count} rolls at {euros(cents)} each and pays with a {euros(note)} "
                "note. How much change is "
                "there, in euros?",
                f"{name} takes {count} rolls for {euros(cents)} each and hands over a note of {euros(note)}. How "
                "many euros come back?",
                f"A roll costs {euros(cents)}. What change, in euros, does {name} get from {euros(note)} for "
                f"{count} rolls?",
                f"{count} rolls, {euros(cents)} apiece, paid with {euros(note)}: how many euros does the baker give "
                "back?",
            ]
        ),
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
        draw.choice(
            [
                f"A sailor cuts a rope of {float(length):g} m into pieces of {piece} cm. Nothing is left over. How "
                "many pieces are "
                "there?",
                f"How many pieces of {piece} cm does a rope of {float(length):g} m give, if nothing remains?",
                f"{float(length):g} m of rope become pieces that are {piece} cm long, with no rest. How many are they?",
                f"For a net a sailor needs pieces of {piece} cm each and cuts up a whole rope of {float(length):g} "
                "m for them, to the very end. How many pieces does the sailor get?",
            ]
        ),
        f"{float(length):g} m are {piece * count} cm.\n{piece * count} ÷ {piece} = {count}.",
        count,
    )


def tiles(draw: Random) -> Asked:
    side, wide, long = draw.choice([20, 25, 40, 50]), draw.randint(6, 16), draw.randint(17, 30)
    return number(
        draw.choice(
            [
                f"A hall of {plain_m(side * long)} m by {plain_m(side * wide)} m is laid with square tiles of "
                f"{side} cm. How many tiles "
                "does that take?",
                f"How many square tiles with a side of {side} cm cover a floor of {plain_m(side * long)} m by "
                f"{plain_m(side * wide)} m exactly?",
                f"The floor is {plain_m(side * wide)} m wide and {plain_m(side * long)} m long. It will be covered "
                f"with square tiles, {side} cm on each side, without gaps. How many are used?",
                f"A tile is a square of {side} cm. A hall measures {plain_m(side * long)} m by "
                f"{plain_m(side * wide)} m. Find out how many tiles fill its floor.",
            ]
        ),
        f"Along the long side: {side * long} ÷ {side} = {long} tiles.\nAlong the short side: {side * wide} ÷ {side} "
        f"= {wide} "
        f"tiles.\n{long} × {wide} = {long * wide}.",
        long * wide,
    )


def plain_m(cm: int) -> str:
    return f"{cm / 100:g}"


def meadow(draw: Random) -> Asked:
    long, wide, gate = draw.randint(45, 120), draw.randint(20, 44), draw.randint(3, 6)
    around = 2 * (long + wide)
    return number(
        draw.choice(
            [
                f"A sheep meadow is {long} m long and {wide} m wide. It gets a fence all around, apart from a gate "
                f"of {gate} m. How many "
                "metres of fence are needed?",
                f"How much fence, in metres, goes around a meadow of {long} m by {wide} m if a gate of {gate} m "
                "needs none?",
                f"A rectangle of grass, {long} m by {wide} m, is fenced in. At one place {gate} m are left open for "
                "a gate. Find the length of the fence in metres.",
                f"Sheep will live on a field that is {wide} m wide and {long} m long. The farmer fences all of its "
                f"border but for {gate} m, where the gate will be. How many metres of fence does that take?",
            ]
        ),
        f"All around: 2 × ({long} + {wide}) = {around} m.\nWithout the gate: {around} - {gate} = {around - gate} m.",
        around - gate,
        "m",
    )


def novel(draw: Random) -> Asked:
    name, pages, days, left = draw.choice(NAMES), draw.randint(14, 36), draw.randint(5, 13), draw.randint(40, 160)
    total = pages * days + left
    return number(
        draw.choice(
            [
                f"{name} reads {pages} pages of a novel every evening. The novel has {total} pages. How many pages "
                "are still unread "
                "after "
                f"{days} evenings?",
                f"How many of the {total} pages of a novel has {name} not read after {days} evenings with {pages} "
                "pages each?",
                f"A novel of {total} pages, {pages} pages an evening. {days} evenings are over. How many pages does "
                f"{name} still have to read?",
                f"For {days} evenings {name} has been reading {pages} pages an evening. The book ends on page "
                f"{total}. What number of pages remains?",
            ]
        ),
        f"Read so far: {days} × {pages} = {days * pages}.\nUnread: {total} - {days * pages} = {left}.",
        left,
    )


def eggs(draw: Random) -> Asked:
    box, full, over = draw.choice([6, 10, 12]), draw.randint(13, 40), draw.randint(1, 5)
    total = box * full + over
    return number(
        draw.choice(
            [
                f"A farmer packs {total} eggs into boxes of {box}. Only full boxes are sold; the rest goes into the "
                "kitchen. How "
                "many eggs "
                "go into the kitchen?",
                f"{total} eggs are packed, {box} to a box. How many are left when no further box can be filled?",
                f"How many eggs does the farmer keep for the kitchen out of {total}, when every box must have "
                f"exactly {box} and as many boxes as possible are filled?",
                f"One box takes {box} eggs. There are {total} eggs, and a box that is not full is not sold. How "
                "many eggs cannot be sold?",
            ]
        ),
        f"{total} ÷ {box} gives {full} full boxes.\n{full} × {box} = {full * box}, and {total} - {full * box} = "
        f"{over}.",
        over,
    )


def piggy_bank(draw: Random) -> Asked:
    name, week, weeks, have = draw.choice(NAMES), draw.randint(6, 18), draw.randint(7, 25), draw.randint(19, 70)
    price = have + week * weeks
    return number(
        draw.choice(
            [
                f"{name} wants a bicycle lamp set for €{price}, has €{have} in a piggy bank and adds €{week} every "
                "week. After how many "
                "weeks is there enough?",
                f"How many weeks must {name} save €{week} a week, with €{have} there already, to have the €{price} "
                "for a set of lamps?",
                f"A lamp set costs €{price}. {name} owns €{have} and saves €{week} a week from now on. In how many "
                "weeks can it be bought?",
                f"{name} starts with €{have} and puts €{week} aside each week. The thing to be bought costs "
                f"€{price}. Count the weeks until then.",
            ]
        ),
        f"Missing: {price} - {have} = {price - have} euros.\n{price - have} ÷ {week} = {weeks}.",
        weeks,
    )


def frost(draw: Random) -> Asked:
    noon, drop, rise = draw.randint(-4, 7), draw.randint(9, 17), draw.randint(2, 7)
    night = noon - drop
    return number(
        draw.choice(
            [
                f"At noon the thermometer at a mountain hut shows {noon} degrees. Until midnight it falls by {drop} "
                "degrees, then "
                "it rises "
                f"by {rise} degrees until sunrise. What does it show at sunrise?",
                f"{noon} degrees at noon, then {drop} degrees less by midnight, then {rise} degrees more by "
                "sunrise. How many degrees is it at sunrise?",
                f"What is the temperature at sunrise if it was {noon} degrees at noon, dropped by {drop} degrees "
                f"during the evening and climbed by {rise} degrees towards morning?",
                f"By a hut in the mountains it gets {drop} degrees colder between noon and midnight, and {rise} "
                f"degrees warmer between midnight and sunrise. Noon: {noon} degrees. Sunrise: how many degrees?",
            ]
        ),
        f"At midnight: {noon} - {drop} = {night}.\nAt sunrise: {night} + {rise} = {night + rise}.",
        night + rise,
    )


def ferry(draw: Random) -> Asked:
    start, takes, late = draw.randrange(6 * 60, 20 * 60, 5), draw.randint(65, 170), draw.randint(4, 25)
    end = start + takes + late
    return clock(
        draw.choice(
            [
                f"A ferry that should sail at {time(start)} casts off {late} minutes late. The crossing takes "
                f"{takes // 60} h "
                f"{takes % 60} min. At what time does it land? Use 24-hour HH:MM.",
                f"When does a ferry arrive that was to leave at {time(start)}, left {late} minutes late and sailed "
                f"for {takes // 60} h {takes % 60} min? Give HH:MM.",
                f"Planned departure {time(start)}, delay {late} minutes, time at sea {takes // 60} h {takes % 60} "
                "min. At what time is the ferry on the other side (HH:MM)?",
                f"The ferry takes {takes // 60} h {takes % 60} min to cross. Because of fog it leaves {late} "
                f"minutes after {time(start)}. Write the time of landing as HH:MM.",
            ]
        ),
        f"It casts off at {time(start + late)}.\n{time(start + late)} plus {takes // 60} h {takes % 60} min is "
        f"{time(end)}.",
        end,
    )


def pancakes(draw: Random) -> Asked:
    people, each, guests = draw.choice([3, 4, 5, 6]), draw.randrange(30, 90, 5), draw.randint(7, 15)
    return number(
        draw.choice(
            [
                f"Pancakes for {people} people take {people * each} g of flour. How many grams of flour do {guests} "
                "people need?",
                f"{people * each} g of flour make pancakes for {people} people. What do {guests} people need, in "
                "grams?",
                f"A recipe for {people} asks for {people * each} g of flour. How many grams are that for {guests}?",
                f"How many grams of flour go into pancakes for {guests} guests, if {people} guests take "
                f"{people * each} g and all eat the same?",
            ]
        ),
        f"One person needs {people * each} ÷ {people} = {each} g.\n{guests} × {each} = {guests * each} g.",
        guests * each,
        "g",
    )


def choir(draw: Random) -> Asked:
    rows, each, ill, guests = draw.randint(4, 9), draw.randint(6, 12), draw.randint(2, 9), draw.randint(2, 8)
    there = rows * each - ill + guests
    return number(
        draw.choice(
            [
                f"A choir stands in {rows} rows of {each} singers. On the day of the concert {ill} are ill, and "
                f"{guests} singers of "
                "another choir help out. How many sing?",
                f"How many voices does a choir have at a concert when its {rows} rows of {each} lose {ill} singers "
                f"to a cold and {guests} guests come to help?",
                f"{rows} rows, {each} singers to a row. {ill} of them cannot come, but {guests} others step in. "
                "What is the number of singers?",
                f"Normally there are {each} singers in each of the {rows} rows of a choir. Tonight {ill} stay at "
                f"home and {guests} singers from elsewhere join. Count them.",
            ]
        ),
        f"{rows} × {each} = {rows * each}.\n{rows * each} - {ill} + {guests} = {there}.",
        there,
    )


def water_cans(draw: Random) -> Asked:
    cans, tenth, trips = draw.randint(2, 4), draw.choice([45, 55, 65, 75, 85]), draw.randint(3, 9)
    per_trip = Fraction(tenth * cans, 10)
    return number(
        draw.choice(
            [
                f"A gardener carries {cans} cans of {tenth / 10:g} litres each from the well on every trip. How "
                "many litres does "
                "that make in "
                f"{trips} trips?",
                f"How many litres come from the well in {trips} trips with {cans} cans of {tenth / 10:g} litres each?",
                f"Each can holds {tenth / 10:g} litres, and {cans} full cans are carried at a time. What do {trips} "
                "walks to the well bring, in litres?",
                f"{trips} times a gardener goes to the well and comes back with {cans} cans, each with "
                f"{tenth / 10:g} litres in it. How much water is that in litres?",
            ]
        ),
        f"A trip brings {cans} × {tenth / 10:g} = {float(per_trip):g} litres.\n{trips} × {float(per_trip):g} = "
        f"{float(per_trip * trips):g} litres.",
        per_trip * trips,
        "litres",
    )


EASY: list[Family] = [
    orchard, bus, shelves, bakery, rope, tiles, meadow, novel, eggs, piggy_bank, frost, ferry, pancakes, choir, water_cans,
]  # fmt: skip
