"""Held-out cases whose alert may be data theft."""

from authoring.triage.world import Case, Ending

CASES = (
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
)
