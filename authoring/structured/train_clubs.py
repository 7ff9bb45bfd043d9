"""Training texts about clubs, stages, sports and news. Each function is a family."""

from datetime import timedelta
from random import Random

from authoring.structured.train_words import COLLEAGUES, FIRST_NAMES, PEOPLE, TOWNS
from verigym.core.records import Json
from verigym.environments.structured.forms import (
    DATE,
    NUMBER,
    SPELT,
    TEXT,
    TIME,
    WHOLE,
    YES,
    Document,
    Family,
    address,
    clock,
    counted,
    day,
    either,
    fields,
    listed,
    maybe,
    money,
    noted,
    one_of,
    price,
    scattered,
    some_day,
    some_time,
    unordered,
)


def match_report(draw: Random) -> Document:
    home, away = draw.sample(TOWNS, 2)
    scorers = draw.sample([name.split()[1] for name in COLLEAGUES], 4)
    minutes = sorted(draw.sample(range(3, 89), 4))
    goals = [
        {"minute": minute, "player": who, "team": draw.choice(["home", "away"])}
        for minute, who in zip(minutes, scorers, strict=True)
    ]
    score = {side: sum(goal["team"] == side for goal in goals) for side in ("home", "away")}
    crowd, when = either(draw, draw.randint(200, 9000), 0.6), some_day(draw)
    told = "; ".join(
        f"{goal['minute']}' {goal['player']} for {home if goal['team'] == 'home' else away}" for goal in goals
    )
    text = (
        f"{home} v {away} {score['home']}:{score['away']} ({day(draw, when)})\nGoals: {told}. A goal of {scorers[0]} "
        f"in minute "
        f"{minutes[-1] + 1} was offside and did not count. "
        + (f"{crowd} saw it." if crowd else "Nobody counted the crowd.")
        + f" Last season it ended {score['home'] + 1}:{score['away'] + 2}. Red card: {draw.choice(['none', 'nobody'])}."
    )
    schema = fields(
        date=DATE, home=TEXT, away=TEXT, score=fields(home=WHOLE, away=WHOLE),
        goals=listed(fields(minute=WHOLE, player=TEXT, team=one_of("home", "away"))), spectators=maybe(WHOLE),
    )  # fmt: skip
    gold = {
        "date": when.isoformat(), "home": home, "away": away, "score": score, "goals": goals, "spectators": crowd,
    }  # fmt: skip
    offside = {"minute": minutes[-1] + 1, "player": scorers[0], "team": "home"}
    return Document(schema, gold, text, {"score.home": score["home"] + 1, "goals": [*goals, offside]})


def radio_show(draw: Random) -> Document:
    show, host = draw.choice(["Night Train", "Vinyl Hour", "Blue Monday Club"]), draw.choice(PEOPLE)
    titles = draw.sample(
        ["Paper Moonlight", "Slow River", "Tin Soldier Waltz", "Ninety Doors", "Rust", "Harvest Call"], 4
    )
    bands = draw.sample(["The Ferns", "Otto Quartet", "Marla and the Mice", "Kite Season", "Low Tide"], 3)
    songs: list[Json] = [
        dict(title=title, artist=band, seconds=draw.randint(125, 355))
        for title, band in zip(titles, bands, strict=False)
    ]
    rows = [f"{one['title']} by {one['artist']} ({one['seconds'] // 60}:{one['seconds'] % 60:02})" for one in songs]
    cut = titles[3]
    text = draw.choice(
        [
            f"{show} with {host}: {rows[0]}, {rows[1]}, {rows[2]}. We had no time for {cut}.",
            f"PLAYED\n1. {rows[0]}\n2. {rows[1]}\n3. {rows[2]}\nPLANNED, NOT PLAYED\n{cut}\n{show}, presented by "
            f"{host}",
            f"{host} here, you are listening to {show}. That was {rows[2]}. Before it you heard {rows[1]}, and we "
            f"opened with {rows[0]}. {cut} next week!",
            f"playlist {show} / {host} / last song first: {rows[2]} < {rows[1]} < {rows[0]}. {cut} dropped.",
        ]
    )
    song = fields(title=TEXT, artist=TEXT, seconds=noted(WHOLE, "length in seconds"))
    schema = fields(show=TEXT, host=TEXT, songs=noted(listed(song), "as they were played"))
    gold = dict(show=show, host=host, songs=songs)
    return Document(schema, gold, text, {"songs": songs[::-1], "songs.1.title": cut})


