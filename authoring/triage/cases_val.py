"""Held-out cases: other alerts, other facts, other words."""

from authoring.triage.world import Case, Ending

CASES = (
    Case(
        "pdf_reader",
        "Document viewer opened a terminal",
        (
            "On {host} the viewer of {user} spawned a terminal while showing quote_{number}.pdf.",
            "Quote_{number}.pdf was on the screen of {user} when a terminal appeared on {host}.",
            (
                "Terminal window without a visible cause, {host}, desktop of {user}; a viewer had "
                "quote_{number}.pdf open."
            ),
        ),
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "evince quote_{number}.pdf\n  xterm -e ./{file}\n"
                        "    {file}: origin unknown, keeps a channel to {address} open, records keystrokes"
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "processes": (
                        "gnome-shell\n  evince quote_{number}.pdf\n"
                        "  xterm, opened with the keyboard shortcut, closed with nothing typed"
                    )
                },
            ),
        ),
    ),
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
        "leaver",
        "Departing colleague prints a lot",
        (
            "{user} sent {count}0 pages to the printer beside {host}.",
            "Printer next to {host}: job of {count}0 pages, owner {user}, who is about to leave us.",
            "{count}0 sheets for {user}, a colleague with little time left here, came out near {host}.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Last day is {back}. The pages are the formulas of the new product; the porter saw "
                        "them go into a private bag."
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        "Printed the staff handbook {count} times by typing the page number into the copies "
                        "box; the pile still lies there."
                    )
                },
            ),
        ),
    ),
    Case(
        "ticket_system",
        "Form field with program code",
        (
            "Code was pasted into a form that {host} serves; visitor {address}.",
            "A visitor, {address}, typed program lines where {host} expects a name.",
            "Form input on {host} contains code. It was entered from {address}.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "gunicorn\n  python -c 'import pty'\n    reverse tunnel to {address}\n"
                        "    {file} planted in the start scripts"
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "change": (
                        "{change}, {host}, from {start} to {end}: hired hackers try the forms, visitor "
                        "{address} ({boss} signed)"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "frozen_desktops",
        "Users cannot open their documents",
        (
            "Help desk: documents kept on {host} look scrambled; last writer was {host2}.",
            (
                "Several callers see garbage in place of their documents. Those lie on {host}; {host2} wrote "
                "to them most recently."
            ),
            "Garbled documents, store {host}, latest change made by {host2}.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes host2": (
                        "systemd\n  {file}, origin unknown, overwrites documents by the thousand\n"
                        "    leaves PAY_US.html behind"
                    )
                },
                where="host2",
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change}, {host}, from {start} to {end}: documents turned into the new sealed format, "
                        "unreadable until done ({user})"
                    )
                },
            ),
        ),
        server=True,
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
        "kernel_module",
        "Driver from outside was loaded",
        (
            "{host} loaded the driver {file}, which is in no package.",
            "There is a driver {file} inside {host} that no package brought along.",
            "{file} went into the kernel of {host}. Package list: no owner.",
        ),
        (
            Ending(
                "malware", {"processes": "kthreadd\n  {file}: hides two processes and a listener, reports to {address}"}
            ),
            Ending(
                "planned_change",
                {"change": ("{change}, {host}, from {start} to {end}: driver {file} of the new network card ({user})")},
            ),
        ),
        server=True,
    ),
    Case(
        "borrowed_badge",
        "Records opened in bulk",
        (
            "{count}00 patient records were opened under the name {user} at {host}.",
            "{host}, screen of {user}: {count}00 patients looked at in one sitting.",
            "Whoever is {user} at {host} has gone through {count}00 patient records.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": "Lent the signed-in seat to {user2} for ten minutes, and says so in writing.",
                    "user user2": (
                        "Photographed the screen page by page and offered the pictures to a newspaper, which told us."
                    ),
                },
                who="user2",
            ),
            Ending(
                "known_software",
                {
                    "past": (
                        "On {old}: the yearly statistics program opens every record under the name of whoever "
                        "starts it; exception, valid until {next}."
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
        "time_server",
        "Clock service answers strangers",
        (
            "{host} answered {count} thousand questions from {address} about the time.",
            "{address} asks {host} for the time, again and again: {count} thousand replies so far.",
            "Clock replies of {host} to {address}: {count} thousand and rising.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "ntpd, control hole used by {address}\n  sh\n    {file}, floods others on orders from {address}"
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "host": (
                        "Note by {user}, {day}: opened the clock service to the world by a slip in the "
                        "firewall form, closed again at {time}."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "update_mirror",
        "Package from an unfamiliar source",
        (
            "{host} installed {file} from {address}, which is no mirror of ours.",
            "New on {host}: {file}. Fetched at {address}, a place that our list of mirrors does not have.",
            "{address} delivered a package, {file}, and {host} set it up. We run no mirror there.",
        ),
        (
            Ending(
                "malware",
                {"processes": "dpkg\n  postinst of {file}\n    nohup ./.x, sends the key ring out, origin unknown"},
            ),
            Ending(
                "known_software",
                {"address": "the maker's download site of {file}, which we bought; named in the contract"},
            ),
        ),
        server=True,
    ),
)
