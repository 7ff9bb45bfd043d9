"""More held-out cases: servers."""

from authoring.triage.world import Case, Ending

CASES = (
    Case(
        "desk_from_afar",
        "Desktop of a server shown elsewhere",
        (
            "{host} is showing its desktop to {address}.",
            "Picture stream, {host} to {address}, started at {before}.",
            "At {address} somebody has the desktop of {host} before their eyes.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "xrdp\n  buffer overrun by {address}\n    desktop without sign-in\n"
                        "      {file} dropped under /var/tmp, spreads by the shared clipboard"
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "address": "guest line of a congress centre in {city2}; {user2} is registered as speaker",
                    "user user2": (
                        "Keeps {host} in order. Gives a talk in {city2}, home on {back}; shows the desktop to "
                        "the audience as {boss} asked."
                    ),
                },
            ),
        ),
        server=True,
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
        "broken_messages",
        "Malformed messages",
        (
            "{address} sends {host} messages that break every rule of the format.",
            "{host} chokes on {count} thousand malformed messages; they stem from {address}.",
            "Parser complaints at {host}, {count} thousand, all due to {address}.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "hl7d\n  message {number} of {address} overran its buffer\n    dash\n"
                        "      {file} hooked into the message queue"
                    )
                },
                beside={
                    "past": (
                        "On {old}: authorised_test. Institute Olmo has our commission, signed by {boss}, to "
                        "feed {host} rubbish up to {next}."
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "address": "institute Olmo, department of broken things",
                    "past": (
                        "On {old}: authorised_test. Institute Olmo has our commission, signed by {boss}, to "
                        "feed {host} rubbish up to {next}."
                    ),
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
        "chat_orders",
        "Commands typed in a chat reach a server",
        (
            "What people type in a chat is carried out at {host}.",
            "{host} obeys lines from a chat room.",
            "Chat room on one side, root shell of {host} on the other.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "matrixd\n  plug-in hole used by {address}\n    zsh as root\n"
                        "      {file} repeats each line from a room of strangers"
                    )
                },
                beside={
                    "past": (
                        "On {old}: known_software. Butler, the duty robot, lets the crew restart things at "
                        "{host} by chat; exception for butler valid up to {next}."
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "past": (
                        "On {old}: known_software. Butler, the duty robot, lets the crew restart things at "
                        "{host} by chat; exception for butler valid up to {next}."
                    ),
                    "processes": "matrixd\n  butler, carries out lines of the crew room",
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
    Case(
        "pulled_drives",
        "Drives pulled while running",
        (
            "{count} drives were pulled out of {host} while it ran. Key to the room: {user}.",
            "{host} misses {count} drives; {user} was in the room.",
            "Empty slots in {host}, {count} in number, after a visit of {user}.",
        ),
        (
            Ending(
                "data_theft",
                {"user": ('Offered the drives to a dealer with the words "full of patients"; the dealer rang {boss}.')},
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change}, {host}, from {start} to {end}: old drives pulled and shredded on the spot ({user})"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "second_door",
        "New channel for maintenance",
        (
            "{host} keeps a channel for maintenance open towards {address}, which is new.",
            "New maintenance channel: {host}, {address}.",
            "{address} may now enter {host} by a channel meant for maintenance.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "tr069d\n  fooled by a crafted answer of {address}\n    channel opened, ash as root\n"
                        "      {file} settles in the flash"
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change}, {host}, from {start} to {end}: the boiler company receives a maintenance "
                        "channel, its end is {address} ({user3})"
                    )
                },
            ),
        ),
        server=True,
    ),
)
