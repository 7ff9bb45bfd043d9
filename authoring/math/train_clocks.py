"""Training problems whose answer is a time of day. Each function is a family."""

from math import lcm
from random import Random

from authoring.math.train_names import NAMES
from verigym.environments.math.questions import Family, Question, clock
from verigym.environments.math.questions import at as time


def ferry(draw: Random) -> Question:
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


def lasting(minutes: int) -> str:
    """`95 minutes`, or `1 hour 35 minutes`."""
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{minutes} minutes"
    return f"{hours} hour{'s' if hours > 1 else ''}" + (f" {rest} minute{'s' if rest > 1 else ''}" if rest else "")


def film_night(draw: Random) -> Question:
    start, film, pause = draw.randrange(17 * 60, 20 * 60, 5), draw.randint(85, 140), draw.choice([10, 12, 15, 20])
    end = start + film + pause
    return clock(
        draw.choice(
            [
                f"A film of {film} minutes starts at {time(start)} and is interrupted once for {pause} minutes. At "
                "what time is it over? Write HH:MM, 24 hours.",
                f"The open-air cinema begins at {time(start)}. The film runs {film} minutes, with a break of "
                f"{pause} minutes in the middle. When can we go home (HH:MM, 24-hour)?",
                f"{film} minutes of film plus a {pause}-minute break, beginning at {time(start)}: what does the "
                "clock say at the end? Give it as HH:MM.",
                f"When does a film end that begins at {time(start)}, lasts {film} minutes and has one break of "
                f"{pause} minutes? Answer like 09:05.",
            ]
        ),
        f"{film} + {pause} = {film + pause} minutes, which are {lasting(film + pause)}.\n{time(start)} and "
        f"{lasting(film + pause)} make {time(end)}.",
        end,
    )


def leave_by(draw: Random) -> Question:
    there, walk, early = draw.randrange(8 * 60, 19 * 60, 5), draw.randint(22, 58), draw.choice([5, 10, 15, 20])
    go, name = there - walk - early, draw.choice(NAMES)
    return clock(
        draw.choice(
            [
                f"{name} has an appointment at {time(there)}, wants to be there {early} minutes before it and walks "
                f"for {walk} minutes. When must {name} set out? Write HH:MM.",
                f"The interview is at {time(there)}. It takes {walk} minutes to get there, and {name} wants to "
                f"arrive {early} minutes early. What is the time to leave (HH:MM, 24-hour)?",
                f"To be at the clinic {early} minutes ahead of {time(there)}, after a walk of {walk} minutes, at "
                "what time does one start walking? Give HH:MM.",
                f"A walk of {walk} minutes, {early} minutes to spare, an appointment at {time(there)}: at what time "
                f"does {name} leave home? Use the form HH:MM.",
            ]
        ),
        f"To be there at {time(there - early)}.\n{walk} minutes before that is {time(go)}.",
        go,
    )


def roast(draw: Random) -> Question:
    start, one, two = draw.randrange(9 * 60, 17 * 60, 5), draw.randrange(25, 60, 5), draw.randrange(35, 95, 5)
    rest = draw.choice([8, 12, 14, 18])
    end = start + one + two + rest
    return clock(
        draw.choice(
            [
                f"A roast goes into the oven at {time(start)}. It is cooked covered for {one} minutes, then open "
                f"for {two} minutes, and rests {rest} minutes outside. When is it served? HH:MM, please.",
                f"In the oven at {time(start)}: {one} minutes with a lid, {two} minutes without. After that it "
                f"rests for {rest} minutes. At what time can it be carved (HH:MM)?",
                f"The recipe says {one} minutes covered, {two} minutes uncovered and {rest} minutes of rest. The "
                f"cook begins at {time(start)}. Give the time at which all is done, as HH:MM.",
                f"At what time is a roast ready that is put in at {time(start)} and needs {one}, then {two}, then "
                f"{rest} minutes? Answer with HH:MM.",
            ]
        ),
        f"{one} + {two} + {rest} = {one + two + rest} minutes, which are "
        f"{lasting(one + two + rest)}.\n{time(start)} and that is {time(end)}.",
        end,
    )


