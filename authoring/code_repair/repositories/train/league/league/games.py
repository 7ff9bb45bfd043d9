def game(line):
    """`Red Owls 2:1 Foxes` as home team, away team, goals of the one and of the other."""
    words = line.split()
    at = next(place for place, word in enumerate(words) if ":" in word)
    home, away = words[at].split(":")
    return [" ".join(words[:at]), " ".join(words[at + 1 :]), int(home), int(away)]
