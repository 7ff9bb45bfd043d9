"""Training jobs about texts, archives, settings and checksums. Each function is a family."""

import base64
import gzip
import hashlib
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
    some_prose,
)


def packed_folder(draw: Random) -> Job:
    where, (a, *chosen) = folder(draw), names(draw, 7)
    files = {f"{where}/{draw.choice(['', f'{a}/'])}{name}.txt": some_prose(draw) for name in chosen}
    return Job(
        [
            f"Pack the folder {where} with all that is in it into {where}.tar.gz, so that unpacking it gives {where}/"
            " again. Keep the folder.",
            f"Make a gzipped tar of {where}, called {where}.tar.gz, with the whole folder in it, {where}/ itself being"
            " the top. The folder stays here too.",
            f"I want to send {where}/ by mail. Pack it, with its folders, as {where}.tar.gz; whoever unpacks that"
            f" should get a folder {where}.",
            f"Create {where}.tar.gz from the folder {where}, paths beginning with {where}/, and leave the folder as it"
            " is.",
        ],
        files,
        [f"tar -czf {where}.tar.gz {where} && tar -tzf {where}.tar.gz"],
        archives={f"{where}.tar.gz": dict(files)},
    )


def one_year_compressed(draw: Random) -> Job:
    where, year = folder(draw), draw.randint(2016, 2022)
    files = {f"{where}/{name}-{draw.choice([year, year, year + 1])}.log": prose(draw, 6) for name in names(draw, 8)}
    old = [path for path in files if path.endswith(f"-{year}.log")]
    return Job(
        [
            f"Compress the logs of {year} in {where}/ with gzip, each on its own: NAME-{year}.log becomes"
            f" NAME-{year}.log.gz. Logs of other years stay as they are.",
            f"gzip every log of {year} in {where}/ (NAME-{year}.log gives NAME-{year}.log.gz), and only those.",
            f"The logs of {year} in {where}/ are hardly read any more. Replace each by its gzipped form,"
            f" NAME-{year}.log.gz.",
            f"Save space in {where}/: whatever ends in -{year}.log is to be compressed singly by gzip, the rest stays"
            " plain.",
        ],
        files,
        [f"gzip {where}/*-{year}.log; ls {where}"],
        dict.fromkeys(old),
        archives={f"{path}.gz": {"": files[path]} for path in old},
    )


def bundle_taken_apart(draw: Random) -> Job:
    name, chosen = draw.choice(FOLDERS), names(draw, 5)
    parts = {f"{each}.txt": some_prose(draw) for each in chosen}
    return Job(
        [
            f"{name}.bundle holds several texts. A line === NAME begins the text NAME, which goes on until the next such"
            " line. Write each to parts/NAME, without the === lines.",
            f"Take {name}.bundle apart. After a line === NAME come the lines of the text NAME, up to the next ==="
            " line. They should end up in parts/NAME.",
            f"Several texts are stuck together in {name}.bundle; lines that say === NAME are between them. Give each"
            " its own file parts/NAME, and leave those lines out.",
            f"Unbundle {name}.bundle into the folder parts: for each === NAME a file NAME with what follows it until"
            " the next === or the end.",
        ],
        {f"{name}.bundle": "".join(f"=== {each}\n{text}" for each, text in parts.items())},
        [f"mkdir -p parts; awk '/^=== /{{f = \"parts/\" $2; next}} {{print > f}}' {name}.bundle; ls parts"],
        {f"parts/{each}": text for each, text in parts.items()},
    )


