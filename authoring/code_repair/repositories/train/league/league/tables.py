from league.games import game


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
