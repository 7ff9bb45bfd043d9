"""What is measured: a story is a family, with its own quantities, samples, instrument and pair of rival laws.

Those to learn from and those held out share no story, sample, instrument or wording. Everything here is invented.
"""

from typing import NamedTuple


class Story(NamedTuple):
    name: str
    field: str
    question: str
    """Of the `{sample}`."""
    samples: list[str]
    setting: str
    """What a run chooses, and in which unit, from and to."""
    unit: str
    low: float
    high: float
    reading: str
    reading_unit: str
    scale: str
    """Name of the first parameter, and where it lies."""
    scales: tuple[float, float]
    second: str
    laws: tuple[str, str]
    instrument: str


TRAIN = [
    Story("bleaching", "kinetics", "How does the dye {sample} fade under the lamp?", ["Verol-3", "Marun blue", "Kestrin"],
          "minutes", "min", 0, 60, "concentration", "mg/L", "start", (5, 20), "rate",
          ("exponential_decay", "hyperbolic_decay"), "photometer PX-2"),
    Story("hydrolysis", "kinetics", "How does the ester {sample} break down in water?", ["butelan", "morpyl", "T-ester 9"],
          "hours", "h", 0, 48, "amount left", "mmol", "start", (40, 120), "speed",
          ("hyperbolic_decay", "exponential_decay"), "titrator Omra"),
    Story("enzyme", "kinetics", "How fast does the enzyme {sample} work at different amounts of substrate?",
          ["lactarase", "brinase", "celpase II"], "substrate", "mM", 0.2, 10, "reaction speed", "uM/s", "top_speed", (20, 90),
          "half_point", ("saturation", "sigmoid_saturation"), "flow cell FC-7"),
    Story("film", "materials", "How does the oxide film on {sample} grow?", ["alloy Q4", "sheet nirrum", "bronze 11-B"],
          "days", "d", 1, 90, "thickness", "nm", "growth", (3, 12), "constant", ("power_law", "saturation"),
          "ellipsometer Lys"),
    Story("yeast", "population growth", "How does the yeast strain {sample} grow in a flask?",
          ["Harrow 5", "YB-Nova", "Old Mill"],
          "hours", "h", 0, 36, "density", "g/L", "ceiling", (4, 15), "growth_rate", ("logistic", "gompertz"),
          "turbidity probe TP"),
    Story("duckweed", "population growth", "How does {sample} duckweed spread over a pond?", ["dwarf", "red-backed", "Ilmer"],
          "days", "d", 0, 40, "cover", "m2", "pond_limit", (20, 80), "spread", ("gompertz", "logistic"), "pond camera C3"),
    Story("beam", "optics", "What is the profile of the beam of the {sample} laser?", ["Rubin-1", "Corvo", "green L8"],
          "offset", "mm", 0, 5, "intensity", "mW", "peak", (30, 200), "width", ("gaussian", "lorentzian"),
          "power meter Halm"),
    Story("diffraction", "optics", "What does light from the {sample} look like behind it?",
          ["fine slot", "blade gap", "etched line"],
          "angle", "mrad", 0, 8, "brightness", "lux", "centre", (50, 300), "first_zero", ("slit", "gaussian"),
          "line sensor 40"),
    Story("spectral line", "optics", "What shape has the {sample} line of the lamp?", ["violet", "amber", "deep red"],
          "detuning", "GHz", 0, 12, "signal", "counts", "height", (400, 1500), "half_width", ("lorentzian", "gaussian"),
          "scanning cavity SC"),
    Story("helpdesk", "queueing", "How long do callers of the {sample} help line wait and talk?", ["tax", "train", "water"],
          "calls", "1/h", 2, 20, "minutes spent", "min", "service_time", (2, 6), "capacity",
          ("random_arrivals", "regular_service"), "call logger"),
    Story("car wash", "queueing", "How long does a car stay at the {sample} car wash?",
          ["Nordring", "Lindal", "Harbour Road"],
          "cars", "1/h", 1, 15, "stay", "min", "wash_time", (4, 9), "capacity", ("regular_service", "random_arrivals"),
          "gate counter G"),
    Story("plasma", "pharmacology", "How does the body get rid of {sample} after an injection?",
          ["tolvadin", "merixol", "AB-771"],
          "hours", "h", 0, 24, "plasma level", "ug/L", "initial", (100, 600), "elimination",
          ("exponential_decay", "inverse_square"), "assay kit K2"),
    Story("dose response", "pharmacology", "How does pulse answer to a dose of {sample}?", ["carvenol", "pressin", "H-40"],
          "dose", "mg", 1, 80, "change of pulse", "1/min", "full_effect", (15, 45), "half_dose",
          ("sigmoid_saturation", "saturation"), "wrist sensor W"),
    Story("tablet", "pharmacology", "How does the level of {sample} rise and fall after a tablet?",
          ["dorexin", "limovan", "sertal"],
          "hours", "h", 0.2, 16, "blood level", "ug/L", "uptake", (10, 60), "peak_time", ("hump", "ratio_hump"),
          "reader BR-5"),
    Story("adsorption", "materials", "How much gas does {sample} charcoal hold?", ["coconut", "beech", "pressed"],
          "pressure", "kPa", 1, 100, "gas held", "mL/g", "capacity", (50, 200), "half_pressure", ("saturation", "power_law"),
          "sorption balance"),
    Story("leaf", "biology", "How does a leaf of {sample} use light?", ["marsh birch", "broad fern", "field bean"],
          "light", "umol/m2/s", 20, 1500, "gas exchange", "umol/m2/s", "maximum", (8, 30), "light_constant",
          ("tanh_rise", "saturation"), "leaf chamber LC"),
    Story("feeding", "biology", "How many prey does a {sample} take when there are more of them?",
          ["water beetle", "mantid", "pike fry"],
          "prey", "1/m2", 2, 120, "eaten", "1/d", "appetite", (10, 40), "half_density", ("saturation", "exponential_rise"),
          "feeding tank camera"),
    Story("capacitor", "electronics", "How does the {sample} cell take up charge?", ["paper", "gel", "foil"],
          "seconds", "s", 0.5, 30, "voltage", "V", "final", (3, 12), "time_constant", ("exponential_rise", "tanh_rise"),
          "voltmeter V-9"),
    Story("concrete", "materials", "How does {sample} concrete get strong?", ["bridge", "quick", "ash"],
          "days", "d", 1, 56, "strength", "MPa", "final_strength", (30, 70), "pace", ("exponential_rise", "saturation"),
          "press P-300"),
    Story("spawning", "population growth", "How many young come of the spawning {sample}?",
          ["bream", "lake char", "sand eel"],
          "spawners", "t", 1, 60, "young", "t", "fertility", (2, 8), "crowding", ("ratio_hump", "hump"), "echo sounder E"),
    Story("creep", "materials", "How does a rod of {sample} creep under load?", ["lead-tin", "nylon 6", "soft brass"],
          "hours", "h", 1, 200, "strain", "um/mm", "creep_factor", (2, 9), "constant", ("power_law", "exponential_rise"),
          "strain gauge SG"),
    Story("heat", "earth science", "How far does the day's warmth reach into {sample} soil?", ["peat", "sandy", "clay"],
          "depth", "cm", 0, 40, "swing", "K", "surface_swing", (8, 20), "damping", ("exponential_decay", "inverse_square"),
          "thermistor rod"),
    Story("islands", "biology", "How many kinds of {sample} live on islands of different size?",
          ["snail", "moss", "ground beetle"],
          "area", "km2", 1, 150, "species", "", "density_factor", (4, 12), "constant", ("power_law", "logarithmic"),
          "field survey form"),
    Story("magnet", "physics", "How does the pull of the {sample} magnet fall with distance?", ["ring", "bar", "pot"],
          "distance", "mm", 0, 30, "pull", "N", "contact_pull", (20, 90), "reach", ("inverse_square", "gaussian"),
          "load cell L2"),
]  # fmt: skip

