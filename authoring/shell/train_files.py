"""Training jobs about files and folders. Each function is a family."""

from random import Random

from authoring.shell.jobs import PEOPLE, PLACES, Job, day, folder, line, lines, moved, names, prose, short, some_prose


def sort_by_ending(draw: Random) -> Job:
    where = folder(draw)
    chosen = [f"{name}.{draw.choice(['txt', 'csv', 'md', 'log'])}" for name in names(draw, 9)]
    files = {f"{where}/{name}": some_prose(draw) for name in chosen}
    to = {f"{where}/{name}": f"sorted/{name.rpartition('.')[2]}/{name}" for name in chosen}
    return Job(
        [
            f"Sort the files of {where}/ by their ending: each is moved to sorted/ENDING/, so that {where}/a.txt would"
            " become sorted/txt/a.txt.",
            f"{where}/ is a mess. Move each file in it to sorted/ENDING/ with the name it has, a.txt for instance to"
            " sorted/txt/.",
            f"Please tidy {where}/ by kind of file. sorted/ gets a folder for every ending (txt, csv, ...), and the"
            " files are moved there.",
            f"Every file of {where}/ should go to the folder sorted/ENDING/ that fits it: notes.md to"
            " sorted/md/notes.md, and so on.",
        ],
        files,
        [f'cd {where} && for f in *; do d=../sorted/"${{f##*.}}"; mkdir -p "$d" && mv "$f" "$d/"; done'],
        moved(files, to),
    )


def lower_case_names(draw: Random) -> Job:
    where = folder(draw)
    chosen = [
        draw.choice([name.upper(), name.title(), name]) + draw.choice([".TXT", ".Txt", ".txt"])
        for name in names(draw, 8)
    ]
    files = {f"{where}/{name}": some_prose(draw) for name in chosen}
    to = {path: path.lower() for path in files if path != path.lower()}
    return Job(
        [
            f"Rename the files in {where}/ so that their names are all in lower case. Names that already are stay.",
            f"No capital letters in the file names of {where}/, please. Rename those that have some.",
            f"In {where}/ some names shout. Turn all letters of the file names, endings too, into small ones.",
            f"File names in {where}/ have to be lower case from now on; NOTES.Txt would be notes.txt. Rename what is"
            " not.",
        ],
        files,
        [f'cd {where} && for f in *; do [ "$f" = "${{f,,}}" ] || mv -n -- "$f" "${{f,,}}"; done'],
        moved(files, to),
    )


def spaces_in_names(draw: Random) -> Job:
    where = folder(draw)
    chosen = [f"{one} {draw.choice(['of', 'from', 'für', 'à'])} {draw.choice(PLACES)}.txt" for one in names(draw, 6)]
    files = {f"{where}/{name}": some_prose(draw) for name in [*chosen, *(f"{name}.txt" for name in names(draw, 3))]}
    to = {path: path.replace(" ", "_") for path in files if " " in path}
    return Job(
        [
            f"Names with spaces break our tools. In {where}/, replace every space in a file's name by an underscore.",
            f"Put _ for every space in the names of the files in {where}/.",
            f"Our scripts stumble over blanks in file names. Rename the files of {where}/ that have any, with an"
            " underscore for each blank.",
            f"Rename what has spaces in its name in {where}/: 'a b c.txt' would be a_b_c.txt. Leave the other letters"
            " as they are.",
        ],
        files,
        [f'cd {where} && for f in *" "*; do mv -n -- "$f" "${{f// /_}}"; done; ls'],
        moved(files, to),
    )


