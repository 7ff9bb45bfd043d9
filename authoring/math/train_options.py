"""Training problems whose answer is one of several given names. Each function is a family."""

from fractions import Fraction
from itertools import pairwise
from random import Random

from authoring.math.train_names import NAMES
from authoring.vocabulary import MONTHS, WEEKDAYS
from verigym.environments.math.questions import Family, Question, euros, option


def rice(draw: Random) -> Question:
    shops = draw.sample(["Adler", "Brandt", "Corso", "Delta", "Emme", "Fuchs"], 4)
    prices = draw.sample(range(180, 330, 6), 4)
    kilos = [draw.choice([2, 3, 5, 8]) for _ in shops]
    listed = "; ".join(
        f"{shop}: {kg} kg for {euros(price * kg)}" for shop, kg, price in zip(shops, kilos, prices, strict=True)
    )
    best = shops[prices.index(min(prices))]
    work = "\n".join(f"{shop}: {euros(price)} a kilo." for shop, price in zip(shops, prices, strict=True))
    return option(
        draw.choice(
            [
                f"Four shops sell rice. {listed}. In which shop is a kilo cheapest?",
                f"Where does rice cost least by the kilo? {listed}.",
                f"Compare the price of rice per kilo. {listed}. Which shop is cheapest?",
                f"{listed}. These are offers for rice. Name the shop with the lowest price for one kilo.",
            ]
        ),
        work,
        best,
        shops,
    )


def calendar(draw: Random) -> Question:
    first, later = draw.randrange(7), draw.randint(24, 320)
    day = WEEKDAYS[(first + later) % 7]
    return option(
        draw.choice(
            [
                f"A festival began on a {WEEKDAYS[first]}. Which day of the week was it {later} days later?",
                f"Today is {WEEKDAYS[first]}. Which weekday will it be in {later} days?",
                f"{later} days after a {WEEKDAYS[first]}: what day of the week is that?",
                f"A parcel was posted on a {WEEKDAYS[first]} and found again exactly {later} days later. On which "
                "weekday was it found?",
            ]
        ),
        f"{later} ÷ 7 leaves {later % 7}.\nCounting on {later % 7} from {WEEKDAYS[first]} gives {day}.",
        day,
        WEEKDAYS,
    )


def by_height(draw: Random) -> Question:
    names = draw.sample(NAMES, 4)
    pairs = list(pairwise(names))
    place = draw.choice([1, 2])
    word = {1: "second tallest", 2: "second shortest"}[place]
    draw.shuffle(pairs)
    said = [f"{a} is taller than {b}" if draw.random() < 0.5 else f"{b} is shorter than {a}" for a, b in pairs]
    return option(
        draw.choice(
            [
                f"{said[0]}. {said[1]}. {said[2]}. Which of the four is the {word}?",
                f"Four friends compare their heights: {said[0]}, {said[1]}, and {said[2]}. Who is the {word} of them?",
                f"Who of these four is the {word}? {said[0]}; {said[1]}; {said[2]}.",
                f"We know that {said[0]}. We also know that {said[1]} and that {said[2]}. Name the {word} of the four.",
            ]
        ),
        f"From tall to short: {', '.join(names)}.\nThe {word} is {names[place]}.",
        names[place],
        names,
    )


def longest_plank(draw: Random) -> Question:
    woods = draw.sample(["oak", "pine", "beech", "ash", "birch", "larch"], 4)
    sizes = draw.sample(range(850, 2400, 10), 4)
    shown = [draw.choice([f"{mm / 1000:g} m", f"{mm / 10:g} cm", f"{mm} mm"]) for mm in sizes]
    listed = ", ".join(f"{wood} {size}" for wood, size in zip(woods, shown, strict=True))
    long = draw.random() < 0.5
    best = woods[sizes.index(max(sizes) if long else min(sizes))]
    word = "longest" if long else "shortest"
    return option(
        draw.choice(
            [
                f"Four planks lie in a workshop: {listed}. Which wood is the {word} plank made of?",
                f"The boards are {listed}. Of which wood is the {word} piece?",
                f"A joiner measured four boards, not always in the same unit: {listed}. Name the wood of the {word} "
                "one.",
                f"Of the boards {listed}, which is the {word}? Name its wood.",
            ]
        ),
        "In millimetres: "
        + ", ".join(f"{wood} {size}" for wood, size in zip(woods, sizes, strict=True))
        + f".\nThe {word} is {best}.",
        best,
        woods,
    )


