"""Held-out cases whose alert may be ransomware."""

from authoring.triage.world import Case, Ending

CASES = (
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
                        "Remark by {user}, {day}: painted white letters on white ground, without meaning to, "
                        "in the template which all sheets follow. Undone at {time}."
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
                        "Technician {user2}, {time}: {file} has shredded the timetable store, contact wanted "
                        "at {address}, nobody rehearses here."
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
                beside={
                    "host": (
                        "Houses slimmail, ours, approved by the data council: it parks big attachments in the "
                        "cellar store, link by link."
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "processes": "dovecot\n  slimmail, link {number} of today",
                    "host": (
                        "Houses slimmail, ours, approved by the data council: it parks big attachments in the "
                        "cellar store, link by link."
                    ),
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
)