def dates_in_names(draw: Random) -> Job:
    where, what = folder(draw), draw.choice(["minutes", "menu", "survey", "rota"])
    days = sorted({day(draw, draw.randint(2019, 2023)) for _ in range(8)})
    files = {f"{where}/{what}_{each[8:]}-{each[5:7]}-{each[:4]}.txt": some_prose(draw) for each in days}
    to = {path: f"{where}/{each}_{what}.txt" for path, each in zip(files, days, strict=True)}
    return Job(
        [
            f"The files in {where}/ are called {what}_DD-MM-YYYY.txt and so sort badly. Rename each to"
            f" YYYY-MM-DD_{what}.txt.",
            f"Turn the dates in the names of {where}/ round: {what}_DD-MM-YYYY.txt is to be called"
            f" YYYY-MM-DD_{what}.txt.",
            f"I want the files of {where}/ to sort by date. They are {what}_DD-MM-YYYY.txt now; make that"
            f" YYYY-MM-DD_{what}.txt.",
            f"Year first, please: for all {what}_DD-MM-YYYY.txt in {where}/ the new name is YYYY-MM-DD_{what}.txt.",
        ],
        files,
        [
            f"cd {where} && for f in {what}_*.txt; do d=${{f#{what}_}}; d=${{d%.txt}};"
            f' mv -n "$f" "${{d:6:4}}-${{d:3:2}}-${{d:0:2}}_{what}.txt"; done'
        ],
        moved(files, to),
    )


def receipts_by_month(draw: Random) -> Job:
    where, year = folder(draw), draw.randint(2017, 2023)
    days = [day(draw, year) for _ in range(10)]
    files = {f"{where}/receipt-{each}-{place:02}.txt": f"{line(draw)}\n" for place, each in enumerate(days)}
    to = {path: f"{where}/{path.split('receipt-')[1][:7]}/{path.split('/')[1]}" for path in files}
    return Job(
        [
            f"Put the receipts of {year} in {where}/ into one folder for each month: {where}/receipt-{year}-04-17-03.txt"
            f" belongs into {where}/{year}-04/, and keeps its name.",
            f"Sort the receipts in {where}/ by month. Folders are called {where}/{year}-01, {where}/{year}-02 and so"
            " on, as far as needed, and the month is in the name of the receipt.",
            f"A folder per month in {where}/, named YYYY-MM, and each receipt-YYYY-MM-DD-NN.txt moved into the one of"
            " its month.",
            f"My accountant wants {year} month by month: move every {where}/receipt-{year}-MM-DD-NN.txt to"
            f" {where}/{year}-MM/, same name.",
        ],
        files,
        [f'cd {where} && for f in receipt-*; do m=${{f:8:7}}; mkdir -p "$m"; mv "$f" "$m"/; done'],
        moved(files, to),
    )


def scrap_files(draw: Random) -> Job:
    where, (a, b) = folder(draw), names(draw, 2)
    chosen = [f"{where}/{draw.choice(['', f'{a}/', f'{a}/{b}/'])}{name}" for name in names(draw, 10)]
    files = {name + draw.choice([".txt", ".tmp", ".txt~", ".csv"]): some_prose(draw) for name in chosen}
    files[f"{where}/template.md"] = some_prose(draw)
    files[f"{where}/tmp.txt"] = some_prose(draw)
    scrap = [path for path in files if path.endswith((".tmp", "~"))]
    return Job(
        [
            f"Below {where}/ an editor has left scrap: files that end in .tmp or in ~. Delete those and nothing else,"
            " also in the folders inside. How many were there?",
            f"Get rid of the editor's leftovers below {where}/, at all levels: everything that ends in .tmp or ~,"
            " nothing else. Answer with the number of files deleted.",
            f"Delete *.tmp and *~ in {where}/ and in all folders inside it. Then say how many files that was.",
            f"How many files that end in .tmp or ~ are there below {where}/? Count them and delete them; the rest"
            " stays.",
        ],
        files,
        [rf"find {where} -type f \( -name '*.tmp' -o -name '*~' \) -print -delete | wc -l"],
        dict.fromkeys(scrap),
        answer=str(len(scrap)),
    )


