"""Cases to learn from, about people's own computers and accounts. Facts that mislead come from `companies`."""

from verigym.environments.triage.world import Case, Ending

CASES = (
    Case(
        "macro",
        "Office program starts a script",
        "winword.exe started powershell.exe on {host}, account {user}.",
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "winword.exe invoice_{number}.docm (from an e-mail)\n"
                        "  powershell.exe -w hidden -enc SQBFAFg\n    {file}.exe, unsigned, talks to {address}"
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "processes": (
                        "winword.exe labels.dotm (template of the company, signed)\n"
                        "  powershell.exe print_labels.ps1 (signed by our IT), no connection"
                    )
                },
            ),
        ),
    ),
    Case(
        "many_renames",
        "Many files renamed",
        "{count}00 files were renamed on {host} within a minute, account {user}.",
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
        "hot_laptop",
        "Processor busy for hours",
        "{host} has been at full load since {before}, account {user}.",
        (
            Ending(
                "mining",
                {"processes": "svchost.exe (in C:\\Users\\Public)\n  {file}.exe --pool {address}:3333 --threads 8"},
            ),
            Ending(
                "known_software",
                {
                    "processes": (
                        "explorer.exe\n  render.exe (signed, licence of the design team), film {number} of 900 frames"
                    )
                },
            ),
        ),
    ),
    Case(
        "two_countries",
        "Sign-ins from two places",
        "{user} signed in from {city} and, 20 minutes later, from {city2} ({address}).",
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
        "{count} wrong passwords for {user} from {address}, the next one was right.",
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "After the sign-in from {address} a new phone was added and mail is forwarded outside. "
                        "{user} was asleep and knows nothing of it."
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
        "{count} GB went from {host} (account {user}) to an outside storage.",
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
                        "{change} {host} {start}-{end}: film material handed to the agency's storage, by {user}, "
                        "agreed by {boss}"
                    )
                },
            ),
        ),
    ),
    Case(
        "new_service",
        "New service installed",
        'The service "{file}" was installed on {host} by {user}.',
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "services.exe\n  {file}.exe, unsigned, one hour old\n    cmd.exe /c whoami\n"
                        "    connection to {address}:8443"
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        '{change} {host} {start}-{end}: service "{file}" of the label printer installed, by {user}'
                    )
                },
            ),
        ),
    ),
    Case(
        "usb",
        "Program started from a USB stick",
        "{file}.exe was started from drive E: on {host}, account {user}.",
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "explorer.exe\n  E:\\{file}.exe, unsigned\n    schtasks.exe /create /tn upd /sc minute\n"
                        "    reads the browser's stored passwords"
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "change": (
                        "{change} {host} {start}-{end}: our own drill with found USB sticks; {file}.exe only "
                        "counts clicks, by {boss}"
                    )
                },
            ),
        ),
    ),
    Case(
        "mail_rule",
        "Mail rule hides messages",
        "A rule that moves all mail with 'invoice' to a hidden folder was made in the mailbox of {user} from {address}.",
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
                        "Made the rule at the desk while tidying up, chose the wrong folder, and has asked the "
                        "help desk to put it right."
                    )
                },
            ),
        ),
    ),
    Case(
        "remote_tool",
        "Remote control program",
        "A remote control program runs on {host} (account {user}).",
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "chrome.exe\n  {file}.exe (renamed remote control, unsigned), session open to {address}\n"
                        "    cmd.exe /c net user"
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "past": (
                        "{old}: the help desk's remote control program, exception for all laptops until {next}; "
                        "its sessions are recorded."
                    )
                },
            ),
        ),
    ),
    Case(
        "credential_dump",
        "Memory of the sign-in process was read",
        "A program read the memory of lsass.exe on {host}.",
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "cmd.exe\n  {file}.exe, unsigned, from the temp folder, opened lsass.exe\n"
                        "    wrote out.dmp, sent it to {address}"
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "processes": (
                        "services.exe\n"
                        "  guardscan.exe (signed, our virus scanner), opened lsass.exe for reading, no connection"
                    )
                },
            ),
        ),
    ),
    Case(
        "night_work",
        "Sign-in at an unusual hour",
        "{user} signed in to {host} at {time}, for the first time at such an hour.",
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
                        "{change} {host} {start}-{end}: year's accounts closed outside hours, by {user}, agreed "
                        "by {boss}"
                    )
                },
            ),
        ),
    ),
    Case(
        "dns_tunnel",
        "Odd name lookups",
        "{host} asked for {count}00 long random names within ten minutes.",
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "taskhost.exe\n"
                        "  {file}.dll, loaded by rundll32.exe, one lookup a second, answers carry commands from "
                        "{address}"
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "processes": (
                        "explorer.exe\n"
                        "  guardscan.exe (signed, our virus scanner), asks its maker's cloud about files by name "
                        "lookups"
                    )
                },
            ),
        ),
    ),
    Case(
        "fake_sign_in_page",
        "Password typed on a strange page",
        "{user} opened a page like our sign-in page at {address} on {host}.",
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
        "scanner_on_laptop",
        "Port scan from inside",
        "{host} (account {user}) tried {count} ports on each of its neighbours.",
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "winlogon.exe\n"
                        "  {file}.exe, unsigned, scans the network and copies itself, was fetched from {address}"
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "user": (
                        "Network engineer. Letter of order by {boss}: to scan the office network from {host} on "
                        "{day}, all day."
                    )
                },
            ),
        ),
    ),
    Case(
        "browser_plugin",
        "Browser add-on sends data",
        'The add-on "{file}" in the browser of {user} on {host} sends data to {address}.',
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "chrome.exe\n  add-on {file}, not from the store, reads all pages\n"
                        "    drops helper.exe, which starts with Windows"
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "past": (
                        "{old}: {file} is our expenses add-on, which talks to its maker; exception recorded, "
                        "holds until {next}."
                    )
                },
            ),
        ),
    ),
    Case(
        "locked_out",
        "Account locked",
        "{user} was locked after {count} wrong passwords on {host}.",
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
        "shadow_copies",
        "Backups on a computer were deleted",
        "The shadow copies of {host} were deleted by {user}.",
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
)
