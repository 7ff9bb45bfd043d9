"""First names in the held-out problems."""

NAMES = ["Amara", "Boris", "Chiara", "Deniz", "Esther", "Finn", "Goran", "Hana", "Ivo", "Jun", "Karim", "Lotte"]