def empty_files(draw: Random) -> Job:
    where, inner = folder(draw), draw.choice(PLACES).lower()
    chosen = [f"{where}/{draw.choice(['', f'{inner}/'])}{name}.msg" for name in names(draw, 11)]
    files = {path: draw.choice(["", "\n", some_prose(draw), some_prose(draw)]) for path in chosen}
    gone = [path for path, text in files.items() if not text]
    return Job(
        [
            f"Delete the files below {where}/ that hold nothing at all, not even a line end. Tell me how many you deleted.",
            f"Some files below {where}/ have no content at all, 0 bytes. Delete these, and answer with how many they"
            " were.",
            f"Clear {where}/ and its folders of files of size zero. A file with only a line end is not one of them."
            " What was the number?",
            f"Which files below {where}/ are completely empty? Delete them and give me their number.",
        ],
        files,
        [f"find {where} -type f -size 0 | wc -l", f"find {where} -type f -size 0 -delete"],
        dict.fromkeys(gone),
        answer=str(len(gone)),
    )


def empty_folders(draw: Random) -> Job:
    where, (a, b, c, d, e) = folder(draw), names(draw, 5)
    files = {f"{where}/{a}/plan.txt": some_prose(draw), f"{where}/{b}/{c}/notes.txt": some_prose(draw)}
    files |= {f"{where}/{a}/{d}/": "", f"{where}/{e}/{c}/": "", f"{where}/{d}/": ""}
    gone = [f"{where}/{a}/{d}/", f"{where}/{e}/{c}/", f"{where}/{e}/", f"{where}/{d}/"]
    return Job(
        [
            f"Remove the empty folders below {where}/. One that holds nothing but empty folders is empty too. No file is"
            " touched.",
            f"Delete all folders below {where}/ in which there is no file, not even further down.",
            f"There are folders in {where}/ with nothing in them, or with nothing but such folders. Remove them all;"
            " files stay.",
            f"Tidy {where}/: a folder without any file in it, at any level, can be removed.",
        ],
        files,
        [f"find {where} -mindepth 1 -type d -empty -delete; find {where}"],
        dict.fromkeys(gone),
    )


def playlist_order(draw: Random) -> Job:
    where, songs = folder(draw), names(draw, draw.randint(6, 11))
    files = {f"{where}/{song}.song": some_prose(draw) for song in sorted(songs)}
    files["playlist.txt"] = "".join(f"{song}\n" for song in songs)
    to = {f"{where}/{song}.song": f"{where}/{place:02}_{song}.song" for place, song in enumerate(songs, 1)}
    return Job(
        [
            f"playlist.txt names the songs of {where}/ in the order in which they are played. Put their place before"
            f" their name, with two digits: the first is renamed to {where}/01_NAME.song, and so on.",
            f"Number the songs in {where}/ as playlist.txt has them: NAME.song on its first line becomes 01_NAME.song,"
            " on its second 02_NAME.song, and so on.",
            f"playlist.txt is the order of the songs in {where}/. Rename them to NN_NAME.song, NN being the line in"
            " the playlist with two digits.",
            f"I want my player to play {where}/ in the order of playlist.txt. So the names should begin with 01_, 02_,"
            " 03_ and so on, in that order.",
        ],
        files,
        [
            "cat playlist.txt",
            f'n=1; while read -r s; do mv "{where}/$s.song" "{where}/$(printf %02d $n)_$s.song"; n=$((n+1)); done < playlist.txt',
        ],
        moved(files, to),
    )


def not_changed_since(draw: Random) -> Job:
    where, limit = folder(draw), day(draw, 2021)
    files = {f"{where}/{name}.draft": some_prose(draw) for name in names(draw, 9)}
    dates = {path: draw.choice([day(draw, 2020), day(draw, 2022), day(draw, 2021)]) for path in files}
    dates = {path: each if each != limit else "2020-06-06" for path, each in dates.items()}
    to = {path: f"old/{path.split('/')[1]}" for path, each in dates.items() if each < limit}
    return Job(
        [
            f"Move the drafts in {where}/ that were last changed before {limit} into the folder old/. Go by the time of"
            " the file.",
            f"Which drafts in {where}/ have not been changed since {limit}, that is, were last changed on an earlier"
            " day? Move them into old/.",
            f"Drafts of {where}/ with a modification date earlier than {limit} go to the folder old/; make it if need"
            " be.",
            f"Put aside into old/ what was last edited before {limit} in {where}/. The date that counts is the one the"
            " file system has.",
        ],
        files,
        [f"mkdir -p old && find {where} -type f ! -newermt '{limit} 00:00' -exec mv -t old {{}} +"],
        moved(files, to),
        dates=dates,
    )