def pieces(draw: Random) -> Job:
    name, size, rows = draw.choice(FOLDERS), draw.randint(7, 12), [line(draw) for _ in range(draw.randint(26, 40))]
    wanted = {
        f"{name}_{place + 1}.txt": lines(rows[at : at + size]) for place, at in enumerate(range(0, len(rows), size))
    }
    return Job(
        [
            f"{name}.txt is too long. Cut it into {name}_1.txt, {name}_2.txt and so on, with {size} lines each; the last"
            f" has what is left. {name}.txt stays.",
            f"Cut {name}.txt into files of {size} lines: {name}_1.txt, {name}_2.txt and so on until nothing is left."
            f" Keep {name}.txt as well.",
            f"I need {name}.txt in portions of {size} lines, numbered from 1: {name}_N.txt. The last portion may be"
            " shorter, the original stays.",
            f"Split {name}.txt after every {size} lines. The parts are called {name}_1.txt, {name}_2.txt, ... and"
            f" together hold the whole text; do not delete {name}.txt.",
        ],
        {f"{name}.txt": lines(rows)},
        [f'awk \'{{print > ("{name}_" int((NR - 1) / {size}) + 1 ".txt")}}\' {name}.txt; wc -l {name}*'],
        dict(wanted),
    )


def chapters_in_order(draw: Random) -> Job:
    where, count = folder(draw), draw.randint(10, 14)
    files = {f"{where}/chapter-{n}.txt": some_prose(draw) for n in range(1, count + 1)}
    return Job(
        [
            f"Put the chapters in {where}/, chapter-1.txt to chapter-{count}.txt, together in order of their number:"
            " book.txt.",
            f"Make book.txt by putting chapter-1.txt to chapter-{count}.txt from {where}/ one after the other. Chapter"
            " 10 comes after chapter 9.",
            f"Join the {count} chapters in {where}/ into book.txt, in the order of the numbers in their names.",
            f"book.txt should be all chapters of {where}/, from chapter-1.txt up to chapter-{count}.txt, in this order"
            " and with nothing between them.",
        ],
        files,
        [f"for n in $(seq 1 {count}); do cat {where}/chapter-$n.txt; done > book.txt"],
        {"book.txt": "".join(files.values())},
    )


def checksums_written(draw: Random) -> Job:
    where = folder(draw)
    files = {f"{where}/{name}.txt": some_prose(draw) for name in sorted(names(draw, 6))}
    sums = [f"{hashlib.sha256(text.encode()).hexdigest()}  {path}" for path, text in sorted(files.items())]
    return Job(
        [
            f"Write SHA256SUMS with the checksums of all files in {where}/, as sha256sum writes them, with the paths"
            f" beginning with {where}/ and sorted by path.",
            f"Run sha256sum over the files in {where}/ and keep its output in SHA256SUMS: paths from here"
            f" ({where}/NAME), in order of path.",
            f"I want to be able to check {where}/ later with sha256sum -c from here. Write SHA256SUMS for it, one line"
            " per file, sorted by path.",
            f"SHA256SUMS should list each file of {where}/ as sha256sum prints it, with {where}/ in front of the name,"
            " ordered by path.",
        ],
        files,
        [f"sha256sum {where}/* > SHA256SUMS && sha256sum -c SHA256SUMS"],
        {"SHA256SUMS": lines(sums)},
    )


def damaged_files(draw: Random) -> Job:
    where = folder(draw)
    files = {f"{where}/{name}.txt": some_prose(draw) for name in sorted(names(draw, 9))}
    sums = [f"{hashlib.sha256(text.encode()).hexdigest()}  {path}" for path, text in files.items()]
    damaged = sorted(draw.sample(list(files), 3))
    for path in damaged:
        files[path] = files[path].replace(".", ",", 1)
    return Job(
        [
            f"SHA256SUMS says what belongs into the files of {where}/. Three were damaged on the way. Answer with their"
            " names, without the folder, sorted and separated by commas.",
            f"Check {where}/ against SHA256SUMS. Three files do not match: give me their names, sorted, without"
            f" {where}/, separated by commas.",
            f"Which three files in {where}/ are no longer what SHA256SUMS was made from? File names without"
            " the folder, in alphabetical order, with commas.",
            f"Something happened to {where}/ during the transfer. Use SHA256SUMS to find the three files that changed"
            " and list their names in order, comma-separated, no folder.",
        ],
        {**files, "SHA256SUMS": lines(sums)},
        ["sha256sum -c SHA256SUMS 2>/dev/null | grep -v ': OK$'"],
        answer=",".join(path.split("/")[1] for path in damaged),
    )


