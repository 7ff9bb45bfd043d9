"""Training jobs about file permissions. Each function is a family."""

from random import Random

from authoring.shell.jobs import Job, folder, lines, names, short, some_prose


def scripts_executable(draw: Random) -> Job:
    where, (a, *chosen) = folder(draw), names(draw, 9)
    files = {
        f"{where}/{draw.choice(['', f'{a}/'])}{name}{draw.choice(['.sh', '.sh', '.txt'])}": f"echo {name}\n"
        for name in chosen
    }
    scripts = [path for path in files if path.endswith(".sh")]
    return Job(
        [
            f"The scripts below {where}/, the .sh files, cannot be run. Give them mode 755, and leave all other files as"
            " they are.",
            f"Make all .sh files below {where}/ executable, mode 755. No other file gets another mode.",
            f"chmod 755 for the scripts (*.sh) in {where}/ and the folders in it, and for nothing else, please.",
            f"Whoever wants to run a .sh from {where}/ gets an error. They should have mode 755, at every level.",
        ],
        files,
        [f"find {where} -type f -name '*.sh' -exec chmod 755 {{}} +; ls -lR {where}"],
        wanted_modes=dict.fromkeys(scripts, "755"),
    )


def private_keys(draw: Random) -> Job:
    where = folder(draw)
    files = {f"{where}/{name}{draw.choice(['.key', '.key', '.pub'])}": some_prose(draw) for name in names(draw, 8)}
    modes = {path: draw.choice(["640", "644", "660"]) for path in files}
    keys = [path for path in files if path.endswith(".key")]
    return Job(
        [
            f"The .key files in {where}/ are secret: only their owner may read and write them, and nobody else anything"
            " (mode 600). The rest stays as it is.",
            f"Set all .key files in {where}/ to mode 600, and leave the others.",
            f"Too many people can see the keys in {where}/. Every *.key should be readable and writable for its owner"
            " only, so 600; do not change the .pub files.",
            f"Protect the keys: {where}/*.key get 600, whatever they have now.",
        ],
        files,
        [f"stat -c '%a %n' {where}/*", f"chmod 600 {where}/*.key"],
        modes=modes,
        wanted_modes=dict.fromkeys(keys, "600"),
    )


def open_to_everyone(draw: Random) -> Job:
    where, (a, *chosen) = folder(draw), names(draw, 10)
    files = {f"{where}/{draw.choice(['', f'{a}/'])}{name}.txt": some_prose(draw) for name in chosen}
    modes = {path: draw.choice(["644", "666", "664", "646"]) for path in files}
    wide = {path: mode for path, mode in modes.items() if mode[2] == "6"}
    return Job(
        [
            f"Some files below {where}/ can be written by everyone. Take that right from others, and change no other"
            " right. How many were there?",
            f"Find the files below {where}/ that others may write to and withdraw just this right from others. Answer"
            " with their number.",
            f"Nothing below {where}/ should be writable for others. Correct that (o-w, no more), and tell me how many"
            " files it was.",
            f"How many files below {where}/ does everyone have write permission for? Count them, and take the"
            " permission back from others only.",
        ],
        files,
        [f"find {where} -type f -perm -o=w | wc -l", f"find {where} -type f -perm -o=w -exec chmod o-w {{}} +"],
        modes=modes,
        wanted_modes={path: f"{mode[:2]}4" for path, mode in wide.items()},
        answer=str(len(wide)),
    )


def finished_texts(draw: Random) -> Job:
    where, done = folder(draw), "Status: final\n"
    files = {
        f"{where}/{name}.txt": draw.choice([done, "Status: draft\n"]) + some_prose(draw) for name in names(draw, 8)
    }
    final = [path for path in files if files[path].startswith(done)]
    return Job(
        [
            f"Texts in {where}/ whose first line is Status: final should not be written any more by anybody: give them"
            " mode 444.",
            f"Set every text in {where}/ that says Status: final on its first line to 444. Drafts keep their mode.",
            f"What is final should stay as it is: mode 444 for the texts in {where}/ with Status: final at the top.",
            f"Lock the finished texts of {where}/ against writing (444). A finished one begins with the line Status:"
            " final.",
        ],
        files,
        [f"grep -lx 'Status: final' {where}/*.txt | xargs -r -d '\\n' chmod 444; ls -l {where}"],
        wanted_modes=dict.fromkeys(final, "444"),
    )


def modes_on_a_list(draw: Random) -> Job:
    where = folder(draw)
    files = {f"{where}/{name}.txt": short(draw) for name in names(draw, 7)}
    asked = {path: draw.choice(["600", "640", "444", "400"]) for path in draw.sample(list(files), 4)}
    return Job(
        [
            f"modes.txt has lines with a mode and a path in {where}/. Give each of these files its mode, and leave the others.",
            f"Set the permissions in {where}/ as modes.txt says: first the octal mode, then the file it is for.",
            f"Files in {where}/ that modes.txt mentions should get the mode that stands before them there.",
            f"Go through modes.txt line by line (MODE PATH) and chmod accordingly. What is in {where}/ and not on the list"
            " keeps its mode.",
        ],
        {**files, "modes.txt": lines([f"{mode} {path}" for path, mode in asked.items()])},
        ["cat modes.txt", 'while read -r m f; do chmod "$m" "$f"; done < modes.txt'],
        wanted_modes=asked,
    )


