"""More jobs that are held out: files, tables and logs, in words and with names of their own."""

from collections import Counter
from random import Random

from authoring.shell.held_out import CREW, PLANTS, ROOMS, SHIPS, note, notes
from authoring.shell.jobs import Job, clock, day, lines, moved, names, table

# -- files ------------------------------------------------------------------------------------------------------------------


def prefix_of_the_folder(draw: Random) -> Job:
    room, ships = draw.choice(ROOMS), [each.lower() for each in names(draw, 3, SHIPS)]
    files = {f"{room}/{ship}/{name}.dat": notes(draw) for ship in ships for name in names(draw, 2, PLANTS)}
    to = {path: f"{room}/{ship}/{ship}-{name}" for path in files for _, ship, name in [path.split("/")]}
    return Job(
        [
            f"When files of {room}/ leave their folders, one cannot tell where they came from. Start each file name with its"
            f" folder's and a hyphen: {room}/x/y.dat turns into {room}/x/x-y.dat.",
            f"Within {room}/ each ship owns a folder. Prefix what lies inside with the ship, e.g. y.dat within x: x-y.dat.",
            f"Every .dat two levels down in {room}/ needs the folder as prefix (FOLDER-NAME.dat). They do not leave their"
            " folders.",
        ],
        files,
        [f'cd {room} && for f in */*.dat; do d=${{f%%/*}}; mv -n "$f" "$d/$d-${{f##*/}}"; done; ls *'],
        moved(files, to),
    )


def thin_and_thick(draw: Random) -> Job:
    room, limit = draw.choice(ROOMS), draw.randint(3, 5)
    sizes = [limit - 1, limit, limit + 1, *(draw.randint(1, 7) for _ in range(4))]
    files = {f"{room}/{name}.dat": note(draw, size) for name, size in zip(names(draw, 7, PLANTS), sizes, strict=True)}
    to = {path: f"{room}/thin/{path.split('/')[1]}" for path, text in files.items() if text.count("\n") < limit}
    return Job(
        [
            f"Anything in {room}/ shorter than {limit} lines is a stub. Stubs go down into {room}/thin/.",
            f"Separate thin from thick: files of {room}/ having fewer than {limit} lines move to {room}/thin/, those with"
            f" {limit} or more do not move.",
            f"Please put all files from {room}/ whose line count is below {limit} into a new subfolder, {room}/thin/.",
        ],
        files,
        [f"cd {room} && mkdir thin && for f in *.dat; do [ $(wc -l < $f) -lt {limit} ] && mv $f thin/; done; ls thin"],
        moved(files, to),
    )


def halves_of_pairs(draw: Random) -> Job:
    room, chosen = draw.choice(ROOMS), names(draw, 7, PLANTS)
    fates = ["both", "both", "left", "right", *draw.choices(["both", "left", "right"], k=3)]
    draw.shuffle(fates)
    files: dict[str, str] = {}
    for name, fate in zip(chosen, fates, strict=True):
        files |= {f"{room}/{name}.{side}": note(draw, 1) for side in ("left", "right") if fate in (side, "both")}
    alone = sorted(name for name, fate in zip(chosen, fates, strict=True) if fate != "both")
    return Job(
        [
            f"Recordings in {room}/ consist of NAME.left plus NAME.right. Where has one half vanished? Reply with those NAMEs"
            " from a to z, commas in between.",
            f"Stereo needs two channels, NAME.left with NAME.right. Which NAMEs of {room}/ own just one of them?"
            " Alphabetically, using commas.",
            f"Look through {room}/ for .left without .right and the reverse. Your reply: names minus .left or .right, a to z,"
            " joined by commas.",
        ],
        files,
        [f"ls {room} | cut -d. -f1 | sort | uniq -c | awk '$1 == 1 {{print $2}}' | paste -sd,"],
        answer=",".join(alone),
    )


def linked_favourites(draw: Random) -> Job:
    room, chosen = draw.choice(ROOMS), names(draw, 6, PLANTS)
    files = {f"{room}/{name}.dat": note(draw, 1) for name in chosen}
    liked = draw.sample(chosen, 3)
    return Job(
        [
            f"liked.lst names our favourites. Beside it, create liked/ holding one symlink per favourite, NAME.dat, aimed at"
            f" ../{room}/NAME.dat in exactly this spelling.",
            f"No copies, please: liked/NAME.dat shall be a soft link reading ../{room}/NAME.dat, for each NAME in liked.lst.",
            f"Build the folder liked out of soft links. For any NAME listed by liked.lst, NAME.dat leads to"
            f" ../{room}/NAME.dat (relative, as written here).",
        ],
        {**files, "liked.lst": lines(liked)},
        [f"mkdir liked; while read -r n; do ln -s ../{room}/$n.dat liked/$n.dat; done < liked.lst; ls -l liked"],
        {f"liked/{name}.dat": f"(a link to ../{room}/{name}.dat)" for name in liked},
    )


