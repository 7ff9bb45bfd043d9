from league.games import game


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
