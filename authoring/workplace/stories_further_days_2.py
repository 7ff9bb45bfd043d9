"""More requests to learn from about the calendar: several events in a row, of a day or of a person, and free hours.

Each is said in six ways.
"""

from datetime import timedelta

from authoring.workplace.scene import Scene, Story, Tell, call, find_event, find_person
from verigym.environments.workplace.office import TODAY, Event, end_of

AHEAD, YESTERDAY = "2026-05-13", "2026-05-11"


def _days(s: Scene) -> list[list[Event]]:
    """The events of each day to come on which there are a few, earliest first."""
    days: dict[str, list[Event]] = {}
    for event in sorted(s.rows("events"), key=lambda event: event.start):
        if event.start > AHEAD:
            days.setdefault(event.start[:10], []).append(event)
    return [events for events in days.values() if 2 <= len(events) <= 5]


def after(start: str, minutes: int) -> str:
    return end_of(start, minutes).strftime("%Y-%m-%d %H:%M")


def end(event: Event) -> str:
    return after(event.start, event.minutes)


def in_a_row(s: Scene) -> Story:
    people, name, when = [s.person() for _ in range(3)], s.meeting(), s.day()
    first, minutes = s.pick(("09:30", "10:00", "11:00", "13:30", "14:00")), s.pick((20, 25, 40, 50))
    one, two, three = (person.first for person in people)
    starts = [after(f"{when.iso} {first}", place * minutes) for place in range(3)]
    books = [
        call("calendar.create", name=name, participant=person.address, start=start, minutes=minutes)
        for person, start in zip(people, starts, strict=True)
    ]
    return Story(
        [
            f'"{name}" with {one}, {two} and {three}, one after the other {when.words}: {minutes} minutes each, from '
            f"{first}, no breaks.",
            f"I see three people in a row {when.words}. {one} starts at {first}, {two} is next, then {three}. "
            "Everybody has "
            f'{minutes} minutes; each entry is called "{name}".',
            f'Book three slots "{name}" {when.words}, {minutes} minutes apiece and without pauses, beginning at '
            f"{first}. The order is {one}, {two}, {three}.",
            f"Line up {one}, {two}, {three} (in that order) {when.words} from {first} on. Each gets a separate "
            f'"{name}" of {minutes} minutes, and as one ends the next begins.',
            f"{when.iso}, {first}: {one}. Straight after: {two}. Straight after that: {three}. Always {minutes} "
            "minutes, always "
            f'"{name}".',
            f'Please enter "{name}" three times {when.words}, first for {one} at {first}, then for {two}, last for '
            f"{three}. They last {minutes} minutes each and follow each other directly.",
        ],
        [*(find_person(person) for person in people), *books],
    )


def shift_afternoon(s: Scene) -> Story:
    def moved(events: list[Event]) -> list[Event]:
        return [event for event in events if event.start[11:] >= "12:00"]

    events = s.pick([day for day in _days(s) if 1 <= len(moved(day)) <= min(3, len(day) - 1)])
    day, minutes = events[0].start[:10], s.pick((10, 20, 25))
    on = f"on {s.date(day)}"
    return Story(
        [
            f"My lunch takes longer {on}. Whatever starts at noon or later that day starts {minutes} minutes later; the "
            "morning stays.",
            f"Every meeting {on} with a start at 12:00 or after is put back by {minutes} minutes.",
            f"Delay the second half of {day}: all that starts from noon on, {minutes} minutes later. Leave what starts "
            "before noon.",
            f"Please look at {day} and push each event with a start of 12:00 or later back by {minutes} minutes.",
            f"{minutes} minutes later, please, for everything from midday onwards {on}. What begins in the morning is "
            "not affected.",
            f"I come back late from lunch {on}, so afternoon events, noon included, need to begin {minutes} minutes after "
            "their present time.",
        ],
        [
            call("calendar.search", since=day, until=day),
            *(
                call("calendar.update", id=event.id, field="start", value=after(event.start, minutes))
                for event in moved(events)
            ),
        ],
    )


