"""Repositories to learn from: games, meals, shared costs and a gate."""

from authoring.code_repair.repositories import Bug, Repository

LEAGUE = Repository(
    "league",
    "Results of games, the table of the teams, and how they did of late.",
    {
        "games": '''def game(line):
    """`Red Owls 2:1 Foxes` as home team, away team, goals of the one and of the other."""
    words = line.split()
    at = next(place for place, word in enumerate(words) if ":" in word)
    home, away = words[at].split(":")
    return [" ".join(words[:at]), " ".join(words[at + 1 :]), int(home), int(away)]
''',
        "tables": '''from league.games import game


def table(lines):
    """Team to points, goals shot and goals let in. A win is worth 3 points, a draw 1."""
    games = [game(line) for line in lines]
    rows = {team: [0, 0, 0] for one in games for team in one[:2]}
    for home, away, here, there in games:
        for team, shot, let_in in ((home, here, there), (away, there, here)):
            rows[team][0] += 3 if shot > let_in else int(shot == let_in)
            rows[team][1] += shot
            rows[team][2] += let_in
    return rows


def ranking(lines):
    """Teams by points, then by goals shot less goals let in, then by name; the best first."""
    rows = table(lines)
    return sorted(rows, key=lambda team: (-rows[team][0], rows[team][2] - rows[team][1], team))
''',
        "forms": '''from league.games import game


def letter(team, line):
    """W, D or L: won, drawn or lost by that team."""
    home, _, here, there = game(line)
    if here == there:
        return "D"
    return "W" if (here > there) == (team == home) else "L"


def form(lines, team, last=3):
    """Letters of the last few games of a team, the newest first."""
    played = [letter(team, line) for line in lines if team in game(line)[:2]]
    return "".join(played[-last:][::-1])
''',
    },
    {
        "games": ['game("Red Owls 2:1 Foxes")'],
        "tables": [
            'table(["Owls 2:1 Elks", "Elks 0:0 Hens"])',
            'ranking(["Owls 1:0 Elks", "Hens 5:1 Cats", "Elks 0:0 Cats"])',
        ],
        "forms": [
            'letter("Elks", "Owls 0:2 Elks")',
            'form(["Owls 2:1 Elks", "Elks 1:0 Hens", "Hens 3:3 Owls", "Cats 1:0 Owls", "Owls 4:0 Hens"], "Owls")',
            'form(["Owls 2:1 Elks", "Elks 1:0 Hens"], "Elks")',
        ],
    },
    [
        'game("A 10:0 Big B")',
        'table(["A 1:3 B"])',
        'table(["A 1:1 B", "B 2:0 A", "C 0:1 A"])',
        "table([])",
        'ranking(["A 0:2 B", "C 3:0 D"])',
        'ranking(["B 1:1 A"])',
        'ranking(["A 1:0 B", "C 9:8 D", "B 2:0 D"])',
        'letter("A", "A 0:1 B")',
        'letter("B", "A 2:2 B")',
        'letter("B", "A 3:2 B")',
        'form(["A 1:0 B", "A 0:1 B", "A 1:1 B"], "B", 2)',
        'form(["A 1:0 B", "A 0:1 B", "C 1:1 B", "A 7:0 C"], "A", 2)',
        'form([], "A")',
        'ranking(["A 1:0 B", "A 1:0 C", "B 9:0 C"])',
    ],
    [
        Bug(
            "one_row",
            "league/tables.py",
            "{team: [0, 0, 0] for one in games for team in one[:2]}",
            "dict.fromkeys((team for one in games for team in one[:2]), [0, 0, 0])",
            "After two rounds every team has the same points and goals, even those that lost both games.",
        ),
        Bug(
            "difference",
            "league/tables.py",
            "rows[team][2] - rows[team][1], team",
            "rows[team][1] - rows[team][2], team",
            "Among teams with equal points, the one that was beaten badly stands higher.",
        ),
        Bug(
            "away",
            "league/forms.py",
            "(here > there) == (team == home)",
            "here > there",
            "Games that we win as guests are shown as lost.",
        ),
        Bug(
            "newest",
            "league/forms.py",
            "played[-last:][::-1]",
            "played[::-1][-last:]",
            "Our form shows how we did at the start of the season, not lately.",
        ),
    ],
)