def league_table(draw: Random) -> Document:
    sport = draw.choice(["chess", "darts", "table tennis", "boules"])
    teams = draw.sample(["Foxes", "Anvils", "Magpies", "Night Owls", "Comets", "Badgers"], 4)
    points = sorted(draw.sample(range(3, 40), 3), reverse=True)
    table: list[Json] = [dict(team=team, points=each) for team, each in zip(teams, points, strict=False)]
    lost = draw.randint(1, 3)
    before = points[0] + lost
    mixed = draw.sample([f"{one['team']} {one['points']}" for one in table[1:]], 2)
    left = draw.randint(2, 9)
    top = teams[0]
    text = draw.choice(
        [
            f"{sport}: {mixed[0]}, {top} {before}, {mixed[1]} points. {top} lose {SPELT[lost]} for a late start, that "
            f"makes {points[0]}. {teams[3]} gave up. {left} rounds to go.",
            f"With {left} rounds left in {sport}: {mixed[0]} - {mixed[1]} - {top} {points[0]} ({before} less a "
            f"penalty of {lost}). {teams[3]}: withdrawn",
            f"points, {sport} league\n{scattered(draw, [*mixed, f'{top} {points[0]} (not {before})'])}\n{teams[3]} "
            f"out\nrounds left: {left}",
            f"{teams[3]} have left the {sport} league. {top} had {before} and now have {points[0]} points after a "
            f"penalty; the others are {mixed[0]} and {mixed[1]}. There are {left} rounds to play.",
        ]
    )
    schema = fields(
        sport=TEXT, table=noted(listed(fields(team=TEXT, points=WHOLE)), "most points first"),
        withdrawn=unordered(TEXT),
        rounds_left=WHOLE,
    )  # fmt: skip
    gold = dict(sport=sport, table=table, withdrawn=[teams[3]], rounds_left=left)
    return Document(schema, gold, text, {"table.0.points": before, "table": table[::-1], "withdrawn": []})


def family_tree(draw: Random) -> Document:
    person, spouse, cousin = draw.sample(PEOPLE, 3)
    born = draw.randint(1880, 1920)
    wed, died = born + draw.randint(20, 29), either(draw, born + draw.randint(55, 90), 0.6)
    kids = [
        dict(name=name, born=wed + shift)
        for name, shift in zip(draw.sample(FIRST_NAMES, 3), sorted(draw.sample(range(1, 14), 3)), strict=True)
    ]
    place, trade = (
        draw.choice(["Rimsting", "Olde", "Varenna", "Skagen"]),
        draw.choice(["cooper", "midwife", "saddler", "teacher"]),
    )
    ended = f"died {died}" if died else "year of death unknown"
    mixed = draw.sample([f"{one['name']} (b. {one['born']})" for one in kids], 3)
    text = draw.choice(
        [
            f"{person}, {trade}, born {born} in {place}, {ended}. Married {spouse} in {wed}. Children: "
            f"{', '.join(mixed)}. Cousin: {cousin}.",
            f"* {born} {place}: {person}\noo {wed}: {spouse}\n+ {ended}\nchildren {'; '.join(mixed)}\ntrade {trade}\n"
            f"(for {cousin} see next sheet)",
            f"In {wed} the {trade} {person} and {spouse} were married. {mixed[0]}, {mixed[1]} and {mixed[2]} are "
            f"their children. {person} came from {place}, born {born}, {ended}. {cousin}, a cousin, was a witness.",
            f"{spouse}'s other half was {person} ({trade}; born {born}, {place}; {ended}). They wed in {wed}, not "
            f"with {cousin} as the letter says, and had {mixed[0]}, {mixed[1]}, {mixed[2]}.",
        ]
    )
    schema = fields(
        name=TEXT, trade=TEXT, born=fields(year=WHOLE, place=TEXT), died=maybe(WHOLE),
        marriage=fields(spouse=TEXT, year=WHOLE),
        children=noted(listed(fields(name=TEXT, born=WHOLE)), "the eldest first"),
    )  # fmt: skip
    gold = dict(
        name=person,
        trade=trade,
        born=dict(year=born, place=place),
        died=died,
        marriage=dict(spouse=spouse, year=wed),
        children=kids,
    )
    return Document(schema, gold, text, {"marriage.spouse": cousin, "children": kids[::-1]})