def wrong_watch(draw: Random) -> Question:
    true, off, wait = draw.randrange(7 * 60, 22 * 60), draw.randint(4, 17), draw.randint(15, 50)
    fast = draw.random() < 0.5
    shown = true + off if fast else true - off
    word = "fast" if fast else "slow"
    return clock(
        draw.choice(
            [
                f"The clock in the hall is {off} minutes {word}. It shows {time(shown)}. What time is it really in "
                f"{wait} minutes? Give HH:MM.",
                f"My watch, which is {off} minutes {word}, says {time(shown)}. What will the correct time be {wait} "
                "minutes from now (HH:MM, 24-hour)?",
                f"It is {time(shown)} by a clock that is {off} minutes {word}. The bus comes in {wait} minutes. At "
                "what true time is that? Write HH:MM.",
                f"{time(shown)} is what a kitchen clock shows, but it is {off} minutes {word}. Find the right time "
                f"{wait} minutes later, as HH:MM.",
            ]
        ),
        f"Really it is {time(shown)} {'-' if fast else '+'} {off} minutes = {time(true)}.\n{wait} minutes later it "
        f"is {time(true + wait)}.",
        true + wait,
    )


def every_so_often(draw: Random) -> Question:
    first, gap, which = draw.randrange(5 * 60, 8 * 60, 5), draw.choice([12, 18, 25, 35, 40, 45]), draw.randint(5, 14)
    last = first + gap * (which - 1)
    return clock(
        draw.choice(
            [
                f"The first cable car goes up at {time(first)}, and another every {gap} minutes after that. When "
                f"does car number {which} leave? HH:MM.",
                f"A mountain lift starts a cabin every {gap} minutes, the first one at {time(first)}. At what time "
                f"does the {which}th cabin start? Write it as HH:MM.",
                f"From {time(first)} on, there is a cable car every {gap} minutes; the one at {time(first)} is "
                f"number 1. Give the departure of number {which} (HH:MM, 24-hour).",
                f"When is the departure of the {which}th cable car, if number 1 leaves at {time(first)} and the "
                f"cars are {gap} minutes apart? Use HH:MM.",
            ]
        ),
        f"{which - 1} gaps of {gap} minutes are {gap * (which - 1)} minutes.\n{time(first)} and "
        f"{lasting(gap * (which - 1))} make {time(last)}.",
        last,
    )


def over_the_sea(draw: Random) -> Question:
    start, flight, zone = (
        draw.randrange(6 * 60, 12 * 60, 5),
        draw.randrange(130, 520, 5),
        draw.choice([-5, -4, -3, -2, 2, 3, 4]),
    )
    end = start + flight + zone * 60
    word = "ahead of" if zone > 0 else "behind"
    return clock(
        draw.choice(
            [
                f"A plane takes off at {time(start)} and flies for {lasting(flight)}. Where it lands, clocks are "
                f"{abs(zone)} hours {word} those at the start. What is the local time on landing? HH:MM, 24-hour.",
                f"Departure {time(start)} local time, flying time {lasting(flight)}, and the other city is "
                f"{abs(zone)} hours {word} ours. At what local time does the plane arrive? Write HH:MM.",
                f"On the island the clocks are {abs(zone)} hours {word} the mainland's. A plane leaves the mainland "
                f"at {time(start)} (mainland time) and needs {lasting(flight)}. When does it arrive in island time "
                "(HH:MM)?",
                f"What will a traveller read on the clock at the airport of arrival, {abs(zone)} hours {word} home, "
                f"after leaving home at {time(start)} on a flight of {lasting(flight)}? Answer as HH:MM.",
            ]
        ),
        f"At home it is then {time(start + flight)}.\nThere it is {abs(zone)} hours "
        f"{'later' if zone > 0 else 'earlier'}: {time(end)}.",
        end,
    )