def newest_of_all(draw: Random) -> Job:
    room, (a, b, *chosen) = draw.choice(ROOMS), names(draw, 8, PLANTS)
    files = {f"{room}/{draw.choice([a, b])}/{name}.dat": note(draw, 1) for name in chosen}
    days = draw.sample(sorted({day(draw, 2020 + n % 4) for n in range(30)}), len(files))
    dates = dict(zip(files, days, strict=True))
    return Job(
        [
            f"Someone edited something in {room}/ or below. Judging by modification times, what is the most recent"
            f" file? Its path from {room}/ onwards.",
            f"Give the path, {room}/ first, of whichever file anywhere in {room}/ carries the youngest modification time.",
            f"Of all that {room}/ contains, folders searched through, what was modified last? Path incl. {room}/.",
        ],
        files,
        [f"find {room} -type f -printf '%T+ %p\\n' | sort | tail -n 1"],
        answer=max(dates, key=lambda path: dates[path]),
        dates=dates,
    )


# -- tables -----------------------------------------------------------------------------------------------------------------


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


# -- logs -------------------------------------------------------------------------------------------------------------------


def worst_streak(draw: Random) -> Job:
    room = draw.choice(ROOMS)
    worst = draw.randint(4, 15)
    streaks = [worst, *(draw.randint(1, worst - 1) for _ in range(4))]
    draw.shuffle(streaks)
    rows: list[str] = []
    for streak in streaks:
        rows += ["bad"] * streak + ["good"] * draw.randint(1, 3)
    return Job(
        [
            f"Each probe in {room}.probes is good or bad. What was the greatest number of bad ones in unbroken succession?",
            f"Looking at {room}.probes from top to bottom: how many bad results came uninterrupted, at worst?",
            f"Length of the longest stretch of nothing but bad in {room}.probes?",
        ],
        {f"{room}.probes": lines([f"probe{n:03} {state}" for n, state in enumerate(rows, draw.randint(1, 400))])},
        [f"awk '$2 == \"bad\" {{n++; if (n > m) m = n; next}} {{n = 0}} END {{print m}}' {room}.probes"],
        answer=str(worst),
    )


def alarms_and_context(draw: Random) -> Job:
    room, count = draw.choice(ROOMS), 20
    at = sorted(draw.sample(range(2, count - 2), 2))
    while at[1] - at[0] < 4:
        at = sorted(draw.sample(range(2, count - 2), 2))
    rows = [f"{n:02} {'ALARM' if n in at else 'calm'} {draw.choice(SHIPS)}" for n in range(count)]
    kept = [row for n, row in enumerate(rows) if any(abs(n - each) <= 1 for each in at)]
    return Job(
        [
            f"Extract from {room}.watch each ALARM row together with its direct neighbours, one above, one below, into"
            " alarms.watch. No dividers.",
            f"alarms.watch: every ALARM of {room}.watch, plus the single row preceding and the single row succeeding it, in"
            " sequence, without anything in between.",
            f"What surrounded the alarms? Save rows of {room}.watch saying ALARM, with one row before and one row after each,"
            " as alarms.watch. Rows only, no separators.",
        ],
        {f"{room}.watch": lines(rows)},
        [f"grep --no-group-separator -C 1 ALARM {room}.watch > alarms.watch; cat alarms.watch"],
        {"alarms.watch": lines(kept)},
    )


def time_on_duty(draw: Random) -> Job:
    room, crew = draw.choice(ROOMS), sorted(names(draw, 4, CREW))
    totals: Counter[str] = Counter()
    rows: list[str] = []
    minute = 360
    for who in [*crew, *draw.choices(crew, k=4)]:
        start, length = minute + draw.randint(1, 20), draw.randint(15, 80)
        minute = start + length
        totals[who] += length
        rows += [f"{m // 60:02}:{m % 60:02} {who} {word}" for m, word in ((start, "takes over"), (minute, "goes off"))]
    who = draw.choice(crew)
    return Job(
        [
            f"Going by {room}.duty, how many minutes in total was {who} on duty that day?",
            f"{who} wants to be paid for each minute between 'takes over' and 'goes off' in {room}.duty. How many do they make?",
            f"Sum up the shifts of {who} in {room}.duty, in minutes.",
        ],
        {f"{room}.duty": lines(rows)},
        [
            f"grep ' {who} ' {room}.duty | awk '{{split($1, t, \":\"); m = t[1] * 60 + t[2]}} /takes/ {{b = m}} /off/ {{s += m -"
            " b} END {print s}'"
        ],
        answer=str(totals[who]),
    )