def storm_news(draw: Random) -> Document:
    name, area = (
        draw.choice(["Ottla", "Bram", "Quirin", "Selma"]),
        draw.choice(["the north coast", "the Elder valley", "the islands"]),
    )
    when, gust = some_day(draw), draw.randrange(95, 170)
    first, now = draw.sample(range(3, 40), 2)
    homes = draw.randrange(2, 60) * 100
    shut = draw.sample(["the ferry", "the motorway", "the schools", "the airport", "the zoo"], 3)
    open_again = shut.pop()
    dead = draw.random() < 0.3
    loss = "One person died." if dead else "Nobody died."
    text = draw.choice(
        [
            f"Storm {name} hit {area} on {day(draw, when)} with gusts of {gust} km/h. First reports said {first} "
            f"injured, the police now say {now}. {homes} homes have no power. {shut[0].capitalize()} and {shut[1]} "
            f"are closed; {open_again} opened again. {loss}",
            f"{name.upper()} UPDATE\n{area}, {day(draw, when)}\ngusts: {gust} km/h\ninjured: {now} (earlier: "
            f"{first})\nwithout power: {homes} homes\nclosed: {shut[0]}, {shut[1]}\nreopened: {open_again}\n{loss}",
            f"{loss} But {now} people, not {first}, were hurt when {name} reached {area} on {day(draw, when)}. "
            f"{homes} homes are dark, {shut[1]} and {shut[0]} stay shut. {open_again.capitalize()} opened at noon. "
            f"The wind blew at {gust} km/h.",
            f"At {gust} km/h {name} swept over {area} ({day(draw, when)}). Hurt: {now}, corrected from {first}. Still "
            f"shut: {shut[0]} + {shut[1]}. Open: {open_again}. Homes cut off from power: {homes}. {loss}",
        ]
    )
    schema = fields(
        storm=TEXT,
        area=TEXT,
        date=DATE,
        gusts_kmh=WHOLE,
        injured=WHOLE,
        deaths=YES,
        homes_without_power=WHOLE,
        closed=unordered(TEXT),
    )
    gold = dict(
        storm=name, area=area, date=when.isoformat(), gusts_kmh=gust, injured=now, deaths=dead,
        homes_without_power=homes,
        closed=shut,
    )  # fmt: skip
    return Document(schema, gold, text, {"injured": first, "closed": [*shut, open_again], "deaths": not dead})


def cast_list(draw: Random) -> Document:
    play, director = draw.choice(["The Glass Coat", "Two Admirals", "A Debt of Geese"]), draw.choice(PEOPLE)
    roles = draw.sample(["the widow", "the miller", "a thief", "the judge", "the cook"], 3)
    actors = draw.sample([name for name in PEOPLE if name != director], 4)
    cast = [dict(role=role, actor=actor) for role, actor in zip(roles, actors, strict=False)]
    ill, start = actors[3], some_time(draw, 18, 20)
    breaks = either(draw, draw.choice([15, 20, 25]), 0.6)
    pause = f"One interval of {breaks} minutes." if breaks else "No interval."
    rest = [f"{one['role']}: {one['actor']}" for one in cast[1:]]
    swap, role = actors[0], roles[0]
    text = draw.choice(
        [
            f"{play}\n{role}: {ill}\n{rest[0]}\n{rest[1]}\ndirected by {director}\nTONIGHT {ill} is ill, {swap} plays "
            f"instead. {clock(draw, start)}. {pause}",
            f"Curtain {clock(draw, start)} for {play}, director {director}. Tonight: {role}: {swap} (for {ill}, who "
            f"has a cold); {rest[1]}; {rest[0]}. {pause}",
            f"{pause} {director} directs {play}. {rest[0]}. {rest[1]}. As {role} you were to see {ill}, you will see "
            f"{swap}. We begin at {clock(draw, start)}.",
            f"programme slip: {swap} for {ill} as {role}! Unchanged: {', '.join(rest)}. {play}, {clock(draw, start)}, "
            f"staged by {director}. {pause}",
        ]
    )
    schema = fields(
        play=TEXT, director=TEXT, start=TIME, cast=noted(unordered(fields(role=TEXT, actor=TEXT)), "tonight"),
        interval_minutes=noted(maybe(WHOLE), "null if there is none"),
    )  # fmt: skip
    gold = dict(play=play, director=director, start=start, cast=cast, interval_minutes=breaks)
    return Document(schema, gold, text, {"cast.0.actor": ill, "director": swap})


