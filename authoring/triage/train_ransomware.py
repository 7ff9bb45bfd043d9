"""Training cases whose alert may be ransomware."""

from authoring.triage.world import Case, Ending

CASES = (
    Case(
        "many_renames",
        "Many files renamed",
        (
            "{count}00 files were renamed on {host} within a minute, account {user}.",
            "File sensor on {host}: {count}00 names changed in less than sixty seconds; signed in was {user}.",
            "{user} is at work on {host}, where file names are changing by the hundred ({count}00 so far).",
            "Rename counter over the limit. Account {user}, computer {host}, {count}00 files.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "explorer.exe\n  {file}.exe, unsigned\n    vssadmin.exe delete shadows /all\n"
                        "    cmd.exe /c ren *.docx *.locked"
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "processes": (
                        "explorer.exe\n  phototool.exe (signed, bought by the company), batch rename of a photo folder"
                    )
                },
            ),
        ),
    ),
    Case(
        "shadow_copies",
        "Backups on a computer were deleted",
        (
            "The shadow copies of {host} were deleted by {user}.",
            "{host} has no restore points any more. The command was given as {user}.",
            "{user} removed every local backup of {host}.",
            "Local snapshots gone on {host}; they were removed in the session of {user}.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "cmd.exe\n  {file}.exe, unsigned\n    wbadmin.exe delete catalog\n"
                        "    writes HOW_TO_PAY.txt to every folder"
                    )
                },
            ),
            Ending(
                "planned_change",
                {"change": "{change} {host} {start}-{end}: disk full, old shadow copies deleted, by {user}"},
            ),
        ),
    ),
    Case(
        "shared_folder",
        "Files on a share are encrypted",
        (
            "Files of the share on {host} get the ending .enc; the writer is {host2}, account {user}.",
            "{host2} rewrites files on the share of {host} so that they end in .enc. Signed in is {user}.",
            "The share of {host} fills with .enc files. They are written by {user} from {host2}.",
            "{user}, working on {host2}, turns one document after the other on {host} into .enc files.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes host2": (
                        "explorer.exe\n  {file}.exe, unsigned, encrypts every share it finds\n"
                        "    asks for money in README.hta"
                    )
                },
                where="host2",
            ),
            Ending(
                "known_software",
                {
                    "processes host2": (
                        "explorer.exe\n  vault.exe (signed, the lawyers' encryption program), project folder {number}"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "odd_hour_edits",
        "Documents rewritten at an odd hour",
        (
            "Between {earlier} and {time} {host} rewrote {count} documents on the share. Signed in: {user}.",
            "{count} documents changed outside the usual hours of the account, all from {host}, all by {user}.",
            (
                "{user} changes file after file on the share ({count} up to now) at a time at which that "
                "account never works. Computer: {host}."
            ),
            "Writing on the share at an unusual time: {host}, {user}, {count} documents since {earlier}.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "explorer.exe\n"
                        "  {file}.exe, unsigned, opens a document, writes noise, goes on to the next\n"
                        "    drops PAY_TO_READ.txt beside each"
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "On a company trip to {far}, hours away from our time, until {back}: it is the working "
                        "day there. Named the documents to {boss} on the phone."
                    )
                },
            ),
        ),
    ),
    Case(
        "lost_contact",
        "Computer back after days",
        (
            "{host} of {user} was silent for nine days and is back, with {count} GB to send.",
            "Back online: {host}. Last contact nine days ago. {user}. Backlog {count} GB.",
            "After nine days without a sign {host} reports again and pushes {count} GB outwards. Owner {user}.",
            "{user}'s computer {host} reappeared; it had been away for nine days and is busy uploading {count} GB.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "explorer.exe\n  {file}.exe, unsigned, packs the documents, sends them to {address}\n"
                        "    replaces each by a file that says how much to pay"
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "host": (
                        "On loan to {user} for the expedition out of {city2}; no network there until {day}, "
                        "then photographs follow."
                    )
                },
            ),
        ),
    ),
    Case(
        "garbled_text",
        "Text files have become unreadable",
        (
            "Text files of {host} are full of strange signs. They were saved by {user}.",
            "{user} saved {count}0 text files on {host}; since then nobody can read them.",
            "Unreadable: {count}0 text files on {host}. Last saved by {user}.",
            "The contents of {count}0 files on {host} changed from text to noise in the session of {user}.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "notepad.exe\n  {file}.exe, unsigned, hangs in notepad and scrambles what is saved\n"
                        "    background picture replaced by a payment page"
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "host": (
                        "Help desk, {day}: {user} had chosen a wrong character set in the batch converter; the "
                        "originals lie in the bin and are being put back."
                    )
                },
            ),
        ),
    ),
    Case(
        "ransom_screen",
        "Payment demand on the screen",
        (
            "{user} sends a photo: {host} shows a page that demands money.",
            "{host} is locked, says {user}; a red page asks for payment.",
            'Screen of {host}: "Your files are ours." Reported by {user}.',
            "Call from {user}. On {host} nothing works but a window with a price and a clock.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "host": (
                        "Technician {user2} at the desk, {time}: all files scrambled by {file}.exe, a price in "
                        "coins, and no drill on this floor."
                    )
                },
                beside={
                    "change": (
                        "{change} {host2} {start}-{end}: emergency drill with a red payment page, ordered by {boss}"
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "change": (
                        "{change} {host} {start}-{end}: emergency drill with a red payment page, no file is "
                        "touched, ordered by {boss}"
                    )
                },
            ),
        ),
    ),
    Case(
        "odd_endings",
        "Unknown file ending spreads",
        (
            "Files with the ending .q{number} spread on {host} in the folders of {user}.",
            "The ending .q{number} was never seen before; {host}, {user}.",
            "{host}: more and more .q{number} files, all in folders of {user}.",
            "In the folders of {user} on {host} documents get a second ending, .q{number}.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "explorer.exe\n  {file}.exe, unsigned, locks a document, adds .q{number}\n"
                        "    sets a picture with a price as background"
                    )
                },
                beside={
                    "past": (
                        "{old}: {host}, closed as known_software: plotwise.exe, the drawing program, saves "
                        "revisions as .q and a number; exception until {next}."
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "past": (
                        "{old}: {host}, closed as known_software: plotwise.exe, the drawing program, saves "
                        "revisions as .q and a number; exception until {next}."
                    ),
                    "processes": "explorer.exe\n  plotwise.exe, drawing of {user}, writes .q{number}",
                },
            ),
        ),
    ),
    Case(
        "disk_lock",
        "Disk is being encrypted",
        (
            "The disk of {host} is being encrypted at this moment; user {user}.",
            "{host}: encryption of the drive has started, {count} % done. It is {user}'s.",
            "Drive C: of {host} ({user}) turns unreadable from the outside, {count} % so far.",
            "{user}, {host}: encryption in progress.",
        ),
        (
            Ending(
                "ransomware",
                {
                    "processes": (
                        "cmd.exe\n"
                        "  {file}.exe, unsigned, starts the drive encryption with a password of its own\n"
                        "    shows an account number to pay to"
                    )
                },
                beside={"change": "{change} {host3} {start}-{end}: drive encryption switched on, by {user3}"},
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change} {host} {start}-{end}: drive encryption switched on, key kept by our IT, by {user2}"
                    )
                },
            ),
        ),
    ),
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