def half_way(draw: Random) -> Question:
    start, takes = draw.randrange(7 * 60, 13 * 60), 2 * draw.randint(50, 220)
    end = start + takes
    return clock(
        draw.choice(
            [
                f"A bus tour starts at {time(start)} and ends at {time(end)} on the same day. The guide wants a "
                "break exactly half-way in time. When is it? HH:MM.",
                f"Sunrise is at {time(start)} and the tide turns at {time(end)}. What time is exactly in the middle "
                "between the two? Give HH:MM.",
                f"Which time of day lies exactly half-way between {time(start)} and {time(end)}? Use 24 hours, HH:MM.",
                f"From {time(start)} to {time(end)} two guards share a watch, and each has exactly one half of it. "
                "At what time do they change? Write HH:MM.",
            ]
        ),
        f"From {time(start)} to {time(end)} there are {takes} minutes; half of them are "
        f"{takes // 2}.\n{time(start)} and {lasting(takes // 2)} make {time(start + takes // 2)}.",
        start + takes // 2,
    )


def print_run(draw: Random) -> Question:
    start, speed, minutes = (
        draw.randrange(8 * 60, 15 * 60, 5),
        draw.choice([12, 15, 18, 20, 24, 30]),
        draw.randint(35, 150),
    )
    jam = draw.randint(6, 19)
    end = start + minutes + jam
    return clock(
        draw.choice(
            [
                f"A printer makes {speed} pages a minute. A job of {speed * minutes} pages begins at {time(start)}; "
                f"a paper jam stops it for {jam} minutes. When is the last page out? HH:MM.",
                f"{speed * minutes} leaflets are printed at {speed} a minute from {time(start)} on. The machine "
                f"stands still for {jam} minutes in between. At what time is the job done (HH:MM)?",
                f"Begin at {time(start)}, print {speed * minutes} sheets at {speed} sheets a minute, lose {jam} "
                "minutes because of a jam: at what time is it finished? Give HH:MM, 24-hour.",
                f"At what time (HH:MM) does a printer finish {speed * minutes} pages, if it starts at "
                f"{time(start)}, prints {speed} a minute and has to be stopped for {jam} minutes?",
            ]
        ),
        f"Printing takes {speed * minutes} ÷ {speed} = {minutes} minutes, with the jam "
        f"{minutes + jam}.\n{time(start)} and {lasting(minutes + jam)} make {time(end)}.",
        end,
    )


def feeding(draw: Random) -> Question:
    first, gap, number = draw.randrange(60, 10 * 60, 5), draw.choice([200, 210, 220, 250, 260, 280]), draw.randint(4, 6)
    end = first + gap * (number - 1)
    return clock(
        draw.choice(
            [
                f"A young owl is fed every {lasting(gap)}, for the first time at {time(first)}. At what time of day "
                f"is feeding number {number}? HH:MM.",
                f"Feedings are {lasting(gap)} apart. Number 1 was at {time(first)}. What does the clock show at "
                f"number {number} (HH:MM, 24-hour)? It may be the next day.",
                f"The nurse writes a plan for an owl chick: begin at {time(first)}, then again after every "
                f"{lasting(gap)}. Which time belongs to feeding {number}? Use HH:MM.",
                f"Give the time of day (HH:MM) of feeding {number}, if the first is at {time(first)} and "
                f"{lasting(gap)} pass between one and the next.",
            ]
        ),
        f"{number - 1} times {lasting(gap)} are {gap * (number - 1)} minutes, which are "
        f"{lasting(gap * (number - 1))}.\n{time(first)} and that is {time(end)}.",
        end,
    )


def losing_clock(draw: Random) -> Question:
    start, lost, hours = draw.randrange(6 * 60, 11 * 60, 10), draw.choice([2, 3, 4, 5, 6]), draw.randint(5, 12)
    gains = draw.random() < 0.4
    shown = start + hours * 60 + (lost if gains else -lost) * hours
    word = "gains" if gains else "loses"
    return clock(
        draw.choice(
            [
                f"An old clock {word} {lost} minutes every hour. It is set right at {time(start)}. What does it "
                f"show when it is really {time(start + hours * 60)}? HH:MM.",
                f"At {time(start)} a tower clock was set to the correct time, but it {word} {lost} minutes in each "
                f"hour of true time. Which time can be read from it at {time(start + hours * 60)} true time? Write "
                "HH:MM.",
                f"True time {time(start + hours * 60)}. The grandfather clock was right at {time(start)} and {word} "
                f"{lost} minutes an hour. What is on its face? Give HH:MM, 24-hour.",
                f"What will a clock show at {time(start + hours * 60)} that agreed with the true time at "
                f"{time(start)} and {word} {lost} minutes per true hour? Answer as HH:MM.",
            ]
        ),
        f"{hours} hours have passed, so it is {hours} × {lost} = {hours * lost} minutes "
        f"{'fast' if gains else 'slow'}.\nIt shows {time(shown)}.",
        shown,
    )


