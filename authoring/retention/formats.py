"""Questions of `retention` that ask for a form: cases, separators, lists, JSON, marks, dates. Each entry is a family."""

from authoring.retention.families import COLOURS, NAMES, WORDS, Family
from authoring.retention.questions import as_json, commas, lines, text
from authoring.vocabulary import WEEKDAYS

NUMBERS = list(range(10, 99))
AGES = range(18, 90)
CITIES = ["Paris", "London", "Rome", "Berlin", "Madrid", "Vienna", "Prague"]
FRUITS = ["apple", "banana", "cherry", "grape", "lemon", "plum"]
ANIMALS = ["cat", "dog", "fox", "goat", "horse", "lion", "mouse", "rabbit"]
MONTHS = ["January", "March", "May", "June", "August", "October", "December"]
PHRASES = ["good morning", "see you soon", "thank you", "happy new year", "well done", "not today"]

FORMATS: dict[str, Family] = {
    # cases
    "first_capital": text(
        lambda a: (f"Write the word {a} with a capital first letter.", a.capitalize()), "exact", a=WORDS
    ),
    "phrase_capitals": text(lambda a: (f"Write in capital letters: {a}", a.upper()), "exact", a=PHRASES),
    "phrase_small": text(lambda a: (f"Write in lower case: {a.upper()}", a), "exact", a=PHRASES),
    "title_case": text(lambda a: (f"Begin each word with a capital letter: {a}", a.title()), "exact", a=PHRASES),
    "name_capitals": text(
        lambda a, b: (f"Write the surname in capitals: {a} {b}", f"{a} {b.upper()}"), "exact", a=NAMES, b=NAMES
    ),
    "second_capital": text(
        lambda a, b: (f"Write the second word in capitals and the first in small letters: {a} {b}", f"{a} {b.upper()}"),
        "exact",
        a=COLOURS,
        b=ANIMALS,
    ),
    # marks around a word
    "round_brackets": text(lambda a: (f"Put round brackets around {a}.", f"({a})"), "exact", a=WORDS),
    "tilde": text(lambda a: (f"Write a ~ right before the word {a}.", f"~{a}"), "exact", a=WORDS),
    "angle_brackets": text(lambda a: (f"Put the word {a} between < and >.", f"<{a}>"), "exact", a=WORDS),
    "hash_tag": text(lambda a: (f"Make a hashtag of the word {a}.", f"#{a}"), "exact", a=WORDS),
    "at_sign": text(lambda a: (f"Write an @ right before the name {a}.", f"@{a}"), "exact", a=NAMES),
    "exclamation": text(lambda a: (f"Add an exclamation mark to the end: {a}", f"{a}!"), "exact", a=PHRASES),
    "question_mark": text(
        lambda a: (f"Add a question mark to the end: {a}", f"{a}?"),
        "exact",
        a=["where is it", "who are you", "what now", "how much", "why not me"],
    ),
    "bold_html": text(lambda a: (f"Put {a} in HTML bold tags <b>.", f"<b>{a}</b>"), "exact", a=WORDS),
    "heading_html": text(lambda a: (f"Write an HTML heading h1 with the text {a}.", f"<h1>{a}</h1>"), "exact", a=WORDS),
    "paragraph_html": text(lambda a: (f"Wrap the text in a <p> tag: {a}", f"<p>{a}</p>"), "exact", a=PHRASES),
    "heading_markdown": text(
        lambda a: (f"Write {a} as a Markdown heading of the first level.", f"# {a}"), "exact", a=WORDS
    ),
    "link_markdown": text(
        lambda a, b: (f"Write a Markdown link with the text {a} and the address {b}.com", f"[{a}]({b}.com)"),
        "exact",
        a=WORDS,
        b=WORDS,
    ),
    # joining two or three words
    "slash": text(lambda a, b: (f"Write a slash between {a} and {b}.", f"{a}/{b}"), a=WORDS, b=WORDS),
    "underscore": text(lambda a, b: (f"Join {a} and {b} with an underscore.", f"{a}_{b}"), a=WORDS, b=WORDS),
    "ampersand": text(
        lambda a, b: (f"Join the names {a} and {b} with an & sign and spaces around it.", f"{a} & {b}"),
        a=NAMES,
        b=NAMES,
    ),
    "arrow": text(lambda a, b: (f"Draw an arrow from {a} to {b} like this: x -> y", f"{a} -> {b}"), a=CITIES, b=CITIES),
    "colon_pair": text(lambda a, b: (f"The {a} is {b}. Write it as thing: colour", f"{a}: {b}"), a=WORDS, b=COLOURS),
    "equals_number": text(
        lambda a, b: (f"Set {a} to {b}. Write it with an equals sign and no spaces.", f"{a}={b}"), a=WORDS, b=NUMBERS
    ),
    "pipe": text(lambda a, b: (f"Put a | with spaces between {a} and {b}.", f"{a} | {b}"), a=WORDS, b=WORDS),
    "semicolons": text(
        lambda a, b, c: (f"Separate with semicolons and no spaces: {a} {b} {c}", f"{a};{b};{c}"),
        a=ANIMALS,
        b=ANIMALS,
        c=ANIMALS,
    ),
    "file_name": text(
        lambda a, b: (f"Make a file name with the ending .txt from {a} {b}. Use an underscore.", f"{a}_{b}.txt"),
        a=COLOURS,
        b=ANIMALS,
    ),
    "folder_path": text(
        lambda a, b: (f"Write the path of the file {b}.txt in the folder {a}.", f"{a}/{b}.txt"), a=WORDS, b=WORDS
    ),
    "email_address": text(
        lambda a, b: (f"Write the email address of {a.lower()} at {b}.com", f"{a.lower()}@{b}.com"), a=NAMES, b=WORDS
    ),
    "web_address": text(lambda a: (f"Write the web address of {a}: www, the name, com.", f"www.{a}.com"), a=WORDS),
    "one_word": text(
        lambda a, b: (f"Write {a} {b} as one word without a space.", f"{a}{b}"),
        a=["sun", "rain", "snow", "moon"],
        b=["ball", "coat", "light", "man"],
    ),
    "surname_first": text(
        lambda a, b: (f"Write the surname first, then a comma and the first name: {a} {b}", f"{b}, {a}"),
        a=NAMES,
        b=NAMES,
    ),
    "initials": text(
        lambda a, b: (f"Write the initials of {a} {b}, each with a full stop.", f"{a[0]}.{b[0]}."), a=NAMES, b=NAMES
    ),
    "swap_words": text(lambda a, b: (f"Swap these two words: {a} {b}", f"{b} {a}"), a=COLOURS, b=ANIMALS),
    "plus_between_numbers": text(
        lambda a, b: (f"Write {a} and {b} as a sum with a plus sign. Do not work it out.", f"{a} + {b}"),
        a=NUMBERS,
        b=NUMBERS,
    ),
    "ratio": text(lambda a, b: (f"Write the score {a} to {b} with a colon.", f"{a}:{b}"), a=range(10), b=range(10)),
    # repeating and cutting
    "three_times": text(lambda a: (f"Write {a} three times with spaces.", f"{a} {a} {a}"), a=ANIMALS),
    "twice_comma": commas(lambda a: (f"Write {a} twice, with a comma between.", [a, a]), a=WORDS),
    "remove_last": text(
        lambda a, b, c: (f"Leave out the last word: {a} {b} {c}", f"{a} {b}"), a=ANIMALS, b=ANIMALS, c=ANIMALS
    ),
    "remove_first": text(
        lambda a, b, c: (f"Leave out the first word: {a} {b} {c}", f"{b} {c}"), a=ANIMALS, b=ANIMALS, c=ANIMALS
    ),
    "remove_word": text(
        lambda a, b, c: (f"Remove {b} from this row: {a} {b} {c}", f"{a} {c}"), a=FRUITS, b=FRUITS, c=FRUITS
    ),
    "add_word_end": text(
        lambda a, b, c: (f"Add {c} at the end: {a} {b}", f"{a} {b} {c}"), a=FRUITS, b=FRUITS, c=FRUITS
    ),
    "add_word_start": text(
        lambda a, b, c: (f"Put {c} at the start: {a} {b}", f"{c} {a} {b}"), a=COLOURS, b=COLOURS, c=COLOURS
    ),
    "replace_word": text(
        lambda a, b, c: (f"Replace {a} with {c}: the {a} {b}", f"the {c} {b}"), a=COLOURS, b=ANIMALS, c=COLOURS
    ),
    "replace_name": text(
        lambda a, b: (f"Write this sentence with {b} instead of {a}: {a} is at home.", f"{b} is at home"),
        a=NAMES,
        b=NAMES,
    ),
    "first_letters": text(
        lambda a, b: (f"Write only the first letter of each word: {a} {b}", f"{a[0]} {b[0]}"), a=WORDS, b=WORDS
    ),
    "spell_out": text(
        lambda a: (f"Spell {a} with a dash between the letters.", "-".join(a)),
        a=["cat", "dog", "fox", "red", "sun", "map", "cup"],
    ),
    "spell_spaces": text(
        lambda a: (f"Write the letters of {a} with spaces between them.", " ".join(a)),
        a=["tea", "pen", "box", "bus", "hat", "key", "oil"],
    ),
    # lists in one line
    "numbers_commas": commas(
        lambda a, b, c: (f"Write as a comma-separated list: {a} {b} {c}", [str(a), str(b), str(c)]),
        a=NUMBERS,
        b=NUMBERS,
        c=NUMBERS,
    ),
    "names_commas": commas(
        lambda a, b, c: (f"List these people, separated by commas: {a} and {b} and {c}", [a, b, c]),
        a=NAMES,
        b=NAMES,
        c=NAMES,
    ),
    "four_commas": commas(
        lambda a, b, c, d: (f"Put commas between these words: {a} {b} {c} {d}", [a, b, c, d]),
        a=ANIMALS,
        b=ANIMALS,
        c=ANIMALS,
        d=ANIMALS,
    ),
    "semicolon_to_comma": commas(
        lambda a, b, c: (f"Use commas instead of semicolons: {a}; {b}; {c}", [a, b, c]), a=CITIES, b=CITIES, c=CITIES
    ),
    "lines_to_commas": commas(
        lambda a, b, c: (f"Write this list in one line with commas:\n{a}\n{b}\n{c}", [a, b, c]),
        a=FRUITS,
        b=FRUITS,
        c=FRUITS,
    ),
    "sort_words": commas(
        lambda a, b, c: (f"Sort by the alphabet, with commas: {a}, {b}, {c}", sorted([a, b, c])),
        a=ANIMALS,
        b=ANIMALS,
        c=ANIMALS,
    ),
    "sort_numbers": commas(
        lambda a, b, c: (
            f"Sort from small to large, with commas: {a}, {b}, {c}",
            [str(each) for each in sorted([a, b, c])],
        ),
        a=NUMBERS,
        b=NUMBERS,
        c=NUMBERS,
    ),
    "sort_down": commas(
        lambda a, b: (
            f"Write the larger number first, then a comma and the smaller: {a}, {b}",
            [str(max(a, b)), str(min(a, b))],
        ),
        a=NUMBERS,
        b=NUMBERS,
    ),
    "reverse_list": commas(
        lambda a, b, c: (f"Write this list backwards, with commas: {a}, {b}, {c}", [c, b, a]),
        a=COLOURS,
        b=COLOURS,
        c=COLOURS,
    ),
    "count_to": commas(
        lambda a: (f"Count from {a} to {a + 3}, with commas.", [str(each) for each in range(a, a + 4)]), a=range(2, 40)
    ),
    "two_days": commas(
        lambda a: (f"Name {WEEKDAYS[a]} and the day after it, with a comma.", [WEEKDAYS[a], WEEKDAYS[(a + 1) % 7]]),
        a=range(7),
    ),
    "letters_row": commas(
        lambda a: (
            f"Write three letters of the alphabet in order, beginning with {a}, with commas.",
            [a, chr(ord(a) + 1), chr(ord(a) + 2)],
        ),
        a="BCDEFGKLMNPQRS",
    ),
    "only_animals": commas(
        lambda a, b, c: (f"Keep only the animals, with commas: {a}, {c}, {b}", [a, b]), a=ANIMALS, b=ANIMALS, c=CITIES
    ),
    "only_numbers": commas(
        lambda a, b, c: (f"Keep only the numbers, with commas: {a}, {c}, {b}", [str(a), str(b)]),
        a=NUMBERS,
        b=NUMBERS,
        c=FRUITS,
    ),
    # lists in lines
    "dash_names": lines(
        "-", lambda a, b: (f"Make a list with a dash before each name: {a}, {b}", [a, b]), a=NAMES, b=NAMES
    ),
    "numbered_cities": lines(
        "1.", lambda a, b: (f"Number these cities, one per line: {a}, {b}", [a, b]), a=CITIES, b=CITIES
    ),
    "numbers_in_lines": lines(
        "-",
        lambda a, b, c: (f"Bullet list, please: {a}, {b}, {c}", [str(a), str(b), str(c)]),
        a=NUMBERS,
        b=NUMBERS,
        c=NUMBERS,
    ),
    "numbered_steps": lines(
        "1.",
        lambda a, b, c: (
            f"Write as numbered steps: wash the {a}, cut the {b}, eat the {c}",
            [f"wash the {a}", f"cut the {b}", f"eat the {c}"],
        ),
        a=FRUITS,
        b=FRUITS,
        c=FRUITS,
    ),
    "lines_of_phrases": lines(
        "", lambda a, b: (f'Write "{a}" on the first line and "{b}" on the second.', [a, b]), a=PHRASES, b=PHRASES
    ),
    "lines_sorted": lines(
        "-", lambda a, b: (f"Dash list in alphabetical order: {b}, {a}", sorted([a, b])), a=FRUITS, b=FRUITS
    ),
    "todo": lines(
        "-",
        lambda a, b: (
            f"Turn this into a to-do list with dashes: call {a} and write to {b}",
            [f"call {a}", f"write to {b}"],
        ),
        a=NAMES,
        b=NAMES,
    ),
    "two_columns": lines(
        "",
        lambda a, b, x, y: (
            f"{a} is {x}, {b} is {y}. Write one line per person, as name: age",
            [f"{a}: {x}", f"{b}: {y}"],
        ),
        a=NAMES,
        b=NAMES,
        x=NUMBERS,
        y=NUMBERS,
    ),
    "csv_line": lines(
        "",
        lambda a, b: (f"Write a CSV file. Header: name,city. One row: {a} in {b}.", ["name,city", f"{a},{b}"]),
        a=NAMES,
        b=CITIES,
    ),
    # JSON
    "json_city": as_json(
        lambda a, b: (f'{a} lives in {b}. Write JSON with the keys "name" and "city".', {"name": a, "city": b}),
        a=NAMES,
        b=CITIES,
    ),
    "json_number": as_json(
        lambda a: (f'Write a JSON object whose key "count" has the value {a}.', {"count": a}), a=NUMBERS
    ),
    "json_true": as_json(
        lambda a, b: (f'The {a} is {"on" if b else "off"}. Write JSON: the key "{a}" is true or false.', {a: b}),
        a=["lamp", "radio", "oven", "fan", "heater"],
        b=[True, False],
    ),
    "json_list": as_json(
        lambda a, b: (f'Write JSON with the key "items" and a list of two words: {a}, {b}', {"items": [a, b]}),
        a=WORDS,
        b=WORDS,
    ),
    "json_numbers": as_json(
        lambda a, b: (f'Write JSON with the key "values" and the list {a}, {b}.', {"values": [a, b]}),
        a=NUMBERS,
        b=NUMBERS,
    ),
    "json_price": as_json(
        lambda a, b: (f'A {a} costs {b} euros. JSON with the keys "item" and "price":', {"item": a, "price": b}),
        a=WORDS,
        b=NUMBERS,
    ),
    "json_colour": as_json(
        lambda a, b: (f'The {a} is {b}. Answer in JSON with the keys "thing" and "colour".', {"thing": a, "colour": b}),
        a=WORDS,
        b=COLOURS,
    ),
    "json_day": as_json(
        lambda a, b: (f'{a} comes on {b}. JSON, keys "who" and "day":', {"who": a, "day": b}), a=NAMES, b=WEEKDAYS
    ),
    "json_route": as_json(
        lambda a, b: (f'A trip goes from {a} to {b}. Write it as JSON with "from" and "to".', {"from": a, "to": b}),
        a=CITIES,
        b=CITIES,
    ),
    "json_three": as_json(
        lambda a, b, c: (f'Write JSON: "id" is {b}, "name" is "{a}", "pet" is "{c}".', {"id": b, "name": a, "pet": c}),
        a=NAMES,
        b=NUMBERS,
        c=ANIMALS,
    ),
    "json_nested": as_json(
        lambda a: (
            f'Write JSON in which "user" is an object with the key "name" and the value "{a}".',
            {"user": {"name": a}},
        ),
        a=NAMES,
    ),
    "json_from_pairs": as_json(
        lambda a, b, x, y: (f"Turn into JSON: {a} = {x}, {b} = {y}", {a: x, b: y}),
        a=WORDS,
        b=WORDS,
        x=NUMBERS,
        y=NUMBERS,
    ),
    "json_empty": as_json(lambda a: (f'Write JSON in which the key "{a}" has an empty list.', {a: []}), a=WORDS),
    "json_null": as_json(lambda a: (f'Write JSON in which the key "{a}" is null.', {a: None}), a=WORDS),
    # dates, times, amounts
    "date_slashes": text(
        lambda a, b: (f"Write day and month with a slash: day {a}, month {b}", f"{a}/{b}"),
        a=range(1, 29),
        b=range(1, 13),
    ),
    "date_iso": text(
        lambda a, b: (f"Write the date as year-month-day: year {a}, month {b}, day {b + 5}", f"{a}-{b}-{b + 5}"),
        a=range(1990, 2030),
        b=range(10, 13),
    ),
    "month_year": text(
        lambda a, b: (f"Write month and year with a comma: {a} {b}", f"{a}, {b}"), a=MONTHS, b=range(1990, 2030)
    ),
    "clock": text(
        lambda a, b: (f"Write the time with a colon: {a} hours and {b} minutes", f"{a}:{b}"),
        a=range(10, 24),
        b=range(10, 60),
    ),
    "percent_sign": text(lambda a: (f"Write {a} percent with the percent sign.", f"{a}%"), a=NUMBERS),
    "dollar_sign": text(lambda a: (f"Write {a} dollars with the dollar sign in front.", f"${a}"), a=NUMBERS),
    "euro_cents": text(
        lambda a, b: (f"Write {a} euros and {b} cents as a decimal number.", f"{a}.{b}"),
        a=range(2, 30),
        b=range(11, 99),
    ),
    "thousands_comma": text(
        lambda a, b: (f"Write {a}{b} with a comma before the last three digits.", f"{a},{b}"),
        a=range(2, 90),
        b=range(101, 999),
    ),
    "phone_dashes": text(
        lambda a, b: (f"Write this number with a dash in the middle: {a}{b}", f"{a}-{b}"),
        a=range(101, 999),
        b=range(101, 999),
    ),
    "kilometres_short": text(lambda a: (f"Write {a} kilometres with the short unit.", f"{a} km"), a=NUMBERS),
    "leading_zero": text(lambda a: (f"Write the number {a} with two digits.", f"0{a}"), "exact", a=range(1, 10)),
}
