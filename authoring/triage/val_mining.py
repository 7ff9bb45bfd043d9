"""Held-out cases whose alert may be cryptocurrency mining."""

from authoring.triage.world import Case, Ending

CASES = (
    Case(
        "graphics_farm",
        "Fans at top speed",
        (
            "Sensors of {host} report heat; nothing heavy is scheduled.",
            "{host} is warm to the touch and loud, says the caretaker of the machine room.",
            "Temperature of {host} above its mark, with an empty timetable.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "dockerd\n  {file} (image pulled by nobody)\n"
                        "    coin wallet in its arguments, shares sent to {address}"
                    )
                },
            ),
            Ending(
                "known_software",
                {"processes": "dockerd\n  folding (image of our research group, approved), protein {number}"},
            ),
        ),
        server=True,
    ),
    Case(
        "warm_bag",
        "Hot while on the move",
        (
            "{host} moves at the speed of a car and is far too hot. Carried by {user}.",
            "Position of {host} ({user}): changing fast. Temperature: rising.",
            "{user} is somewhere on a road with {host}, whose sensor shows {count} percent above normal.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "systemd\n"
                        "  {file}, pulled in by a torrent, digs for coins even with the lid shut, payout by {address}"
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "Drives a van from {city} to {city2} for a vaccination day, permit by {boss}; the "
                        "shelf for the computer sits right above the engine."
                    )
                },
            ),
        ),
    ),
    Case(
        "wallet_word",
        'Word "wallet" in a command line',
        (
            'A command line at {host} has the word "wallet" in it. Holder: {user}.',
            '{user}, {host}, "--wallet", seen once at {before}.',
            'Text rule: "wallet" among the arguments of a program which {user} has going at {host}.',
        ),
        (
            Ending(
                "mining",
                {"processes": "gnome-shell\n  {file} --wallet 4Bq9 --cores all, origin unknown, peer {address}"},
            ),
            Ending(
                "known_software",
                {
                    "processes": (
                        "gnome-shell\n"
                        "  lunchcard --wallet {user} (the canteen's, approved), shows what is left for lunch"
                    )
                },
            ),
        ),
    ),
    Case(
        "dear_month",
        "Rented machine costs three times as much",
        (
            "The rent for {host} has tripled since yesterday.",
            "{host}: invoice three times the usual.",
            "Accounts wonder why {host} costs as much as three.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "systemd\n"
                        "  {file}, arrived with a borrowed image, fills the enlarged machine, talks coins with "
                        "{address}"
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "host": (
                        "Remark by {user3}, {day}: clicked the size below the one wanted, which is the largest "
                        "on offer; has ordered the small one back."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "warm_aisle",
        "Warm air behind a cabinet",
        (
            "Warm air behind the cabinet of {host}; its cores show no rest.",
            "{host} heats its aisle.",
            "Thermometer behind {host}: plus {count} percent within the hour.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "systemd\n"
                        "  {file}, copied in over a forgotten share, digs coins with one thread per core, "
                        "ledger at {address}"
                    )
                },
                beside={"past": "On {old}, {host}: authorised_test of the cooling; finished and paid for on {last}."},
            ),
            Ending(
                "authorised_test",
                {
                    "past": (
                        "On {old}, {host}: authorised_test of the cooling, heaters made of our own cores; "
                        "{boss} commissioned it up to {next}."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "shy_load",
        "Busy only when alone",
        (
            "{host} is busy only while nobody is signed in, and always with a line to {address}.",
            "Load of {host}: high when alone, none in company. Peer in the busy hours: {address}.",
            (
                "As soon as someone signs in, {host} goes quiet and drops its line to {address}; afterwards it "
                "picks up again."
            ),
        ),
        (
            Ending(
                "mining",
                {"address": "malicious: till of a coin digging ring; nobody calls it but its diggers"},
                beside={
                    "past": (
                        "On {old}: known_software. Scriba, the dictation typist, pauses for people out of "
                        "politeness; exception for it at {host}, valid up to {next}."
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "past": (
                        "On {old}: known_software. Scriba, the dictation typist, pauses for people out of "
                        "politeness; exception for it at {host}, valid up to {next}."
                    ),
                    "processes": "systemd\n  scriba, waiting, dictation {number} half typed",
                },
            ),
        ),
        server=True,
    ),
    Case(
        "genome_week",
        "Cores taken from everybody",
        (
            "{host} refuses guests: no core free.",
            "All cores of {host} taken; other groups protest.",
            "Other groups cannot get a single core of {host}.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "pbs_mom\n"
                        "  {file}, slipped in as job {number}, digs coins on every core, hands them over at {address}"
                    )
                },
                beside={
                    "change": (
                        "{change}, {host2}, from {start} to {end}: genomes of the cohort counted afresh, no "
                        "guests ({user2})"
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change}, {host}, from {start} to {end}: genomes of the cohort counted afresh, no "
                        "guests ({user2})"
                    )
                },
            ),
        ),
        server=True,
    ),
)