def noise_filtered(draw: Random) -> Job:
    room, noisy = draw.choice(ROOMS), names(draw, 2, SHIPS)
    quiet = [each for each in SHIPS if each not in noisy][:4]
    rows = [
        f"{at} <{draw.choice([*noisy, *quiet])}> {note(draw, 1).strip()}"
        for at in sorted(clock(draw) for _ in range(14))
    ]
    rows.append(f"23:59:59 <{quiet[0]}> {noisy[0]} was seen")
    kept = [row for row in rows if row.split()[1].strip("<>") not in noisy]
    return Job(
        [
            f"mute.lst names senders nobody listens to. Copy {room}.radio to {room}.clear minus whatever they sent; a sender"
            " stands in angle brackets. Being mentioned is not sending.",
            f"Filter {room}.radio: rows whose <SENDER> is on mute.lst drop out, all else lands in {room}.clear. A muted ship's"
            " name inside a message is harmless.",
            f"{room}.clear shall be {room}.radio without messages from senders on mute.lst (a message's sender is what stands"
            " between < and >).",
        ],
        {f"{room}.radio": lines(rows), "mute.lst": lines(noisy)},
        [f"grep -vFf <(sed 's/.*/<&>/' mute.lst) {room}.radio > {room}.clear; cat {room}.clear"],
        {f"{room}.clear": lines(kept)},
    )


def last_known_state(draw: Random) -> Job:
    room, ships = draw.choice(ROOMS), sorted(names(draw, 5, SHIPS))
    seen = [*ships, *draw.choices(ships, k=9)]
    draw.shuffle(seen)
    times = sorted(clock(draw) for _ in seen)
    rows = [(at, ship, draw.choice(["docked", "sailing", "anchored"])) for at, ship in zip(times, seen, strict=True)]
    last = {ship: state for _, ship, state in rows}
    return Job(
        [
            f"{room}.track records ships and their states as time goes on. Which state is each ship in at the end? state.lst,"
            " 'SHIP STATE', ships a to z.",
            f"Condense {room}.track into state.lst: per ship its final state, written SHIP STATE, ships alphabetical.",
            f"For a board on the wall I want the latest state of all ships in {room}.track. state.lst holds SHIP, blank, STATE,"
            " from a to z.",
        ],
        {f"{room}.track": lines([" ".join(row) for row in rows])},
        [f"awk '{{s[$2] = $3}} END {{for (w in s) print w, s[w]}}' {room}.track | sort > state.lst; cat state.lst"],
        {"state.lst": lines([f"{ship} {last[ship]}" for ship in ships])},
    )


def out_of_order(draw: Random) -> Job:
    room = draw.choice(ROOMS)
    minutes = sorted(draw.sample(range(0, 1400), 16))
    at = draw.randint(4, 12)
    early = draw.randint(minutes[at - 2], minutes[at - 1] - 1)
    times = [*minutes[:at], early, *minutes[at:]]
    rows = [f"{m // 60:02}:{m % 60:02} {draw.choice(SHIPS)} passed" for m in times]
    return Job(
        [
            f"Rows of {room}.pass ought to ascend by time. One does not: its time is earlier than the row directly above. Give"
            " that row's number (top row = 1).",
            f"At which row number, counted from 1, does the clock in {room}.pass run backwards?",
            f"In {room}.pass time moves forward, except once. Report the number of the row that is earlier than its predecessor,"
            " starting at 1.",
        ],
        {f"{room}.pass": lines(rows)},
        [f"awk 'NR > 1 && $1 < last {{print NR}} {{last = $1}}' {room}.pass"],
        answer=str(at + 1),
    )


FAMILIES = {
    "files": [prefix_of_the_folder, thin_and_thick, halves_of_pairs, linked_favourites, newest_of_all],
    "tables": [names_in_halves, above_the_mean, stock_after_orders, table_for_a_page],
    "logs": [worst_streak, alarms_and_context, time_on_duty, noise_filtered, last_known_state, out_of_order],
}