def day_talk(draw: Random) -> Question:
    today, shift = draw.randrange(7), draw.choice([-4, -3, -2, 2, 3, 4])
    more = draw.choice([2, 3])
    other = WEEKDAYS[(today + shift) % 7]
    right = WEEKDAYS[(today + more) % 7]
    then = f"{abs(shift)} days ago it was {other}" if shift < 0 else f"in {shift} days it will be {other}"
    return option(
        draw.choice(
            [
                f"If {then}, which day of the week will it be {more} days from today?",
                f"We know only this: {then}. What weekday comes {more} days after today?",
                f"Suppose that {then}. Then {more} days from now it is which day?",
                f"Which weekday is it {more} days after today, given that {then}?",
            ]
        ),
        f"Today is {WEEKDAYS[today]}.\n{more} days later it is {right}.",
        right,
        WEEKDAYS,
    )


def odd_one(draw: Random) -> Question:
    of = draw.choice([6, 7, 8, 9, 11, 12])
    good = draw.sample([of * each for each in range(5, 26)], 4)
    bad = of * draw.randint(5, 25) + draw.randint(1, of - 1)
    numbers = [*good, bad]
    draw.shuffle(numbers)
    listed = ", ".join(map(str, numbers))
    return option(
        draw.choice(
            [
                f"Four of the numbers {listed} can be divided by {of} without a remainder. Which one cannot?",
                f"Which of {listed} is not a multiple of {of}?",
                f"One of these numbers is not in the {of} times table: {listed}. Which is it?",
                f"Bags of {of} apples are packed. With which of the amounts {listed} would some apples be left over?",
            ]
        ),
        "\n".join(f"{each} = {each // of} × {of}{f' + {each % of}' if each % of else ''}." for each in numbers),
        str(bad),
        map(str, numbers),
    )


def largest_fraction(draw: Random) -> Question:
    pool = [Fraction(a, b) for b in (3, 4, 5, 6, 7, 8, 9, 10) for a in range(1, b) if Fraction(a, b).denominator == b]
    given = draw.sample(pool, 4)
    large = draw.random() < 0.5
    best = max(given) if large else min(given)
    word = "largest" if large else "smallest"
    listed = ", ".join(map(str, given))
    return option(
        draw.choice(
            [
                f"Which of these fractions is the {word}: {listed}?",
                f"Put {listed} in order of size. Which one is the {word}?",
                f"Find the {word} among the fractions {listed}.",
                f"Four jugs of one size are filled to {listed}. Which of these fractions stands for the jug with "
                f"the {'most' if large else 'least'} in it?",
            ]
        ),
        "As decimals: " + ", ".join(f"{each} = {float(each):.3f}" for each in given) + f".\nThe {word} is {best}.",
        str(best),
        map(str, given),
    )


def league(draw: Random) -> Question:
    teams = draw.sample(["Falcons", "Otters", "Badgers", "Herons", "Lynxes", "Ravens"], 4)
    results = [(draw.randint(2, 8), draw.randint(0, 6)) for _ in teams]
    points = [3 * wins + draws for wins, draws in results]
    while len(set(points)) < 4:
        spot = draw.randrange(4)
        results[spot] = (draw.randint(2, 8), draw.randint(0, 6))
        points = [3 * wins + draws for wins, draws in results]
    place = draw.choice([0, 1, 3])
    word = {0: "leads the table", 1: "is second in the table", 3: "is last in the table"}[place]
    right = teams[points.index(sorted(points, reverse=True)[place])]
    listed = "; ".join(f"{team}: {wins} won, {draws} drawn" for team, (wins, draws) in zip(teams, results, strict=True))
    return option(
        draw.choice(
            [
                f"A win brings 3 points, a draw 1 point, a defeat nothing. {listed}. Which team {word}?",
                f"Handball, so far: {listed}; the rest was lost. There are 3 points for a win and 1 for a draw. Who "
                f"{word}?",
                f"{listed}. Count 3 points for every match won and 1 for every match drawn. Which of the four {word}?",
                f"Which team {word}, with 3 points for winning and 1 for drawing? {listed}.",
            ]
        ),
        "\n".join(
            f"{team}: 3 × {wins} + {draws} = {each}."
            for team, (wins, draws), each in zip(teams, results, points, strict=True)
        ),
        right,
        teams,
    )


