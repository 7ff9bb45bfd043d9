"""Names of people and companies, all invented."""

FIRST = (
    "Ada", "Amir", "Anouk", "Arlo", "Bea", "Bram", "Celia", "Cosmo", "Dara", "Dov", "Edda", "Elio", "Emre", "Esra", "Farid",
    "Freya", "Gita", "Goran", "Hana", "Hugo", "Ida", "Ilan", "Imani", "Ines", "Jonah", "Jun", "Kaya", "Kofi", "Lars", "Leila",
    "Lotte", "Luca", "Maren", "Milo", "Mina", "Nadia", "Niko", "Nuria", "Odin", "Orla", "Pavel", "Petra", "Quinn", "Rafa",
    "Reza", "Rosa", "Sami", "Saskia", "Sefa", "Soren", "Tala", "Tomas", "Ugo", "Uma", "Vera", "Viggo", "Wanda", "Yara",
    "Yusuf", "Zeno", "Zola",
)  # fmt: skip
LAST = (
    "Abara", "Almgren", "Ansari", "Baldwin", "Barros", "Bexley", "Calder", "Castell", "Chowdry", "Dahlin", "Delacort", "Dorne",
    "Eastman", "Elmore", "Fairley", "Faroe", "Fenwick", "Galloway", "Gerlach", "Greaves", "Hadley", "Hallam", "Iversen",
    "Jarrow", "Kaplan", "Keswick", "Kuipers", "Lachlan", "Langford", "Lindqvist", "Maddox", "Marlow", "Mbeki", "Nakata",
    "Norwood", "Oakes", "Okafor", "Pardo", "Pemberly", "Quayle", "Radley", "Renner", "Rossetti", "Sallow", "Seaton", "Sorrel",
    "Tanaka", "Thorne", "Tilney", "Underhill", "Valdez", "Vance", "Verhoeven", "Wexford", "Winslow", "Yarrow", "Zielinski",
)  # fmt: skip
COMPANY = (
    "Amberline", "Ashgrove", "Bluefin", "Brightwater", "Cinderhall", "Clearmont", "Copperfield Lane", "Driftwood", "Eastgate",
    "Emberly", "Fernhill", "Foxglove", "Gaslight", "Goldenrod", "Greywick", "Harborstone", "Hazelmere", "Ironbark", "Juniper Row",
    "Kestrel", "Lakeside", "Larkspur", "Lowfield", "Marigold", "Mistral Bay", "Northwick", "Oakhaven", "Pebblebrook", "Quillmark",
    "Redfern", "Rookery", "Saltmarsh", "Silverbirch", "Stonebridge", "Thistledown", "Tidewell", "Umber", "Valewood", "Whitlow",
    "Windmere",
)  # fmt: skip
TRADE = (
    "Bakers", "Builders", "Cycles", "Dental", "Energy", "Farms", "Foods", "Freight", "Glass", "Hotels", "Instruments", "Labs",
    "Logistics", "Media", "Motors", "Optics", "Paper", "Pharmacy", "Press", "Robotics", "Software", "Textiles", "Travel", "Works",
)  # fmt: skip
