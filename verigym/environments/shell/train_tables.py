"""Jobs to learn from: tables as CSV, with awk, cut, sort, join and uniq."""

from collections import Counter
from random import Random

from verigym.environments.shell.jobs import FOLDERS, PEOPLE, PLACES, Job, lines, names, table

_NO_QUOTES = "No field holds a comma or quotes."


def _sales(draw: Random, count: int) -> list[list[object]]:
    """id, place, article, number, price: few places and articles, so that they come again."""
    places, articles = names(draw, 4, PLACES), names(draw, 6)
    return [
        [1000 + n, draw.choice(places), draw.choice(articles), draw.randint(1, 40), draw.randint(3, 90)]
        for n in range(count)
    ]


_HEAD = ["id", "place", "article", "number", "price"]


def _name(draw: Random) -> str:
    return f"{draw.choice(FOLDERS)}_{draw.randint(2015, 2024)}.csv"


def sum_for_place(draw: Random) -> Job:
    rows, name = _sales(draw, 60), _name(draw)
    place = draw.choice(rows)[1]
    total = sum(int(str(row[3])) for row in rows if row[1] == place)
    return Job(
        f"{name} lists sales, with a header. How many articles were sold in {place}, adding up the column number?"
        f" {_NO_QUOTES}",
        {name: table(_HEAD, rows)},
        [f"head -n 3 {name}", f"awk -F, '$2 == \"{place}\" {{n += $4}} END {{print n}}' {name}"],
        answer=str(total),
    )


def two_columns(draw: Random) -> Job:
    rows, name = _sales(draw, 25), _name(draw)
    one, two = draw.sample(range(5), 2)
    short = table([_HEAD[one], _HEAD[two]], [[row[one], row[two]] for row in rows])
    return Job(
        f"From {name} make short.csv, which has only the columns {_HEAD[one]} and {_HEAD[two]}, in this order, header"
        " included.",
        {name: table(_HEAD, rows)},
        [f"awk -F, -v OFS=, '{{print ${one + 1}, ${two + 1}}}' {name} > short.csv && head -n 2 short.csv"],
        {"short.csv": short},
    )


def sorted_table(draw: Random) -> Job:
    rows, name = _sales(draw, 25), _name(draw)
    for row, price in zip(rows, draw.sample(range(3, 200), len(rows)), strict=True):
        row[4] = price
    best = sorted(rows, key=lambda row: -int(str(row[4])))
    return Job(
        f"Write {name} sorted by price, the highest first, to by_price.csv. The header stays at the top; {name}"
        " itself stays as it is.",
        {name: table(_HEAD, rows)},
        [f"(head -n 1 {name}; tail -n +2 {name} | sort -t, -k5,5nr) > by_price.csv"],
        {"by_price.csv": table(_HEAD, best)},
    )


def rows_above(draw: Random) -> Job:
    rows, name, least = _sales(draw, 30), _name(draw), draw.randint(15, 30)
    kept = [row for row in rows if int(str(row[3])) >= least]
    return Job(
        f"Copy the rows of {name} whose number is {least} or more to large.csv, with the header and in their order.",
        {name: table(_HEAD, rows)},
        [f"awk -F, 'NR == 1 || $4 >= {least}' {name} > large.csv", "wc -l large.csv"],
        {"large.csv": table(_HEAD, kept)},
    )


def totals_by_article(draw: Random) -> Job:
    rows, name = _sales(draw, 40), _name(draw)
    totals: Counter[str] = Counter()
    for row in rows:
        totals[str(row[2])] += int(str(row[3]))
    return Job(
        f"Add up the column number of {name} for each article. Write totals.txt: a line for each article, its name, a"
        " space and its total, sorted by name.",
        {name: table(_HEAD, rows)},
        [
            f"tail -n +2 {name} | awk -F, '{{n[$3] += $4}} END {{for (a in n) print a, n[a]}}' | sort > totals.txt;"
            " cat totals.txt"
        ],
        {"totals.txt": lines([f"{article} {totals[article]}" for article in sorted(totals)])},
    )


def joined_tables(draw: Random) -> Job:
    first, second = draw.sample(FOLDERS, 2)
    ids = sorted(draw.sample(range(100, 999), 14))
    who = {each: draw.choice(PEOPLE) for each in ids}
    paid = {each: draw.randint(5, 400) for each in draw.sample(ids, 9)}
    joined = [[each, who[each], paid[each]] for each in ids if each in paid]
    return Job(
        f"{first}.csv has the columns id and name, {second}.csv has id and paid. Write joined.csv with the header"
        f" id,name,paid and a row for every id that is in both, in order of the id. The rows of {second}.csv are in no"
        " order.",
        {
            f"{first}.csv": table(["id", "name"], [[each, who[each]] for each in ids]),
            f"{second}.csv": table(["id", "paid"], [[each, paid[each]] for each in paid]),
        },
        [
            f"(echo id,name,paid; join -t, <(tail -n +2 {first}.csv | sort -t, -k1,1) <(tail -n +2 {second}.csv | sort"
            " -t, -k1,1)) > joined.csv; cat joined.csv"
        ],
        {"joined.csv": table(["id", "name", "paid"], joined)},
    )