def largest_file(draw: Random) -> Job:
    where, (a, b, *chosen) = folder(draw), names(draw, 10)
    sizes = draw.sample(range(2, 30), len(chosen))
    files = {
        f"{where}/{draw.choice(['', f'{a}/', f'{b}/'])}{name}.txt": prose(draw, size)
        for name, size in zip(chosen, sizes, strict=True)
    }
    most = max(files, key=lambda path: len(files[path]))
    return Job(
        [
            f"Which file below {where}/ takes the most bytes? Answer with its path, beginning with {where}/.",
            f"Find the largest file below {where}/, in bytes. I need its path from here, {where}/ included.",
            f"What takes up most space below {where}/? One file: its path, starting with {where}/.",
            f"Look through {where}/ and its folders for the biggest file and tell me its path ({where}/...).",
        ],
        files,
        [f"find {where} -type f -printf '%s %p\\n' | sort -n | tail -n 3"],
        answer=most,
    )


def same_content(draw: Random) -> Job:
    where, texts = folder(draw), [prose(draw, 3) for _ in range(4)]
    chosen = [f"{name}{draw.choice(['', ' copy', ' (2)', 'é'])}.txt" for name in names(draw, 10)]
    files = {f"{where}/{name}": draw.choice(texts) for name in chosen}
    first = {text: min(path for path in files if files[path] == text) for text in files.values()}
    return Job(
        [
            f"{where}/ holds the same text several times under different names. Of each text keep the file whose name"
            " comes first in byte order, and delete the other copies.",
            f"Delete duplicates in {where}/: of files with the same content, only the one whose name is first in byte"
            " order stays.",
            f"Many files in {where}/ are copies of each other. Keep one of each text, namely the one with the first"
            " name in byte order (LC_ALL=C sort), and remove the rest.",
            f"Each text in {where}/ should be there once. Where several files hold the same, the first by name, sorted"
            " by bytes, is kept.",
        ],
        files,
        [
            f"cd {where} && sha256sum -- * | LC_ALL=C sort | awk 'seen[$1]++ {{print substr($0, 67)}}' | xargs -r -d"
            " '\\n' rm --"
        ],
        {path: None for path, text in files.items() if first[text] != path},
    )


def flat_copies(draw: Random) -> Job:
    where, (a, b, c) = folder(draw), names(draw, 3)
    below = ["", f"{a}/", f"{b}/", f"{b}/{c}/"]
    files = {
        f"{where}/{draw.choice(below)}{name}{draw.choice(['.txt', '.txt', '.md'])}": some_prose(draw)
        for name in names(draw, 9)
    }
    wanted = {
        f"flat/{path.removeprefix(f'{where}/').replace('/', '-')}": files[path]
        for path in files
        if path.endswith(".txt")
    }
    return Job(
        [
            f"Copy all .txt files below {where}/ into one folder flat/. A path inside {where}/ becomes a name, with - for"
            f" every /: {where}/x/y.txt is copied to flat/x-y.txt. The originals stay.",
            f"I need all .txt below {where}/ in one folder: copy them to flat/, named by their path inside {where}/"
            f" with - instead of /. So {where}/a/b/c.txt gives flat/a-b-c.txt.",
            f"Flatten {where}/ into flat/: copies of the .txt files, no folders; the path below {where}/ is the new"
            " name, each / written as -.",
            f"Make flat/ with a copy of every .txt that is anywhere below {where}/. {where}/x/y.txt is called x-y.txt"
            f" there, and a file directly in {where}/ keeps its name.",
        ],
        files,
        [
            f'mkdir -p flat && cd {where} && find . -type f -name "*.txt" -printf "%P\\n" |'
            ' while IFS= read -r f; do cp "$f" "../flat/${f//\\//-}"; done'
        ],
        dict(wanted),
    )


