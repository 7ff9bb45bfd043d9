"""Names, things and noise lines of the held-out texts."""

GUESTS = [
    "Aino Salo", "Bjarne Vik", "Chloe Martin", "Dorian Pop", "Edda Jonsdottir", "Felipe Rocha", "Gudrun Hahn", "Hamid Aziz",
    "Iris Wolff",
]  # fmt: skip
HOUSES = ["Hotel Seeblick", "Villa Aurora", "The Old Lighthouse", "Pension Mirabell"]
NOISE = [
    "(forwarded three times)", "Kindly do not reply to this mailbox.", "## draft 2 ##", "Printed on recycled paper",
    "............", "tl;dr below", "Copy for the files", "Weather was fine, by the way.", "End of document",
]  # fmt: skip
PEOPLE = [
    "Alva Nyqvist", "Baptiste Roux", "Ciara Doyle", "Dimitri Kostas", "Esra Tekin", "Florin Matei", "Gwen Hughes",
    "Hannes Pohl", "Ines Carvalho", "Jelle Smit", "Kirsti Aho", "Ludvik Hora", "Maeve Quinn", "Nuno Braga",
    "Orla Byrne", "Piet Maas",
]  # fmt: skip
FIRST_NAMES = ["Zoe", "Yann", "Wanda", "Vito", "Ursel", "Tom", "Silke", "Ruben", "Quirina", "Petra", "Oskar", "Noemi"]