def emptier_day(s: Scene) -> Story:
    days = _days(s)
    one, two = s.pick([(one, two) for one in days for two in days if len(one) != len(two)])
    first, second = one[0].start[:10], two[0].start[:10]
    free = first if len(one) < len(two) else second
    person, name, time, minutes = s.person(), s.meeting(), s.time(), s.minutes()
    book = call("calendar.create", name=name, participant=person.address, start=f"{free} {time.clock}", minutes=minutes)
    return Story(
        [
            f'Do I have fewer meetings on {first} or on {second}? Book "{name}" with {person.first} on the emptier '
            f"day, {time.words}, {minutes} minutes.",
            f'"{name}", {person.first}, {minutes} minutes at {time.words}, on {first} or on {second}, wherever I '
            "have fewer events.",
            f"{person.first} can see me on {first} and on {second}. Count my events on both and take the day with the "
            "smaller "
            f'number: {time.words}, {minutes} minutes, titled "{name}".',
            f'Compare {second} with {first}. Whichever has fewer entries gets another one, "{name}" with '
            f"{person.name}, {minutes} minutes from {time.words}.",
            f'I owe {person.first} {minutes} minutes ("{name}", {time.words}). The quieter of {first} and {second} '
            "would suit me, going by the number of meetings.",
            f'One of two days, {second} or {first}, has more events than the other. Put "{name}" with {person.first} '
            f"on that other: {time.words}, {minutes} min.",
        ],
        [
            find_person(person),
            call("calendar.search", since=first, until=first),
            call("calendar.search", since=second, until=second),
            book,
        ],
    )


def longest_away(s: Scene) -> Story:
    def lengths(events: list[Event]) -> list[int]:
        return sorted((event.minutes for event in events), reverse=True)

    events = s.pick([events for events in _days(s) if lengths(events)[0] > lengths(events)[1]])
    day, when = events[0].start[:10], s.day()
    while when.iso == day:
        when = s.day()
    longest, on = max(events, key=lambda event: event.minutes), f"on {s.date(day)}"
    return Story(
        [
            f"The longest meeting I have {on} should be {when.words} instead, at the hour it has now.",
            f"Too much {on}! Take the event with the most minutes and move it to {when.iso}, same time of day.",
            f"Which of my appointments {on} takes longest? Transfer that one to {when.iso} and keep its hour.",
            f"Relieve {day}: what lasts longest there goes to {when.iso}, hour unchanged, the rest stays.",
            f"Give me some air {on} by rescheduling the biggest block of that day. Its new date is {when.iso}, its "
            "clock time the same.",
            f"{day} -> {when.iso}, only the longest event, same starting hour",
        ],
        [
            call("calendar.search", since=day, until=day),
            call("calendar.update", id=longest.id, field="start", value=f"{when.iso} {longest.start[11:]}"),
        ],
    )


def entered_twice(s: Scene) -> Story:
    name, twins = s.few("events", lambda event: event.name, least=2, most=2)
    while twins[0].participant == twins[1].participant or min(event.start for event in twins) < AHEAD:
        name, twins = s.few("events", lambda event: event.name, least=2, most=2)
    kept, other = s.pick((twins, twins[::-1]))
    person = s.who(kept.participant)
    return Story(
        [
            f'"{name}" stands in my calendar twice. The one with {person.first} is right, delete the other.',
            f'There are two events called "{name}". Keep the one in which {person.first} takes part and cancel the '
            "other one.",
            f'Only {person.first} comes to "{name}". The second entry of that name, with somebody else, has to go.',
            f'Why do I see "{name}" two times? It is with {person.name} and with nobody else, so remove the wrong one.',
            f'Of my two "{name}" meetings, call off the one that is not with {person.first}.',
            f'Clear up a double entry, please: "{name}" with {person.first} stays, "{name}" without {person.first} '
            "goes.",
        ],
        [find_person(person), call("calendar.search", query=name), call("calendar.delete", id=other.id)],
    )


def _taken(events: list[Event], start: str) -> bool:
    """Whether something goes on in the half hour from `start` on, or ends or begins at its edge."""
    return any(event.start <= after(start, 30) and start <= end(event) for event in events)


