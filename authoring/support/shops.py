"""The training shop and the held-out shop: their customers, goods and towns."""

from authoring.support.world import Shop

TRAIN = Shop(
    names=(
        "Ada Winter", "Bo Larsen", "Carla Ruiz", "Dev Patel", "Elif Kaya", "Finn Doyle", "Greta Huber", "Hugo Blanc",
        "Iris Novak", "Jon Adair", "Kemi Balogun", "Leo Marchetti", "Mona Saleh", "Nils Berg", "Orla Quinn", "Pavel Cerny",
        "Rosa Ferro", "Sami Haddad", "Tilda Holm", "Umar Aziz", "Viola Sand", "Wes Turner", "Yuki Mori", "Zane Fuller",
        "Anouk Petit", "Bela Toth", "Chidi Eze", "Dana Kovac", "Emil Strand", "Fatima Noor", "Gil Moreau", "Hanna Frey",
        "Ivo Petrov", "Jade Osei", "Karl Engel", "Lina Rossi", "Marek Zeman", "Nora Lynch", "Otis Grant", "Pia Salonen",
    ),
    streets=(
        "Mill Lane", "Station Road", "Elm Street", "Harbour Row", "Church Hill", "Queen's Walk", "Orchard Close",
        "Tanner Street", "Bridge End", "Windmill Way", "Park Crescent", "Castle Mews",
    ),
    towns=("Marlow", "Kendal", "Truro", "Stamford", "Ludlow", "Whitby", "Totnes", "Malvern", "Hexham", "Oakham"),
    mail="postbox.example",
    goods=(
        "desk lamp", "coffee grinder", "bicycle pump", "garden chair", "pasta machine", "travel clock", "suitcase",
        "record player", "rice cooker", "leaf blower", "water filter", "night light", "projector", "keyboard", "doorbell",
        "milk frother", "weather station", "microphone", "hand drill", "baby monitor", "waffle iron", "food mixer",
        "slide scanner", "juicer", "shaver", "popcorn maker", "treadmill", "foot warmer", "pocket camera", "hedge trimmer",
    ),
    identify=(
        "It is {email}, postcode {postcode}.",
        "{name}, {email}, {postcode}. Can we get on with it?",
        "My email is {email} and I live in {postcode}.",
        "Sure: {email}. The postcode is {postcode}.",
        "email: {email}, postcode: {postcode}",
        "Of course. I am {name}, I write from {email}, and my postcode would be {postcode}.",
        "{postcode} is the postcode, {email} the address I registered with.",
        "ok. {email} / {postcode}",
        "Why do you need that? Anyway: {email}, and {postcode}.",
        "The account is under {email}; for the postcode put down {postcode}.",
    ),
    first_order=3000,
)  # fmt: skip
VAL = Shop(
    names=(
        "Tess Okoro", "Ravi Menon", "Ulla Stein", "Yann Morel", "Zoe Hart", "Quentin Abel", "Vera Lund", "Xavi Costa",
        "Agnes Wolff", "Basil Trent", "Cleo Diaz", "Dimitri Vale", "Esme Barlow", "Farid Amin", "Gwen Pryce", "Henrik Dahl",
        "Inga Roth", "Jules Perrin", "Kaya Demir", "Lorenz Kern",
    ),
    streets=(
        "Beacon Drive", "Foundry Yard", "Linden Avenue", "Spring Terrace", "Weaver Court", "Cooper Square", "Heron Wharf",
        "Granary Steps",
    ),
    towns=("Alnwick", "Bude", "Frome", "Skipton", "Ripon", "Wells"),
    mail="letterbox.example",
    goods=(
        "toaster", "camping stove", "hair dryer", "bread maker", "printer", "blender", "torch", "sewing machine",
        "metronome", "telescope", "fan heater", "label maker", "radio", "steam mop", "typewriter", "lawn mower",
    ),
    identify=(
        "Here you are, {email} with the postcode {postcode}.",
        "You will find me under {email}. As for the postcode: {postcode}.",
        "{postcode} and {email}, as always.",
        "By all means. Mailbox {email}, postcode {postcode}.",
        "That would be {name}; {email}; {postcode}.",
        "Noted: {email} for letters, {postcode} for parcels.",
    ),
    first_order=7000,
)  # fmt: skip