def scripts_without_ending(draw: Random) -> Job:
    where = folder(draw)
    begin = ["#!/bin/sh\n", "#!/bin/sh\n", "", "# not a script: #!/bin/sh\n"]
    files = {f"{where}/{name}": draw.choice(begin) + f"echo {name}\n" for name in names(draw, 9)}
    to = {path: f"{path}.sh" for path, text in files.items() if text.startswith("#!/bin/sh\n")}
    return Job(
        [
            f"Some files in {where}/ are shell scripts: their first line is #!/bin/sh. Add .sh to the names of these.",
            f"What begins with the line #!/bin/sh in {where}/ should be called NAME.sh. Rename those files.",
            f"Shell scripts in {where}/ lack their ending. You know them by their first line, #!/bin/sh; append .sh to"
            " their names, and leave the others.",
            f"Add the ending .sh to every file of {where}/ whose very first line is #!/bin/sh.",
        ],
        files,
        [f'cd {where} && for f in *; do [ "$(head -n 1 "$f")" = "#!/bin/sh" ] && mv -n "$f" "$f.sh"; done; ls'],
        moved(files, to),
    )


def missing_pages(draw: Random) -> Job:
    where, last = folder(draw), draw.randint(25, 60)
    missing = sorted(draw.sample(range(2, last), 4))
    files = {f"{where}/page-{n:03}.txt": f"{line(draw)}\n" for n in range(1, last + 1) if n not in missing}
    return Job(
        [
            f"The pages of a book were scanned to {where}/page-001.txt up to page-{last:03}.txt, and four are missing."
            " Which ones? Answer with their numbers in order, without zeros in front, separated by commas.",
            f"Four pages between page-001.txt and page-{last:03}.txt are not in {where}/. Give me their numbers,"
            " ascending, with commas and no leading zeros.",
            f"Check whether {where}/ has all pages, page-001.txt to page-{last:03}.txt. It does not: which four"
            " numbers are missing? In order, comma-separated, written like 7 and not 007.",
            f"Which page numbers from 1 to {last} have no file page-NNN.txt in {where}/? List them from low to high,"
            " separated by commas.",
        ],
        files,
        [
            f'for n in $(seq 1 {last}); do f={where}/page-$(printf %03d $n).txt; [ -e "$f" ] || echo $n; done | paste -sd,'
        ],
        answer=",".join(map(str, missing)),
    )


def names_on_a_list(draw: Random) -> Job:
    where, chosen = folder(draw), names(draw, 12)
    files = {f"{where}/{name}.txt": some_prose(draw) for name in chosen}
    listed = draw.sample(chosen, 5)
    files["keep.txt"] = "".join(f"{name}\n" for name in listed)
    to = {f"{where}/{name}.txt": f"aside/{name}.txt" for name in chosen if name not in listed}
    return Job(
        [
            f"keep.txt lists which files of {where}/ are still needed, without their ending. Move all others to the"
            " folder aside/.",
            f"Move the files of {where}/ that are not on keep.txt to aside/. The list has their names without .txt.",
            f"Whatever keep.txt does not name is no longer needed in {where}/: move it to aside/. (NAME on the list"
            " means NAME.txt.)",
            f"In {where}/ only those files stay that keep.txt mentions, each without its .txt; all the others go to a"
            " folder aside.",
        ],
        files,
        [
            f"mkdir -p aside; for f in {where}/*.txt; do"
            ' grep -qx "$(basename "$f" .txt)" keep.txt || mv "$f" aside/; done; ls aside'
        ],
        moved(files, to),
    )