def decimal_commas(draw: Random) -> Job:
    name = draw.choice(FOLDERS)
    rows = [[place, draw.randint(0, 99), draw.randint(0, 99)] for place in names(draw, 12, PLACES)]
    old = lines(["place;low;high", *(f"{place};{low},{high:02};{high},{low:02}" for place, low, high in rows)])
    new = lines(["place,low,high", *(f"{place},{low}.{high:02},{high}.{low:02}" for place, low, high in rows)])
    return Job(
        f"{name}.csv comes from a spreadsheet with semicolons between the fields and commas in the numbers (3,50)."
        f" Write {name}_en.csv with commas between the fields and points in the numbers (3.50). Leave the original"
        " alone.",
        {f"{name}.csv": old},
        [f"sed 's/,/./g; s/;/,/g' {name}.csv > {name}_en.csv"],
        {f"{name}_en.csv": new},
    )


def distinct_values(draw: Random) -> Job:
    rows, name, column = _sales(draw, 35), _name(draw), draw.choice([1, 2])
    found = sorted({str(row[column]) for row in rows})
    return Job(
        f"Which values does the column {_HEAD[column]} of {name} have? Write each once, sorted, one a line, to"
        " values.txt, without the header.",
        {name: table(_HEAD, rows)},
        [f"cut -d, -f{column + 1} {name} | tail -n +2 | sort -u > values.txt"],
        {"values.txt": lines(found)},
    )


def busiest_three(draw: Random) -> Job:
    name, people = draw.choice(FOLDERS), names(draw, 7, PEOPLE)
    counts = draw.sample(range(2, 13), 7)
    rows = [[who, draw.choice(PLACES)] for who, count in zip(people, counts, strict=True) for _ in range(count)]
    draw.shuffle(rows)
    best = [who for _, who in sorted(zip(counts, people, strict=True), reverse=True)[:3]]
    return Job(
        f"Each row of {name}.csv is a visit: who and where. Which three people have the most visits? Answer with"
        " their names, the most first, separated by commas.",
        {f"{name}.csv": table(["who", "where"], rows)},
        [f"tail -n +2 {name}.csv | cut -d, -f1 | sort | uniq -c | sort -rn | head -n 3"],
        answer=",".join(best),
    )


def added_column(draw: Random) -> Job:
    rows, name = _sales(draw, 20), _name(draw)
    more = [[*row, int(str(row[3])) * int(str(row[4]))] for row in rows]
    return Job(
        f"Write with_total.csv: the same as {name} with one more column at the end, total, which is number times"
        " price.",
        {name: table(_HEAD, rows)},
        [f"awk -F, -v OFS=, 'NR == 1 {{print $0, \"total\"; next}} {{print $0, $4 * $5}}' {name} > with_total.csv"],
        {"with_total.csv": table([*_HEAD, "total"], more)},
    )


def one_file_a_place(draw: Random) -> Job:
    rows, name = _sales(draw, 24), _name(draw)
    places = sorted({str(row[1]) for row in rows})
    wanted = {f"places/{place}.csv": table(_HEAD, [row for row in rows if row[1] == place]) for place in places}
    return Job(
        f"Split {name} by the column place: places/PLACE.csv gets the rows of that place in their order, each file"
        f" with the header. {name} stays.",
        {name: table(_HEAD, rows)},
        [
            f"mkdir places; for p in $(tail -n +2 {name} | cut -d, -f2 | sort -u); do"
            f" awk -F, -v p=$p 'NR == 1 || $2 == p' {name} > places/$p.csv; done; ls places"
        ],
        dict(wanted),
    )


def repeated_lines(draw: Random) -> Job:
    name, some = (
        draw.choice(FOLDERS),
        [f"{who} of {where}" for who in names(draw, 5, PEOPLE) for where in names(draw, 3, PLACES)],
    )
    guests = [draw.choice(some) for _ in range(40)]
    return Job(
        f"In {name}.txt guests have put their names down, some more than once. Write guests.txt with every line once,"
        " in the order in which they first appear.",
        {f"{name}.txt": lines(guests)},
        [f"awk '!seen[$0]++' {name}.txt > guests.txt"],
        {"guests.txt": lines(list(dict.fromkeys(guests)))},
    )


FAMILIES = [
    sum_for_place, two_columns, sorted_table, rows_above, totals_by_article, joined_tables, decimal_commas, distinct_values,
    busiest_three, added_column, one_file_a_place, repeated_lines,
]  # fmt: skip