def first_free_hour(s: Scene) -> Story:
    events = s.pick(_days(s))
    day, person, name = events[0].start[:10], s.person(), s.meeting()
    grid = [f"{day} {hour:02}:{minute}" for hour in range(9, 17) for minute in ("00", "30")]
    busy = [start for start in grid if any(e.start <= start and after(start, 15) <= end(e) for e in events)]
    free = [start for start in grid if not _taken(events, start)]
    refusals = s.pick((0, 1, 2))
    if not free or len(busy) < 2:
        return first_free_hour(s)
    offered = [*(s.other(busy) for _ in range(refusals)), s.other(free)]
    best = offered[-1]
    offered += [s.other(grid) for _ in range(3 - len(offered))]
    one, two, three = (start[11:] for start in offered)
    return Story(
        [
            f'"{name}" with {person.first} on {day}, half an hour. I would like {one}; if something is on then, '
            f"{two}; if that is taken too, {three}.",
            f'Book {person.first} for 30 minutes on {day}, "{name}". Try {one} first, then {two}, then {three}, and '
            "take the first at which I am free.",
            f"On {day} {person.first} can come at {one}, {two} or {three}, in this order of preference. Enter "
            f'"{name}", 30 minutes, at the first of them that collides with nothing.',
            f"Look at my calendar for {day}: is {one} free for half an hour? Or else {two}? Or else {three}? The first "
            f'"yes" is for "{name}" with {person.name}.',
            f'{person.first} needs 30 minutes of mine on {day} ("{name}"). {one} would be best, {two} is second '
            f"choice, {three} the last; go by what is not occupied.",
            f'30 min "{name}", {person.first}, {day}. Candidates, best first: {one} / {two} / {three}. Skip those '
            "where I already have a meeting.",
        ],
        [
            find_person(person),
            call("calendar.search", since=day, until=day),
            call("calendar.create", name=name, participant=person.address, start=best, minutes=30),
        ],
    )


def like_last_time(s: Scene) -> Story:
    past = [event for event in s.rows("events") if event.start[:10] <= YESTERDAY]
    person = s.other(one for one in s.office.people if one.address in {event.participant for event in past})
    events = [event for event in past if event.participant == person.address]
    last, when, time = events[0], s.day(), s.time()
    if len(events) > 1 and events[1].start == last.start:
        return like_last_time(s)
    start = f"{when.iso} {time.clock}"
    return Story(
        [
            f"What did {person.first} and I meet for most recently, before today? The same again {when.words} at "
            f"{time.words}: same title, same length.",
            f"Repeat the last meeting I had with {person.first}, name and minutes as they were, {when.words}, "
            f"{time.words}.",
            f"{person.first} wants another round of what we had last time. Look it up and book it {when.words} at "
            f"{time.words}, as long as it was and under its name.",
            f"Find the latest event with {person.name} up to {YESTERDAY}. A new one with its title and its length "
            f"starts {when.words} at {time.words}.",
            f"Once more, please: the meeting that {person.first} and I held last before today. New date {when.iso}, "
            f"{time.clock}; nothing else changes.",
            f"Enter an event with {person.first} {when.words} at {time.words}. For its name and duration go by the "
            "most recent one with them that lies behind us.",
        ],
        [
            find_person(person),
            call("calendar.search", query=person.address, until=YESTERDAY),
            call("calendar.create", name=last.name, participant=person.address, start=start, minutes=last.minutes),
        ],
    )


def keep_first_only(s: Scene) -> Story:
    windows = [
        (person, since, until, events)
        for person in s.office.people
        for ahead in range(1, 20)
        for days in (6, 8, 10, 13)
        for since, until in [((TODAY + timedelta(ahead)).isoformat(), (TODAY + timedelta(ahead + days)).isoformat())]
        for events in [
            [e for e in s.rows("events") if e.participant == person.address and since <= e.start[:10] <= until]
        ]
        if 2 <= len(events) <= 4 and events[-1].start < events[-2].start
    ]
    person, since, until, events = s.pick(windows)
    return Story(
        [
            f"I meet {person.first} too often. From {since} to {until}, leave us the first appointment and cancel the "
            "others.",
            f"One meeting with {person.first} between {since} and {until} is plenty. Keep the earliest, drop the rest.",
            f"Go through my dates with {person.name}, {since} to {until}. All but the earliest one are to be called "
            "off.",
            f"{person.first} and I will settle everything at once, the first time we meet in the period {since} to "
            f"{until}. Cancel what comes after it in that period.",
            f"Whatever I have with {person.first} from {since} until {until}: delete it, except for what comes first.",
            f"Thin out {person.first} in my calendar ({since} to {until}): only the earliest event stays.",
        ],
        [
            find_person(person),
            call("calendar.search", query=person.address, since=since, until=until),
            *(call("calendar.delete", id=event.id) for event in events[:-1]),
        ],
    )