def vans_meet(draw: Random) -> Question:
    start, one, two = draw.randrange(7 * 60, 12 * 60, 5), draw.choice([50, 60, 70, 80]), draw.choice([40, 55, 65, 90])
    later, rest = draw.choice([30, 60]), draw.randint(40, 200)
    while rest * 60 % (one + two):
        rest += 1
    gone, minutes = one * later // 60, rest * 60 // (one + two)
    way = gone + rest
    meet = start + later + minutes
    return clock(
        draw.choice(
            [
                f"Two depots are {way} km apart. At {time(start)} a van leaves the first at {one} km/h, at "
                f"{time(start + later)} another leaves the second towards it at {two} km/h. When do they meet? "
                "HH:MM.",
                f"A van drives from A to B at {one} km/h from {time(start)} on; a second one drives from B to A at "
                f"{two} km/h from {time(start + later)} on. The road is {way} km long. At what time do they pass "
                "each other (HH:MM)?",
                f"The road between two depots measures {way} km. One driver starts at {time(start)} with {one} "
                f"km/h, the driver at the other end at {time(start + later)} with {two} km/h, towards each other. "
                "Give the time of their meeting as HH:MM.",
                f"They drive towards each other on a road of {way} km: the first from {time(start)} at {one} km/h, "
                f"the second from {time(start + later)} at {two} km/h. Find the time when they meet, HH:MM.",
            ]
        ),
        f"At {time(start + later)} the first has gone {gone} km; {rest} km are left.\nTogether they do {one + two} "
        f"km an hour, so it takes {minutes} minutes more: {time(meet)}.",
        meet,
    )


def together_again(draw: Random) -> Question:
    start, one, two = (
        draw.randrange(5 * 60, 9 * 60, 5),
        *draw.choice(
            [(12, 18), (15, 20), (10, 25), (12, 20), (14, 21), (18, 24), (16, 24), (20, 30), (25, 30), (24, 36)]
        ),
    )
    both, times = lcm(one, two), draw.randint(2, 4)
    when = start + both * times
    word = {2: "second", 3: "third", 4: "fourth"}[times]
    return clock(
        draw.choice(
            [
                f"At {time(start)} a tram and a bus leave a square together. Trams go every {one} minutes, buses "
                f"every {two}. At what time do they leave together for the {word} time after that? HH:MM.",
                f"Trams leave every {one} minutes and buses every {two} minutes, both from {time(start)} on. "
                f"Leaving that first departure aside, when is the {word} joint one? Write HH:MM.",
                f"Every {one} minutes a tram, every {two} minutes a bus; both have just left, at {time(start)}. "
                f"Count the later moments when both leave at once: at what time is the {word} one (HH:MM)?",
                f"A bus every {two} minutes and a tram every {one} minutes start at {time(start)} with a common "
                f"departure. Give the time of the {word} common departure following it, as HH:MM.",
            ]
        ),
        f"Both leave together every {both} minutes, the smallest multiple of {one} and {two}.\n{times} × {both} = "
        f"{both * times} minutes after {time(start)} it is {time(when)}.",
        when,
    )


EASY: list[Family] = [
    ferry,
    film_night,
    leave_by,
    roast,
    wrong_watch,
    every_so_often,
]
MEDIUM: list[Family] = [
    over_the_sea,
    half_way,
    print_run,
    feeding,
]
HARD: list[Family] = [
    losing_clock,
    vans_meet,
    together_again,
]
