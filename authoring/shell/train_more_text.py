"""More jobs to learn from: texts that are unpacked, cleaned, cut out, renumbered, put into each other, patched and searched.

Each is said in several ways.
"""

import base64
import gzip
import io
import re
import tarfile
from random import Random

from authoring.shell.jobs import (
    FOLDERS,
    PEOPLE,
    PLACES,
    THINGS,
    Job,
    folder,
    line,
    lines,
    names,
    prose,
    short,
)


def packed_as_text(members: dict[str, str]) -> str:
    """A gzipped tar in base64, as it travels by mail."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, text in members.items():
            about = tarfile.TarInfo(name)
            about.size = len(text.encode())
            archive.addfile(about, io.BytesIO(text.encode()))
    return base64.encodebytes(gzip.compress(out.getvalue(), mtime=0)).decode()


def unpacked_and_picked(draw: Random) -> Job:
    name, chosen = draw.choice(FOLDERS), names(draw, 5)
    members = {f"{name}/{each}.txt": short(draw) for each in chosen}
    one = draw.choice(chosen)
    return Job(
        [
            f"{name}.b64 is a gzipped tar in base64. I only need {name}/{one}.txt from it: put it here as {one}.txt and leave"
            " nothing else of the archive behind.",
            f"Somebody mailed me an archive as text, {name}.b64 (base64 of a .tar.gz). Get {one}.txt out of it, into this"
            " folder. The other files in there can stay where they are.",
            f"Decode {name}.b64, which holds a .tar.gz, and take the file {one}.txt from it. It should lie beside {name}.b64"
            " in the end, without the folder it is packed in.",
            f"Out of all that is packed in {name}.b64 (tar, gzip, then base64) I want one file, {one}.txt, in the current"
            f" folder. {name}.b64 is kept.",
        ],
        {f"{name}.b64": packed_as_text(members)},
        [
            f"base64 -d {name}.b64 | tar -tzf -",
            f"base64 -d {name}.b64 | tar -xzOf - {name}/{one}.txt > {one}.txt; cat {one}.txt",
        ],
        {f"{one}.txt": members[f"{name}/{one}.txt"]},
    )


def spaces_at_the_end(draw: Random) -> Job:
    where = folder(draw)
    files: dict[str, str] = {}
    wanted: dict[str, str | None] = {}
    for place, name in enumerate(names(draw, 6)):
        said = [f"{draw.choice(['', '  '])}{line(draw)}" for _ in range(3)]
        untidy = [f"{each}{draw.choice(['', ' ', '   '])}" for each in said] if place % 2 else said
        files[f"{where}/{name}.txt"] = lines(untidy)
        if untidy != said:
            wanted[f"{where}/{name}.txt"] = lines(said)
    return Job(
        [
            f"Remove the spaces at the ends of lines in the texts of {where}/, in place. Spaces at the beginning stay. How"
            " many files did that change?",
            f"Some lines in {where}/ have blanks after the last word. Take them off, in the files themselves, and answer with"
            " the number of files that had any.",
            f"Clean up trailing spaces in {where}/*.txt; indentation is meant to be there. I would like to know how many"
            " files needed it.",
            f"No line of a text in {where}/ should end in a space. Correct those that do. In how many files was that so?",
        ],
        files,
        [f"grep -lE ' +$' {where}/*.txt | wc -l", f"sed -i -E 's/ +$//' {where}/*.txt"],
        wanted,
        answer=str(len(wanted)),
    )


def notice_on_top(draw: Random) -> Job:
    where, (inner, *chosen) = folder(draw), names(draw, 8)
    notice = f"# Property of {draw.choice(PLACES)}, please return."
    files: dict[str, str] = {}
    for place, name in enumerate(chosen):
        text = short(draw)
        path = f"{where}/{draw.choice(['', f'{inner}/'])}{name}{'.md' if place == 6 else '.txt'}"
        files[path] = f"{notice}\n{text}" if place in (1, 4) else text
    wanted = {
        path: f"{notice}\n{text}"
        for path, text in files.items()
        if path.endswith(".txt") and not text.startswith(notice)
    }
    return Job(
        [
            f"Every .txt below {where}/ should begin with the line '{notice}' (without the quotes). Add it on top where it is"
            " missing. Files that have it, and other kinds of files, stay as they are.",
            f"Put this line at the top of the .txt files in {where}/ and its folders, except where it is there already:\n"
            f"{notice}",
            f"Some .txt files below {where}/ lack their first line, which is\n{notice}\nInsert it in those, once, and touch"
            " no others.",
            f"Check the .txt files below {where}/ for '{notice}' as first line. Where another line comes first, this one"
            " goes before it.",
        ],
        files,
        [
            f"find {where} -name '*.txt' | while read -r f; do head -n 1 \"$f\" | grep -qxF '{notice}' ||"
            f" sed -i '1i {notice}' \"$f\"; done; head -qn 1 $(find {where} -name '*.txt')"
        ],
        dict(wanted),
    )


def section_cut_out(draw: Random) -> Job:
    name, heads = draw.choice(FOLDERS), [each.title() for each in names(draw, 5)]
    bodies = {head: prose(draw, draw.randint(1, 4)) for head in heads}
    bodies[heads[0]] = f"See also {heads[2]}.\n" + bodies[heads[0]]
    one = draw.choice(heads[1:])
    return Job(
        [
            f"From {name}.md, copy the section {one} to {one.lower()}.md: its heading '## {one}' and all lines up to the next"
            " heading, or to the end.",
            f"I need the part of {name}.md about {one} as a file of its own, {one.lower()}.md. Sections begin with '## TITLE';"
            " the heading comes along, the next one does not.",
            f"Make {one.lower()}.md out of the section '## {one}' of {name}.md, heading included. Copy it;"
            f" {name}.md stays whole.",
            f"{one.lower()}.md should hold exactly one section of {name}.md, the one headed '## {one}', from its heading to"
            " the line before the following '## '.",
        ],
        {f"{name}.md": "".join(f"## {head}\n{text}" for head, text in bodies.items())},
        [f"awk '/^## / {{on = $2 == \"{one}\"}} on' {name}.md > {one.lower()}.md; cat {one.lower()}.md"],
        {f"{one.lower()}.md": f"## {one}\n{bodies[one]}"},
    )


def steps_renumbered(draw: Random) -> Job:
    name, count = draw.choice(FOLDERS), draw.randint(7, 11)
    numbers = [1, *sorted(draw.sample(range(2, 30), count - 1))]
    if numbers[1] == 2:
        numbers[-1] += 7
    rows: list[str] = []
    fresh: list[str] = []
    for place, number in enumerate(numbers, 1):
        said = line(draw)
        extra = [f"   Take {draw.randint(2, 9)} of them."] if draw.random() < 0.4 else []
        rows += [f"{number}. {said}", *extra]
        fresh += [f"{place}. {said}", *extra]
    return Job(
        [
            f"Steps were taken out of {name}.txt, and the numbers have gaps now. Number the steps 1, 2, 3 and so on again, in"
            " the file itself. Lines that do not begin with a number are notes and stay.",
            f"Renumber the list in {name}.txt from 1 without gaps. Items are the lines of the form 'N. text'; change nothing"
            " but N.",
            f"The list in {name}.txt counts badly, see for yourself. Every line that starts with a number and a point should"
            " get the right one, counting from 1; the indented lines are left alone.",
            f"Fix the numbering of {name}.txt in place: first item 1, next item 2, up to the last.",
        ],
        {f"{name}.txt": lines(rows)},
        [
            f"awk '/^[0-9]+\\. / {{sub(/^[0-9]+/, ++n)}} 1' {name}.txt > /tmp/t && cat /tmp/t > {name}.txt; cat {name}.txt"
        ],
        {f"{name}.txt": lines(fresh)},
    )


def parts_inserted(draw: Random) -> Job:
    name, chosen = draw.choice(FOLDERS), names(draw, 4)
    parts = {each: short(draw) for each in chosen}
    used = draw.sample(chosen, 3)
    rows = [text for each in used for text in (line(draw), f"@insert {each}.part")] + [line(draw)]
    whole = "".join(parts[row.split()[1][:-5]] if row.startswith("@") else f"{row}\n" for row in rows)
    return Job(
        [
            f"{name}.src has lines '@insert FILE'. Write {name}.txt, in which each of these is replaced by the text of that"
            " file. The sources stay as they are.",
            f"Build {name}.txt from {name}.src: an '@insert FILE' line stands for everything in FILE, all other lines for"
            " themselves.",
            f"Expand the @insert lines of {name}.src and save the result as {name}.txt. FILE is the name of a file here; what"
            " it holds takes the place of the whole line.",
            f"I write my texts in parts. Please put them together: {name}.src, with the contents of the named file wherever"
            f" it says @insert, makes {name}.txt.",
        ],
        {f"{name}.src": lines(rows), **{f"{each}.part": text for each, text in parts.items()}},
        [
            f'while IFS= read -r l; do case $l in "@insert "*) cat "${{l#* }}";; *) echo "$l";; esac; done < {name}.src >'
            f" {name}.txt"
        ],
        {f"{name}.txt": whole},
    )


def whole_words_only(draw: Random) -> Job:
    where = folder(draw)
    old, longer = draw.choice(
        [("oven", "ovenware"), ("drum", "drumstick"), ("loom", "heirloom"), ("bench", "workbench")]
    )
    new = draw.choice([each for each in THINGS if each != old])
    files: dict[str, str] = {}
    for name in names(draw, 5, PLACES):
        bought = [draw.choice([old, old, longer, "cart"]) for _ in range(3)]
        said = [f"{draw.choice(PEOPLE)} paid for the {each} {draw.choice(['in cash', 'on time'])}." for each in bought]
        files[f"{where}/{name.lower()}.txt"] = lines(said)
    wanted: dict[str, str | None] = {
        path: re.sub(rf"\b{old}\b", new, text) for path, text in files.items() if re.search(rf"\b{old}\b", text)
    }
    return Job(
        [
            f"In the texts of {where}/ it should say {new} wherever it says {old}. Whole words only: {longer} is something"
            " else and stays.",
            f"Replace the word {old} by {new} in all files of {where}/, in place, but not inside longer words such as"
            f" {longer}.",
            f"We wrote {old} and meant {new}. Correct that throughout {where}/. The word {longer} is right as it is.",
            f"{old} -> {new} in {where}/*.txt, please, as a word of its own, not as a part of {longer}.",
        ],
        files,
        [f"grep -nw {old} {where}/*.txt", f"sed -i 's/\\b{old}\\b/{new}/g' {where}/*.txt"],
        wanted,
    )


def patch_applied(draw: Random) -> Job:
    name = draw.choice(FOLDERS)
    rows = [line(draw) for _ in range(9)]
    at = draw.randint(3, 5)
    fresh = [*rows[:at], line(draw), *rows[at + 1 :]]
    context = [*(f" {row}" for row in rows[at - 2 : at]), f"-{rows[at]}", f"+{fresh[at]}"]
    context += [f" {row}" for row in rows[at + 1 : at + 3]]
    hunk = [f"--- a/{name}.txt", f"+++ b/{name}.txt", f"@@ -{at - 1},5 +{at - 1},5 @@", *context]
    return Job(
        [
            f"Apply fix.patch to {name}.txt. The patch itself stays.",
            f"A colleague sent fix.patch with a correction of {name}.txt. Please carry it out, in the file itself, and keep"
            " the patch.",
            f"{name}.txt is one patch behind: fix.patch, a unified diff. Bring it up to date.",
            f"Change {name}.txt as fix.patch says, and leave no .orig or .rej behind.",
        ],
        {f"{name}.txt": lines(rows), "fix.patch": lines(hunk)},
        ["cat fix.patch", f"patch -p1 < fix.patch; cat {name}.txt"],
        {f"{name}.txt": lines(fresh)},
    )


def where_terms_occur(draw: Random) -> Job:
    where, terms = folder(draw), sorted(names(draw, 4))
    files = {
        f"{where}/{name.lower()}.txt": lines(
            [f"{draw.choice(PEOPLE)} wrote about the {term}." for term in draw.choices(terms[:-1], k=3)]
        )
        for name in names(draw, 6, PLACES)
    }
    counts = {term: sum(f" {term}." in text for text in files.values()) for term in terms}
    shuffled = draw.sample(terms, 4)
    return Job(
        [
            f"terms.txt lists words. For each, in how many texts of {where}/ does it occur? Write index.txt: the word, a"
            " space, the number of files, in the order of terms.txt.",
            f"Make index.txt: a line 'WORD N' for every word in terms.txt, in that order, N being the number of files in"
            f" {where}/ with the word in them. A file counts once, however often the word is in it.",
            f"I need to know how widespread the words of terms.txt are in {where}/. Count files, not mentions; write the word"
            " and the count, a space between, to index.txt, sorted as in terms.txt. A count may be 0.",
            f"Per line of terms.txt: how many files of {where}/ mention it? The result is index.txt with lines like 'rope 2',"
            " same order.",
        ],
        {**files, "terms.txt": lines(shuffled)},
        [
            f'while read -r t; do echo "$t $(grep -lw "$t" {where}/* | wc -l)"; done < terms.txt > index.txt; cat index.txt'
        ],
        {"index.txt": lines([f"{term} {counts[term]}" for term in shuffled])},
    )


FAMILIES = [
    unpacked_and_picked, spaces_at_the_end, notice_on_top, section_cut_out, steps_renumbered, parts_inserted,
    whole_words_only, patch_applied, where_terms_occur,
]  # fmt: skip