VAL = [
    Story("lighthouse", "optics", "The glow of the {sample} lantern is wanted, seen from aside.", ["Skarne", "Point Abel"],
          "bearing", "deg", 0, 20, "illuminance", "mlx", "axis_value", (60, 400), "spread", ("lorentzian", "gaussian"),
          "lux head LH-3"),
    Story("ferry", "queueing", "The time that lorries spend at the {sample} ferry berth is wanted.", ["north", "island"],
          "lorries", "1/h", 3, 24, "berth time", "min", "loading_time", (5, 12), "berth_limit",
          ("random_arrivals", "regular_service"), "berth log"),
    Story("algae", "population growth", "The bloom of the alga {sample} is to be described.", ["Tessara", "C. vela"],
          "days", "d", 0, 21, "chlorophyll", "mg/m3", "plateau", (30, 150), "bloom_rate", ("logistic", "gompertz"),
          "fluorometer Mira"),
    Story("adhesive", "materials", "The curing of the glue {sample} is to be described.", ["Fix-40", "hide glue"],
          "minutes", "min", 2, 90, "bond strength", "kPa", "cured_strength", (200, 900), "cure_time",
          ("exponential_rise", "tanh_rise"), "peel tester"),
    Story("antibiotic", "pharmacology", "The clearance of {sample} from the joint is wanted.", ["osteocin", "R-212"],
          "hours", "h", 0, 30, "joint level", "mg/L", "first_level", (10, 50), "clearance",
          ("exponential_decay", "hyperbolic_decay"), "micro-assay M1"),
    Story("stream", "earth science", "The flow of the {sample} at a given depth at the weir is wanted.",
          ["Orla brook", "Tamm"],
          "stage", "cm", 5, 120, "discharge", "L/s", "weir_factor", (6, 20), "weir_constant", ("power_law", "saturation"),
          "current meter CM"),
    Story("moths", "biology", "The catch of the {sample} moth at different lamp powers is wanted.", ["silver", "heath"],
          "lamp power", "W", 2, 90, "catch", "1/night", "attraction", (1, 5), "glare_point", ("hump", "ratio_hump"),
          "trap counter"),
    Story("filter", "kinetics", "The uptake of lead by {sample} filters is wanted.", ["zeolite", "bone char"],
          "lead in water", "mg/L", 0.5, 25, "uptake", "mg/g", "site_limit", (15, 70), "affinity_point",
          ("saturation", "tanh_rise"), "plasma torch ICP"),
]  # fmt: skip