def folders_compared(draw: Random) -> Job:
    where, chosen = folder(draw), sorted(names(draw, 8))
    old, new = f"{where}_old", f"{where}_new"
    files, rows = {}, []
    fates = ["added", "changed", "removed", "same", "same", *draw.choices(["added", "changed", "removed"], k=3)]
    draw.shuffle(fates)
    for name, fate in zip(chosen, fates, strict=True):
        text = short(draw)
        if fate != "added":
            files[f"{old}/{name}.txt"] = text
        if fate != "removed":
            files[f"{new}/{name}.txt"] = text + "And one line more.\n" if fate == "changed" else text
        if fate != "same":
            rows.append(f"{fate} {name}.txt")
    form = (
        "a line like 'added x.txt', 'removed x.txt' or 'changed x.txt' for every file that differs, sorted by file name"
    )
    return Job(
        [
            f"What happened between {old}/ and {new}/? Write changes.txt with {form}.",
            f"Compare the folders {old} and {new}. I need {form}. Put that into changes.txt; files that are the same in"
            " both are left out.",
            f"{new}/ is what became of {old}/ in a week: some files came, some went, some were edited. List them in"
            f" changes.txt: {form}.",
            f"changes.txt, please: {form}. Added means it is only in {new}/, removed only in {old}/, changed in both with"
            " another text.",
        ],
        files,
        [
            f"diff -rq {old} {new}",
            f"for n in $(ls {old} {new} | grep txt | LC_ALL=C sort -u); do if [ ! -e {old}/$n ]; then echo added $n;"
            f" elif [ ! -e {new}/$n ]; then echo removed $n; elif ! cmp -s {old}/$n {new}/$n; then echo changed $n; fi;"
            " done > changes.txt; cat changes.txt",
        ],
        {"changes.txt": lines(rows)},
    )


def three_digits(draw: Random) -> Job:
    where, what = folder(draw), draw.choice(["scan", "photo", "take", "plate", "frame"])
    numbers = sorted({draw.randint(1, 9), draw.randint(10, 99), *draw.sample(range(1, 140), 7)})
    files = {f"{where}/{what}-{n}.txt": short(draw) for n in numbers}
    to = {f"{where}/{what}-{n}.txt": f"{where}/{what}-{n:03}.txt" for n in numbers if n < 100}
    return Job(
        [
            f"The names {what}-N.txt in {where}/ sort badly. Rename the files so that every number has three digits, with"
            " zeros in front.",
            f"Pad the numbers in the names of {where}/{what}-N.txt to three digits: {what}-7.txt is to be {what}-007.txt.",
            f"I want {where}/ to sort properly. That takes {what}-001.txt instead of {what}-1.txt, and the same for all"
            " of them; three digits are enough.",
            f"Three digits for everything called {what}-NUMBER.txt in {where}/, please (5 becomes 005, 42 becomes 042).",
        ],
        files,
        [
            f'cd {where} && for f in {what}-*.txt; do n=${{f#{what}-}}; n=${{n%.txt}}; g=$(printf "{what}-%03d.txt" "$n");'
            ' [ "$f" = "$g" ] || mv -n "$f" "$g"; done; ls'
        ],
        moved(files, to),
    )


def by_topic_line(draw: Random) -> Job:
    where, topics = folder(draw), [each.lower() for each in names(draw, 3, PLACES)]
    chosen = names(draw, 8)
    held = {name: draw.choice(topics) for name in chosen}
    files = {f"{where}/{name}.txt": f"Topic: {held[name]}\n{short(draw)}" for name in chosen}
    to = {f"{where}/{name}.txt": f"{where}/{held[name]}/{name}.txt" for name in chosen}
    return Job(
        [
            f"The first line of each text in {where}/ is 'Topic: ' and a topic. Move every text into a folder in {where}/"
            " that is called like its topic.",
            f"Sort {where}/ by topic. A text names its own on its first line, after 'Topic: ', and belongs into"
            f" {where}/TOPIC/.",
            f"One folder per topic in {where}/, please, and the texts moved into them: whatever says 'Topic: x' at the top"
            f" goes to {where}/x/ under the name it has.",
            f"Read the topic of the files in {where}/ from their first lines ('Topic: ...') and file them accordingly, as"
            f" {where}/TOPIC/NAME.txt.",
        ],
        files,
        [
            f"head -qn 1 {where}/*.txt | sort | uniq -c",
            f'cd {where} && for f in *.txt; do t=$(sed -n "1s/^Topic: //p" "$f"); mkdir -p "$t"; mv "$f" "$t"/; done; ls *',
        ],
        moved(files, to),
    )