SHARES = Repository(
    "shares",
    "Friends who pay for each other: who paid what, and who has to give whom how much.",
    {
        "amounts": '''def cents(text):
    """"12.5" is 1250, "3" is 300, "0.07" is 7."""
    whole, _, part = text.partition(".")
    return int(whole) * 100 + int(part.ljust(2, "0"))


def expense(line):
    """`Ann 12.50 for Bo, Cy` as payer, cents and those who share it; without names the payer paid for nobody else."""
    paid, _, names = line.partition(" for ")
    payer, amount = paid.split()
    return [payer, cents(amount), names.split(", ") if names else [payer]]
''',
        "dividing": '''from shares.amounts import expense


def parts(amount, names):
    """Each the same in whole cents; what is left over is a cent more for the first names."""
    each, over = divmod(amount, len(names))
    return {name: each + (1 if place < over else 0) for place, name in enumerate(names)}


def balances(lines):
    """Name to what was paid less what was used."""
    found = {}
    for payer, amount, names in map(expense, lines):
        found[payer] = found.get(payer, 0) + amount
        for name, part in parts(amount, names).items():
            found[name] = found.get(name, 0) - part
    return found
''',
        "settling": '''from shares.dividing import balances


def settle(given):
    """Who owes most pays whoever is owed most, as much as both allow, and so on; equal ones by name. `given` does not change."""
    left, found = dict(given), []
    while min(left.values(), default=0) < 0 < max(left.values(), default=0):
        poor = min(sorted(left), key=lambda name: left[name])
        rich = max(sorted(left), key=lambda name: left[name])
        amount = min(-left[poor], left[rich])
        left[poor] += amount
        left[rich] -= amount
        found.append(f"{poor} pays {rich} {amount}")
    return found


def statement(lines):
    """The payments, and the balances before them."""
    now = balances(lines)
    return [settle(now), now]
''',
    },
    {
        "amounts": ['cents("12.5")', 'cents("3")', 'expense("Ann 12.50 for Bo, Cy")', 'expense("Ann 4")'],
        "dividing": ['parts(100, ["Ann", "Bo", "Cy"])', 'balances(["Ann 9 for Ann, Bo", "Bo 1.00 for Ann"])'],
        "settling": [
            'settle({"Ann": 700, "Bo": -500, "Cy": -200})',
            'settle({"Ann": 300, "Bo": 200, "Cy": -500})',
            'statement(["Ann 5 for Ann, Bo"])',
        ],
    },
    [
        'cents("0.07")',
        'cents("10.2")',
        'expense("Di 0.5 for Di")',
        'expense("Di 20 for Al, Di, Ed")',
        'parts(11, ["x", "y"])',
        'parts(9, ["x", "y", "z"])',
        'parts(14, ["x", "y", "z", "w"])',
        'balances(["x 1 for x, y, z"])',
        'balances(["x 1.1 for y", "x 2 for y", "y 0.05"])',
        "settle({})",
        'settle({"b": 5, "a": 5, "d": -5, "c": -5})',
        'settle({"a": 1, "b": 8, "c": -9})',
        'settle({"p": 9, "q": -4, "r": -5})',
        'statement(["x 1 for x, y, z", "y 0.5 for z"])',
        'statement(["x 2"])',
    ],
    [
        Bug(
            "tenths",
            "shares/amounts.py",
            'part.ljust(2, "0")',
            'part.rjust(2, "0")',
            "I typed 12.5 for the taxi, and it was booked as 12.05.",
        ),
        Bug(
            "left_over",
            "shares/dividing.py",
            "each + (1 if place < over else 0)",
            "each",
            "One euro for three people: a cent is gone, and the books do not add up to nothing.",
        ),
        Bug(
            "changed",
            "shares/settling.py",
            "left, found = dict(given), []",
            "left, found = given, []",
            "In the statement everybody's balance is 0, however much they owe.",
        ),
        Bug(
            "more",
            "shares/settling.py",
            "amount = min(-left[poor], left[rich])",
            "amount = -left[poor]",
            "Somebody was paid more than was owed and had to pass it on.",
        ),
    ],
)