def settings_changed(draw: Random) -> Job:
    where, new = folder(draw), draw.randint(2000, 9000)
    old = draw.sample(range(2000, 9000), 3)
    files: dict[str, str] = {}
    wanted: dict[str, str | None] = {}
    for name in names(draw, 6):
        port, tail = draw.choice(old), f"# port={old[0]} was used before\nname={name}\n"
        files[f"{where}/{name}.conf"] = f"host={draw.choice(PLACES).lower()}.example\nport={port}\n{tail}"
        if port == old[0]:
            wanted[f"{where}/{name}.conf"] = files[f"{where}/{name}.conf"].replace(
                f"\nport={port}\n", f"\nport={new}\n"
            )
    return Job(
        [
            f"The service on port {old[0]} has moved to port {new}. Change the line port={old[0]} in the .conf files of"
            f" {where}/. Comments stay as they are.",
            f"Where a .conf in {where}/ has the line port={old[0]}, it should be port={new}. Leave comments and other"
            " ports.",
            f"Port {old[0]} is now {new}. Please correct the setting in {where}/*.conf, but not the comments that"
            " mention the old one.",
            f"Set port={new} in those .conf files of {where}/ that have port={old[0]} as a setting. What a comment"
            " says about it stays.",
        ],
        files,
        [f"grep -n {old[0]} {where}/*.conf", f"sed -i 's/^port={old[0]}$/port={new}/' {where}/*.conf"],
        wanted,
    )


def letters_filled_in(draw: Random) -> Job:
    where, guests = (
        folder(draw),
        [f"{who},{place}" for who, place in zip(names(draw, 6, PEOPLE), names(draw, 6, PLACES), strict=True)],
    )
    letter = f"Dear NAME,\n{line(draw)}\nWe look forward to seeing you in PLACE.\n{draw.choice(PEOPLE).upper()}\n"
    wanted = {
        f"{where}/{guest.split(',')[0]}.txt": letter.replace("NAME", guest.split(",")[0]).replace(
            "PLACE", guest.split(",")[1]
        )
        for guest in guests
    }
    return Job(
        [
            f"For every line of guests.csv, which is a name and a place, write a letter {where}/NAME.txt: letter.txt with"
            " the name for NAME and the place for PLACE.",
            "Write a letter to everybody in guests.csv (name,place). Take letter.txt, put the name for NAME and the"
            f" place for PLACE, and save it as {where}/NAME.txt, NAME being the guest.",
            "letter.txt is a form with NAME and PLACE in it. Fill it in for each line 'name,place' of guests.csv and"
            f" store it under {where}/ as the guest's name with .txt.",
            f"I need invitations in {where}/, one for each guest in guests.csv, called like the guest (Xyz.txt): the"
            " text of letter.txt with their name and place in place of NAME and PLACE.",
        ],
        {"guests.csv": lines(guests), "letter.txt": letter},
        [
            f"mkdir -p {where}; while IFS=, read -r n p; do"
            f' sed "s/NAME/$n/g; s/PLACE/$p/g" letter.txt > {where}/"$n".txt; done < guests.csv'
        ],
        dict(wanted),
    )