def old_ones_packed(draw: Random) -> Job:
    where, year = folder(draw), draw.randint(2015, 2022)
    files = {f"{where}/{name}.txt": short(draw) for name in names(draw, 8)}
    ages = [year - 1, year - 2, year, year + 1, *draw.choices([year - 1, year, year + 1], k=4)]
    dates = {path: day(draw, age) for path, age in zip(files, ages, strict=True)}
    old = {path: text for path, text in files.items() if int(dates[path][:4]) < year}
    return Job(
        [
            f"Whatever in {where}/ was last changed before {year} is to be packed into {where}/before.tar.gz and then"
            " deleted. Inside the archive the files have just their names, no folder.",
            f"Make room in {where}/: files with a date of change before {year}-01-01 go into a gzipped tar"
            f" {where}/before.tar.gz (names only, without a path) and are removed once they are in it.",
            f"Pack up the past of {where}/. Everything not touched since {year} began goes into before.tar.gz in the same"
            " folder, members named like the files themselves, and the packed files go.",
            f"{where}/before.tar.gz should take over all files of {where}/ that are older than {year}, going by the time"
            " stamp of the file. Store bare file names. Delete what has been packed, nothing else.",
        ],
        files,
        [
            f"cd {where} && find . -maxdepth 1 -type f ! -newermt '{year}-01-01' -printf '%P\\n' > /tmp/list && cat /tmp/list",
            f"cd {where} && tar -czf before.tar.gz --remove-files -T /tmp/list && tar -tzf before.tar.gz",
        ],
        dict.fromkeys(old),
        archives={f"{where}/before.tar.gz": {path.split("/")[1]: text for path, text in old.items()}},
        dates=dates,
    )


def copy_without_caches(draw: Random) -> Job:
    where, target, (a, b) = folder(draw), draw.choice(PLACES).lower(), names(draw, 2)
    below = ["", f"{a}/", f"{b}/", "cache/", f"{a}/cache/", f"{b}/cache/{a}/"]
    files = {f"{where}/{inner}{name}.txt": short(draw) for inner, name in zip(below, names(draw, 6), strict=True)}
    files[f"{where}/{a}/cache.txt"] = short(draw)
    wanted = {f"{target}/{path.partition('/')[2]}": text for path, text in files.items() if "/cache/" not in path}
    return Job(
        [
            f"Copy {where}/ to {target}/ with all its folders, but without any folder called cache, however deep it is.",
            f"I need a copy of {where} under the name {target}. Folders named cache and what is in them are left out of"
            " the copy, at every level.",
            f"Duplicate the tree {where}/ as {target}/. Not wanted in there: the cache folders. Wanted: everything else.",
            f"{target}/ is to become a clean copy of {where}/: the same files at the same places, except what lies in a"
            f" folder cache. {where}/ itself is not changed.",
        ],
        files,
        [f"cp -r {where} {target} && find {target} -depth -type d -name cache -exec rm -r {{}} +; find {target}"],
        dict(wanted),
    )


def names_mixed_up(draw: Random) -> Job:
    where, (a, b, *rest) = folder(draw), names(draw, 6)
    files = {f"{where}/{name}.txt": prose(draw, 2) for name in [a, b, *rest]}
    one, two = f"{where}/{a}.txt", f"{where}/{b}.txt"
    return Job(
        [
            f"{one} and {two} got each other's names by mistake. Swap them back.",
            f"Exchange the two files {a}.txt and {b}.txt in {where}/: each should hold what the other holds now.",
            f"Somebody mixed up {a}.txt with {b}.txt in {where}/. What is called {a}.txt should be {b}.txt and the other way"
            " round.",
            f"Please swap {one} with {two}. Neither text may get lost on the way.",
        ],
        files,
        [f"mv {one} /tmp/swap && mv {two} {one} && mv /tmp/swap {two}; head {one} {two}"],
        {one: files[two], two: files[one]},
    )


