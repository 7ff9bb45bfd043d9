"""More cases to learn from in which an account may be stolen."""

from authoring.triage.world import Case, Ending

CASES = (
    Case(
        "phone_swap",
        "New phone for the second factor",
        (
            "{user} now confirms sign-ins with another phone; it was added from {address}.",
            "A second factor was replaced. Account {user}. Source {address}.",
            "From {address} a phone was registered in the name of {user}, and the old one struck off.",
            (
                "The phone that approves sign-ins of {user} is a different one since {before}. Whoever changed "
                "it sat at {address}."
            ),
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Still holds the old phone, which has been silent since {before}. Talked to the help "
                        "desk in person: added no other phone."
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "On a business trip in {city2}, where the old phone finds no network; the help desk "
                        "saw the passport on video at {before} and added a local phone."
                    )
                },
            ),
        ),
    ),
    Case(
        "language_change",
        "Keyboard and language changed",
        (
            "{host}: keyboard layout and language were switched. Account {user}.",
            "The desktop of {user} on {host} speaks another language since {before}.",
            "New input language on {host} (user {user}), one that nobody in the company has.",
            "Settings: region, language, keyboard, all different now. {host}, {user}.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Lost sight of the open laptop in a bar at {before}; it is gone. The mailbox has been "
                        'searched for "bank" since, from {address}.'
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "At the plant in {city2} for three weeks since {last}; shares a desk with the local "
                        "team, who type in their own language."
                    )
                },
            ),
        ),
    ),
    Case(
        "hop_addresses",
        "Address changes by the minute",
        (
            "{user} has been seen at five addresses within the hour; the last was {address}.",
            "Sessions of {user} hop from network to network; at the moment it is {address}.",
            "Every ten minutes another address for {user}. Now: {address}.",
            "One session, many networks. Account {user}. Latest: {address}.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Sits at the desk in {city} and has used one fixed line throughout. The hopping "
                        "session reads the payroll and answers no prompt."
                    )
                },
                beside={"address": "malicious: exit of a relay network that sells access to accounts"},
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "On the company flight to {city2} today, seat booked by {boss}; works over the plane's "
                        "satellite line."
                    )
                },
                beside={"address": "satellite line of an airline; passengers change address as the plane moves"},
            ),
        ),
    ),
    Case(
        "badge_elsewhere",
        "Badge and sign-in do not match",
        (
            "{user} has not passed any door in {city} today, yet the account is in use from {address}.",
            "No badge in {city}, but a session: {user}, from {address}.",
            "Door log of {city}: {user} absent. Sign-in log: {user} present, {address}.",
            (
                "The account of {user} works without its owner having entered the house in {city}; the line is "
                "{address}."
            ),
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Ill in bed, as {boss} wrote down at {before}; no computer at home. The session has "
                        "asked payroll to change a bank account."
                    )
                },
            ),
            Ending(
                "travel",
                {"user": "In {city2} this week, sent by {boss}; the guest book there has the name."},
                beside={"address": "our own line, {city2} office"},
            ),
        ),
    ),
    Case(
        "new_browser",
        "Sign-in with an unknown browser",
        (
            "{user} came in with a browser we have never seen on that account, by {address}.",
            "Fingerprint of the browser unknown. Account {user}, network {address}.",
            "Device unknown, place unknown: session of {user} through {address}.",
            "{address}: somebody with an odd browser signs in as {user}.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Was presenting to the board from {earlier} on, with the only laptop in sight. "
                        "Meanwhile this browser approved a payment."
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "Works at our partner's in {city2} until {back}, on a computer borrowed there, as "
                        "{boss} arranged."
                    )
                },
                beside={"address": "guest line of our partner in {city2}"},
            ),
        ),
    ),
    Case(
        "all_mailboxes",
        "One account opened many mailboxes",
        (
            "{user} opened {count} mailboxes that belong to others; the session came from {address}.",
            "Mail: {count} foreign mailboxes, one reader, {user}. Network {address}.",
            "By way of {address}, as {user}: {count} mailboxes of colleagues were opened.",
            "Whoever uses {user} at {address} is reading other people's mail, {count} mailboxes of it.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Has been without the laptop since it was taken from the car on {last}; the session "
                        "from {address} searched each mailbox for the word contract."
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        "Got the right to all mailboxes instead of one by a slip of {boss} in the form; the "
                        "mail program then opened every one of them by itself."
                    )
                },
            ),
        ),
    ),
    Case(
        "mass_invite",
        "Invitation to the whole world",
        (
            "{user} sent {count}00 invitations, many of them to people outside.",
            "Calendar: {count}00 invitations by {user} in one minute.",
            "{count}00 people are invited by {user} to a meeting that none of them expected.",
            "Invitations without end from the account {user} ({count}00).",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "The invitations carry a link to a false sign-in page. They were sent in a session "
                        "from {address}; {user} was leading a first-aid course at {time}, before twelve witnesses."
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        'Chose the list "everyone" instead of "everyone on floor 3" for the farewell of '
                        "{user2}; has called the meeting off."
                    )
                },
            ),
        ),
    ),
    Case(
        "voice_reset",
        "Password reset by telephone",
        (
            "The help desk gave {user} a new password on the phone; it was used from {address} at once.",
            "Reset on the phone for {user}, then a sign-in from {address}.",
            "A caller in the name of {user} got a new password. First use: {address}.",
            "{user}: password new at {before} (by telephone), in use by {address} since.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "In hospital since {last}, as the family told {boss}; did not call anybody. The "
                        "session from {address} ordered {count} phones."
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "past": (
                        "{old}: closed as authorised_test: {boss} ordered calls to the help desk in the name "
                        "of {user}, to see who hands out passwords; they go on until {next}."
                    )
                },
            ),
        ),
    ),
    Case(
        "token_replay",
        "One session in two places",
        (
            "A session of {user} is used twice: at the desk and at {address}.",
            "The same session cookie, {user}, shows up from {address} as well.",
            "Copied session? {user} here, {user} at {address}, one cookie.",
            "{address} presents a cookie that belongs to the running session of {user}.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Left the laptop at a repair stall on {last}, where its cookies were copied. The copy "
                        "at {address} has added a new payee."
                    )
                },
                beside={
                    "past": (
                        "{old}: closed as authorised_test: the red team replays cookies of five volunteers, "
                        "{user} among them; ordered by {boss}, until {next}."
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "address": "our red team's own line",
                    "past": (
                        "{old}: closed as authorised_test: the red team replays cookies of five volunteers, "
                        "{user} among them; ordered by {boss}, until {next}."
                    ),
                },
            ),
        ),
    ),
)
