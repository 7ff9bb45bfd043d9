"""Held-out jobs about file permissions. Each function is a family."""

from random import Random

from authoring.shell.jobs import Job, names
from authoring.shell.val_words import PLANTS, ROOMS, note, notes


def shared_with_the_group(draw: Random) -> Job:
    room, (a, *chosen) = draw.choice(ROOMS), names(draw, 7, PLANTS)
    files = {f"{room}/{draw.choice(['', f'{a}/'])}{name}.dat": notes(draw) for name in chosen}
    files[f"{room}/{a}/list.dat"] = notes(draw)
    folders = {f"{room}": "750", f"{room}/{a}": "750"}
    return Job(
        f"From now on only we and our group look into {room}/. With all that it contains: folders get rwxr-x---,"
        " files rw-r-----.",
        files,
        [f"chmod -R u=rwX,g=rX,o= {room}; find {room} -printf '%M %p\\n'"],
        wanted_modes={**folders, **dict.fromkeys(files, "640")},
    )


def like_the_model(draw: Random) -> Job:
    room = draw.choice(ROOMS)
    files = {f"{room}/{name}.dat": note(draw, 1) for name in names(draw, 6, PLANTS)}
    model, mode = f"{room}/model.dat", draw.choice(["640", "440", "600", "660"])
    modes = {path: draw.choice(["644", "604", "400"]) for path in files}
    return Job(
        [
            f"{model} has got the permissions we agreed upon. Apply the same to its siblings, all .dat in {room}/.",
            f"Permissions throughout {room}/*.dat shall match those of {model}.",
            f"Take {model} as the pattern: whatever mode it carries, the remaining .dat in {room}/ are to carry as well.",
        ],
        {**files, model: note(draw, 1)},
        [f"stat -c '%a %n' {room}/*.dat", f"chmod --reference={model} {room}/*.dat"],
        modes={**modes, model: mode},
        wanted_modes=dict.fromkeys(files, mode),
    )


def sealed_folders(draw: Random) -> Job:
    room, chosen = draw.choice(ROOMS), names(draw, 5, PLANTS)
    files = {f"{room}/{name}/list.dat": note(draw, 1) for name in chosen}
    sealed = draw.sample(chosen, 2)
    files |= {f"{room}/{name}/SEALED": "sealed\n" for name in sealed}
    return Job(
        [
            f"Folders in {room}/ containing something called SEALED admit just their owner from today: rwx------ for such a"
            " folder. Its contents need no change.",
            f"Look which folders of {room}/ have a file SEALED inside; those folders, and they alone, receive 700.",
            f"700 on each folder of {room}/ that holds SEALED. Nothing inside, nor any unsealed folder, is altered.",
        ],
        files,
        [f"find {room} -name SEALED -printf '%h\\n' | xargs chmod 700; ls -l {room}"],
        wanted_modes={f"{room}/{name}": "700" for name in sealed},
    )


def loosest_file(draw: Random) -> Job:
    room, chosen = draw.choice(ROOMS), names(draw, 7, PLANTS)
    files = {f"{room}/{name}.dat": note(draw, 1) for name in chosen}
    modes = {path: draw.choice(["600", "640", "644", "440"]) for path in files}
    odd = draw.choice(list(files))
    modes[odd] = draw.choice(["666", "646", "662", "602"])
    return Job(
        [
            f"A scan warns that one file in {room}/ is world-writable. Reply with its file name (ending yes, folder no);"
            " leave its mode to us.",
            f"Exactly one of {room}/*.dat lets strangers write. What is its file name, like x.dat? We decide later what"
            " to do about it.",
            f"In {room}/ a single .dat grants write access to others. Report it as NAME.dat, nothing in front, and alter"
            " nothing.",
        ],
        files,
        [f"find {room} -type f -perm -o=w -printf '%f\\n'"],
        answer=odd.split("/")[1],
        modes=modes,
    )


FAMILIES = [
    shared_with_the_group,
    like_the_model,
    sealed_folders,
    loosest_file,
]