def highest_version(draw: Random) -> Job:
    where, chosen = folder(draw), names(draw, 3)
    files: dict[str, str] = {}
    wanted: dict[str, str | None] = {}
    for name in chosen:
        versions = sorted({draw.randint(2, 9), draw.randint(10, 15), draw.randint(1, 9)})[: draw.randint(2, 3)]
        files |= {f"{where}/{name}-v{n}.txt": short(draw) for n in versions}
        wanted[f"final/{name}.txt"] = files[f"{where}/{name}-v{versions[-1]}.txt"]
    return Job(
        [
            f"For each text in {where}/ there are versions, NAME-vN.txt. Copy the one with the highest number to"
            " final/NAME.txt.",
            f"Take the last version of every text in {where}/ (v10 comes after v9) and put a copy into final/, with the"
            " version taken out of the name: NAME.txt.",
            f"I want a folder final with one NAME.txt per text: a copy of its newest version. The versions are"
            f" {where}/NAME-v1.txt and so on; the larger number is the newer one. Leave those where they are.",
            f"Which version of the texts in {where}/ counts? The one with the largest N in NAME-vN.txt. Collect copies of"
            " these in final/, named NAME.txt.",
        ],
        files,
        [
            f"mkdir final; cd {where}; for n in $(ls | sed 's/-v.*//' | sort -u); do"
            ' cp "$(ls $n-v*.txt | sort -V | tail -n 1)" ../final/$n.txt; done; ls ../final'
        ],
        wanted,
    )


def link_to_release(draw: Random) -> Job:
    where = folder(draw)
    made = sorted({(draw.randint(1, 3), draw.randint(0, 12)) for _ in range(5)} | {(1, 9), (1, 10)})
    files = {f"{where}/{a}.{b}/notes.txt": short(draw) for a, b in made}
    newest = f"{made[-1][0]}.{made[-1][1]}"
    return Job(
        [
            f"Make {where}/current a symbolic link to the newest release there, the folder with the highest number (1.10 is"
            " newer than 1.9). As its target give the folder's name only, without a path.",
            f"The folders in {where}/ are releases. Set a symbolic link {where}/current to the highest one; its target is"
            " the bare folder name, as in 1.4.",
            f"{where}/current does not exist yet. It should be a symlink to the latest release in {where}/, by version"
            " number, relative, without any path in front: readlink gives only MAJOR.MINOR.",
            f"Which release in {where}/ is the newest? Point a symlink called current, in the same folder, to it. Use the"
            " plain name of the folder as its target.",
        ],
        files,
        [f"ls {where} | sort -V | tail -n 1", f'cd {where} && ln -s "$(ls | sort -V | tail -n 1)" current && ls -l'],
        {f"{where}/current": f"(a link to {newest})"},
    )


def fullest_folder(draw: Random) -> Job:
    where, chosen = folder(draw), [each.lower() for each in names(draw, 4, PEOPLE)]
    counts = draw.sample(range(1, 8), 4)
    files = {
        f"{where}/{who}/{draw.choice(['', 'in/', 'in/deep/'])}{name}.txt": f"{name}\n"
        for who, count in zip(chosen, counts, strict=True)
        for name in names(draw, count)
    }
    most = max(zip(counts, chosen, strict=True))
    return Job(
        [
            f"Everybody has a folder in {where}/. Who has the most files in theirs, folders inside included? Answer with"
            " the folder's name.",
            f"Count the files in each folder of {where}/, however deep they lie. Which folder of {where}/ has the most? Just"
            " its name.",
            f"Name the fullest of the folders in {where}/, by number of files, those further down counted too. Leave"
            f" {where}/ off its name.",
            f"I suspect one person of hoarding: whose folder in {where}/ holds more files than any other's, all levels"
            " together? The name of the folder will do.",
        ],
        files,
        [f"for d in {where}/*/; do echo $(find $d -type f | wc -l) $d; done | sort -n"],
        answer=most[1],
    )


FAMILIES = [
    sort_by_ending,
    lower_case_names,
    spaces_in_names,
    dates_in_names,
    receipts_by_month,
    scrap_files,
    empty_files,
    empty_folders,
    playlist_order,
    not_changed_since,
    largest_file,
    same_content,
    flat_copies,
    scripts_without_ending,
    missing_pages,
    names_on_a_list,
    folders_compared,
    three_digits,
    by_topic_line,
    old_ones_packed,
    copy_without_caches,
    names_mixed_up,
    highest_version,
    link_to_release,
    fullest_folder,
]
