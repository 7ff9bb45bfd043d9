"""Jobs to learn from: tables as CSV, with awk, cut, sort, join and uniq."""

from collections import Counter
from random import Random

from authoring.shell.jobs import FOLDERS, PEOPLE, PLACES, Job, lines, names, table

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
        [
            f"{name} lists sales, with a header. How many articles were sold in {place}, adding up the column number?"
            f" {_NO_QUOTES}",
            f"What is the sum of the column number in {name} over all rows with the place {place}?",
            f"{name} is a table of sales. Add up number for {place} only, please.",
            f"We sold how many articles in {place} altogether? See {name}, columns place and number.",
        ],
        {name: table(_HEAD, rows)},
        [f"head -n 3 {name}", f"awk -F, '$2 == \"{place}\" {{n += $4}} END {{print n}}' {name}"],
        answer=str(total),
    )


def two_columns(draw: Random) -> Job:
    rows, name = _sales(draw, 25), _name(draw)
    one, two = draw.sample(range(5), 2)
    short = table([_HEAD[one], _HEAD[two]], [[row[one], row[two]] for row in rows])
    return Job(
        [
            f"From {name} make short.csv, which has only the columns {_HEAD[one]} and {_HEAD[two]}, in this order, header"
            " included.",
            f"I only need {_HEAD[one]} and {_HEAD[two]} from {name}. Write these two columns, in that order and with"
            " their header, to short.csv.",
            f"Cut {name} down to the columns {_HEAD[one]},{_HEAD[two]} (this order) and save it as short.csv.",
            f"short.csv: header {_HEAD[one]},{_HEAD[two]}, and the values of these columns from every row of {name}.",
        ],
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
        [
            f"Write {name} sorted by price, the highest first, to by_price.csv. The header stays at the top; {name}"
            " itself stays as it is.",
            f"Make by_price.csv, which is {name} with its rows in order of price, dearest first, and the header on"
            " top.",
            f"Sort the rows of {name} by the column price from high to low. The result, header first, is by_price.csv;"
            f" do not change {name}.",
            f"I would like to see the most expensive rows of {name} at the top. Save a sorted version, header"
            " included, as by_price.csv.",
        ],
        {name: table(_HEAD, rows)},
        [f"(head -n 1 {name}; tail -n +2 {name} | sort -t, -k5,5nr) > by_price.csv"],
        {"by_price.csv": table(_HEAD, best)},
    )


