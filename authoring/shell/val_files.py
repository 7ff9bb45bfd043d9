"""Held-out jobs about files and folders. Each function is a family."""

from random import Random

from authoring.shell.jobs import Job, day, lines, moved, names
from authoring.shell.val_words import PLANTS, ROOMS, SHIPS, note, notes


def names_by_table(draw: Random) -> Job:
    room, chosen = draw.choice(ROOMS), names(draw, 9, PLANTS)
    fresh = [f"{ship} {n}" for n, ship in enumerate(names(draw, 6, SHIPS), 1)]
    files = {f"{room}/{name}.dat": notes(draw) for name in chosen}
    pairs = list(zip(draw.sample(chosen, 6), fresh, strict=True))
    to = {f"{room}/{old}.dat": f"{room}/{new}.dat" for old, new in pairs}
    return Job(
        f"Our catalogue has given objects of the {room} new titles. titles.tsv says which: old title, a tab, new"
        f" title. The files in {room}/ should carry the new titles before .dat; those without a new one keep theirs.",
        {**files, "titles.tsv": lines([f"{old}\t{new}" for old, new in pairs])},
        [f'while IFS=$\'\\t\' read -r a b; do mv -n -- "{room}/$a.dat" "{room}/$b.dat"; done < titles.tsv; ls {room}'],
        moved(files, to),
    )


def diary_prepared(draw: Random) -> Job:
    year, month, last = draw.randint(2021, 2029), draw.randint(1, 12), draw.randint(9, 15)
    room = draw.choice(ROOMS)
    days = [f"{year}-{month:02}-{each:02}" for each in range(1, last + 1)]
    return Job(
        f"Prepare the diary of the {room}: a folder diary with a file for each of the days from {days[0]} to"
        f" {days[-1]}, called like diary/{days[0]}.md. The single line in each is a hash sign, a space and its date.",
        {f"{room}.txt": notes(draw)},
        [
            f"mkdir diary; for n in $(seq 1 {last}); do d={days[0][:8]}$(printf %02d $n);"
            ' echo "# $d" > diary/$d.md; done; ls diary'
        ],
        {f"diary/{each}.md": f"# {each}\n" for each in days},
    )


def newest_previews(draw: Random) -> Job:
    room, scenes = draw.choice(ROOMS), names(draw, 3, PLANTS)
    files = {
        f"{room}/{scene}.{2020 + n // 12}{n % 12 + 1:02}.preview": note(draw, 1)
        for scene in scenes
        for n in sorted(draw.sample(range(48), draw.randint(3, 6)))
    }
    gone = [path for scene in scenes for path in sorted(each for each in files if f"/{scene}." in each)[:-2]]
    return Job(
        f"In {room}/ every scene has previews SCENE.YYYYMM.preview, which can be drawn again at any time. For each"
        " scene only the two latest months are worth their space; the earlier previews can go.",
        files,
        [
            f"cd {room} && for s in $(ls | cut -d. -f1 | sort -u); do ls $s.*.preview | sort | head -n -2 | xargs -r"
            " rm; done; ls"
        ],
        dict.fromkeys(gone),
    )


def prefix_of_the_folder(draw: Random) -> Job:
    room, ships = draw.choice(ROOMS), [each.lower() for each in names(draw, 3, SHIPS)]
    files = {f"{room}/{ship}/{name}.dat": notes(draw) for ship in ships for name in names(draw, 2, PLANTS)}
    to = {path: f"{room}/{ship}/{ship}-{name}" for path in files for _, ship, name in [path.split("/")]}
    return Job(
        [
            f"When files of {room}/ leave their folders, one cannot tell where they came from. Start each file name with its"
            f" folder's and a hyphen: {room}/x/y.dat turns into {room}/x/x-y.dat.",
            f"Within {room}/ each ship owns a folder. Prefix what lies inside with the ship, e.g. y.dat within x: x-y.dat.",
            f"Every .dat two levels down in {room}/ needs the folder as prefix (FOLDER-NAME.dat). They do not leave their"
            " folders.",
        ],
        files,
        [f'cd {room} && for f in */*.dat; do d=${{f%%/*}}; mv -n "$f" "$d/$d-${{f##*/}}"; done; ls *'],
        moved(files, to),
    )


