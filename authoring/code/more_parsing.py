"""Further training problems about reading and writing formats. `problems` describes how a function becomes tasks."""

from random import Random
from typing import Any


def query_value(link: str, *, key: Any = ("page", "sort"), none: Any = ("", "none")) -> str:
    """`link` is a web address, perhaps with a "?" after which come entries such as "page=2" with "&" between them.
    Return the value of the first entry with the key {key!r}. If there is no such entry, return {none!r}. An entry
    without "=" has an empty value."""
    for entry in link.partition("?")[2].split("&"):
        name, _, value = entry.partition("=")
        if name == key:
            return value
    return none


def file_ending(path: str, *, slash: Any = ("/", ":")) -> str:
    """The parts of `path` are separated by {slash!r}, and the last one is the name of a file. Return what follows
    the last point of the name, in small letters. If the name has no point, or its only point is its first
    character, return an empty string."""
    name = path.split(slash)[-1]
    at = name.rfind(".")
    return name[at + 1 :].lower() if at > 0 else ""


def clean_path(path: str, *, up: Any = ("..", "^")) -> str:
    """The parts of `path` are separated by "/". Leave out empty parts and parts that are ".". A part {up!r} removes
    the part before it that is still there, and itself. If there is none, only {up!r} is removed. Join the rest with
    "/"."""
    out: list[str] = []
    for part in path.split("/"):
        if part == up:
            out = out[:-1]
        elif part not in ("", "."):
            out.append(part)
    return "/".join(out)


def hex_colour(text: str, *, sign: Any = ("#", "0x")) -> list[int]:
    """A colour is written like "{sign}ff8000". After {sign!r} it has six hexadecimal digits, whose letters may be
    capitals. The first two give the red, the next two the green and the last two the blue value. Return the three
    values. Raise ValueError for all other text."""
    digits = text.lower().removeprefix(sign)
    if not text.startswith(sign) or len(digits) != 6 or any(each not in "0123456789abcdef" for each in digits):
        raise ValueError(text)
    return [int(digits[at : at + 2], 16) for at in (0, 2, 4)]


def valid_address(text: str, *, most: Any = (255, 99), parts: Any = (3, 4)) -> bool:
    """Say whether `text` is made of exactly {parts} numbers with points between them, each from 0 to {most},
    written with the digits 0 to 9 and without needless zeros in front, so 0 is fine but 00 and 07 are not."""
    found = text.split(".")
    return len(found) == parts and all(
        part.isdigit() and str(int(part)) == part and int(part) <= most for part in found
    )


def unescape(text: str, *, sign: Any = ("\\", "%", "^")) -> str:
    """Read text with marks: {sign!r} followed by "n" stands for a line break, {sign!r} followed by "s" for a blank,
    and {sign!r} followed by any other character for this character. A {sign!r} at the very end is dropped. Return
    the text that is meant."""
    out, at = "", 0
    while at < len(text):
        if text[at] == sign:
            at += 1
            if at < len(text):
                out += "\n" if text[at] == "n" else " " if text[at] == "s" else text[at]
        else:
            out += text[at]
        at += 1
    return out


def unrolled(text: str, *, most: Any = (3, 5, 20)) -> str:
    """`text` is letters, each of which may have a number in front that says how often it is written: "3ab" is
    "aaab". A number may have several digits. Numbers above {most} count as {most}. Digits at the end, with no
    letter behind them, do nothing."""
    out = number = ""
    for each in text:
        if each.isdigit():
            number += each
        else:
            out += each * min(int(number or 1), most)
            number = ""
    return out


def fill_template(
    text: str, values: dict[str, str], *, marks: Any = ("{}", "<>"), missing: Any = ("stays as it is", "is removed")
) -> str:
    """In `text`, a name between {marks[0]!r} and {marks[1]!r} is a slot. Replace each slot by the value of its
    name. A slot whose name is not in `values` {missing}. Slots are never nested, every slot is closed, and values
    are not searched for slots."""
    first, *parts = text.split(marks[0])
    out = first
    for part in parts:
        name, _, rest = part.partition(marks[1])
        other = marks[0] + name + marks[1] if missing == "stays as it is" else ""
        out += values.get(name, other) + rest
    return out


def checkbox_list(lines: list[str], *, done: Any = ("x", "v"), result: Any = ("open", "done")) -> list[str]:
    """A task is a line such as "[ ] sweep" (open) or "[{done}] sweep" (done). Return the texts of the {result}
    tasks, without blanks at their ends. Lines that begin in another way are no tasks."""
    start = "[ ]" if result == "open" else "[" + done + "]"
    return [line[3:].strip() for line in lines if line.startswith(start)]


def table_lines(rows: list[list[str]], *, joint: Any = (" | ", "  "), side: Any = ("left", "right")) -> list[str]:
    """Write `rows`, which all have the same number of cells, as lines of text. Each column is as wide as its
    longest cell, and shorter cells are filled up with blanks so that the text stands on the {side}. Put {joint!r}
    between the cells. Blanks at the right end of a line stay."""
    wide = [max(len(row[at]) for row in rows) for at in range(len(rows[0]))] if rows else []
    return [
        joint.join(cell.ljust(wide[at]) if side == "left" else cell.rjust(wide[at]) for at, cell in enumerate(row))
        for row in rows
    ]


