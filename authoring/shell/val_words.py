"""Names and sentences for the folders of the held-out jobs. Training jobs use others (`jobs`)."""

from random import Random

from authoring.shell.jobs import lines

PLANTS = [
    "alder", "aster", "barley", "birch", "bramble", "cedar", "clover", "crocus", "daisy", "elder", "fennel", "fern",
    "foxglove", "hazel", "heather", "iris", "ivy", "juniper", "larch", "lilac", "lupin", "maple", "mint", "myrtle",
    "nettle", "oleander", "orchid", "poppy", "quince", "rowan", "rush", "saffron", "sedge", "sorrel", "tansy",
    "thistle", "thyme", "tulip", "vetch", "violet", "willow", "yarrow",
]  # fmt: skip
CREW = [
    "Abena", "Boris", "Chiyo", "Divya", "Emeka", "Farid", "Gwen", "Hanne", "Ivo", "Jamila", "Kwame", "Lotte", "Mikko",
    "Noor", "Oskar", "Priya", "Quinn", "Raúl", "Sanne", "Zoë",
]  # fmt: skip
SHIPS = [
    "Albatross", "Beluga", "Cormorant", "Dolphin", "Egret", "Fulmar", "Gannet", "Heron", "Ibis", "Kestrel", "Lapwing",
    "Merlin", "Osprey", "Petrel", "Plover",
]  # fmt: skip
ROOMS = [
    "aviary", "bakery", "cloister", "dairy", "estate", "foundry", "gallery", "hospice", "institute", "lodge", "museum",
    "nursery", "orchard", "quarry", "theatre",
]  # fmt: skip
_VERBS = ["bloomed", "drifted", "faded", "leaned", "opened", "ripened", "spread", "turned", "wilted", "withered"]
_HOW = [
    "early", "late", "near the wall", "on its own", "over night", "slowly", "that week", "towards the light",
    "under glass",
]  # fmt: skip


def note(draw: Random, num_lines: int) -> str:
    return lines([f"The {draw.choice(PLANTS)} {draw.choice(_VERBS)} {draw.choice(_HOW)}" for _ in range(num_lines)])


def notes(draw: Random) -> str:
    return note(draw, draw.randint(1, 5))