def thin_and_thick(draw: Random) -> Job:
    room, limit = draw.choice(ROOMS), draw.randint(3, 5)
    sizes = [limit - 1, limit, limit + 1, *(draw.randint(1, 7) for _ in range(4))]
    files = {f"{room}/{name}.dat": note(draw, size) for name, size in zip(names(draw, 7, PLANTS), sizes, strict=True)}
    to = {path: f"{room}/thin/{path.split('/')[1]}" for path, text in files.items() if text.count("\n") < limit}
    return Job(
        [
            f"Anything in {room}/ shorter than {limit} lines is a stub. Stubs go down into {room}/thin/.",
            f"Separate thin from thick: files of {room}/ having fewer than {limit} lines move to {room}/thin/, those with"
            f" {limit} or more do not move.",
            f"Please put all files from {room}/ whose line count is below {limit} into a new subfolder, {room}/thin/.",
        ],
        files,
        [f"cd {room} && mkdir thin && for f in *.dat; do [ $(wc -l < $f) -lt {limit} ] && mv $f thin/; done; ls thin"],
        moved(files, to),
    )


def halves_of_pairs(draw: Random) -> Job:
    room, chosen = draw.choice(ROOMS), names(draw, 7, PLANTS)
    fates = ["both", "both", "left", "right", *draw.choices(["both", "left", "right"], k=3)]
    draw.shuffle(fates)
    files: dict[str, str] = {}
    for name, fate in zip(chosen, fates, strict=True):
        files |= {f"{room}/{name}.{side}": note(draw, 1) for side in ("left", "right") if fate in (side, "both")}
    alone = sorted(name for name, fate in zip(chosen, fates, strict=True) if fate != "both")
    return Job(
        [
            f"Recordings in {room}/ consist of NAME.left plus NAME.right. Where has one half vanished? Reply with those NAMEs"
            " from a to z, commas in between.",
            f"Stereo needs two channels, NAME.left with NAME.right. Which NAMEs of {room}/ own just one of them?"
            " Alphabetically, using commas.",
            f"Look through {room}/ for .left without .right and the reverse. Your reply: names minus .left or .right, a to z,"
            " joined by commas.",
        ],
        files,
        [f"ls {room} | cut -d. -f1 | sort | uniq -c | awk '$1 == 1 {{print $2}}' | paste -sd,"],
        answer=",".join(alone),
    )


def linked_favourites(draw: Random) -> Job:
    room, chosen = draw.choice(ROOMS), names(draw, 6, PLANTS)
    files = {f"{room}/{name}.dat": note(draw, 1) for name in chosen}
    liked = draw.sample(chosen, 3)
    return Job(
        [
            f"liked.lst names our favourites. Beside it, create liked/ holding one symlink per favourite, NAME.dat, aimed at"
            f" ../{room}/NAME.dat in exactly this spelling.",
            f"No copies, please: liked/NAME.dat shall be a soft link reading ../{room}/NAME.dat, for each NAME in liked.lst.",
            f"Build the folder liked out of soft links. For any NAME listed by liked.lst, NAME.dat leads to"
            f" ../{room}/NAME.dat (relative, as written here).",
        ],
        {**files, "liked.lst": lines(liked)},
        [f"mkdir liked; while read -r n; do ln -s ../{room}/$n.dat liked/$n.dat; done < liked.lst; ls -l liked"],
        {f"liked/{name}.dat": f"(a link to ../{room}/{name}.dat)" for name in liked},
    )


def newest_of_all(draw: Random) -> Job:
    room, (a, b, *chosen) = draw.choice(ROOMS), names(draw, 8, PLANTS)
    files = {f"{room}/{draw.choice([a, b])}/{name}.dat": note(draw, 1) for name in chosen}
    days = draw.sample(sorted({day(draw, 2020 + n % 4) for n in range(30)}), len(files))
    dates = dict(zip(files, days, strict=True))
    return Job(
        [
            f"Someone edited something in {room}/ or below. Judging by modification times, what is the most recent"
            f" file? Its path from {room}/ onwards.",
            f"Give the path, {room}/ first, of whichever file anywhere in {room}/ carries the youngest modification time.",
            f"Of all that {room}/ contains, folders searched through, what was modified last? Path incl. {room}/.",
        ],
        files,
        [f"find {room} -type f -printf '%T+ %p\\n' | sort | tail -n 1"],
        answer=max(dates, key=lambda path: dates[path]),
        dates=dates,
    )


FAMILIES = [
    names_by_table,
    diary_prepared,
    newest_previews,
    prefix_of_the_folder,
    thin_and_thick,
    halves_of_pairs,
    linked_favourites,
    newest_of_all,
]