KITCHEN = Repository(
    "kitchen",
    "Recipes: measures, amounts for more or fewer people, and how long the cooking takes.",
    {
        "measures": '''ML = {"ml": 1, "spoon": 15, "dl": 100, "cup": 250}


def to_ml(count, unit):
    return count * ML[unit]


def from_ml(ml, unit):
    """How many whole ones there are in it."""
    return ml // ML[unit]


def simplest(ml):
    """Count and unit: the largest unit of which it is a whole number."""
    for unit in sorted(ML, key=lambda unit: ML[unit], reverse=True):
        if ml % ML[unit] == 0:
            return [from_ml(ml, unit), unit]
''',
        "recipes": '''from kitchen.measures import simplest, to_ml


def ingredient(line):
    """`2 cup oat milk` as millilitres and name."""
    count, unit, *name = line.split()
    return [to_ml(int(count), unit), " ".join(name)]


def scaled(lines, people, guests):
    """A recipe for so many people made for so many guests; millilitres are rounded down only in the end."""
    found = []
    for ml, name in map(ingredient, lines):
        count, unit = simplest(ml * guests // people)
        found.append(f"{count} {unit} {name}")
    return found
''',
        "cooking": '''def length(steps):
    """Minutes for steps (name, minutes) one after the other. A name with + begins together with the step before it."""
    total = last = 0
    for name, minutes in steps:
        if name.startswith("+"):
            total += max(0, minutes - last)
            last = max(last, minutes)
        else:
            total += minutes
            last = minutes
    return total


def begin(serve, steps):
    """When to begin in order to serve at HH:MM; maybe on the evening before."""
    hours, minutes = map(int, serve.split(":"))
    start = (hours * 60 + minutes - length(steps)) % 1440
    return f"{start // 60:02}:{start % 60:02}"
''',
    },
    {
        "measures": ['to_ml(2, "dl")', 'from_ml(260, "cup")', "simplest(500)", "simplest(45)", "simplest(7)"],
        "recipes": [
            'ingredient("2 cup oat milk")',
            'scaled(["1 cup milk", "2 spoon oil"], 2, 3)',
            'scaled(["4 dl stock"], 3, 3)',
        ],
        "cooking": [
            'length([["chop", 10], ["boil", 20], ["+fry", 15], ["+bake", 30]])',
            'begin("18:30", [["boil", 45]])',
            'begin("00:20", [["rest", 30]])',
        ],
    },
    [
        'to_ml(3, "spoon")',
        'from_ml(44, "spoon")',
        "simplest(300)",
        "simplest(1500)",
        "simplest(31)",
        'ingredient("5 ml dill")',
        'scaled(["3 cup rice", "1 dl oil"], 4, 2)',
        'scaled(["7 ml salt"], 2, 5)',
        "scaled([], 1, 2)",
        'length([["a", 5], ["+b", 5], ["c", 5]])',
        'length([["a", 9], ["+b", 12], ["+c", 11]])',
        "length([])",
        'begin("07:00", [["dough", 600], ["+sauce", 10]])',
        'begin("12:05", [["a", 6], ["+b", 7]])',
    ],
    [
        Bug(
            "wrong_way",
            "kitchen/recipes.py",
            "from kitchen.measures import simplest, to_ml",
            "from kitchen.measures import from_ml as to_ml\nfrom kitchen.measures import simplest",
            "Every ingredient of a recipe comes out as zero, or next to nothing.",
        ),
        Bug(
            "too_early",
            "kitchen/recipes.py",
            "ml * guests // people",
            "ml // people * guests",
            "With three or seven eaters a few drops are lost that should not be.",
        ),
        Bug(
            "largest",
            "kitchen/measures.py",
            ", reverse=True)",
            ")",
            "All that I ever read is millilitres. Nobody measures 500 of them one by one.",
        ),
        Bug(
            "beside",
            "kitchen/cooking.py",
            "max(0, minutes - last)",
            "abs(minutes - last)",
            "A quick pan next to a slow pot makes the whole meal take longer.",
        ),
    ],
)

