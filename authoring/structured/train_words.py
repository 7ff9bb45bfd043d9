"""Names, things and noise lines of the training texts."""

COLLEAGUES = [
    "Anja Reuter", "Bela Novak", "Carlos Vega", "Dana Fischer", "Emil Strand", "Flora Conti", "Gero Lang", "Heidi Moser",
    "Igor Petrov", "Jana Kraus", "Kofi Mensah", "Lena Brandt", "Marek Dusek", "Nadia Haddad", "Olaf Berg", "Paula Serra",
]  # fmt: skip
FIRMS = [
    "Nordlicht Optik",
    "Weber Pumpen",
    "Alto Foods",
    "Kestrel Tools",
    "Minerva Print",
    "Solana Textil",
    "Brook Logistics",
    "Tarn Glass",
]
THINGS = [
    "desk lamp",
    "paper tray",
    "label roll",
    "office chair",
    "cable drum",
    "wall clock",
    "tool box",
    "hand truck",
    "whiteboard",
    "heater",
]
ELECTRIC = ["desk lamp", "wall clock", "heater", "label printer", "paper shredder"]
NOISE = [
    "-- sent from my phone, please excuse typos --", "CONFIDENTIAL: for the addressee only.", "Think before you print.",
    "[external sender]", "Our office is closed on public holidays.", "Ref. 88/B, page 1 of 1", "*** automatic message ***",
    "You get this because you are on our list.", "~~~~~~~~~~~~~~~~~~~~", "Scan quality: medium",
]  # fmt: skip
TOWNS = ["Arvik", "Bellano", "Corvara", "Dunmore", "Eskil", "Ferrol", "Grindel", "Hallein"]
PEOPLE = [
    "Agata Lis", "Bruno Keller", "Celia Nunes", "Darko Ilic", "Elif Kaya", "Fabio Ricci", "Greta Holm", "Henk Visser",
    "Ilse Bauer", "Jakob Lund", "Katya Orlova", "Luca Ferri", "Mona Saleh", "Niels Dahl", "Oona Laine", "Pavel Cerny",
    "Rosa Molina", "Sven Ekman", "Tilda Frey", "Uwe Stark",
]  # fmt: skip
FIRST_NAMES = [
    "Ada",
    "Ben",
    "Cleo",
    "Dirk",
    "Eva",
    "Finn",
    "Gina",
    "Hugo",
    "Ida",
    "Jule",
    "Kai",
    "Lotte",
    "Max",
    "Nora",
]
