"""Jobs to learn from: archives, texts that are split, joined, filled in and counted, settings, checksums."""

import hashlib
from random import Random

from authoring.shell.jobs import FOLDERS, PEOPLE, PLACES, Job, folder, line, lines, names, prose, some_prose


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


FAMILIES = [
    packed_folder, one_year_compressed, bundle_taken_apart, pieces, chapters_in_order, checksums_written, damaged_files,
    settings_changed, letters_filled_in, things_to_do, comments_left_out, words_counted,
]  # fmt: skip
