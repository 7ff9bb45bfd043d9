"""Held-out jobs about texts, archives, settings and checksums. Each function is a family."""

import codecs
from random import Random

from authoring.shell.jobs import Job, lines, names
from authoring.shell.val_words import PLANTS, ROOMS, SHIPS, note, notes


def windows_line_ends(draw: Random) -> Job:
    room = draw.choice(ROOMS)
    files = {f"{room}/{name}.md": note(draw, 4) for name in names(draw, 8, PLANTS)}
    windows = draw.sample(list(files), draw.randint(3, 5))
    wanted: dict[str, str | None] = {path: files[path] for path in windows}
    for path in windows:
        files[path] = files[path].replace("\n", "\r\n")
    return Job(
        f"Some of the pages in {room}/ were typed on Windows: their lines end in a carriage return and a line feed."
        " Turn these into plain line feeds, in place. On how many pages was that necessary?",
        files,
        [f"grep -l $'\\r' {room}/*.md | wc -l", f"sed -i 's/\\r$//' {room}/*.md"],
        wanted,
        answer=str(len(windows)),
    )


def pages_only(draw: Random) -> Job:
    room, (a, b, *chosen) = draw.choice(ROOMS), names(draw, 10, PLANTS)
    files = {
        f"{room}/{draw.choice(['', f'{a}/', f'{a}/{b}/'])}{name}{draw.choice(['.md', '.raw'])}": notes(draw)
        for name in chosen
    }
    files[f"{room}/index.md"] = notes(draw)
    pages = {path: text for path, text in files.items() if path.endswith(".md")}
    return Job(
        f"We hand over the written pages of the {room}, without the raw material: a gzipped tar called handover.tgz"
        f" with every .md of {room}/ at any depth, under the path that it has here, and nothing that ends otherwise.",
        files,
        [f"find {room} -name '*.md' -print0 | tar -czf handover.tgz --null -T - && tar -tf handover.tgz"],
        archives={"handover.tgz": pages},
    )


def newest_entry_first(draw: Random) -> Job:
    room = draw.choice(ROOMS)
    rows = [f"week {n}: {note(draw, 1).strip()}" for n in range(1, draw.randint(14, 30))]
    return Job(
        f"The chronicle of the {room} in {room}.chr goes from the first week to the last. Our page wants it the other"
        f" way round, in {room}.rev, as the same lines from the bottom to the top.",
        {f"{room}.chr": lines(rows)},
        [f"tac {room}.chr > {room}.rev"],
        {f"{room}.rev": lines(rows[::-1])},
    )


def dangling_references(draw: Random) -> Job:
    room, chosen = draw.choice(ROOMS), names(draw, 9, PLANTS)
    there, gone = chosen[:6], chosen[6:]
    files = {f"{room}/{name}.md": notes(draw) + f"see {draw.choice(there)}.md\n" for name in there}
    for name in gone:
        files[f"{room}/{draw.choice(there)}.md"] += f"see {name}.md\n"
    return Job(
        f"A page in {room}/ refers to another by a line 'see NAME.md'. Some of those pages do not exist. Write the"
        " file names that are referred to and missing to dangling.txt, each once and from a to z.",
        files,
        [
            f'cd {room} && grep -h \'^see \' *.md | cut -c5- | sort -u | while read -r f; do [ -e "$f" ] || echo "$f"; done'
            " > ../dangling.txt; cat ../dangling.txt"
        ],
        {"dangling.txt": lines(sorted(f"{name}.md" for name in gone))},
    )


def rot_thirteen(draw: Random) -> Job:
    room, name = draw.choice(ROOMS), draw.choice(PLANTS)
    text = note(draw, 4)
    return Job(
        [
            f"{room}/{name}.rot was disguised by ROT13. Reveal it as {room}/{name}.plain, leaving the disguised one in place.",
            f"Undo ROT13 for {room}/{name}.rot; the legible version is to be {room}/{name}.plain.",
            f"A puzzle: shift every letter of {room}/{name}.rot by thirteen places through the alphabet, capitals staying"
            f" capitals. Solution into {room}/{name}.plain.",
        ],
        {f"{room}/{name}.rot": codecs.encode(text, "rot13"), f"{room}/index.md": notes(draw)},
        [f"tr A-Za-z N-ZA-Mn-za-m < {room}/{name}.rot | tee {room}/{name}.plain"],
        {f"{room}/{name}.plain": text},
    )