def boat_hire(draw: Random) -> Question:
    names = draw.sample(["Seerose", "Anker", "Wellen", "Ufer", "Hafen"], 3)
    hours = draw.randint(3, 9)
    offers = [(draw.randrange(4, 30, 2), draw.randint(4, 14)) for _ in names]
    totals = [base + each * hours for base, each in offers]
    while len(set(totals)) < 3:
        spot = draw.randrange(3)
        offers[spot] = (draw.randrange(4, 30, 2), draw.randint(4, 14))
        totals = [base + each * hours for base, each in offers]
    best = names[totals.index(min(totals))]
    listed = "; ".join(
        f"{name}: €{base} once and €{each} an hour" for name, (base, each) in zip(names, offers, strict=True)
    )
    return option(
        draw.choice(
            [
                f"Three boat hires ask for a fixed price and so much an hour. {listed}. Who is cheapest for {hours} "
                "hours?",
                f"We want a rowing boat for {hours} hours and would like to pay as little as possible. {listed}. "
                "Where do we go?",
                f"Compare: {listed}. Which of them has the lowest total for {hours} hours?",
                f"For {hours} hours on the lake, which hire costs least? {listed}.",
            ]
        ),
        "\n".join(
            f"{name}: {base} + {hours} × {each} = {total}."
            for name, (base, each), total in zip(names, offers, totals, strict=True)
        ),
        best,
        names,
    )


def bead_chain(draw: Random) -> Question:
    colours = draw.sample(["red", "blue", "yellow", "green", "black", "white"], draw.choice([3, 4]))
    counts = [draw.randint(1, 4) for _ in colours]
    cycle = [colour for colour, count in zip(colours, counts, strict=True) for _ in range(count)]
    place = draw.randint(40, 240)
    right = cycle[(place - 1) % len(cycle)]
    listed = ", then ".join(f"{count} {colour}" for colour, count in zip(colours, counts, strict=True))
    return option(
        draw.choice(
            [
                f"Beads are threaded in this order, again and again: {listed}. Which colour has bead number {place}?",
                f"A chain repeats the pattern {listed} from its first bead on. What colour is bead {place}?",
                f"{listed}, and then the same from the start: so a long chain of beads is made. Name the colour of "
                f"the bead in place {place}.",
                f"What is the colour of bead {place} if the beads go {listed}, over and over?",
            ]
        ),
        f"The pattern has {len(cycle)} beads.\n{place} ÷ {len(cycle)} leaves {place % len(cycle)}, so it is "
        + (
            f"bead {place % len(cycle)} of the pattern: {right}."
            if place % len(cycle)
            else f"the last of the pattern: {right}."
        ),
        right,
        colours,
    )


def months_on(draw: Random) -> Question:
    start, later = draw.randrange(12), draw.randint(15, 70)
    back = draw.random() < 0.4
    right = MONTHS[(start - later if back else start + later) % 12]
    when = "before" if back else "after"
    return option(
        draw.choice(
            [
                f"It is {MONTHS[start]}. Which month {'was it' if back else 'will it be'} {later} months "
                f"{'ago' if back else 'from now'}?",
                f"Name the month that comes {later} months {when} {MONTHS[start]}.",
                f"A contract over {later} months {'ended' if back else 'began'} in {MONTHS[start]}. In which month, "
                f"{later} months {'earlier, did it begin' if back else 'later, does it end'}?",
                f"Counting {later} months {'back' if back else 'on'} from {MONTHS[start]}, which month does one "
                "arrive at?",
            ]
        ),
        f"{later} ÷ 12 leaves {later % 12}.\n{later % 12} months {when} {MONTHS[start]} is {right}.",
        right,
        MONTHS,
    )