def phone_groups(text: str, *, size: Any = (2, 3, 4), sign: Any = (" ", "-")) -> str:
    """Take all digits of `text`, leave out everything else, and write them in groups of {size} with {sign!r}
    between the groups. If the digits cannot be divided evenly, the first group is the shorter one."""
    digits = "".join(each for each in text if each.isdigit())
    first = len(digits) % size
    groups = [digits[:first]] if first else []
    groups += [digits[at : at + size] for at in range(first, len(digits), size)]
    return sign.join(groups)


def sorted_versions(names: list[str], *, newest: Any = ("first", "last")) -> list[str]:
    """Each name is a version such as "v1.10", the letter v and two whole numbers. Sort the versions by the numbers,
    so that the newest, with the highest numbers, comes {newest}. "v1.10" is newer than "v1.9". Each version appears
    once."""

    def parts(name: str) -> list[int]:
        return [int(each) for each in name[1:].split(".")]

    return sorted(dict.fromkeys(names), key=parts, reverse=newest == "first")


def bare_lines(text: str, *, mark: Any = ("#", "//", ";")) -> list[str]:
    """Return the lines of `text` without remarks. A double quote begins a quoted part, which ends at the next
    double quote or at the end of the line. Outside of quoted parts, {mark!r} begins a remark, which goes to the end
    of the line. Remove blanks at the right end of the lines, and leave out lines that are empty then."""
    out: list[str] = []
    for line in text.split("\n"):
        quoted, end = False, len(line)
        for at, each in enumerate(line):
            if each == '"':
                quoted = not quoted
            elif line.startswith(mark, at) and not quoted:
                end = at
                break
        bare = line[:end].rstrip()
        if bare:
            out.append(bare)
    return out


def _link(draw: Random) -> tuple[str]:
    entries = [
        draw.choice(["page=2", "sort=up", "page", "x=1", "sort=", "page=a=b", "spage=3"])
        for _ in range(draw.randint(0, 4))
    ]
    return ("shop/list" + draw.choice(["?", "?", "?", ""]) + "&".join(entries),)


def _template(draw: Random) -> tuple[str, dict[str, str]]:
    some = ["{a}", "{b}", "<a>", "<c>", " and ", "ox", "<b>", "{c}"]
    text = "".join(draw.choice(some) for _ in range(draw.randint(0, 5)))
    return text, {key: draw.choice(["elm", "7", ""]) for key in draw.sample("abc", draw.randint(0, 3))}


FAMILIES = {
    "parsing": [
        query_value,
        file_ending,
        clean_path,
        hex_colour,
        valid_address,
        unescape,
        unrolled,
        fill_template,
        checkbox_list,
        table_lines,
        phone_groups,
        sorted_versions,
        bare_lines,
    ],
}
INPUTS = {
    "query_value": _link,
    "file_ending": lambda draw: (
        draw.choice(["a/", "a:b/", "a.b/c:", "", "x:"])
        + draw.choice(["note.TXT", ".hidden", "read.me.md", "plain", "a.", ".a.b", "x.Gz"]),
    ),
    "clean_path": lambda draw: (
        "/".join(draw.choice(["a", "b", "c", ".", "..", "^", ""]) for _ in range(draw.randint(0, 7))),
    ),
    "hex_colour": lambda draw: (
        draw.choice(["#", "0x", "#", "0x", "", "0X", "##"])
        + "".join(draw.choice("0123456789abcdefABCDEF") for _ in range(draw.choice([6, 6, 6, 6, 5, 7])))[
            : draw.choice([9, 9, 9, 4])
        ]
        + draw.choice(["", "", "", "", "g"]),
    ),
    "valid_address": lambda draw: (
        ".".join(
            draw.choice(
                ["0", "7", "99", "99", "9", "100", "255", "255", "256", "07", "", "x", "00"][
                    : draw.choice([5, 5, 8, 8, 13])
                ]
            )
            for _ in range(draw.choice([3, 3, 4, 4, 2, 5]))
        ),
    ),
    "unescape": lambda draw: (
        "".join(draw.choice(["\\", "%", "^", "n", "s", "a", "\\n", "%s", "^^"]) for _ in range(draw.randint(0, 6))),
    ),
    "unrolled": lambda draw: (
        "".join(draw.choice(["a", "b", "2", "3c", "12d", "0e", "4", "21f", "6g"]) for _ in range(draw.randint(0, 4))),
    ),
    "fill_template": _template,
    "checkbox_list": lambda draw: (
        [
            draw.choice(
                ["[ ] sweep", "[x] mow ", "[v] dig", "[ ]", "rest", "[X] sew", " [ ] nap", "[x]cook", "[v]  iron"]
            )
            for _ in range(draw.randint(0, 6))
        ],
    ),
    "table_lines": lambda draw: (
        [[draw.choice(["", "ox", "elm", "reed", "a"]) for _ in range(2)] for _ in range(draw.randint(0, 4))],
    ),
    "phone_groups": lambda draw: ("".join(draw.choice("0123456789 -()") for _ in range(draw.randint(0, 12))),),
    "sorted_versions": lambda draw: (
        [f"v{draw.randint(1, 2)}.{draw.choice([0, 1, 2, 9, 10, 11])}" for _ in range(draw.randint(0, 6))],
    ),
    "bare_lines": lambda draw: (
        "\n".join(
            "".join(draw.choice(["a", " ", "#", "//", ";", '"', "b", "/"]) for _ in range(draw.randint(0, 6)))
            for _ in range(draw.randint(1, 3))
        ),
    ),
}
