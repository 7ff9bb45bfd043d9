"""Training problems whose answer is a number. Easy level. Each function is a family."""

from fractions import Fraction
from random import Random

from authoring.math.notation import nonzero
from authoring.math.train_names import NAMES
from authoring.vocabulary import WORKDAYS
from verigym.environments.math.questions import Family, Question, euros, number, plain, terms


def orchard(draw: Random) -> Question:
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


def bus(draw: Random) -> Question:
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


def shelves(draw: Random) -> Question:
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


def bakery(draw: Random) -> Question:
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


def rope(draw: Random) -> Question:
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


def tiles(draw: Random) -> Question:
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


def meadow(draw: Random) -> Question:
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


def novel(draw: Random) -> Question:
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


def eggs(draw: Random) -> Question:
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


def piggy_bank(draw: Random) -> Question:
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


def frost(draw: Random) -> Question:
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


def pancakes(draw: Random) -> Question:
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


def choir(draw: Random) -> Question:
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


def water_cans(draw: Random) -> Question:
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


def photo_album(draw: Random) -> Question:
    page, photos, name = draw.choice([4, 6, 8, 9]), draw.randint(50, 190), draw.choice(NAMES)
    pages = -(-photos // page)
    full = photos // page
    return number(
        draw.choice(
            [
                f"{name} glues {photos} holiday photos into an album. A page takes {page} of them. How many pages "
                "get at least one photo, if no page is left half empty before the next is begun?",
                f"{photos} photos, {page} to a page, one page filled after the other. On how many pages of the "
                "album are there photos?",
                f"An album has room for {page} photos on a page. {name} has {photos} and fills page after page. How "
                "many pages are used, the last one included?",
                f"How many album pages does {name} need for {photos} photos when each page holds {page}? The last "
                "page need not be full.",
            ]
        ),
        f"{photos} ÷ {page} gives {full} full pages"
        + (f", and {photos - full * page} left over need one more: {pages}." if pages > full else "."),
        pages,
    )


def age_chain(draw: Random) -> Question:
    one, two, three = draw.sample(NAMES, 3)
    young, times, less = draw.randint(4, 9), draw.choice([2, 3, 4]), draw.randint(2, 6)
    middle = young * times
    return number(
        draw.choice(
            [
                f"{one} is {young}. {two} is {times} times as old as {one}, and {three} is {less} years younger "
                f"than {two}. How old is {three}?",
                f"How old is {three}, who is {less} years younger than {two}? {two} is {times} times as old as "
                f"{one}, and {one} is {young}.",
                f"Three cousins: {two} has lived {times} times as long as {one}, who is {young} years old, and "
                f"{three} is {less} years behind {two}. Give the age of {three}.",
                f"{three} is {less} years younger than {two}; {two} is {times} times the age of {one}; {one} is "
                f"{young}. What is the age of {three}?",
            ]
        ),
        f"{two}: {times} × {young} = {middle}.\n{three}: {middle} - {less} = {middle - less}.",
        middle - less,
    )


def honey_jars(draw: Random) -> Question:
    honey, glass, jars = draw.randrange(250, 600, 50), draw.randrange(120, 240, 10), draw.randint(3, 12)
    total = Fraction(honey * jars, 1000)
    return number(
        draw.choice(
            [
                f"A full jar of honey weighs {honey + glass} g, the empty jar {glass} g. How many kilograms of "
                f"honey are in {jars} such jars?",
                f"On the scales, a jar with honey in it shows {honey + glass} g; washed and empty it shows {glass} "
                f"g. {jars} full jars stand on the shelf. How much honey is that, in kg?",
                f"The glass alone weighs {glass} g, and filled with honey it is {honey + glass} g. What does the "
                f"honey in {jars} jars weigh in kilograms, without the glass?",
                f"{jars} jars of honey, each {honey + glass} g in all, of which {glass} g are glass. How many kg of "
                "honey can be eaten?",
            ]
        ),
        f"One jar holds {honey + glass} - {glass} = {honey} g.\n{jars} × {honey} = {honey * jars} g, which are "
        f"{plain(total)} kg.",
        total,
        "kg",
    )


def seat_row(draw: Random) -> Question:
    row, seat = draw.randint(12, 24), draw.randint(60, 330)
    which = -(-seat // row)
    return number(
        draw.choice(
            [
                f"The seats of a cinema are numbered from the front, row after row, with {row} in each row. In "
                f"which row is seat {seat}?",
                f"My ticket says seat {seat}. Every row here has {row} seats, and the numbers run on from row 1 to "
                "row 2 and so on. Which row must I look for?",
                f"Row 1 has the seats 1 to {row}, row 2 goes on from {row + 1}, and every row is equally long. What "
                f"row does seat number {seat} belong to?",
                f"Seats are counted through without starting again: {row} in the first row, {row} in the next, and "
                f"so on. Find the row of seat {seat}.",
            ]
        ),
        f"{which - 1} rows end with seat {(which - 1) * row}, and {which} rows end with seat {which * row}.\nSeat "
        f"{seat} is in row {which}.",
        which,
    )


def fence_posts(draw: Random) -> Question:
    gap, gaps = draw.choice([2, 3, 4, 5, 6]), draw.randint(9, 48)
    return number(
        draw.choice(
            [
                f"Posts are set along a straight lane of {gap * gaps} m, one every {gap} m, with one at each end. "
                "How many posts is that?",
                f"A straight wire fence will be {gap * gaps} m long. The posts stand {gap} m apart, and the first "
                "and last stand at the very ends. How many posts must be bought?",
                f"How many posts does a straight fence of {gap * gaps} m have, when it begins and ends with a post "
                f"and the distance from each to the next is {gap} m?",
                f"Between two neighbouring posts there are {gap} m; from the first post to the last there are "
                f"{gap * gaps} m in a straight line. Count the posts.",
            ]
        ),
        f"There are {gap * gaps} ÷ {gap} = {gaps} gaps.\nThere is one post more than gaps: {gaps + 1}.",
        gaps + 1,
    )


def saw_cuts(draw: Random) -> Question:
    pieces, minutes = draw.randint(5, 14), draw.randint(2, 7)
    total = (pieces - 1) * minutes
    name = draw.choice(NAMES)
    return number(
        draw.choice(
            [
                f"{name} saws a log into {pieces} pieces. Each cut takes {minutes} minutes. How many minutes of "
                "sawing is that?",
                f"A log is to become {pieces} pieces, cut off one after another, at {minutes} minutes a cut. How "
                "long does the sawing take, in minutes?",
                f"To cut once through a beam takes {name} {minutes} minutes. How many minutes are needed to turn "
                f"the whole beam into {pieces} pieces, cut by cut?",
                f"How many minutes does it take to divide one long trunk into {pieces} lengths, if every single cut "
                f"takes {minutes} minutes and nothing is stacked?",
            ]
        ),
        f"{pieces} pieces need {pieces - 1} cuts.\n{pieces - 1} × {minutes} = {total} minutes.",
        total,
        "minutes",
    )


def drops(draw: Random) -> Question:
    each, times, days = draw.randint(4, 15), draw.choice([2, 3, 4]), draw.randint(6, 30)
    bottle = each * times * days
    return number(
        draw.choice(
            [
                f"A small bottle holds {bottle} drops of medicine. {times} times a day {each} drops are taken. For "
                "how many days does the bottle last?",
                f"Take {each} drops {times} times a day, says the label. The bottle contains {bottle} drops. After "
                "how many days is it empty?",
                f"{bottle} drops are in the bottle; a patient needs {each} of them at a time, and that {times} "
                "times daily. How many days will they do?",
                f"How many days can one go on with {bottle} drops, using {times} doses of {each} drops every day?",
            ]
        ),
        f"A day takes {times} × {each} = {times * each} drops.\n{bottle} ÷ {times * each} = {days} days.",
        days,
        "days",
    )


def third_angle(draw: Random) -> Question:
    one, two = draw.randint(25, 84), draw.randint(25, 84)
    return number(
        draw.choice(
            [
                f"Two angles of a triangle measure {one}° and {two}°. How many degrees has the third?",
                f"In a triangular sail the corner at the mast has {one} degrees and the corner at the top {two} "
                "degrees. What is the angle at the remaining corner, in degrees?",
                f"A triangle has the angles {one}°, {two}° and w. What is w in degrees?",
                f"A roof seen from the front is a triangle. On the left it rises at an angle of {one}°, on the "
                f"right at {two}°. Find the angle at the ridge, in degrees.",
            ]
        ),
        f"The angles of a triangle add up to 180.\n180 - {one} - {two} = {180 - one - two}.",
        180 - one - two,
    )


def coldest_day(draw: Random) -> Question:
    values = draw.sample(range(-14, 9), 5)
    values[draw.randrange(5)] = -draw.randint(15, 22)
    low, high = min(values), max(values)
    listed = ", ".join(f"{day} {value}" for day, value in zip(WORKDAYS, values, strict=True))
    return number(
        draw.choice(
            [
                f"Temperatures at seven in the morning, in degrees: {listed}. By how many degrees do the warmest "
                "and the coldest morning differ?",
                f"A weather station noted these degrees: {listed}. How large is the gap between the highest and the "
                "lowest of them?",
                f"{listed} (all in degrees). How many degrees lie between the coldest and the warmest of these days?",
                f"Here is a winter week, in degrees. {listed}. Take the lowest value away from the highest. What "
                "comes out?",
            ]
        ),
        f"The highest is {high}, the lowest {low}.\n{high} - ({low}) = {high - low}.",
        high - low,
    )


def brown_hens(draw: Random) -> Question:
    top, bottom = draw.choice([(1, 3), (2, 5), (3, 4), (3, 8), (5, 6), (2, 7), (4, 9)])
    each = draw.randint(7, 30)
    total, brown = bottom * each, top * each
    return number(
        draw.choice(
            [
                f"{top}/{bottom} of the {total} hens on a farm are brown and all the others are white. How many "
                "white hens are there?",
                f"A farm keeps {total} hens, brown and white ones. The brown ones make up {top}/{bottom}. How many "
                "are white?",
                f"How many of {total} hens are white if {top}/{bottom} of them are brown and there is no third colour?",
                f"There are only brown and white hens in the yard, {total} altogether. The fraction of brown ones "
                f"is {top}/{bottom}. Count the white ones.",
            ]
        ),
        f"Brown: {total} ÷ {bottom} × {top} = {brown}.\nWhite: {total} - {brown} = {total - brown}.",
        total - brown,
    )


def one_unknown(draw: Random) -> Question:
    a, x, b = draw.randint(2, 12), nonzero(draw, -12, 15), nonzero(draw, -30, 30)
    return number(
        draw.choice(
            [
                f"Solve for x: {terms(x=a, one=b)} = {a * x + b}",
                f"{terms(x=a, one=b)} = {a * x + b}. What is x?",
                f"Which number x makes {terms(x=a, one=b)} equal to {a * x + b}?",
                f"Find the value of x with {terms(x=a, one=b)} = {a * x + b}.",
            ]
        ),
        f"{a}x = {a * x + b} {'-' if b > 0 else '+'} {abs(b)} = {a * x}.\nx = {a * x} ÷ {a} = {x}.",
        x,
    )


def evaluate(draw: Random) -> Question:
    a, b, c, x = draw.randint(2, 6), nonzero(draw, -9, 9), nonzero(draw, -20, 20), nonzero(draw, -6, 7)
    return number(
        draw.choice(
            [
                f"What is {terms(x2=a, x=b, one=c)} for x = {x}?",
                f"Put x = {x} into {terms(x2=a, x=b, one=c)}. What is the result?",
                f"Let x = {x}. Work out {terms(x2=a, x=b, one=c)}.",
                f"Find the value of {terms(x2=a, x=b, one=c)} at x = {x}.",
            ]
        ),
        f"{a} × ({x})^2 = {a * x * x}, and {b} × ({x}) = {b * x}.\n{a * x * x} + ({b * x}) + ({c}) = "
        f"{a * x * x + b * x + c}.",
        a * x * x + b * x + c,
    )


EASY: list[Family] = [
    orchard,
    bus,
    shelves,
    bakery,
    rope,
    tiles,
    meadow,
    novel,
    eggs,
    piggy_bank,
    frost,
    pancakes,
    choir,
    water_cans,
    one_unknown,
    evaluate,
    photo_album,
    age_chain,
    honey_jars,
    seat_row,
    fence_posts,
    saw_cuts,
    drops,
    third_angle,
    coldest_day,
    brown_hens,
]
