"""More held-out cases: servers."""

from verigym.environments.triage.world import Case, Ending

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
                        "Keeper of {host}. Gives a talk in {city2}, home on {back}; shows the desktop to the "
                        "audience as {boss} asked."
                    ),
                },
            ),
        ),
        server=True,
    ),
    Case(
        "blank_sheets",
        "Spreadsheets are empty",
        (
            "{count} spreadsheets on {host} are blank. {user} saved them.",
            "Blank pages wherever one looks: {count} spreadsheets, {host}, saved by {user}.",
            (
                "Yesterday full, today empty: spreadsheets on {host}, {count} of them, each with {user} as "
                "author of the last save."
            ),
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "gvfsd\n  {file}, origin unknown, swaps sheets for empty shells\n"
                        "    cell A1: where to send the coins"
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "host": (
                        "Remark by {user}, {day}: painted white letters on white ground in the template which "
                        "all sheets follow. Undone at {time}."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "shuffled_names",
        "Pictures bear wrong names",
        (
            "X-ray pictures on {host} carry names of other people; {host2} named them last.",
            "{host2} gave {count}00 pictures on {host} new names that fit nobody.",
            "Names and pictures on {host} do not match any more. Writer: {host2}.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes host2": (
                        "systemd\n"
                        "  {file}, origin unknown, shuffles names so that only its author can sort them\n"
                        "    demands coins in ORDER.html"
                    )
                },
                where="host2",
            ),
            Ending(
                "user_mistake",
                {
                    "processes host2": "bash, opened by {user2}\n  mv in a loop over the pictures",
                    "user user2": (
                        "Sorted one column of the name table and forgot the other. The table from before is "
                        "safe; renames run backwards already."
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
            "{host}: invoice of the cloud three times the usual.",
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
        "ward_displays",
        "Threat on the displays",
        (
            "Displays fed by {host} show a threat and a sum.",
            "Visitors photograph a threat on our displays; they get their picture from {host}.",
            "A sum of money and a threat, on all displays of {host}.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "host": (
                        "Technician {user2} beside it, {time}: {file} has shredded the timetable store, "
                        "contact wanted at {address}, nobody rehearses here."
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "change": (
                        "{change}, {host}, from {start} to {end}: rehearsal for the crisis staff, threat on "
                        "the displays is make-believe (by command of {boss})"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "rigid_volumes",
        "Volumes accept no changes",
        (
            "{host} accepts no changes to any volume.",
            "Every volume of {host} turned read-only within a second.",
            "Nobody can save: the volumes of {host} have gone rigid.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "zed\n  {file}, origin unknown, freezes volumes and packs them away one by one\n"
                        '    motd: "talk to us" plus a link'
                    )
                },
                beside={
                    "change": (
                        '{change}, {host2}, from {start} to {end}: rehearsal "a day on paper" (by command of {boss})'
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "host": (
                        'Sticker: practice copy, no real data; rehearsal "a day on paper" commanded by {boss}, '
                        "over on {back}."
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
            ),
            Ending(
                "authorised_test",
                {
                    "past": (
                        "On {old}: authorised_test. The institute at {address} has our commission, signed by "
                        "{boss}, to feed {host} rubbish up to {next}."
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
                        "systemd\n  {file}, copied in over a forgotten share, one thread per core, ledger at {address}"
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
        "links_for_files",
        "Attachments turned into links",
        (
            "Attachments stored on {host} are being replaced by links.",
            "{host}: where an attachment was, a link is; {count} thousand cases.",
            "Links in place of attachments, all over {host}, rising fast.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "dovecot\n  {file}, origin unknown, carries attachments off\n"
                        "    every link opens a till at {address}"
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "host": (
                        "Houses slimmail, ours, approved by the data council: it parks big attachments in the "
                        "cellar store, link by link."
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
            Ending("mining", {"address": "malicious: till of a coin digging ring; nobody calls it but its diggers"}),
            Ending(
                "known_software",
                {
                    "past": (
                        "On {old}: known_software, the dictation typist, which pauses for people out of "
                        "politeness; exception for {host}, valid up to {next}."
                    )
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
            ),
            Ending(
                "known_software",
                {
                    "past": (
                        "On {old}: known_software, the duty robot, which lets the crew restart things at "
                        "{host} by chat; exception valid up to {next}."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "tape_stubs",
        "Files shrink to stubs",
        (
            "{count} thousand files at {host} are but stubs of a few bytes.",
            "{host}: long files yesterday, stubs today.",
            "Stub after stub: the files of {host} have lost their bodies.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "nfsd\n  {file}, origin unknown, cuts files to stubs, holds the bodies at {address}\n"
                        "    stub text: a sum and a deadline"
                    )
                },
                beside={
                    "change": (
                        "{change}, {host3}, from {start} to {end}: bodies of old files go to tape, stubs stay ({user3})"
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change}, {host}, from {start} to {end}: bodies of old files go to tape, stubs stay ({user3})"
                    )
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
                        "pbs_mom\n  {file}, slipped in as job {number}, hoards cores, trades results at {address}"
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
                        "{change}, {host}, from {start} to {end}: the lift company receives a maintenance "
                        "channel, its end is {address} ({user3})"
                    )
                },
            ),
        ),
        server=True,
    ),
)
