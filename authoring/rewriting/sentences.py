"""A small grammar of English, German and Spanish sentences. Each pattern and each phrase says the same in all three.

Phrases are written in the form that their slot needs, so no rule has to inflect them. Held-out patterns and phrases are others.
"""

from random import Random
from typing import NamedTuple

LANGUAGES = {"en": "English", "de": "German", "es": "Spanish"}
DIRECTIONS = [("en", "de"), ("en", "es"), ("de", "en"), ("es", "en")]


class Pattern(NamedTuple):
    """A sentence with slots: `p` person, `o` object, `q` object as subject, `l` place, `t` time, `s` shop, `d` something at
    home, `b` and `c` drinks, `n` number. The first text of a language is the usual one."""

    name: str
    en: tuple[str, ...]
    de: tuple[str, ...]
    es: tuple[str, ...]


def _past(name: str, en: str, de: str, es: str) -> Pattern:
    """Somebody did something with an object, somewhere, on some day."""
    return Pattern(
        name,
        (f"{{p}} {en} {{o}} {{l}} {{t}}.", f"{{t}} {{p}} {en} {{o}} {{l}}."),
        (f"{{p}} hat {{t}} {{l}} {{o}} {de}.", f"{{t}} hat {{p}} {{l}} {{o}} {de}."),
        (f"{{p}} {es} {{o}} {{l}} {{t}}.", f"{{t}} {{p}} {es} {{o}} {{l}}."),
    )


PATTERNS = {
    "train": [
        _past("bought", "bought", "gekauft", "compró"),
        _past("lost", "lost", "verloren", "perdió"),
        _past("found", "found", "gefunden", "encontró"),
        _past("forgot", "forgot", "vergessen", "olvidó"),
        _past("sold", "sold", "verkauft", "vendió"),
        Pattern(
            "wants",
            ("{p} wants to buy {o} {t}.",),
            ("{p} will {t} {o} kaufen.", "{p} möchte {t} {o} kaufen."),
            ("{p} quiere comprar {o} {t}.",),
        ),
        Pattern(
            "looks",
            ("{p} is looking for {o} {l}.",),
            ("{p} sucht {l} {o}.", "{p} sucht {o} {l}."),
            ("{p} busca {o} {l}.", "{p} está buscando {o} {l}."),
        ),
        Pattern(
            "needs",
            ("{p} needs {o} {t}.",),
            ("{p} braucht {t} {o}.", "{p} braucht {o} {t}."),
            ("{p} necesita {o} {t}.",),
        ),
        Pattern(
            "cleans",
            ("{p} has to clean {d} {t}.", "{p} must clean {d} {t}."),
            ("{p} muss {t} {d} putzen.", "{p} muss {d} {t} putzen."),
            ("{p} tiene que limpiar {d} {t}.", "{p} debe limpiar {d} {t}."),
        ),
        Pattern("closed", ("{s} does not open {t}.",), ("{s} öffnet {t} nicht.",), ("{s} no abre {t}.",)),
        Pattern(
            "works",
            ("{p} works {l} {t}.",),
            ("{p} arbeitet {t} {l}.", "{p} arbeitet {l} {t}."),
            ("{p} trabaja {l} {t}.", "{p} trabaja {t} {l}."),
        ),
        Pattern(
            "drinks",
            ("{p} is drinking {b} {l}.", "{p} drinks {b} {l}."),
            ("{p} trinkt {l} {b}.", "{p} trinkt {b} {l}."),
            ("{p} bebe {b} {l}.", "{p} está bebiendo {b} {l}.", "{p} toma {b} {l}."),
        ),
        Pattern(
            "waited",
            ("{p} waited {n} hours {l}.", "{p} waited for {n} hours {l}."),
            ("{p} hat {l} {n} Stunden gewartet.", "{p} hat {n} Stunden {l} gewartet."),
            ("{p} esperó {n} horas {l}.",),
        ),
        Pattern(
            "costs",
            ("{q} costs {n} euros {l}.",),
            ("{q} kostet {l} {n} Euro.", "{l} kostet {q} {n} Euro."),
            ("{q} cuesta {n} euros {l}.",),
        ),
    ],
    "val": [
        Pattern(
            "repaired",
            ("{p} repaired {o} {t}.", "{t} {p} repaired {o}."),
            ("{p} hat {t} {o} repariert.", "{t} hat {p} {o} repariert."),
            ("{p} reparó {o} {t}.", "{t} {p} reparó {o}."),
        ),
        Pattern(
            "cannot_see",
            ("{p} cannot see {o} {l}.", "{p} can't see {o} {l}."),
            ("{p} kann {l} {o} nicht sehen.", "{p} kann {o} {l} nicht sehen."),
            ("{p} no puede ver {o} {l}.",),
        ),
        Pattern(
            "studies",
            ("{p} studies {l} {t}.", "{p} is studying {l} {t}."),
            ("{p} lernt {t} {l}.", "{p} lernt {l} {t}."),
            ("{p} estudia {l} {t}.", "{p} estudia {t} {l}."),
        ),
        Pattern(
            "brought_home",
            ("{p} brought {o} home {t}.",),
            ("{p} hat {t} {o} nach Hause gebracht.", "{t} hat {p} {o} nach Hause gebracht."),
            ("{p} llevó {o} a casa {t}.", "{p} trajo {o} a casa {t}."),
        ),
        Pattern(
            "opens",
            ("{s} opens {t} at {n} o'clock.", "{s} opens at {n} o'clock {t}."),
            ("{s} öffnet {t} um {n} Uhr.",),
            ("{s} abre {t} a las {n}.", "{s} abre a las {n} {t}."),
        ),
        Pattern(
            "asks",
            ("Is {p} waiting {l}?",),
            ("Wartet {p} {l}?",),
            ("¿Espera {p} {l}?", "¿{p} espera {l}?", "¿{p} está esperando {l}?", "¿Está esperando {p} {l}?"),
        ),
        Pattern(
            "ordered",
            ("{p} ordered {b} and {c} {l}.",),
            ("{p} hat {l} {b} und {c} bestellt.", "{p} bestellte {l} {b} und {c}."),
            ("{p} pidió {b} y {c} {l}.",),
        ),
        Pattern(
            "paid",
            ("{p} paid {n} euros for {o} {l}.",),
            ("{p} hat {l} {n} Euro für {o} bezahlt.", "{p} hat {l} für {o} {n} Euro bezahlt."),
            ("{p} pagó {n} euros por {o} {l}.",),
        ),
    ],
}