def things_to_do(draw: Random) -> Job:
    where, inner, *chosen = folder(draw), *names(draw, 6)
    files: dict[str, str] = {}
    for name in chosen:
        said = [line(draw) for _ in range(5)]
        for at in draw.sample(range(5), draw.randint(0, 2)):
            said[at] = f"TODO: {said[at]}"
        files[f"{where}/{draw.choice(['', f'{inner}/'])}{name}.txt"] = lines(said)
    found = [
        f"{path}:{number}:{text}"
        for path in sorted(files)
        for number, text in enumerate(files[path].splitlines(), 1)
        if text.startswith("TODO")
    ]
    return Job(
        [
            f"Collect all lines below {where}/ that begin with TODO in todo.txt, each as PATH:NUMBER:LINE with the path"
            " from here and the number of the line, in order of path and number.",
            f"What is left to do below {where}/? Put every line that starts with TODO into todo.txt as"
            " PATH:NUMBER:LINE (path from here, line number), sorted by path, then by number.",
            f"todo.txt should list all lines below {where}/ beginning with TODO the way grep -n shows them,"
            " path:number:line, by path and, within a file, by number.",
            f"Search {where}/ and its folders for lines starting with TODO. Write them to todo.txt with path (from"
            " here), line number and text, colons between, in that order of path and number.",
        ],
        files,
        [f"grep -rn '^TODO' {where} | sort -t: -k1,1 -k2,2n > todo.txt"],
        {"todo.txt": lines(found)},
    )


def comments_left_out(draw: Random) -> Job:
    name = draw.choice(FOLDERS)
    rows = [
        draw.choice(
            [
                f"{thing} = {draw.randint(1, 99)}",
                f"# {line(draw)}",
                f"   # {thing}",
                "",
                "   ",
                f"{thing} = #{draw.randint(1, 9)}",
            ]
        )
        for thing in names(draw, 25)
    ]
    kept = [row for row in rows if row.strip() and not row.strip().startswith("#")]
    return Job(
        [
            f"Make {name}.short from {name}.ini: without blank lines and without lines that are only a comment, which"
            f" begin with #, maybe after spaces. {name}.ini stays.",
            f"{name}.short: {name}.ini minus all lines that are blank or hold only a comment. A comment starts with #,"
            f" and spaces may come before it. {name}.ini itself is kept.",
            f"Strip {name}.ini down to its settings. Lines that are empty, only spaces, or begin with # (after spaces"
            f" or not) are left out; the others go to {name}.short as they are.",
            f"I want to see the settings of {name}.ini alone, in {name}.short: no blank lines and no comment lines. A"
            " # after a setting is not a comment line.",
        ],
        {f"{name}.ini": lines(rows)},
        [f"grep -Ev '^ *(#|$)' {name}.ini > {name}.short; cat {name}.short"],
        {f"{name}.short": lines(kept)},
    )


def words_counted(draw: Random) -> Job:
    where = folder(draw)
    files = {f"{where}/{name}.txt": some_prose(draw) for name in names(draw, 7)}
    rows = [f"{path.split('/')[1]} {len(text.split())}" for path, text in sorted(files.items())]
    return Job(
        [
            f"Count the words of each text in {where}/. Write counts.txt with a line for each: the file's name without"
            " the folder, a space and the number, sorted by name.",
            f"How long are the texts in {where}/? counts.txt gets a line 'NAME WORDS' for each, NAME without the"
            " folder, ordered by name.",
            f"For every text of {where}/ write its name and its number of words, with a space between, to counts.txt,"
            " sorted by name.",
            f"counts.txt: file name (no path), space, word count as wc -w has it, for all files in {where}/ in"
            " alphabetical order.",
        ],
        files,
        [f'cd {where} && for f in *; do echo "$f $(wc -w < "$f")"; done > ../counts.txt; cat ../counts.txt'],
        {"counts.txt": lines(rows)},
    )


def packed_as_text(members: dict[str, str]) -> str:
    """Return a gzipped tar archive in base64, as in an email."""
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
    packed_folder,
    one_year_compressed,
    bundle_taken_apart,
    pieces,
    chapters_in_order,
    checksums_written,
    damaged_files,
    settings_changed,
    letters_filled_in,
    things_to_do,
    comments_left_out,
    words_counted,
    unpacked_and_picked,
    spaces_at_the_end,
    notice_on_top,
    section_cut_out,
    steps_renumbered,
    parts_inserted,
    whole_words_only,
    patch_applied,
    where_terms_occur,
]
