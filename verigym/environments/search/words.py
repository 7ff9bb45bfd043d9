"""Names of two invented regions, one for training and one held out. They share no name."""

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
    bridges: list[str]
    """Beginnings of the names of bridges."""
    crossings: list[str]
    materials: list[str]
    titles: list[str]
    """Beginnings of the titles of books."""
    nouns: list[str]
    clubs: list[str]
    """Beginnings of the names of clubs."""
    animals: list[str]
    sports: list[str]
    lines: list[str]
    museums: list[str]
    prizes: list[str]


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
        *(
            "Ashbeck",
            "Merrow",
            "Nethen",
            "Orrin",
            "Pellow",
            "Rusk",
            "Sallow",
            "Tamble",
            "Usker",
            "Vennet",
            "Wendle",
            "Yarrel",
        ),
    ],
    [
        "Cold Fell",
        "Mount Arden",
        "Shepherd's Rise",
        "Bald Knoll",
        "Hag Moor",
        "Pike Top",
        "Long Back",
        "Stone Hat",
        *(
            "Grey Nab",
            "Kettle Crag",
            "Windle Head",
            "Raven Seat",
            "Broom Hill",
            "Lantern Law",
            "Thorn Scar",
            "High Tor",
        ),
        *("Sow Back", "Cairn End", "Beacon Down", "Wether Cap"),
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
    ["and Sons", "Brothers", "Union", "Company", "Trading House", "Partners", "Stores"],
    ["woollen cloth", "clocks", "salt", "lamp oil", "paper", "rope", "glass bottles", "bicycles", "barrels", "mustard"],
    ["surveyor", "botanist", "printer", "engineer", "schoolteacher", "shipwright", "apothecary", "composer"],
    ["basket weaving", "bell casting", "cheese", "pottery", "lace", "smoked fish", "boat building", "candles"],
    ["lantern walk", "harvest fair", "raft race", "bell night", "kite festival", "bread market", "torch run"],
    ["keeping geese", "lighting fires", "selling cider", "mooring boats", "ringing bells", "felling oaks"],
    ["Saltway", "Heron", "Widow's", "Tollgate", "Copper", "Chapel"],
    ["Bridge", "Footbridge", "Viaduct", "Arch", "Crossing"],
    ["granite", "oak", "wrought iron", "brick", "steel"],
    ["The Quiet", "A Late", "The Seventh", "Our Hidden", "The Crooked", "A Borrowed", "The Patient"],
    ["Orchard", "Harbour", "Winter", "Staircase", "Letter", "Garden", "Ferry"],
    ["Red", "Silver", "Wandering", "Northern", "Early", "Merry"],
    ["Otters", "Swifts", "Badgers", "Foxes", "Ravens"],
    ["rowing", "archery", "skittles", "fencing", "wrestling", "cycling"],
    [
        *("Amber Line", "Beech Line", "Clover Line", "Drover Line", "Ember Line", "Fern Line", "Gorse Line"),
        *("Harrier Line", "Ivory Line", "Juniper Line", "Kestrel Line", "Linnet Line", "Marigold Line", "Nettle Line"),
        *("Osprey Line", "Plover Line", "Quarry Line", "Rowan Line", "Sable Line", "Teasel Line"),
    ],
    [
        *("House of Clocks", "Weavers' Hall", "Old Mint", "Tide Museum", "Lamp Cabinet", "Herbarium", "Print Museum"),
        *("Customs House", "Bell Loft", "Sail Loft", "Ropewalk Museum", "Cider Museum", "Chart Room", "Glass House"),
        *("Button Museum", "Map Hall"),
    ],
    [
        *("Golden Quill Prize", "Blue Anchor Prize", "Oak Leaf Prize", "Silver Compass Prize", "Long Furrow Prize"),
        *("Bright Lamp Prize", "First Dew Prize", "Open Gate Prize", "Tall Mast Prize", "Clear Bell Prize"),
        *("Iron Rose Prize", "White Stone Prize"),
    ],
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
        *(
            "Bystra",
            "Chervena",
            "Drinka",
            "Glubok",
            "Hlavna",
            "Kamenka",
            "Lubsha",
            "Mirna",
            "Olshan",
            "Prut Vale",
            "Studena",
            "Tisma",
        ),
    ],
    [
        "Crow Peak",
        "Velik Hill",
        "Saddle Rock",
        "Twin Horns",
        "Ash Mountain",
        "Wolf Ledge",
        "Kings' Stairs",
        "Mist Dome",
        *("Bear Tooth", "Chamois Wall", "Falling Pine", "Goat Altar", "Hunter's Table", "Portal Peak", "Lame Horse"),
        *("Nun's Hood", "Onion Tower", "Pale Needle", "Storm Cradle", "Frost Throne"),
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
    ["Guild", "Concern", "Enterprise", "Syndicate", "Cooperative", "Manufactory", "Foundry"],
    ["porcelain", "pencils", "beer", "skis", "violins", "gloves", "roof tiles", "toys", "locks", "umbrellas"],
    ["astronomer", "blacksmith", "painter", "geologist", "miller", "beekeeper", "lawyer", "poet"],
    ["gingerbread", "wood carving", "hops", "embroidery", "honey wine", "crystal", "saddles", "plum jam"],
    ["masked parade", "ice regatta", "plum dance", "fiddle contest", "snow vigil", "chess week", "horse blessing"],
    ["flying kites", "street music", "hunting mushrooms", "drying laundry", "riding sledges", "feeding pigeons"],
    ["Bramble", "Ferryman's", "Granary", "Eagle", "Monks'", "Willow"],
    ["Span", "Overpass", "Gangway", "Trestle", "Passage"],
    ["limestone", "larch", "concrete", "basalt", "sandstone"],
    ["Beyond the", "Nine Days of", "Under a", "No More", "Songs of the", "Towards the", "Without a"],
    ["Mountain", "Thunder", "Candle", "Wedding", "Frontier", "Snowfall", "Sparrow"],
    ["Sturdy", "Thundering", "Upper", "Flying", "Royal", "Humble"],
    ["Bears", "Eagles", "Lynxes", "Hares", "Storks"],
    ["curling", "gymnastics", "sailing", "bowls", "handball", "skating"],
    [
        *("Falcon Railway", "Poppy Railway", "Pebble Railway", "Marmot Railway", "Maple Railway", "Cobalt Railway"),
        *("Thistle Railway", "Hedgehog Railway", "Crimson Railway", "Walnut Railway", "Pearl Railway", "Crane Railway"),
        *("Saffron Railway", "Birch Railway", "Jackdaw Railway", "Violet Railway", "Onyx Railway", "Marten Railway"),
        *("Heather Railway", "Quartz Railway"),
    ],
    [
        *(
            "Puppet Museum",
            "Mining Gallery",
            "Spice Cellar",
            "Fiddle House",
            "Coin Rooms",
            "Fossil Hall",
            "Pewter Chamber",
        ),
        *(
            "Bee Museum",
            "Brewers' Hall",
            "Key Collection",
            "Stamp Rooms",
            "Sledge Museum",
            "Mirror Gallery",
            "Organ Hall",
        ),
        *("Tile House", "Hunting Lodge"),
    ],
    [
        *("Green Feather Award", "Black Swan Award", "Brass Key Award", "Sun Dial Award", "Winged Boot Award"),
        *(
            "Velvet Star Award",
            "Burning Wheel Award",
            "Ninth Wave Award",
            "Secret Spring Award",
            "Scarlet Thread Award",
        ),
        *("Wooden Owl Award", "Swift Arrow Award"),
    ],
)
WORDS = {"train": TRAIN, "val": VAL}
