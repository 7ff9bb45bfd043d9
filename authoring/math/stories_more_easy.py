"""More word problems to learn from that take one or two steps, each told in several ways. A function is a family."""

from fractions import Fraction
from random import Random

from authoring.math.stories_easy import NAMES
from verigym.environments.math.asked import Asked, Family, number, plain


def photo_album(draw: Random) -> Asked:
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


def age_chain(draw: Random) -> Asked:
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


def honey_jars(draw: Random) -> Asked:
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


def seat_row(draw: Random) -> Asked:
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


def fence_posts(draw: Random) -> Asked:
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


def saw_cuts(draw: Random) -> Asked:
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


def drops(draw: Random) -> Asked:
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


def third_angle(draw: Random) -> Asked:
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


def coldest_day(draw: Random) -> Asked:
    days = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday"]
    values = draw.sample(range(-14, 9), 5)
    values[draw.randrange(5)] = -draw.randint(15, 22)
    low, high = min(values), max(values)
    listed = ", ".join(f"{day} {value}" for day, value in zip(days, values, strict=True))
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


def brown_hens(draw: Random) -> Asked:
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


EASY: list[Family] = [
    photo_album, age_chain, honey_jars, seat_row, fence_posts, saw_cuts, drops, third_angle, coldest_day, brown_hens,
]  # fmt: skip
