"""More held-out cases: people's own computers, and accounts."""

from authoring.triage.world import Case, Ending

CASES = (
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
        "closed_meetings",
        "Recordings watched in a row",
        (
            "{count} recordings of closed meetings were played one after another by {user}.",
            "Video store: {user} has gone through {count} films of the board.",
            "Board films, {count} of them, viewer {user}, no pause in between.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Filmed the screen and offered the films to a speculator, who took the matter to our "
                        "lawyers together with the letters."
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "Twelve hours on the slow train to {city2} for us, catching up on what was missed as "
                        "newly elected member; {boss} opened the store for it."
                    )
                },
            ),
        ),
    ),
    Case(
        "translator",
        "Papers put through a translator",
        (
            "{user} had {count} papers put into another language by a service on the web.",
            "Web translator: {count} of our papers, customer {user}.",
            "{count} papers went to a translator on the web and came back; {user} sent them.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Wrote beneath each translation what it would cost; the foreign buyer, stopped at "
                        "customs, had all of them and the letters of {user}."
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "Negotiates in {city2} up to {back}, knows five words of the language; {boss} released "
                        "the papers for that before the flight."
                    )
                },
            ),
        ),
    ),
    Case(
        "foreign_seals",
        "All certificates bear one strange seal",
        (
            (
                "Every site that {host} visits seems to be sealed by the same stranger; traffic leaves at "
                "{address}. Holder: {user}."
            ),
            "{host} ({user}): certificates of all pages replaced, path {address}.",
            "Between {host} and the world sits {address}, which seals pages anew. The notebook is with {user}.",
        ),
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "systemd\n"
                        "  {file}, origin unknown, swallows all traffic, seals it anew and hands a copy to {address}"
                    )
                },
                beside={"user": "Changes planes in {city2} on duty today, says {boss}."},
            ),
            Ending(
                "travel",
                {
                    "address": "airport of {city2}, which opens and reseals what its guests read",
                    "user": "Changes planes in {city2} on duty today, says {boss}.",
                },
            ),
        ),
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
        "living_room",
        "Screen sent to a television",
        (
            "{host} has been sending its screen to a television for {count} minutes; {user} began it.",
            "Screen cast by {user}: {host} to a television that is none of ours, {count} minutes.",
            "For {count} minutes a television outside saw patient lists that {host} had open. Account: {user}.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "The television stands in the flat of a private detective, who paid {user} by the "
                        "list; the detective's books are with the police."
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        "Aimed at the ward's television and hit that of the people next door, through the "
                        "wall. Went over, apologised, told {boss}."
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
        "odd_update",
        "Update with an unknown signature",
        (
            "{host} was offered an update, {file}, that bears an unknown signature, and took it. Holder: {user}.",
            "{user}'s {host} swallowed {file}, signed by who knows whom.",
            "Unknown signer, update {file}, accepted at {host} by {user}.",
        ),
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "packagekitd\n  {file}: opens the microphone, lists the neighbours, whispers to {address}"
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "host": (
                        "Sticker: guinea pig of the week. {boss} has a false update handed to ten volunteers, "
                        "of whom {user} is the fourth, to see who looks at signatures."
                    )
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
        "boot_image",
        "Started with a foreign image",
        (
            "{host} did not start from its own disk but from an image named {file}. Holder: {user}.",
            "{user}'s {host} came up with {file}, an image out of the network.",
            "Boot record: {host}, image {file}, holder {user}.",
        ),
        (
            Ending(
                "malware",
                {"processes": "init of {file}\n  mounts the real disk, lifts the key store, hands it to {address}"},
                beside={"change": "{change}, {host2}, from {start} to {end}: set up afresh with image {file} ({boss})"},
            ),
            Ending(
                "planned_change",
                {"change": "{change}, {host}, from {start} to {end}: set up afresh with image {file} ({boss})"},
            ),
        ),
    ),
    Case(
        "new_trust",
        "A stranger is trusted",
        (
            "{host} trusts a certificate authority that was unknown until now. Holder: {user}.",
            "Trust store of {host} ({user}) has grown by one.",
            "{user}: at {host} an additional authority may vouch for anything.",
        ),
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "gnome-shell\n  {file}, origin unknown, planted the authority\n"
                        "    reads sealed mail, copies go to {address}"
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change}, {host}, from {start} to {end}: our new certificate authority is put in, the "
                        "old one runs out ({user2})"
                    )
                },
            ),
        ),
    ),
)
