"""Training cases whose alert may be a stolen account."""

from authoring.triage.world import Case, Ending

CASES = (
    Case(
        "two_countries",
        "Sign-ins from two places",
        (
            "{user} signed in from {city} and, 20 minutes later, from {city2} ({address}).",
            (
                "One account, two places: {user} in {city}, and twenty minutes after that in {city2}, by way "
                "of {address}."
            ),
            "Sign-in of {user} from {address} ({city2}). The one before it, 20 minutes earlier, came from {city}.",
            (
                "Nobody gets from {city} to {city2} in 20 minutes, but the account {user} did; the second "
                "sign-in used {address}."
            ),
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Called the help desk at {time}: is in {city}, was never in {city2}, approved a prompt "
                        "on the phone by accident."
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "On a business trip to {city2} since {last}, booked by {boss}; the sign-in from {city} "
                        "is the desktop there, which stayed on."
                    )
                },
            ),
        ),
    ),
    Case(
        "failed_passwords",
        "Many wrong passwords, then a right one",
        (
            "{count} wrong passwords for {user} from {address}, the next one was right.",
            "{address} guessed at the password of {user} {count} times and then got in.",
            "Account {user}: {count} failures in a row, then success. Everything came from {address}.",
            "After {count} refusals a sign-in of {user} succeeded. Source of all of them: {address}.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "After the sign-in from {address} a new phone was added and mail is forwarded outside. "
                        "{user} was at the dentist's and knows nothing of it."
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        "Changed the password on {last}; the old tablet at home ({address}) kept on trying the "
                        "old one. Confirmed in person."
                    )
                },
            ),
        ),
    ),
    Case(
        "mail_rule",
        "Mail rule hides messages",
        (
            (
                "A rule that moves all mail with 'invoice' to a hidden folder was made in the mailbox of "
                "{user} from {address}."
            ),
            (
                "Mailbox {user}: new rule, made from {address}, everything about invoices goes to a folder "
                "that is not displayed."
            ),
            (
                "For some minutes now mail with the word invoice has been disappearing from the inbox of {user}. The rule "
                "that does it came from {address}."
            ),
            "From {address} somebody set a filter in the mail of {user}; it files invoices where nobody looks.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "The rule was made by a session that also wrote to 60 customers about a new bank "
                        "account. {user} did not."
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        "Made the rule while tidying up, chose the wrong folder, and has asked the "
                        "help desk to put it right."
                    )
                },
            ),
        ),
    ),
    Case(
        "fake_sign_in_page",
        "Password typed on a strange page",
        (
            "{user} opened a page like our sign-in page at {address} on {host}.",
            "A copy of our sign-in page is up at {address}. {user} was on it, with {host}.",
            "{host}: the browser of {user} visited {address}, where something looks just like our own sign-in.",
            "Web filter: page at {address} imitates ours; visitor {user}, computer {host}.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Typed the password there. At {time} the account was used from abroad to read the "
                        "board's mail; {user} was in a meeting."
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "change": (
                        "{change} all staff {start}-{end}: phishing drill; the page at {address} is ours and "
                        "keeps no passwords, by {boss}"
                    )
                },
            ),
        ),
    ),
    Case(
        "locked_out",
        "Account locked",
        (
            "{user} was locked after {count} wrong passwords on {host}.",
            "Lock: {user}. Cause: {count} failures. Place: {host}.",
            "{host} refused {user} {count} times, after which the account was shut.",
            "The account {user} can no longer be used: too many failures ({count}) at {host}.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Minutes before the lock somebody reset the password by answering the questions, from "
                        "abroad. {user} is on parental leave without a computer."
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        "Came back from three weeks of holiday today and had forgotten the password; stood at "
                        "the help desk at {time}."
                    )
                },
            ),
        ),
    ),
    Case(
        "new_admin",
        "New administrator",
        (
            "{user} made the account {user2} an administrator on {host}.",
            "Group of administrators on {host}: {user2} was added. Added by: {user}.",
            "{user2} has full rights on {host} now, and has them from {user}.",
            "Rights were raised on {host}; it was {user} who gave them, and {user2} who got them.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "The session came from {address} with a stolen token; {user} was on a flight without "
                        "network at {time}."
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change} {host} {start}-{end}: {user2} takes over as administrator, by {user}, agreed "
                        "by {boss}"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "api_key",
        "Key used from a new place",
        (
            "The access key of {user} was used from {address} to list all machines.",
            "All our machines were listed with a key of {user}; the caller was {address}, never seen before.",
            "{address} holds a key that belongs to {user} and has asked for the list of machines.",
            "Cloud log: list machines, key of {user}, source {address}, first use from there.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "The key was published by accident in a public repository at {before}; {user} works in "
                        "{city} and was in a meeting."
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "address": (
                        "our own inventory service, rented from a cloud; it lists all machines every hour with "
                        "such keys"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "service_account",
        "Service account signs in by hand",
        (
            "The account {user} of a service signed in to {host} with a keyboard.",
            "{user} is an account that only a service should use; it sat at a keyboard on {host}.",
            "Interactive sign-in to {host} with a service's account, {user}.",
            "A person typed the password of the service account {user} on {host}.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Kept for a service since {old}; nobody may use it by hand. The password was in a "
                        "letter leaked on {last}; the session came from {address}."
                    )
                },
            ),
            Ending(
                "planned_change",
                {"change": "{change} {host} {start}-{end}: service set up by hand as {user}, by {user2}"},
            ),
        ),
        server=True,
    ),
    Case(
        "password_spray",
        "One password tried on many accounts",
        (
            "From {address} one password was tried on {count} accounts; only that of {user} opened.",
            "{address} went through {count} accounts with one and the same password. {user} was the one it fitted.",
            "{count} accounts, one password, one source ({address}), one success ({user}).",
            "Sign-in log: the same password for {count} names from {address}; accepted for {user}.",
        ),
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Had never changed the password of the first working day. The session from {address} "
                        "set up forwarding of all mail."
                    )
                },
            ),
            Ending(
                "authorised_test",
                {"address": "our auditor's: password check of all accounts, ordered by {boss}, ends on {next}"},
            ),
        ),
    ),
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
