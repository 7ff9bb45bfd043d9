from shelves.titles import index, words


def find(titles, query):
    """The titles that have all words of the query, as they stand on the shelf. Without words nothing is found."""
    places = index(titles)
    asked = [set(places.get(word, [])) for word in words(query)]
    return [titles[place] for place in sorted(set.intersection(*asked))] if asked else []


def common(titles):
    """Words of more than one title, in alphabetical order."""
    return sorted(word for word, places in index(titles).items() if len(places) > 1)
