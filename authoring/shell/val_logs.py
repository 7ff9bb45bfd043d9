"""Held-out jobs about logs that are counted, cut, merged, cleaned or searched. Each function is a family."""

from collections import Counter
from random import Random

from authoring.shell.jobs import Job, clock, lines, names
from authoring.shell.val_words import CREW, ROOMS, SHIPS, note, notes


def still_inside(draw: Random) -> Job:
    room, crew = draw.choice(ROOMS), names(draw, 8, CREW)
    inside: set[str] = set()
    rows: list[str] = []
    for minute in range(46):
        who = draw.choice(crew)
        rows.append(f"{8 + minute // 12:02}:{minute % 12 * 5:02} {'out' if who in inside else 'in'} {who}")
        inside ^= {who}
    inside = inside or {"nobody"}
    return Job(
        f"At the door of the {room} everyone is noted down as they go in and out: door.txt. Who was still in there"
        " when the notes end? Reply with first names, sorted by their bytes, with commas between them, or with nobody.",
        {"door.txt": lines(rows), f"{room}.txt": notes(draw)},
        ["awk '{s[$3] = $2} END {for (w in s) if (s[w] == \"in\") print w}' door.txt | LC_ALL=C sort | paste -sd,"],
        answer=",".join(sorted(inside)),
    )


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


FAMILIES = [
    still_inside,
    worst_streak,
    alarms_and_context,
    time_on_duty,
    noise_filtered,
    last_known_state,
    out_of_order,
]
