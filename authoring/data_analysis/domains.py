"""What the tables are about: businesses of our own invention, those to learn from and those held out.

All have one shape, so that a question is written once: a table of facts (dated, of a kind, at a place, with a count, an amount, a
score that may be missing and a status) and a table of places (in a region, since a date). No two share a name or a value.
"""

from typing import NamedTuple


class Domain(NamedTuple):
    name: str
    story: str
    facts: str
    """The table, and what its rows are called; `fact` is one of them."""
    fact: str
    places: str
    place: str
    columns: dict[str, str]
    """Role to column: id date kind place n m r status, and of places name region since."""
    said: dict[str, str]
    """Role to how people call it: kind n m r region."""
    kinds: list[str]
    statuses: list[str]
    names: list[str]
    regions: list[str]
    n: tuple[int, int]
    """Least and greatest count."""
    m: tuple[int, int]
    """Least and greatest amount, in hundredths."""


def _columns(text: str) -> dict[str, str]:
    return dict(
        zip(
            ("id", "date", "kind", "place", "n", "m", "r", "status", "name", "region", "since"),
            text.split(),
            strict=True,
        )
    )


def _said(*words: str) -> dict[str, str]:
    return dict(zip(("kind", "n", "m", "r", "region"), words, strict=True))


TRAIN = [
    Domain(
        "bakery", "a chain of bakeries", "sales", "sale", "shops", "shop",
        _columns("sale_id sold_on product shop_id pieces amount rating payment shop_name district opened_on"),
        _said("product", "pieces", "amount", "rating", "district"),
        ["rye loaf", "oat bun", "plum tart", "seed roll", "honey cake", "corn bread"],
        ["cash", "card", "voucher"],
        ["Mill Lane", "Old Harbour", "Station Arcade", "Linden Court", "Bridge End", "Tower Yard", "Fountain Row", "Quarry Road"],
        ["North", "South", "Riverside"], (1, 24), (150, 4200),
    ),
    Domain(
        "clinic", "a group of veterinary clinics", "visits", "visit", "clinics", "clinic",
        _columns("visit_id visited_on animal clinic_id minutes fee weight_kg outcome clinic_name county founded_on"),
        _said("animal", "minutes", "fee", "weight", "county"),
        ["dog", "cat", "rabbit", "pony", "parrot", "tortoise"],
        ["cured", "returning", "referred"],
        ["Ashgrove", "Birch Hill", "Cedar Walk", "Dovecote", "Elm Park", "Fernside", "Gorse Green", "Hazel Bank"],
        ["Wendon", "Marle", "Torrick"], (5, 75), (1800, 21000),
    ),
    Domain(
        "ferry", "a ferry company", "crossings", "crossing", "piers", "pier",
        _columns("crossing_id sailed_on vessel pier_id passengers takings delay_min weather pier_name coast built_on"),
        _said("vessel", "passengers", "takings", "delay", "coast"),
        ["Gannet", "Puffin", "Heron", "Kittiwake", "Curlew"],
        ["calm", "windy", "foggy", "rough"],
        ["Salt Quay", "Lantern Pier", "Gull Steps", "Cork Wharf", "Anchor Slip", "Kelp Landing", "Shingle Point"],
        ["east", "west", "islands"], (12, 180), (9000, 160000),
    ),
    Domain(
        "press", "a small publishing house", "orders", "order", "bookshops", "bookshop",
        _columns("order_id ordered_on title bookshop_id copies value discount_pct channel bookshop_name country partner_since"),
        _said("title", "copies", "value", "discount", "country"),
        ["The Glass Orchard", "Nine Winters", "A Map of Rain", "Salt and Ember", "The Clock Mender", "Low Tide"],
        ["web", "phone", "agent"],
        ["Inkwell", "Paper Lantern", "The Reading Stair", "Folio", "Second Chapter", "Quill and Co", "Marginalia", "Bookbarge"],
        ["Ostmark", "Vellia", "Corrin", "Tamsland"], (1, 60), (900, 68000),
    ),
    Domain(
        "solar", "a fitter of solar panels", "jobs", "job", "depots", "depot",
        _columns("job_id finished_on roof depot_id panels cost rating state depot_name zone set_up_on"),
        _said("roof", "panels", "cost", "rating", "zone"),
        ["flat", "gable", "hipped", "barn", "carport"],
        ["paid", "invoiced", "disputed"],
        ["Amberley", "Brackwater", "Cinder Cross", "Dunmoor", "Eastlow", "Fallow Hill"],
        ["inner", "outer", "hill"], (4, 40), (95000, 1250000),
    ),
    Domain(
        "library", "a network of tool libraries", "loans", "loan", "branches", "branch",
        _columns("loan_id lent_on tool branch_id days deposit age status branch_name quarter since"),
        _said("tool", "days", "deposit", "borrower's age", "quarter"),
        ["drill", "ladder", "sander", "hedge trimmer", "tile cutter", "jigsaw"],
        ["returned", "late", "damaged"],
        ["Copper Street", "Weavers Hall", "Canal Basin", "Print Works", "Old School", "Market Cross", "Boat House"],
        ["old town", "docks", "heights"], (1, 21), (500, 12000),
    ),
]  # fmt: skip

VAL = [
    Domain(
        "observatory", "a club of star watchers", "sightings", "sighting", "stations", "station",
        _columns("sighting_no seen_at_night object station_no frames exposure_s seeing sky station_title upland first_light"),
        _said("object", "frames", "exposure", "seeing", "upland"),
        ["comet", "nebula", "double star", "planet", "galaxy", "meteor"],
        ["clear", "hazy", "moonlit"],
        ["Hollow Crag", "Stag Fell", "Raven Stone", "White Scar", "Long Rigg", "Peat Lodge", "Thistle Top"],
        ["Carrow Moor", "Blaen Ridge", "Southern Tops"], (3, 90), (1200, 36000),
    ),
    Domain(
        "cider", "a guild of cider presses", "pressings", "pressing", "orchards", "orchard",
        _columns("batch_no pressed_day apple orchard_no barrels litres sugar_brix grade orchard_title valley planted"),
        _said("apple", "barrels", "litres", "sugar", "valley"),
        ["Foxwhelp", "Redstreak", "Kingston Black", "Brown Snout", "Yarlington", "Dabinett"],
        ["premium", "table", "vinegar"],
        ["Ladder Field", "Wasp Garden", "Nettle Close", "Monks Acre", "Swallow Croft", "Thorn Piece", "Long Furrow"],
        ["Arle valley", "Penn valley", "Tedd valley"], (2, 30), (8000, 240000),
    ),
    Domain(
        "courier", "a bicycle courier service", "deliveries", "delivery", "hubs", "hub",
        _columns("parcel_no handed_over parcel_class hub_no stops price tip_pct outcome hub_title borough running_from"),
        _said("parcel class", "stops", "price", "tip", "borough"),
        ["letter", "flowers", "medicine", "groceries", "documents", "spare parts"],
        ["on time", "delayed", "refused"],
        ["Viaduct", "Gasworks", "Botanic", "Exchange", "Tannery", "Lockkeeper", "Foundry"],
        ["Upper Borough", "Lower Borough", "Marsh Borough"], (1, 12), (350, 6400),
    ),
]  # fmt: skip
DOMAINS = {domain.name: domain for domain in [*TRAIN, *VAL]}
