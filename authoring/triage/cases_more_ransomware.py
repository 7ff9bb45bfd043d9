"""More cases to learn from that may be ransomware on a server."""

from authoring.triage.world import Case, Ending

CASES = (
    Case(
        "zipped_away",
        "Folder turned into one locked file",
        (
            "The folder of the sales team on {host} is now one file with a password. Account: {user}.",
            "{host}: {count}0 files became one archive under lock and key, by {user}.",
            (
                "Sales cannot reach its files on {host}. In their place lies an archive that {user} made, with "
                "a password."
            ),
            "{user} locked {count}0 files of {host} into an archive.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "smbd\n  session of {user} drives {file}, unknown\n"
                        "    7z a -p sales.7z, then wipes the originals\n    price.txt: two coins within three days"
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "host": (
                        "Note of {user}, {day}: wanted to lock a copy for a customer, took the folder itself "
                        "by mistake. The team has the password; unpacking now."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "share_vanished",
        "Folders disappeared from a share",
        (
            "{count} folders are missing on {host}. The last to touch them was {user}.",
            "Where have the folders of {host} gone? {count} fewer than an hour ago. Account: {user}.",
            "Share of {host}: {count} folders removed by {user}.",
            "{user} and {host}: mass removal, {count} folders.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "smbd\n  {file}, unknown, copies each folder to {address}, wipes it\n"
                        "    leaves RETURN_FOR_MONEY.txt"
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        "Slipped with the mouse while scrolling and moved them into Archive, next to them; "
                        "asks how to get them back."
                    )
                },
                beside={
                    "processes": (
                        "smbd\n  session of {user}: one move, {count} folders into the folder Archive, nothing wiped"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "reversed_sync",
        "Sync replaced new files by old ones",
        (
            "{count}0 files on {host} were overwritten by sync; the other side is {host2}.",
            "{host2} pushed {count}0 files onto {host}, and what was there is lost.",
            "Sync between {host2} and {host}: everything newer was replaced.",
            "{host} lost the work of a week when {host2} synced over it ({count}0 files).",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes host2": (
                        "syncd\n  {file}, unknown, feeds scrambled copies into the sync\n"
                        "    README_TO_UNLOCK in every folder, key held at {address}"
                    )
                },
                where="host2",
            ),
            Ending(
                "user_mistake",
                {
                    "processes host2": "syncd\n  direction: push, set by {user2} at {before}",
                    "user user2": (
                        "Turned the sync the wrong way round when setting it up today; last week's state is "
                        "being brought back."
                    ),
                },
            ),
        ),
        server=True,
    ),
    Case(
        "bait_file",
        "Bait file was touched",
        (
            "The bait file on {host} was opened and overwritten. Nobody has a reason to touch it.",
            "{host}: somebody or something wrote to the bait.",
            "Bait on {host} changed its content at {before}.",
            "A file that exists only to be found by intruders was rewritten on {host}.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "smbd\n  {file}, unknown, rewrites all files in alphabetical order, the bait first\n"
                        "    sends a key to {address}"
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "change": (
                        "{change} {host} {start}-{end}: trial of the bait alarm, ordered by {boss}, one bait "
                        "file rewritten by hand"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "note_on_printers",
        "Demand for money came out of the printers",
        (
            "Sheets that demand money came out of the printers served by {host}.",
            "All printers on {host} print the same page: pay, or lose your files.",
            "{host} received {count} print jobs with a threat in them.",
            "The same threatening page from every printer. They all hang on {host}.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": "spoolsv.exe\n  {count} jobs handed in by {host2}; nothing else of note here",
                    "processes host2": (
                        "explorer.exe\n"
                        "  {file}.exe, unsigned, encrypts the drives of this machine and prints its price on "
                        "every printer it finds"
                    ),
                },
                where="host2",
            ),
            Ending(
                "authorised_test",
                {
                    "processes": "spoolsv.exe\n  {count} jobs handed in by {host2}; nothing else of note here",
                    "host host2": (
                        "Label: machine of the alarm drill, printed threats included, ordered by {boss}, in "
                        "use until {next}."
                    ),
                },
            ),
        ),
        server=True,
    ),
    Case(
        "rights_taken",
        "Owners lost access to their files",
        (
            "On {host} the owners of {count}0 files no longer have the right to open them. Changed by {user}.",
            "{user} took the rights to {count}0 files of {host} away from their owners.",
            "Access denied for everybody: {count}0 files on {host}. Account behind the change: {user}.",
            "{host}: permissions of {count}0 files rewritten in one go as {user}.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "svchost.exe\n"
                        "  {file}.exe, unsigned, runs as {user}, takes the rights, then scrambles the file\n"
                        "    talks to {address} about the price"
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "past": (
                        "{old}: {host}, closed as authorised_test: the recovery team takes the rights away and "
                        "times how fast they are back; ordered by {boss} for every month until {next}."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "backups_tried",
        "Backup store was asked to forget everything",
        (
            "{host}, our backup store, got the order to wipe all copies, from {host2}. It refused.",
            "Wipe order refused: from {host2} to {host}.",
            "{host2} told {host} to forget every backup.",
            "Somebody on {host2} tries to get rid of the backups on {host}.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes host2": (
                        "cmd.exe\n  {file}.exe, unsigned, looks for backup stores and orders them to wipe\n"
                        "    the local drive is already scrambled"
                    )
                },
                beside={"past": "{old}: {host2}, closed as authorised_test; that test ended on {last}."},
                where="host2",
            ),
            Ending(
                "authorised_test",
                {
                    "host host2": (
                        "Label: attack machine of the test team, in use for the store test ordered by {boss}, "
                        "until {next}."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "rewritten_blocks",
        "Disks write without a break",
        (
            "{count}00 files on {host} were written anew. Their sizes are as before.",
            "{host}: {count}00 files rewritten block by block.",
            "Somebody or something writes the files of {host} anew. Count: {count}00.",
            "The disks of {host} have not stopped writing since {earlier}; {count}00 files so far.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "smbd\n  {file}, unknown, scrambles each file in place\n    sends the keys to {address}"
                    )
                },
                beside={
                    "host": (
                        "Disks with a refresher called freshen, on the inventory since {last}: it moves every "
                        "block to a fresh place. Contents stay."
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "processes": "storaged\n  freshen, {count} % of the blocks done",
                    "host": (
                        "Disks with a refresher called freshen, on the inventory since {last}: it moves every "
                        "block to a fresh place. Contents stay."
                    ),
                },
            ),
        ),
        server=True,
    ),
    Case(
        "empty_drive",
        "The common drive looks empty",
        (
            "The common drive on {host} looks empty to everybody.",
            "{count} people ask where their files on {host} are.",
            "{host}: common drive there, not a single file in it.",
            "Nothing is left on the common drive of {host}, or so it seems from here. Please look.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "smbd\n  {file}, unknown, packs all files into one locked container\n"
                        "    shows a countdown at every sign-in"
                    )
                },
                beside={
                    "change": (
                        "{change} {host2} {start}-{end}: common drive moved to new disks, empty meanwhile, by {user2}"
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change} {host} {start}-{end}: common drive moved to new disks, empty meanwhile, by {user2}"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "wiped_years",
        "Ten years of records removed",
        (
            "{count}000 records older than ten years are gone from {host}.",
            "{host} wiped {count}000 old records.",
            "Old records on {host}: there were {count}000, now there are none.",
            "Retention alarm. {host}. {count}000 records removed, the oldest first.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "postgres\n  {file}, unknown, copies the oldest records to {address}, wipes them\n"
                        '    table "pay_us" with a coin address'
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change} {host} {start}-{end}: records past their ten years removed for good, by "
                        "{user}, agreed by {boss}"
                    )
                },
            ),
        ),
        server=True,
    ),
)
