"""Names of two invented regions, one to learn in and one held out, which share none of them."""

from typing import NamedTuple


class Words(NamedTuple):
    region: str
    heads: list[str]
    """Beginnings of the names of towns, and of companies."""
    tails: list[str]
    rivers: list[str]
    hills: list[str]
    first: list[str]
    last: list[str]
    forms: list[str]
    """Ends of the names of companies."""
    goods: list[str]
    trades: list[str]
    crafts: list[str]
    feasts: list[str]
    subjects: list[str]
    """What a rule is about."""


TRAIN = Words(
    "Velmark",
    ["Tarn", "Holl", "Brem", "Skell", "Aldr", "Morv", "Quist", "Fenn", "Garr", "Osk", "Dray", "Lumm"],
    ["wick", "stead", "ford", "haven", "mere", "combe"],
    [
        "Issel",
        "Brannoch",
        "Corle",
        "Deven",
        "Ettrin",
        "Fallow",
        "Grayling",
        "Hethe",
        "Ingle",
        "Jarrow",
        "Kessel",
        "Lorne",
    ],
    [
        "Cold Fell",
        "Mount Arden",
        "Shepherd's Rise",
        "the Bald Knoll",
        "Hag Moor",
        "Pike Top",
        "the Long Back",
        "Stone Hat",
    ],
    [
        "Ada",
        "Bruno",
        "Clara",
        "Dorian",
        "Edda",
        "Felix",
        "Greta",
        "Hugo",
        "Ines",
        "Jonas",
        "Karin",
        "Lukas",
        "Marta",
        "Nils",
    ],
    ["Albrecht", "Bergmann", "Castell", "Dahl", "Eriksen", "Falken", "Grimm", "Hartog", "Iversen", "Jansz", "Kruse"],
    ["and Sons", "Brothers", "Union", "Company", "Trading House", "Partners"],
    ["woollen cloth", "clocks", "salt", "lamp oil", "paper", "rope", "glass bottles", "bicycles", "barrels", "mustard"],
    ["surveyor", "botanist", "printer", "engineer", "schoolteacher", "shipwright", "apothecary", "composer"],
    ["basket weaving", "bell casting", "cheese", "pottery", "lace", "smoked fish", "boat building", "candles"],
    ["lantern walk", "harvest fair", "raft race", "bell night", "kite festival", "bread market", "torch run"],
    ["keeping geese", "lighting fires", "selling cider", "mooring boats", "ringing bells", "felling oaks"],
)
VAL = Words(
    "Ostrany",
    ["Zell", "Pavr", "Korv", "Ruz", "Vysh", "Belt", "Nadr", "Jasen", "Umbr", "Chol", "Wyr", "Stav"],
    ["grad", "ovik", "nitz", "eny", "ash", "dol"],
    [
        "Morava Minor",
        "Teplin",
        "Ulva",
        "Sazan",
        "Orlitsa",
        "Nishka",
        "Rakov",
        "Pesht",
        "Yelna",
        "Vitra",
        "Zhelan",
        "Duba",
    ],
    [
        "the Crow Peak",
        "Velik Hill",
        "Saddle Rock",
        "the Twin Horns",
        "Ash Mountain",
        "Wolf Ledge",
        "Kings' Stairs",
        "Mist Dome",
    ],
    [
        "Tomas",
        "Vera",
        "Milan",
        "Zora",
        "Radek",
        "Olga",
        "Pavel",
        "Sonja",
        "Viktor",
        "Yana",
        "Stefan",
        "Ludmila",
        "Igor",
        "Tereza",
    ],
    ["Novotny", "Petrov", "Sokol", "Tesar", "Urban", "Vanek", "Wolny", "Zeman", "Chalupa", "Rybar", "Prusik"],
    ["Guild", "Concern", "Enterprise", "Syndicate", "Cooperative", "Manufactory"],
    ["porcelain", "pencils", "beer", "skis", "violins", "gloves", "roof tiles", "toys", "locks", "umbrellas"],
    ["astronomer", "blacksmith", "painter", "geologist", "miller", "beekeeper", "lawyer", "poet"],
    ["gingerbread", "wood carving", "hops", "embroidery", "honey wine", "crystal", "saddles", "plum jam"],
    ["masked parade", "ice regatta", "plum dance", "fiddle contest", "snow vigil", "chess week", "horse blessing"],
    ["flying kites", "street music", "hunting mushrooms", "drying laundry", "riding sledges", "feeding pigeons"],
)
WORDS = {"train": TRAIN, "val": VAL}
