SMALL = {"the", "a", "of", "and"}


def words(title):
    """In small letters, without marks at their ends; little words such as `the` are left out."""
    found = [word.strip(".,:;!?").lower() for word in title.split()]
    return [word for word in found if word and word not in SMALL]


def index(titles):
    """Word to the numbers of the titles that have it, each number once."""
    places = {}
    for place, title in enumerate(titles):
        for word in sorted(set(words(title))):
            places.setdefault(word, []).append(place)
    return places