def drop_short_ones(s: Scene) -> Story:
    limit = s.pick((20, 40, 50))

    def short(events: list[Event]) -> list[Event]:
        return [event for event in events if event.minutes < limit]

    day, events = s.few("events", lambda event: event.start[:10] * (event.start > "2026-05-13"), least=2, most=5)
    if not 1 <= len(short(events)) <= min(3, len(events) - 1):
        return drop_short_ones(s)
    on = f"on {s.date(day)}"
    return Story(
        [
            f"No small talk {on}: meetings under {limit} minutes are cancelled, the others take place.",
            f"Cancel what lasts less than {limit} minutes {on}. Longer events stay as they are.",
            f"Check {day} and call off each meeting that is shorter than {limit} minutes.",
            f"I only want proper meetings {on}, which means {limit} minutes at least. Delete the ones that do not "
            "reach that.",
            f"Everything below {limit} minutes in my calendar for {day} can be done by phone, so take it out.",
            f"{day}: remove events of fewer than {limit} minutes, however many there are, and nothing else.",
        ],
        [
            call("calendar.search", since=day, until=day),
            *(call("calendar.delete", id=event.id) for event in short(events)),
        ],
    )


def even_by_number(s: Scene) -> Story:
    one, two = s.event(), s.event()
    while one.minutes == two.minutes:
        two = s.event()
    short, long = sorted((one, two), key=lambda event: event.minutes)
    return Story(
        [
            f"Events {one.id} and {two.id} should be equally long. Stretch the shorter to the length of the other.",
            f"Compare the lengths of events no. {one.id} and no. {two.id}; the one with fewer minutes gets as many as "
            "the other.",
            f"It is unfair that {one.id} and {two.id} in my calendar differ in length. Lengthen the shorter until "
            "they match.",
            f"Look at calendar entries {two.id} and {one.id}. Whichever is shorter now lasts just as long as its "
            "counterpart.",
            f"Same duration for event {one.id} and event {two.id}, namely the longer of the two they have today.",
            f"Take the higher number of minutes, be it that of event {two.id} or of {one.id}, and give it to both.",
        ],
        [
            call("calendar.get", id=one.id),
            call("calendar.get", id=two.id),
            call("calendar.update", id=short.id, field="minutes", value=long.minutes),
        ],
    )


def no_later_than(s: Scene) -> Story:
    days = [(TODAY + timedelta(ahead)).isoformat() for ahead in range(4, 27)]
    event = s.event()
    day = s.either([day for day in days if day != event.start[:10]], lambda day: event.start[:10] > day)
    name, limit = s.meeting(), s.date(day)
    while name == event.name:
        name = s.meeting()
    act = call("calendar.update", id=event.id, field="name", value=name)
    if event.start[:10] > day:
        act = call("calendar.update", id=event.id, field="start", value=f"{day} {event.start[11:]}")
    return Story(
        [
            f'"{event.name}" must take place by {limit}. If it is later, pull it to that day at its present hour. If '
            f'it is in time, only rename it "{name}".',
            f'Is "{event.name}" after {limit}? Then it moves to {day}, same hour. If not, it is called "{name}" from '
            "now on.",
            f'{limit} is the last possible day for "{event.name}". Too late as planned: put it on that day, hour as '
            f'before. Not too late: change its title to "{name}".',
            f'Give "{event.name}" the title "{name}" as long as it lies no later than {limit}. If it lies later, '
            f"leave the title and set its date to {day}, the time of day unchanged.",
            f'We need "{event.name}" done on {limit} at the latest. Check the date: too late, bring it forward to that '
            f'day (same hour); in time, just call it "{name}".',
            f'Either "{event.name}" is planned for a day after {limit}, then it goes to {day} at the hour it has, or '
            f'it is not, then its name becomes "{name}".',
        ],
        [find_event(event), act],
    )


STORIES: list[Tell] = [
    in_a_row, shift_afternoon, emptier_day, longest_away, entered_twice, first_free_hour, like_last_time,
    keep_first_only, drop_short_ones, even_by_number, no_later_than,
]  # fmt: skip