def stage_rider(draw: Random) -> Document:
    band, people = draw.choice(["Kite Season", "Brass Bakery", "The Ferns"]), draw.randint(3, 8)
    gear = draw.sample(["microphones", "monitors", "stools", "music stands", "extension leads"], 4)
    needs: list[Json] = [dict(item=item, count=draw.randint(2, 9)) for item in gear[:3]]
    meals, fee = draw.randint(0, 3), price(draw, 200, 900)
    set_up, on = some_time(draw, 15, 17), some_time(draw, 19, 22)
    food = f"{counted(meals, 'vegetarian')} among us" if meals else "no vegetarians among us"
    said = ", ".join(f"{SPELT[one['count']]} {one['item']}" for one in needs)
    digits = ", ".join(f"{one['item']} x {one['count']}" for one in needs)
    text = draw.choice(
        [
            f"{band}, {SPELT[people]} people. We need {said}. Our own: {gear[3]}. Set-up {clock(draw, set_up)}, show "
            f"{clock(draw, on)}. Supper: {food}. Fee {money(draw, fee)}.",
            f"RIDER {band}\nheads: {people} ({food})\nprovide: {digits}\nwe bring {gear[3]}\nset-up from "
            f"{clock(draw, set_up)}\non stage {clock(draw, on)}\nfee {money(draw, fee)}",
            f"The fee of {money(draw, fee)} is fine for {band}. Doors for set-up at {clock(draw, set_up)}, we play at "
            f"{clock(draw, on)}. There are {people} of us, {food}. On stage we want {said}; no {gear[3]} please.",
            f"We go on at {clock(draw, on)} and set up from {clock(draw, set_up)}. Please have ready {digits} "
            f"({gear[3]}: we have our own). {people} mouths to feed, {food}. {money(draw, fee)} as agreed. {band}",
        ]
    )
    schema = fields(
        band=TEXT, people=WHOLE, vegetarians=WHOLE,
        equipment=noted(unordered(fields(item=TEXT, count=WHOLE)), "to be provided"),
        times=fields(set_up=TIME, show=TIME), fee=NUMBER,
    )  # fmt: skip
    gold = dict(
        band=band, people=people, vegetarians=meals, equipment=needs, times=dict(set_up=set_up, show=on), fee=fee
    )
    wrong = {"equipment": [*needs, dict(item=gear[3], count=1)], "times": dict(set_up=on, show=set_up)}
    return Document(schema, gold, text, wrong)


