"""Held-out jobs about CSV tables that are filtered, joined, summed, checked or rewritten. Each function is a family."""

from collections import Counter
from random import Random

from authoring.shell.jobs import Job, lines, names, table
from authoring.shell.val_words import CREW, PLANTS, ROOMS, SHIPS


def on_one_list_only(draw: Random) -> Job:
    one, two = draw.sample(ROOMS, 2)
    crew = [f"{who} {ship}" for who in names(draw, 6, CREW) for ship in names(draw, 3, SHIPS)]
    invited, came = draw.sample(crew, 14), draw.sample(crew, 10)
    absent = sorted(set(invited) - set(came))
    return Job(
        f"{one}.lst has everybody whom we invited, {two}.lst everybody who came, and neither is sorted. Who was"
        " invited and did not come? Put them into absent.lst in alphabetical order of bytes, a name on each line.",
        {f"{one}.lst": lines(invited), f"{two}.lst": lines(came)},
        [f"comm -23 <(LC_ALL=C sort {one}.lst) <(LC_ALL=C sort {two}.lst) > absent.lst; cat absent.lst"],
        {"absent.lst": lines(absent)},
    )


def side_by_side(draw: Random) -> Job:
    first, second = draw.sample(ROOMS, 2)
    left, right = names(draw, 11, CREW), [f"0{draw.randint(200, 999)} {draw.randint(10000, 99999)}" for _ in range(11)]
    return Job(
        f"Line by line, {first}.col and {second}.col belong together. Lay them side by side in pairs.txt with a"
        " semicolon in between.",
        {f"{first}.col": lines(left), f"{second}.col": lines(right)},
        [f"paste -d';' {first}.col {second}.col > pairs.txt"],
        {"pairs.txt": lines([f"{a};{b}" for a, b in zip(left, right, strict=True)])},
    )


def on_every_day(draw: Random) -> Job:
    room, crew = draw.choice(ROOMS), names(draw, 12, CREW)
    days = {f"{room}/day{n}.lst": [who for who in draw.sample(crew, 12) if draw.random() < 0.75] for n in range(1, 5)}
    every = set.intersection(*map(set, days.values()))
    return Job(
        f"{room}/day1.lst to day4.lst are visitors of four days, no name twice on a day. What is the number of those"
        " who came on all four?",
        {path: lines(who) for path, who in days.items()},
        [f"cat {room}/day?.lst | sort | uniq -c | awk '$1 == 4' | wc -l"],
        answer=str(len(every)),
    )


def long_to_wide(draw: Random) -> Job:
    room, plants = draw.choice(ROOMS), sorted(names(draw, 5, PLANTS))
    heights = {plant: {month: draw.randint(1, 90) for month in ("may", "june", "july")} for plant in plants}
    rows: list[list[object]] = [[plant, month, height] for plant in plants for month, height in heights[plant].items()]
    draw.shuffle(rows)
    wide: list[list[object]] = [[plant, *heights[plant].values()] for plant in plants]
    return Job(
        f"{room}.csv has a measurement on each line: plant, month, height. Turn it round into wide.csv: first"
        " plant,may,june,july, then one line for every plant with its three heights, plants from a to z.",
        {f"{room}.csv": table(["plant", "month", "height"], rows)},
        [
            f"for m in may june july; do grep ,$m, {room}.csv | sort | cut -d, -f1,3 > /tmp/$m; done",
            "(echo plant,may,june,july; join -t, /tmp/may /tmp/june | join -t, - /tmp/july) > wide.csv; cat wide.csv",
        ],
        {"wide.csv": table(["plant", "may", "june", "july"], wide)},
    )


def names_in_halves(draw: Random) -> Job:
    room = draw.choice(ROOMS)
    pairs = [(who, draw.choice(SHIPS)) for who in names(draw, 9, CREW)]
    rows = [[f"{last} {first}", draw.randint(18, 70)] for first, last in pairs]
    split = [[first, last, row[1]] for (first, last), row in zip(pairs, rows, strict=True)]
    return Job(
        [
            f"{room}.csv squeezes surname and first name into one field, 'SURNAME FIRST'. Produce {room}_split.csv headed"
            " first,surname,age, rows in sequence.",
            f"Please break up the name field of {room}.csv (surname, blank, first name) so that {room}_split.csv reads"
            " first,surname,age.",
            f"{room}_split.csv = {room}.csv, only with name divided: first,surname,age heads it. Originally the surname"
            " precedes the first name.",
        ],
        {f"{room}.csv": table(["name", "age"], rows)},
        [
            f"(echo first,surname,age; tail -n +2 {room}.csv | awk -F'[ ,]' '{{print $2 \",\" $1 \",\" $3}}') >"
            f" {room}_split.csv; cat {room}_split.csv"
        ],
        {f"{room}_split.csv": table(["first", "surname", "age"], split)},
    )