def rows_above(draw: Random) -> Job:
    rows, name, least = _sales(draw, 30), _name(draw), draw.randint(15, 30)
    kept = [row for row in rows if int(str(row[3])) >= least]
    return Job(
        [
            f"Copy the rows of {name} whose number is {least} or more to large.csv, with the header and in their order.",
            f"large.csv should have the header of {name} and those of its rows in which number is at least {least}.",
            f"From {name} I need only rows with a number of {least} and above. Header and rows, same order, into"
            " large.csv.",
            f"Filter {name}: keep a row if its column number is not less than {least}. Write header and kept rows to"
            " large.csv.",
        ],
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
        [
            f"Add up the column number of {name} for each article. Write totals.txt: a line for each article, its name, a"
            " space and its total, sorted by name.",
            f"How many of each article were sold in all? Sum up number by article in {name} and write 'ARTICLE TOTAL'"
            " lines, by article from a to z, to totals.txt.",
            f"totals.txt, please: every article of {name} with the sum of its column number, one a line, a space"
            " between, alphabetically.",
            f"From {name}, add up number per article. The result is totals.txt with lines like 'rope 12', sorted by"
            " the article.",
        ],
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
        [
            f"{first}.csv has the columns id and name, {second}.csv has id and paid. Write joined.csv with the header"
            f" id,name,paid and a row for every id that is in both, in order of the id. The rows of {second}.csv are in no"
            " order.",
            f"Join {first}.csv (id,name) and {second}.csv (id,paid) by id. joined.csv begins with id,name,paid and has"
            " the ids that both tables have, in ascending order.",
            f"Who paid what? {first}.csv has the names, {second}.csv the sums, both by id. Write id,name,paid with a"
            " row per id that is in both tables, sorted by id, to joined.csv.",
            f"Make joined.csv out of {first}.csv and {second}.csv: columns id,name,paid, lowest id first, and no row"
            " for an id that one of them lacks.",
        ],
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
    old = lines(["place;may;june", *(f"{place};{a},{b:02};{b},{a:02}" for place, a, b in rows)])
    new = lines(["place,may,june", *(f"{place},{a}.{b:02},{b}.{a:02}" for place, a, b in rows)])
    return Job(
        [
            f"{name}.csv comes from a spreadsheet with semicolons between the fields and commas in the numbers (3,50)."
            f" Write {name}_en.csv with commas between the fields and points in the numbers (3.50). Leave the original"
            " alone.",
            f"Convert {name}.csv to the English way: ; between fields becomes a comma and the comma in numbers becomes"
            f" a point. Save it as {name}_en.csv and keep {name}.csv.",
            f"Our program cannot read {name}.csv, where 3,50 means three and a half and fields are separated by ;. It"
            f" needs {name}_en.csv with 3.50 and commas between fields.",
            f"{name}_en.csv should hold the same as {name}.csv with decimal points and commas as separators in place"
            " of decimal commas and semicolons.",
        ],
        {f"{name}.csv": old},
        [f"sed 's/,/./g; s/;/,/g' {name}.csv > {name}_en.csv"],
        {f"{name}_en.csv": new},
    )


def distinct_values(draw: Random) -> Job:
    rows, name, column = _sales(draw, 35), _name(draw), draw.choice([1, 2])
    found = sorted({str(row[column]) for row in rows})
    return Job(
        [
            f"Which values does the column {_HEAD[column]} of {name} have? Write each once, sorted, one a line, to"
            " values.txt, without the header.",
            f"List the different values in the column {_HEAD[column]} of {name}, sorted, each on a line of its own, in"
            " values.txt. The header is no value.",
            f"values.txt: all that occurs under {_HEAD[column]} in {name}, every value once, in alphabetical order.",
            f"Write down which {_HEAD[column]} values {name} contains, no repetitions, sorted, a line each. The file"
            " is called values.txt.",
        ],
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
        [
            f"Each row of {name}.csv is a visit: who and where. Which three people have the most visits? Answer with"
            " their names, the most first, separated by commas.",
            f"Count the visits per person in {name}.csv (who,where). I want the three names with most visits, highest"
            " first, comma-separated.",
            f"{name}.csv is a list of visits. Give me the top three visitors by number of visits in descending order,"
            " names only, with commas.",
            f"Who comes most often? The three most frequent names in the column who of {name}.csv, from most to third"
            " most, separated by commas.",
        ],
        {f"{name}.csv": table(["who", "where"], rows)},
        [f"tail -n +2 {name}.csv | cut -d, -f1 | sort | uniq -c | sort -rn | head -n 3"],
        answer=",".join(best),
    )


def added_column(draw: Random) -> Job:
    rows, name = _sales(draw, 20), _name(draw)
    more = [[*row, int(str(row[3])) * int(str(row[4]))] for row in rows]
    return Job(
        [
            f"Write with_total.csv: the same as {name} with one more column at the end, total, which is number times"
            " price.",
            f"Add a column total, number times price, at the end of {name} and save that as with_total.csv.",
            f"with_total.csv is to be {name} plus a last column: total, the product of number and price in that row.",
            f"What is each row of {name} worth? Multiply number by price, put it into a new last column total, and"
            " write everything to with_total.csv.",
        ],
        {name: table(_HEAD, rows)},
        [f"awk -F, -v OFS=, 'NR == 1 {{print $0, \"total\"; next}} {{print $0, $4 * $5}}' {name} > with_total.csv"],
        {"with_total.csv": table([*_HEAD, "total"], more)},
    )


def one_file_a_place(draw: Random) -> Job:
    rows, name = _sales(draw, 24), _name(draw)
    places = sorted({str(row[1]) for row in rows})
    wanted = {f"places/{place}.csv": table(_HEAD, [row for row in rows if row[1] == place]) for place in places}
    return Job(
        [
            f"Split {name} by the column place: places/PLACE.csv gets the rows of that place in their order, each file"
            f" with the header. {name} stays.",
            f"One table for each place, please: places/PLACE.csv with the header and the rows of {name} for that"
            " place, in order.",
            f"Break {name} up by place into places/PLACE.csv. All of them start with the header; the rows keep their"
            f" order. Do not touch {name}.",
            f"The places each want their own part of {name}. Make a folder places and in it, for every value of the"
            " column place, VALUE.csv with header and matching rows.",
        ],
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
        [
            f"In {name}.txt guests have put their names down, some more than once. Write guests.txt with every line once,"
            " in the order in which they first appear.",
            f"Remove the repetitions from {name}.txt: guests.txt should have each line only the first time it appears,"
            " order kept.",
            f"{name}.txt names some guests several times. Write a list without repetitions to guests.txt, in order of"
            " first appearance.",
            f"guests.txt: the lines of {name}.txt, later copies of a line left out, nothing sorted.",
        ],
        {f"{name}.txt": lines(guests)},
        [f"awk '!seen[$0]++' {name}.txt > guests.txt"],
        {"guests.txt": lines(list(dict.fromkeys(guests)))},
    )


FAMILIES = [
    sum_for_place, two_columns, sorted_table, rows_above, totals_by_article, joined_tables, decimal_commas, distinct_values,
    busiest_three, added_column, one_file_a_place, repeated_lines,
]  # fmt: skip