def film_note(draw: Random) -> Document:
    title, other = draw.sample(["The Long Ferry", "Ash Wednesday Blues", "Copper Sky", "Nobody's Orchard"], 2)
    director, star = draw.sample(PEOPLE, 2)
    year, length = draw.randint(1955, 2024), draw.randint(70, 165)
    rating, old = draw.sample(range(1, 11), 2)
    genres = draw.sample(["comedy", "drama", "western", "thriller", "musical"], 3)
    seen = either(draw, some_day(draw), 0.5)
    watched = f"seen {day(draw, seen)}" if seen else "seen some time ago"
    hours = f"{length // 60} h {length % 60} min"
    text = draw.choice(
        [
            f"{title} ({year}), {genres[0]} and {genres[1]}, by {director} with {star}. {hours}. Gave it {old} of 10, "
            f"on second thoughts {rating} ({watched}). {other} is better, and that is a {genres[2]}.",
            f"film: {title}\nyear: {year}\nlength: {hours}\ndirected by: {director}\nstarring: {star}\ngenres: "
            f"{genres[0]}, {genres[1]} (not {genres[2]}!)\nmark: {rating}/10, after the first viewing {old}/10\n"
            f"{watched}",
            f"{rating} out of 10 for {title} by {director}, where {star} shines for {hours}. Half {genres[0]}, half "
            f"{genres[1]}. {other} got {old} from me, which is a {genres[2]}. ({watched}; made in {year})",
            f"Diary, {watched}: {star} in {title}. {director} made this {genres[1]}, which is also a {genres[0]}, in "
            f"{year}; {hours} long. My mark changed from {old} to {rating} (of ten). Then we slept through {other}, a "
            f"{genres[2]}.",
        ]
    )
    schema = fields(
        title=TEXT,
        year=WHOLE,
        director=TEXT,
        star=TEXT,
        minutes=WHOLE,
        genres=unordered(TEXT),
        mark=WHOLE,
        seen=maybe(DATE),
    )
    gold = dict(
        title=title, year=year, director=director, star=star, minutes=length, genres=genres[:2], mark=rating,
        seen=seen.isoformat() if seen else None,
    )  # fmt: skip
    return Document(schema, gold, text, {"mark": old, "title": other, "genres": genres})


def club_form(draw: Random) -> Document:
    club, who = draw.choice(["the rowing club", "the village choir", "the hill walkers"]), draw.choice(PEOPLE)
    mail, street = (
        address(who, "letterbox"),
        f"{draw.randint(1, 90)} {draw.choice(['Mill Lane', 'Station Road', 'Rose Walk'])}",
    )
    kind = draw.choice(["full", "student", "family"])
    said = dict(full="the full fee", student="the student fee", family="the family fee")[kind]
    other = dict(full="student", student="family", family="full")[kind]
    news, phone = draw.random() < 0.5, either(draw, f"0{draw.randint(500, 599)}/{draw.randint(1000, 9999)}", 0.5)
    begin = some_day(draw)
    letter = "Please send me the newsletter" if news else "No newsletter for me"
    text = draw.choice(
        [
            f"I, {who}, want to join {club} from {day(draw, begin)}. I live at {street}, mail "
            f"{mail}{f', phone {phone}' if phone else ''}. I pay {said}, no longer the {other} one. {letter}.",
            f"APPLICATION {club}\nname: {who}\nstreet: {street}\nmail: {mail}\nphone: {phone or ''}\nfee: ( ) {other} "
            f"(x) {kind}\nfrom: {day(draw, begin)}\nnewsletter: {'yes' if news else 'no'}",
            f"{letter}! {day(draw, begin)} will be my first day in {club}. {said.capitalize()} applies to me ({other} "
            f"was ticked by mistake). {who}, {street}, {mail}{f', {phone}' if phone else ', I have no phone'}",
            f"New member for {club}: {who}, {street}. Starts {day(draw, begin)}, pays {said}. Reach by "
            f"{mail}{f' or {phone}' if phone else ' only'}. Newsletter: {'wanted' if news else 'not wanted'}. The "
            f"{other} fee is for the sister.",
        ]
    )
    schema = fields(
        club=TEXT, member=fields(name=TEXT, street=TEXT, email=TEXT, phone=maybe(TEXT)),
        fee=one_of("full", "student", "family"),
        starts=DATE, newsletter=YES,
    )  # fmt: skip
    gold = dict(
        club=club,
        member=dict(name=who, street=street, email=mail, phone=phone),
        fee=kind,
        starts=begin.isoformat(),
        newsletter=news,
    )
    return Document(schema, gold, text, {"fee": other, "newsletter": not news, "member.phone": mail})


