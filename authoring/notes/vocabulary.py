"""Names, things, towns and spots of the notes. Nothing stands on both sides. Things and spots begin with a consonant sound,
because a note may say "a" before them.
"""

NAMES = {
    "train": [
        "Omar", "Leila", "Priya", "Jonas", "Mei", "Carla", "Ahmed", "Ingrid", "Tom", "Sofia", "Ravi", "Elena", "Kofi", "Hanna",
        "Luca", "Nadia", "Piotr", "Yuki", "Bruno", "Aisha", "Pablo", "Greta", "Samir", "Olga", "Henry", "Ines", "Tariq", "Maja",
        "Oscar", "Lena", "Diego", "Ruth", "Ivan", "Clara", "Jamal", "Astrid", "Theo", "Fatima", "Lars", "Paula", "Kenji", "Marta",
        "Simon", "Zara", "Andre", "Birgit", "Farid", "Helen", "Igor", "Julia", "Karim", "Laura", "Mateo", "Nina", "Otto", "Petra",
        "Rosalind", "Sven", "Tanja", "Umar", "Vera", "Walter", "Xenia", "Yusuf", "Zoe", "Adam", "Bella", "Cedric", "Dora", "Eric",
    ],
    "val": [
        "Grace", "Viktor", "Amara", "Stefan", "Lucia", "Idris", "Freya", "Marco", "Zofia", "Daniel", "Noor", "Emil", "Chiara",
        "Hugo", "Salma", "Anton", "Keiko", "Rosa", "Felix", "Tara", "Gustav", "Mira", "Nikolai", "Esther", "Bilal", "Camille",
        "Duncan", "Edith", "Fergus", "Gloria", "Hassan", "Irene", "Jakob", "Katya", "Leon", "Monika", "Nathan", "Odette",
        "Pascal",
        "Rania", "Silas", "Thelma", "Ulrich", "Violet", "Wanda", "Yara", "Zachary", "Agnes", "Boris", "Celia", "Dmitri", "Elsa",
        "Florian", "Gemma", "Hector", "Ilse", "Jerome", "Kirsten", "Ludwig", "Miriam", "Norbert", "Olivia", "Pedro", "Quentin",
        "Renata", "Sabine", "Tobias", "Ursula", "Vincent", "Wendy",
    ],
}  # fmt: skip
THINGS = {
    "train": [
        "printer", "projector", "laptop", "camera", "scooter", "keyboard", "monitor", "router", "tablet", "headset", "microphone",
        "tripod", "hammer", "saw", "wrench", "wheelbarrow", "lawn mower", "rake", "bucket", "mop", "vacuum cleaner", "kettle",
        "blender", "teapot", "rice cooker", "cake tin", "tray", "basket", "suitcase", "backpack", "raincoat", "scarf", "helmet",
        "kite", "guitar", "violin", "drum", "puzzle", "globe", "telescope", "clock", "vase", "rug", "cushion", "bench", "stool",
        "bookcase", "radio", "record player", "calculator", "stapler", "whiteboard", "flag", "banner", "tent", "sleeping bag",
        "cool box", "thermos", "doll's house", "washing machine", "hair dryer", "step stool", "coffee machine", "notebook",
        "rocking chair", "safe", "torch",
    ],
    "val": [
        "scanner", "drill", "ladder", "bicycle", "heater", "speaker", "charger", "toaster", "lamp", "fan", "trumpet", "cello",
        "piano", "flute", "tambourine", "sofa", "wardrobe", "mattress", "bunk bed", "bookshelf", "dishwasher", "freezer",
        "microwave", "waffle iron", "frying pan", "saucepan", "cutting board", "pepper mill", "samovar", "jug", "teacup",
        "hatbox", "handbag", "wallet", "purse", "briefcase", "trolley", "sledge", "skateboard", "surfboard", "paddle", "net",
        "javelin", "trampoline", "treadmill", "barbell", "stopwatch", "compass", "barometer", "microscope", "magnet", "winch",
        "chainsaw", "chisel", "spanner", "shovel", "pitchfork", "hosepipe", "steamroller", "birdhouse", "flowerpot", "parasol",
        "deckchair", "hammock", "puppet", "marble statue",
    ],
}  # fmt: skip
TOWNS = {
    "train": [
        "Lisbon", "Oslo", "Vienna", "Prague", "Dublin", "Athens", "Madrid", "Berlin", "Zurich", "Warsaw", "Milan", "Lyon",
        "Hamburg", "Leeds", "Turin", "Geneva", "Bilbao", "Antwerp", "Malmo", "Riga", "Split", "Naples", "Boston", "Denver",
        "Toronto", "Lima", "Quito", "Cairo", "Tunis", "Nairobi", "Accra", "Delhi", "Osaka", "Seoul", "Perth", "Hobart", "York",
        "Bath", "Bonn", "Nice",
    ],
    "val": [
        "Porto", "Bergen", "Graz", "Brno", "Cork", "Patras", "Seville", "Bremen", "Basel", "Gdansk", "Verona", "Lille", "Kiel",
        "Bristol", "Parma", "Lugano", "Granada", "Ghent", "Uppsala", "Tartu", "Zadar", "Palermo", "Chicago", "Austin", "Calgary",
        "Cusco", "Bogota", "Luxor", "Fez", "Kampala", "Lagos", "Mumbai", "Kyoto", "Busan", "Darwin", "Nelson", "Durham", "Exeter",
        "Trier", "Toulouse",
    ],
}  # fmt: skip
SPOTS = {
    "train": [
        "cellar", "garage", "kitchen", "hall", "lobby", "courtyard", "canteen", "storeroom", "front garden", "gallery",
        "staff room",
        "waiting room", "meeting room", "stairwell", "corner office", "bike shed", "reading room", "mail room",
    ],
    "val": [
        "attic", "barn", "pantry", "foyer", "loading bay", "terrace", "cloakroom", "laundry", "boathouse", "chapel", "ballroom",
        "pavilion", "fountain", "north gate", "smithy", "conservatory", "stable", "riding school",
    ],
}  # fmt: skip