def fastest_growth(draw: Random) -> Question:
    plants = draw.sample(["sunflower", "maize", "hop", "bean", "vine", "pumpkin"], 4)
    rates = draw.sample([10, 20, 25, 40, 50, 60, 75, 80], 4)
    starts = [draw.randrange(20, 140, 20) for _ in plants]
    ends = [start * (100 + rate) // 100 for start, rate in zip(starts, rates, strict=True)]
    best = plants[rates.index(max(rates))]
    listed = "; ".join(f"{plant} from {a} to {b} cm" for plant, a, b in zip(plants, starts, ends, strict=True))
    return option(
        draw.choice(
            [
                f"In a week four plants grew: {listed}. Which grew most in percent of its first height?",
                f"Over one week: {listed}. Judged by percent and not by centimetres, which plant gained the most?",
                f"A class compares plants: {listed}. Whose growth is the largest relative to where it started?",
                f"Which plant had the highest percentage of growth: {listed}?",
            ]
        ),
        "\n".join(f"{plant}: {rate}%." for plant, rate in zip(plants, rates, strict=True)),
        best,
        plants,
    )


def one_truth(draw: Random) -> Question:
    names = draw.sample(NAMES, 3)
    while True:
        claims = [(draw.choice(names), draw.random() < 0.5) for _ in names]
        fits = [who for who in names if sum((accused == who) == says for accused, says in claims) == 1]
        if len(fits) == 1:
            break
    said = [
        f'"It was {"" if says else "not "}{"me" if accused == name else accused}"'
        for name, (accused, says) in zip(names, claims, strict=True)
    ]
    talk = " ".join(f"{name} says: {words}." for name, words in zip(names, said, strict=True))
    three = f"{names[0]}, {names[1]} or {names[2]}"
    return option(
        draw.choice(
            [
                f"Either {three} broke the window, one of them alone. {talk} Just one of the three statements is "
                "true. Who broke it?",
                f"One child, {three}, ate the cake. {talk} Two of them are lying and one tells the truth. Who ate it?",
                f"{talk} Exactly one of these statements is true, and exactly one of the three left the gate open. "
                "Which of them was it?",
                f"Who hid the key: {three}? It was one of them. {talk} Only one of them speaks the truth.",
            ]
        ),
        "\n".join(
            f"If it was {who}, true statements: {sum((accused == who) == says for accused, says in claims)}."
            for who in names
        ),
        fits[0],
        names,
    )


def four_chairs(draw: Random) -> Question:
    order = draw.sample(NAMES, 4)
    a, b, c, d = order
    clues = draw.choice(
        [
            [f"{a} sits at the left end", f"{c} sits directly between {b} and {d}", f"{b} sits next to {a}"],
            [
                f"{d} sits at the right end",
                f"{a} does not sit next to {d}",
                f"{c} sits next to {d}",
                f"{a} sits to the left of {b}",
            ],
            [
                f"{b} sits second from the left",
                f"{d} sits somewhere to the right of {c}",
                f"{c} sits somewhere to the right of {b}",
            ],
            [f"{a} and {d} sit at the two ends", f"{b} sits next to {a}", f"{c} sits to the right of {b}"],
        ]
    )
    draw.shuffle(clues)
    told = ". ".join(clues)
    seats = ["at the left end", "second from the left", "second from the right", "at the right end"]
    seat = draw.choice([each for each in seats if each not in told])
    return option(
        draw.choice(
            [
                f"{', '.join(sorted(order)[:3])} and {sorted(order)[3]} sit in a row of four chairs, seen from the "
                f"front. {told}. Who sits {seat}?",
                f"Four chairs in a row, four people. {told}. Which of {', '.join(sorted(order))} sits {seat}?",
                f"Who is found {seat} of a bench for four? {told}. The four are {', '.join(sorted(order))}.",
                f"{told}. These are {', '.join(sorted(order))} on a bench with four places in a line. Find out who "
                f"is {seat}.",
            ]
        ),
        f"The only order from left to right that fits all of it is {', '.join(order)}.",
        order[seats.index(seat)],
        order,
    )


def swaps(draw: Random) -> Question:
    kinds = draw.choice(
        [("apples", "plums", "figs"), ("shells", "stones", "feathers"), ("cards", "stickers", "badges")]
    )
    one, two = draw.randint(2, 5), draw.randint(2, 5)
    other, last = draw.randint(2, 7), draw.randint(2, 7)
    while one == other or two == last or one * two == other * last:
        other, last = draw.randint(2, 7), draw.randint(2, 7)
    a, b, c = kinds
    worth = {a: Fraction(1), b: Fraction(one, other), c: Fraction(one, other) * Fraction(two, last)}
    most = draw.random() < 0.5
    right = max(worth, key=worth.__getitem__) if most else min(worth, key=worth.__getitem__)
    word = "most" if most else "least"
    return option(
        draw.choice(
            [
                f"At a swap meet {one} {a} are worth as much as {other} {b}, and {two} {b} as much as {last} {c}. "
                f"Of which kind is a single piece worth {word}: {a}, {b} or {c}?",
                f"{other} {b} are given for {one} {a}, and {last} {c} for {two} {b}. Compare one piece of each "
                f"kind: which kind, {a}, {b} or {c}, is worth {word}?",
                f"Children trade {a}, {b} and {c}. Fair trades are {two} {b} against {last} {c}, and {one} {a} "
                f"against {other} {b}. Of which kind is one piece worth the {word}?",
                f"Which kind has the {'highest' if most else 'lowest'} value per piece, if {one} {a} equal {other} "
                f"{b} in value and {two} {b} equal {last} {c}?",
            ]
        ),
        f"Count in {a}: one of the {b} is worth {worth[b]}, and one of the {c} {two}/{last} of that, which is "
        f"{worth[c]}.\nThe {word} is one of the {right}.",
        right,
        kinds,
    )


def knockout(draw: Random) -> Question:
    names = draw.sample(NAMES, 4)
    shown, count = draw.sample(names, 4), draw.choice([1, 2])
    facts = [
        f"{names[0]} beat {names[1]}",
        f"{names[2]} lost to {names[1]} but won against somebody",
        draw.choice([f"{names[3]} lost to {names[0]}", f"{names[0]} beat {names[3]}"]),
        f"{names[0]} and {names[2]} played, and {names[2]} did not win",
        f"{names[3]} did not beat {names[1]}",
    ]
    draw.shuffle(facts)
    listed = f"{', '.join(shown[:3])} and {shown[3]}"
    told = "; ".join(facts)
    games = "exactly one game" if count == 1 else "exactly two games"
    return option(
        draw.choice(
            [
                f"{listed} each played once against each other, and no game was drawn. {told}. Who won {games}?",
                f"Table tennis, everyone against everyone once, always with a winner: {listed}. {told}. Which of "
                f"them won {games}?",
                f"{told}. They are four players, {listed}; each met each of the others once, and there are no draws "
                f"in this game. Name the one with {'one win' if count == 1 else 'two wins'}.",
                f"Who won {games} in this small tournament of {listed}? All pairs played one game, each with a "
                f"winner. {told}.",
            ]
        ),
        f"Wins: {', '.join(f'{name} {3 - place}' for place, name in enumerate(names))}.",
        names[3 - count],
        names,
    )


EASY: list[Family] = [
    by_height,
    longest_plank,
    day_talk,
    odd_one,
    largest_fraction,
]
MEDIUM: list[Family] = [
    rice,
    calendar,
    league,
    boat_hire,
    bead_chain,
    months_on,
    fastest_growth,
]
HARD: list[Family] = [
    one_truth,
    four_chairs,
    swaps,
    knockout,
]
