"""Held-out cases whose alert may be a stolen account."""

from authoring.triage.world import Case, Ending

CASES = (
    Case(
        "gift_cards",
        "Unusual purchase requests by mail",
        (
            "The mailbox of {user} asked nine colleagues for gift cards, sent by way of {address}.",
            "Nine people got mail signed {user}, about buying gift cards; it travelled through {address}.",
            "Mail gateway: {address} handed in nine messages of {user}, subject gift cards.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Rang security from a hotel: cannot get in any more, wrote none of those mails, "
                        "recovery address was altered."
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "user": (
                        "Volunteer in security week: the mails are an exercise written with {boss}, on paper "
                        "since {last}."
                    )
                },
            ),
        ),
    ),
    Case(
        "roaming",
        "Phone and notebook far apart",
        (
            "{user}: phone seen in {city}, notebook session opened from {address} in {city2}.",
            "{city} has the phone, {city2} the notebook ({address}): both belong to {user}.",
            "Distance rule: notebook of {user} online in {city2} through {address} while the phone rings in {city}.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Is in {city}. Forgot the notebook bag in the train to {city2} on {last}, with the "
                        "password on a note inside; nobody has handed it in."
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "Calendar: conference in {city2} until {back}. Spouse has the phone in {city}; the "
                        "notebook asked for the fingerprint and got it."
                    )
                },
            ),
        ),
    ),
    Case(
        "chat_bot",
        "One-time link opened by another",
        (
            "The company chat brought {user} a one-time link to sign in. It was opened from {address} as well.",
            "{user} was sent a one-time link by chat, and {address} followed it first.",
            "Chat, one-time link for {user}: opened a second time, from {address}.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Whoever came in by the link from there invited two strangers into the source code "
                        "and left; {user} has nothing to do with that line."
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "address": (
                        "preview robot of our chat: it opens every link that is posted, draws a small picture, signs in nowhere"
                    )
                },
            ),
        ),
    ),
    Case(
        "currency",
        "Portal in an unfamiliar currency",
        (
            "The booking portal greeted {user} with prices in a currency never used before; request by {address}.",
            "{user}, booking portal, other currency, {address}.",
            "Somebody using the name {user} shops for tickets through {address}, and pays in money foreign to us.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Swears to have been at a funeral, which thirty guests bear out; tickets for strangers "
                        "were bought meanwhile."
                    )
                },
            ),
            Ending(
                "travel",
                {"user": "Sings with the choir of the clinic in {far} up to {back}, at the wish of {boss}."},
                beside={"address": "guest line of a concert hall in {far}"},
            ),
        ),
    ),
    Case(
        "call_diversion",
        "Calls are sent abroad",
        (
            "Calls for {user} ring in a foreign country now. Whoever set this up used {address}.",
            "Telephone system: diversion of {user} to a number abroad, entered at {address}.",
            "Anyone who rings {user} is put through to another continent; the setting arrived by {address}.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Noticed the silence, never set any diversion. A bank was tricked into reading a code "
                        "to the foreign number."
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "Seconded to the sister clinic in {far} up to {back}; the number is that of the flat "
                        "which {boss} rents for guests there."
                    )
                },
            ),
        ),
    ),
    Case(
        "borrowed_seat",
        "Account active at somebody else's place",
        (
            "{user} is active at {host2}, a place that belongs to a different team.",
            "{host2}: session of {user}, who has no business there.",
            "Strange seat: {user} at {host2}.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        'Dictated the password to a caller "from the bank"; files were requested at {host2} '
                        "through {address} afterwards."
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "host host2": "Seat of {user2} today, according to the rota.",
                    "user user2": (
                        "Pressed Enter when the screen proposed the previous name, {user}, and only wondered "
                        "why the desktop looked different. Signed out."
                    ),
                },
            ),
        ),
    ),
    Case(
        "signed_orders",
        "Orders signed in series",
        (
            "{count} orders were signed as {user}, through {address}, in a quarter of an hour.",
            "{user}: {count} signatures under orders, line {address}.",
            "Through {address} somebody signs orders with the pen of {user}, {count} so far.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Lost the signing card in a tram and had told nobody; suppliers ring about goods unheard of."
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "past": (
                        "On {old}: authorised_test. Mock orders signed {user}, to see which supplier asks "
                        "back; {boss} commissioned them up to {next}."
                    )
                },
            ),
        ),
    ),
)