def outline_of_a_page(draw: Random) -> Job:
    room = draw.choice(ROOMS)
    page, outline = "", []
    for name in names(draw, 4, PLANTS):
        page += f"# {name.title()}\n{note(draw, 1)}"
        outline.append(f"- {name.title()}")
        for ship in names(draw, draw.randint(0, 2), SHIPS):
            page += f"## {ship}\n{note(draw, 1)}"
            outline.append(f"  - {ship}")
    return Job(
        [
            f"Draw up an outline of {room}.md as {room}.toc: '- TITLE' for headings with one #, and '  - TITLE', indented by"
            " two blanks, for those with ##. Sequence as on the page.",
            f"{room}.toc shall contain nothing but the headings of {room}.md. '# X' yields '- X'; '## X' yields '  - X' (two"
            " blanks before the dash).",
            f"Generate contents for {room}.md into {room}.toc; top headings (#) look like '- Title', subheadings (##) like"
            " '  - Title', where the indent is two blanks.",
        ],
        {f"{room}.md": page},
        [f"sed -nE 's/^## /  - /p; t; s/^# /- /p' {room}.md > {room}.toc; cat {room}.toc"],
        {f"{room}.toc": lines(outline)},
    )


def missing_translations(draw: Random) -> Job:
    room, keys = draw.choice(ROOMS), sorted(names(draw, 9, PLANTS))
    absent = sorted(draw.sample(keys, 3))
    english = [f"{key}={draw.choice(SHIPS)}" for key in keys]
    other = [f"{key}={draw.choice(SHIPS)[::-1].lower()}" for key in draw.sample(keys, 9) if key not in absent]
    return Job(
        [
            f"{room}.en and {room}.xx hold KEY=TEXT. Which keys still await translation, i.e. occur in .en yet not in .xx?"
            " Save them, a to z, one a row, as todo.keys.",
            f"Translators of the {room} ask what remains to be done. List in todo.keys, sorted a to z, one per row, those keys of"
            f" {room}.en that {room}.xx lacks.",
            f"todo.keys: keys (left of =) present in {room}.en but absent in {room}.xx, alphabetical, one each row.",
        ],
        {f"{room}.en": lines(english), f"{room}.xx": lines(other)},
        [f"comm -23 <(cut -d= -f1 {room}.en | sort) <(cut -d= -f1 {room}.xx | sort) > todo.keys; cat todo.keys"],
        {"todo.keys": lines(absent)},
    )


def longest_row(draw: Random) -> Job:
    room = draw.choice(ROOMS)
    pages = {
        f"{room}/{name}.md": [f"{'-' * draw.randint(2, 30)} {ship}" for ship in names(draw, 3, SHIPS)]
        for name in names(draw, 4, PLANTS)
    }
    path = draw.choice(list(pages))
    pages[path][draw.randrange(3)] = "=" * draw.randint(45, 70)
    return Job(
        [
            f"One page in {room}/ has a row too wide for print, the widest of them all. How many characters wide?",
            f"Width, in characters, of the widest row among all pages in {room}/?",
            f"Our printer asks: how long, counted in characters, does a row get at most in {room}/*.md?",
        ],
        {path: lines(rows) for path, rows in pages.items()},
        [f"cat {room}/*.md | awk '{{if (length > m) m = length}} END {{print m}}'"],
        answer=str(max(len(row) for rows in pages.values() for row in rows)),
    )


FAMILIES = [
    windows_line_ends,
    pages_only,
    newest_entry_first,
    dangling_references,
    rot_thirteen,
    outline_of_a_page,
    missing_translations,
    longest_row,
]