_NUMBERS = {
    "train": [(str(n), str(n), str(n)) for n in (3, 5, 6, 8, 12, 15)],
    "val": [(str(n), str(n), str(n)) for n in (2, 4, 7, 9, 10)],
}
_OBJECTS = {  # English, German as subject, German as object, Spanish
    "train": [
        ("a bicycle", "ein Fahrrad", "ein Fahrrad", "una bicicleta"),
        ("a book", "ein Buch", "ein Buch", "un libro"),
        ("a red jacket", "eine rote Jacke", "eine rote Jacke", "una chaqueta roja"),
        ("an umbrella", "ein Regenschirm", "einen Regenschirm", "un paraguas"),
        ("a lamp", "eine Lampe", "eine Lampe", "una lámpara"),
        ("a table", "ein Tisch", "einen Tisch", "una mesa"),
        ("a ring", "ein Ring", "einen Ring", "un anillo"),
        ("a suitcase", "ein Koffer", "einen Koffer", "una maleta"),
        ("a camera", "eine Kamera", "eine Kamera", "una cámara"),
        ("a small dog", "ein kleiner Hund", "einen kleinen Hund", "un perro pequeño"),
    ],
    "val": [
        ("a clock", "eine Uhr", "eine Uhr", "un reloj"),
        ("a chair", "ein Stuhl", "einen Stuhl", "una silla"),
        ("a green bag", "eine grüne Tasche", "eine grüne Tasche", "una bolsa verde"),
        ("a key", "ein Schlüssel", "einen Schlüssel", "una llave"),
        ("a mirror", "ein Spiegel", "einen Spiegel", "un espejo"),
        ("a guitar", "eine Gitarre", "eine Gitarre", "una guitarra"),
        ("a phone", "ein Telefon", "ein Telefon", "un teléfono"),
        ("a black hat", "ein schwarzer Hut", "einen schwarzen Hut", "un sombrero negro"),
    ],
}
PHRASES: dict[str, dict[str, list[tuple[str, str, str]]]] = {
    "train": {
        "p": [
            ("my sister", "meine Schwester", "mi hermana"),
            ("my brother", "mein Bruder", "mi hermano"),
            ("my neighbour", "mein Nachbar", "mi vecino"),
            ("the doctor", "der Arzt", "el médico"),
            ("our grandmother", "unsere Großmutter", "nuestra abuela"),
            ("the waiter", "der Kellner", "el camarero"),
            ("Anna", "Anna", "Anna"),
            ("Martin", "Martin", "Martin"),
            ("Laura", "Laura", "Laura"),
        ],
        "o": [(en, accusative, es) for en, _, accusative, es in _OBJECTS["train"]],
        "q": [(en, nominative, es) for en, nominative, _, es in _OBJECTS["train"]],
        "l": [
            ("at the market", "auf dem Markt", "en el mercado"),
            ("at the station", "am Bahnhof", "en la estación"),
            ("in the park", "im Park", "en el parque"),
            ("in the city", "in der Stadt", "en la ciudad"),
            ("at the airport", "am Flughafen", "en el aeropuerto"),
            ("in the library", "in der Bibliothek", "en la biblioteca"),
        ],
        "t": [
            ("on Monday", "am Montag", "el lunes"),
            ("on Wednesday", "am Mittwoch", "el miércoles"),
            ("on Friday", "am Freitag", "el viernes"),
            ("today", "heute", "hoy"),
        ],
        "s": [
            ("the bakery", "die Bäckerei", "la panadería"),
            ("the pharmacy", "die Apotheke", "la farmacia"),
            ("the bank", "die Bank", "el banco"),
            ("the post office", "die Post", "la oficina de correos"),
        ],
        "d": [
            ("the kitchen", "die Küche", "la cocina"),
            ("the window", "das Fenster", "la ventana"),
            ("the car", "das Auto", "el coche"),
            ("the bathroom", "das Bad", "el baño"),
        ],
        "b": [("coffee", "Kaffee", "café"), ("water", "Wasser", "agua"), ("milk", "Milch", "leche")],
        "n": _NUMBERS["train"],
    },
    "val": {
        "p": [
            ("my mother", "meine Mutter", "mi madre"),
            ("my uncle", "mein Onkel", "mi tío"),
            ("the girl", "das Mädchen", "la niña"),
            ("our boss", "unser Chef", "nuestro jefe"),
            ("the gardener", "der Gärtner", "el jardinero"),
            ("Clara", "Clara", "Clara"),
            ("David", "David", "David"),
        ],
        "o": [(en, accusative, es) for en, _, accusative, es in _OBJECTS["val"]],
        "q": [(en, nominative, es) for en, nominative, _, es in _OBJECTS["val"]],
        "l": [
            ("at school", "in der Schule", "en la escuela"),
            ("in the garden", "im Garten", "en el jardín"),
            ("on the beach", "am Strand", "en la playa"),
            ("in the hotel", "im Hotel", "en el hotel"),
            ("in the museum", "im Museum", "en el museo"),
        ],
        "t": [
            ("on Tuesday", "am Dienstag", "el martes"),
            ("on Thursday", "am Donnerstag", "el jueves"),
            ("on Saturday", "am Samstag", "el sábado"),
            ("on Sunday", "am Sonntag", "el domingo"),
        ],
        "s": [
            ("the supermarket", "der Supermarkt", "el supermercado"),
            ("the swimming pool", "das Schwimmbad", "la piscina"),
            ("the zoo", "der Zoo", "el zoológico"),
            ("the town hall", "das Rathaus", "el ayuntamiento"),
        ],
        "d": [],
        "b": [("tea", "Tee", "té"), ("juice", "Saft", "zumo"), ("beer", "Bier", "cerveza")],
        "c": [("cake", "Kuchen", "pastel"), ("soup", "Suppe", "sopa"), ("bread", "Brot", "pan")],
        "n": _NUMBERS["val"],
    },
}


def filled(pattern: Pattern, split: str, random: Random) -> dict[str, list[str]]:
    """The sentence in each language, in all its wordings."""
    phrases = {slot: random.choice(some) for slot, some in PHRASES[split].items() if some}
    return {
        language: [
            _capital(text.format(**{slot: phrase[index] for slot, phrase in phrases.items()}))
            for text in getattr(pattern, language)
        ]
        for index, language in enumerate(LANGUAGES)
    }


def _capital(text: str) -> str:
    start = 1 if text.startswith("¿") else 0
    return text[:start] + text[start].upper() + text[start + 1 :]