def above_the_mean(draw: Random) -> Job:
    room, plants = draw.choice(ROOMS), names(draw, draw.randint(9, 30), PLANTS)
    heights = [draw.randint(10, draw.choice([40, 200])) for _ in plants]
    mean = sum(heights) / len(heights)
    return Job(
        [
            f"How many plants of {room}.tsv (name, tab, height) stand taller than their average height?",
            f"Work out the mean height across {room}.tsv, then count plants exceeding it. What is the count? (Tab-separated,"
            " no heading.)",
            f"{room}.tsv: tab-separated plants with heights. Number of plants over the arithmetic mean, please.",
        ],
        {f"{room}.tsv": lines([f"{name}\t{height}" for name, height in zip(plants, heights, strict=True)])},
        [f"awk -F'\\t' '{{h[NR] = $2; s += $2}} END {{for (i in h) n += h[i] > s / NR; print n}}' {room}.tsv"],
        answer=str(sum(height > mean for height in heights)),
    )


def stock_after_orders(draw: Random) -> Job:
    room, goods = draw.choice(ROOMS), sorted(names(draw, 6, PLANTS))
    orders = [(draw.choice(goods[:-1]), draw.randint(1, 9)) for _ in range(11)]
    left = {name: draw.randint(0, 40) for name in goods}
    stock = Counter(left)
    for name, count in orders:
        stock[name] += count
    return Job(
        [
            f"We begin with {room}.stock; {room}.orders says what was taken away since. Both read 'PLANT COUNT'. Work out what"
            f" remains and save {room}.left, same layout, same sequence as the stock.",
            f"Subtract all orders ({room}.orders) from {room}.stock. What remains per plant goes to {room}.left, written and"
            " ordered like the stock file. One plant may be ordered repeatedly, or never.",
            f"{room}.left: remaining PLANT COUNT once {room}.orders have been served out of {room}.stock, keeping the latter's"
            " sequence.",
        ],
        {
            f"{room}.stock": lines([f"{name} {stock[name]}" for name in goods]),
            f"{room}.orders": lines([f"{name} {count}" for name, count in orders]),
        },
        [
            f"awk 'NR == FNR {{o[$1] += $2; next}} {{print $1, $2 - o[$1]}}' {room}.orders {room}.stock > {room}.left; cat"
            f" {room}.left"
        ],
        {f"{room}.left": lines([f"{name} {left[name]}" for name in goods])},
    )


def table_for_a_page(draw: Random) -> Job:
    room, crew = draw.choice(ROOMS), names(draw, 6, CREW)
    rows = [[who, draw.choice(SHIPS), draw.randint(1, 30)] for who in crew]
    head = ["who", "ship", "days"]
    page = ["| who | ship | days |", "| --- | --- | --- |", *(f"| {a} | {b} | {c} |" for a, b, c in rows)]
    return Job(
        [
            f"Our wiki wants Markdown. Convert {room}.csv into {room}.md: heading row, a row of | --- | --- | --- |, data rows;"
            " cells are framed like | a | b | c |.",
            f"Rewrite {room}.csv as a Markdown table, {room}.md, shaped '| a | b | c |' with single blanks around cells and"
            " '| --- | --- | --- |' underneath the heading.",
            f"{room}.md shall show {room}.csv as Markdown: pipes outside and between, one blank each side of a cell, dashes"
            " (three per column, framed likewise) below who, ship, days.",
        ],
        {f"{room}.csv": table(head, rows)},
        [f"sed 's/,/ | /g; s/^/| /; s/$/ |/' {room}.csv | sed '1a | --- | --- | --- |' > {room}.md; cat {room}.md"],
        {f"{room}.md": lines(page)},
    )


FAMILIES = [
    on_one_list_only,
    side_by_side,
    on_every_day,
    long_to_wide,
    names_in_halves,
    above_the_mean,
    stock_after_orders,
    table_for_a_page,
]
