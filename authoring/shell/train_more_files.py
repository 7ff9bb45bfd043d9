"""More jobs to learn from: files that are compared, numbered, moved by what they hold, packed by age, copied and linked.

Each is said in several ways.
"""

from random import Random

from authoring.shell.jobs import (
    PEOPLE,
    PLACES,
    Job,
    day,
    folder,
    lines,
    moved,
    names,
    prose,
    short,
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
    folders_compared, three_digits, by_topic_line, old_ones_packed, copy_without_caches, names_mixed_up, highest_version,
    link_to_release, fullest_folder,
]  # fmt: skip
