"""Jobs to learn from: files that are found, moved, renamed, deleted or compared."""

from random import Random

from authoring.shell.jobs import PLACES, Job, day, folder, line, moved, names, prose, some_prose


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


FAMILIES = [
    sort_by_ending, lower_case_names, spaces_in_names, dates_in_names, receipts_by_month, scrap_files, empty_files, empty_folders,
    playlist_order, not_changed_since, largest_file, same_content, flat_copies, scripts_without_ending, missing_pages,
    names_on_a_list,
]  # fmt: skip