def cash_book(draw: Random) -> Document:
    keeper, begin = draw.choice(PEOPLE), draw.randrange(240, 600)
    names = draw.sample(["cake sale", "stamps", "raffle", "rent", "donation", "paint"], 3)
    gain = {"cake sale", "raffle", "donation"}
    entries: list[Json] = [
        dict(what=name, amount=draw.randrange(5, 80) * (1 if name in gain else -1)) for name in names
    ]
    end = begin + sum(one["amount"] for one in entries)
    month = draw.choice(["April", "May", "June", "September"])
    a = [f"{one['what']} {'in' if one['amount'] > 0 else 'out'} {abs(one['amount'])}" for one in entries]
    b = [f"we {'got' if one['amount'] > 0 else 'spent'} {abs(one['amount'])} ({one['what']})" for one in entries]
    debt = draw.randrange(10, 90, 10)
    text = draw.choice(
        [
            f"cash book {month}, kept by {keeper}\nat the start {begin}\n{chr(10).join(a)}\nat the end {end}\nnot yet "
            f"paid: flowers {debt}",
            f"{keeper} reports for {month}: {begin} euros to begin with; {', '.join(b)}; now there are {end}. The "
            f"flowers ({debt}) are paid next month.",
            f"{end} euros are in the tin, {keeper} counted twice. At the first of {month} it was {begin}. Then, in "
            f"this order, {', then '.join(b)}. Flowers for {debt} were put off.",
            f"{month} | {keeper}\n{begin} | carried over\n{chr(10).join(a)}\n{end} | carried forward\n{debt} | "
            "flowers, cancelled",
        ]
    )
    entry = fields(what=TEXT, amount=noted(NUMBER, "negative for what was spent"))
    schema = fields(month=TEXT, keeper=TEXT, opening=NUMBER, entries=listed(entry), closing=NUMBER)
    gold = dict(month=month, keeper=keeper, opening=begin, entries=entries, closing=end)
    unsigned = [{**one, "amount": abs(one["amount"]) + 1} for one in entries]
    extra = [*entries, dict(what="flowers", amount=-debt)]
    return Document(schema, gold, text, {"entries": unsigned, "closing": end - debt, "entries.2": extra[3]})


def friend_letter(draw: Random) -> Document:
    writer, reader, a, b, c, d = draw.sample(FIRST_NAMES, 6)
    towns = draw.sample(["Elmau", "Porto Vero", "Haslev", "Brenna"], 2)
    acts = dict(moved="has moved", married="got married", retired="has retired", graduated="has finished university")
    events = draw.sample(list(acts), 3)
    news = [dict(who=who, event=event) for who, event in zip((a, b, c), events, strict=True)]
    written = some_day(draw)
    visit = either(draw, written + timedelta(draw.randint(10, 90)), 0.6)
    plan = f"I will come to see you on {day(draw, visit)}." if visit else "When shall I come to see you?"
    told = [f"{one['who']} {acts[one['event']]}" for one in news]
    mixed = draw.sample(told, 3)
    text = draw.choice(
        [
            f"{towns[0]}, {day(draw, written)}\nDear {reader}, so much news: {mixed[0]}, {mixed[1]} and {mixed[2]}. "
            f"{d} has nothing to tell. {plan} Yours, {writer}",
            f"Hello {reader}! {plan} Did you know that {mixed[0]}? And {mixed[1]}! {d} is as ever. Oh, and "
            f"{mixed[2]}. Greetings from {towns[0]} (not {towns[1]} any more), {writer}, {day(draw, written)}",
            f"{day(draw, written)}. {reader}, dear, I sit in a cafe in {towns[0]} and think of {towns[1]}. "
            f"{mixed[0].capitalize()}, {mixed[1]}, {mixed[2]}; {d} has done none of it. {plan} {writer}",
            f"From {writer} in {towns[0]} to {reader} in {towns[1]}, {day(draw, written)}. {plan} Nothing new from "
            f"{d}. But: {mixed[0]}; {mixed[1]}; {mixed[2]}.",
        ]
    )
    schema = fields(
        writer=TEXT, reader=TEXT, written=fields(place=TEXT, date=DATE),
        news=unordered(fields(who=TEXT, event=one_of(*acts))),
        visit=maybe(DATE),
    )  # fmt: skip
    gold = dict(
        writer=writer, reader=reader, written=dict(place=towns[0], date=written.isoformat()), news=news,
        visit=visit.isoformat() if visit else None,
    )  # fmt: skip
    return Document(
        schema, gold, text, {"writer": reader, "news": [*news, dict(who=d, event=events[0])], "written.place": towns[1]}
    )


FAMILIES: list[Family] = [
    match_report,
    radio_show,
    league_table,
    family_tree,
    storm_news,
    cast_list,
    stage_rider,
    film_note,
    club_form,
    cash_book,
    friend_letter,
]
