"""More cases to learn from: accounts, and what is done in their name."""

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
        "big_upload",
        "Large upload",
        (
            "{count} GB went from {host} (account {user}) to an outside storage.",
            "Outgoing traffic of {host}: {count} GB to a storage service that is not ours. Signed in: {user}.",
            "{user} has moved {count} GB from {host} to storage outside the company.",
            "Somebody at {host} (the account is {user}) filled an outside storage with {count} GB of our files.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Gave notice on {last}, starts at a rival. Copied the whole price list folder to a "
                        "private storage account at {time}; not allowed to."
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change} {host} {start}-{end}: film material handed to the agency's storage, by "
                        "{user}, agreed by {boss}"
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
        "night_work",
        "Sign-in at an unusual hour",
        (
            "{user} signed in to {host} at {time}, for the first time at such an hour.",
            "At {time} {user} appeared on {host}. In two years this has not happened at this time of day.",
            "First sign-in ever of {user} around {time}; the computer is {host}.",
            "{host} was used at {time} by {user}, far from the usual hours of that account.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Under notice since {last}. In this session opened 400 customer files one after the "
                        "other and mailed them to a private address."
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change} {host} {start}-{end}: year's accounts closed at an unusual hour, by {user}, "
                        "agreed by {boss}"
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
        "database_dump",
        "Whole table read",
        (
            "The account {user} read all customers from the database on {host}.",
            "{host}, database: select * from customers, without a limit, by {user}.",
            "The complete customer table on {host} was fetched in one go under the account {user}.",
            "{user} has just read every single customer that {host} knows.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Has no need of that table. Saved it to a USB stick at {time} and wrote in chat that a "
                        "buyer for it had been found."
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change} {host} {start}-{end}: customers moved to the new system, all tables read, by {user}"
                    )
                },
            ),
        ),
        server=True,
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
        "shared_account",
        "Files copied by a shared session",
        (
            "{count}00 drawings were copied from {host} in the session of {user}.",
            "The session of {user} on {host} took a copy of {count}00 drawings.",
            "{host}: {count}00 drawings read and copied, signed in as {user}.",
            "Somebody signed in as {user} helped themselves to {count}00 drawings from {host}.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Badge: in the canteen from {before}. The desk was left unlocked, next to that of {user2}."
                    ),
                    "user user2": (
                        "Sat at the desk of {user} at {time}, as the camera shows, and put the drawings on a stick."
                    ),
                },
                who="user2",
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        "Dragged the wrong folder onto the desktop, saw it, deleted the copy, and reported it "
                        "at {time}."
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
)