BARRIERS = Repository(
    "barriers",
    "The barrier of a car park: it is closed, open or locked, and events change that.",
    {
        "moves": '''MOVES = {
    "closed": {"ticket": "open", "alarm": "locked"},
    "open": {"car": "closed", "timeout": "closed", "alarm": "locked"},
    "locked": {"key": "closed"},
}


def move(state, event):
    """The state after an event. One that is not listed for the state changes nothing."""
    return MOVES[state].get(event, state)


def states(events, state="closed"):
    """The first state, and the one after each event."""
    found = [state]
    for event in events:
        found.append(move(found[-1], event))
    return found
''',
        "counts": '''from barriers.moves import states


def cars(events):
    """How many cars went in: those that came while the barrier was open."""
    return sum(event == "car" and before == "open" for event, before in zip(events, states(events)))


def useless(events):
    """The events that changed nothing, in order."""
    rows = states(events)
    return [event for event, before, after in zip(events, rows, rows[1:]) if before == after]
''',
        "times": '''from barriers.moves import states


def open_seconds(timed, end):
    """For how long the barrier was open, from events (second, event) in order until the second `end`."""
    rows = states([event for _, event in timed])
    seconds = [second for second, _ in timed] + [end]
    return sum(seconds[at + 1] - seconds[at] for at in range(len(timed)) if rows[at + 1] == "open")


def report(days):
    """A line for each day of timed events; every day begins with a closed barrier and ends at second 100."""
    return [f"{name}: open for {open_seconds(days[name], 100)} s" for name in days]
''',
    },
    {
        "moves": [
            'move("open", "car")',
            'move("locked", "ticket")',
            'move("open", "timeout")',
            'states(["ticket", "alarm", "key"])',
        ],
        "counts": ['cars(["car", "ticket", "car", "car"])', 'useless(["car", "ticket", "ticket", "car"])'],
        "times": [
            'open_seconds([[5, "ticket"], [12, "car"], [20, "ticket"]], 30)',
            'report({"Monday": [[10, "ticket"], [15, "timeout"]], "Tuesday": [[90, "ticket"]]})',
        ],
    },
    [
        'move("closed", "car")',
        'move("locked", "key")',
        'move("open", "ticket")',
        'states(["timeout", "ticket", "timeout"])',
        'states(["key"], "locked")',
        "states([])",
        'cars(["ticket", "car", "ticket", "alarm", "car"])',
        'cars(["ticket", "timeout", "car"])',
        'cars(["ticket", "car"])',
        'useless(["alarm", "alarm", "car", "key"])',
        'useless(["ticket", "timeout", "timeout"])',
        'open_seconds([[0, "ticket"], [7, "ticket"], [9, "alarm"]], 50)',
        'open_seconds([[3, "ticket"]], 8)',
        "open_seconds([], 8)",
        'report({"w": [[1, "ticket"], [2, "car"], [50, "ticket"], [60, "timeout"]]})',
    ],
    [
        Bug(
            "unused",
            "barriers/moves.py",
            '"car": "closed", "timeout": "closed", ',
            '"car": "closed", ',
            "If somebody takes a ticket and turns back, the barrier stays up until the next car.",
        ),
        Bug(
            "unknown",
            "barriers/moves.py",
            ".get(event, state)",
            '.get(event, "closed")',
            "A locked barrier can be unlocked by taking a ticket. It should need the key.",
        ),
        Bug(
            "before",
            "barriers/counts.py",
            "zip(events, states(events))",
            "zip(events, states(events)[1:])",
            "At night the counter says that not one car came in, and the place is full.",
        ),
        Bug(
            "still_open",
            "barriers/times.py",
            "for at in range(len(timed))",
            "for at in range(len(timed) - 1)",
            "On days on which the barrier is open at the end, the last stretch is not counted.",
        ),
    ],
)

REPOSITORIES = [LEAGUE, SHARES, KITCHEN, BARRIERS]
