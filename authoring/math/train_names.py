"""First names in the training problems."""

NAMES = [
    "Alba", "Bram", "Celia", "Dario", "Elin", "Fabio", "Greta", "Hugo", "Ilse", "Jonas", "Kira", "Leon", "Mila", "Noor",
    "Otto", "Petra", "Quirin", "Rosa", "Silas", "Thea",
]  # fmt: skip