def group_may_write(draw: Random) -> Job:
    where = folder(draw)
    (a, b, *texts) = names(draw, 7)
    files = {f"{where}/{name}": short(draw) for name in (*(f"{each}.txt" for each in texts), f"{a}.md", f"{b}.md")}
    modes = {path: draw.choice(["600", "640", "644", "444"]) for path in files}
    to = {path: f"{mode[0]}{int(mode[1]) | 2}{mode[2]}" for path, mode in modes.items() if path.endswith(".txt")}
    return Job(
        [
            f"Let the group write to the .txt files in {where}/. Add just that right: whatever else a file allows stays.",
            f"Add write permission for the group, and no other permission, to {where}/*.txt. They have different modes now,"
            " so do not set one for all.",
            f"Our group has to edit the .txt files of {where}/. Give the group the right to write on top of what is set.",
            f"g+w for all .txt in {where}/. Owner and others keep what they have, and the .md files too.",
        ],
        files,
        [f"stat -c '%a %n' {where}/*", f"chmod g+w {where}/*.txt"],
        modes=modes,
        wanted_modes=to,
    )


def wrongly_executable(draw: Random) -> Job:
    where = folder(draw)
    files = {
        f"{where}/{name}": f"#!/bin/sh\necho {name}\n" if place % 2 else short(draw)
        for place, name in enumerate(names(draw, 8))
    }
    modes = dict.fromkeys([*list(files)[:2], *draw.sample(list(files)[2:], 4)], "755")
    wrong = [path for path in modes if not files[path].startswith("#!")]
    return Job(
        [
            f"Some texts in {where}/ are executable. Take that right away (mode 644) from everything that does not begin with"
            " #!; the scripts stay as they are.",
            f"Only files with #! at the beginning may be executable in {where}/. Set those that are and should not be to 644.",
            f"Which files in {where}/ can be executed without being scripts (a script starts with #!)? Set them to 644, and"
            " no others.",
            f"Put right in {where}/: executable, but no #! in the first line. The proper mode for such a file is 644.",
        ],
        files,
        [f"cd {where} && for f in *; do [ -x $f ] && ! head -n 1 $f | grep -q '^#!' && chmod 644 $f; done; ls -l"],
        modes=modes,
        wanted_modes=dict.fromkeys(wrong, "644"),
    )


def modes_reported(draw: Random) -> Job:
    where = folder(draw)
    files = {f"{where}/{name}.txt": short(draw) for name in sorted(names(draw, 7))}
    modes = {path: draw.choice(["600", "640", "644", "755", "400"]) for path in files}
    return Job(
        [
            f"Write down the rights of the files in {where}/: rights.txt with a line for each, the octal mode, a space and the"
            " name without the folder, sorted by name.",
            f"I want to keep a record of the modes in {where}/. rights.txt, lines like '640 notes.txt', by name. Change no"
            " mode.",
            f"rights.txt: MODE NAME for every file of {where}/, the mode as three digits, in order of the names.",
            f"List mode (octal, three digits) and name of each file in {where}/ in rights.txt, a space between them,"
            " alphabetically by name.",
        ],
        files,
        [f"(cd {where} && stat -c '%a %n' * | LC_ALL=C sort -k2) > rights.txt; cat rights.txt"],
        {"rights.txt": lines([f"{mode} {path.split('/')[1]}" for path, mode in modes.items()])},
        modes=modes,
    )


def closed_to_the_group(draw: Random) -> Job:
    where, (inner, *chosen) = folder(draw), names(draw, 9)
    files = {f"{where}/{draw.choice(['', f'{inner}/'])}{name}.txt": short(draw) for name in chosen}
    modes = {path: draw.choice(["600", "640", "604", "644"]) for path in files}
    closed = [path for path, mode in modes.items() if mode[1] == "0"]
    return Job(
        [
            f"How many files below {where}/ can the group not read?",
            f"Our group cannot open everything below {where}/. Count the files that it has no right to read.",
            f"Tell me how many files there are in {where}/ and its folders without read permission for the group.",
            f"I wonder how much of {where}/ is closed to the group. Number of files, at any depth, that lack group read.",
        ],
        files,
        [f"find {where} -type f ! -perm -g=r | wc -l"],
        modes=modes,
        answer=str(len(closed)),
    )


FAMILIES = [
    scripts_executable,
    private_keys,
    open_to_everyone,
    finished_texts,
    modes_on_a_list,
    group_may_write,
    wrongly_executable,
    modes_reported,
    closed_to_the_group,
]
