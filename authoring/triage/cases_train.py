"""Cases to learn from, about programs on people's own computers. Facts that mislead come from `companies`."""

from authoring.triage.world import Case, Ending

CASES = (
    Case(
        "macro",
        "Office program starts a script",
        (
            "winword.exe started powershell.exe on {host}, account {user}.",
            "On {host} a text document of {user} has opened powershell.exe by way of winword.exe.",
            (
                "Endpoint sensor: parent winword.exe, child powershell.exe. Host {host}. User {user}. Nothing "
                "was stopped."
            ),
            (
                "A script ran out of a Word document that {user} had open on {host}. We cannot see from here "
                "what it does."
            ),
        ),
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
        "hot_laptop",
        "Processor busy for hours",
        (
            "{host} has been at full load since {earlier}, account {user}.",
            "All cores of {host} have been busy without a break since {earlier}. Signed in: {user}.",
            "{user} complains that {host} is slow and hot. Load: 100 % since {earlier}.",
            "Load of {host}, the computer of {user}, has not dropped below 97 % since {earlier}.",
        ),
        (
            Ending(
                "mining",
                {"processes": "svchost.exe (in C:\\Users\\Public)\n  {file}.exe --pool {address}:3333 --threads 8"},
            ),
            Ending(
                "known_software",
                {
                    "processes": (
                        "explorer.exe\n"
                        "  render.exe (signed, licence of the design team), frame {number} of 1000 of a film"
                    )
                },
            ),
        ),
    ),
    Case(
        "new_service",
        "New service installed",
        (
            'The service "{file}" was installed on {host} by {user}.',
            "{host} has a new service named {file}. It was put there under the account {user}.",
            "Under the account {user} something called {file} was registered as a service; the computer is {host}.",
            "Service list of {host} changed: + {file}. Author: {user}.",
        ),
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
        (
            "{file}.exe was started from drive E: on {host}, account {user}.",
            "A stick was plugged into {host} and {file}.exe ran from it; {user} was signed in.",
            "{user} ran {file}.exe straight from a removable drive on {host}.",
            "Removable media: E:\\{file}.exe executed, {host}, {user}.",
        ),
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
        "remote_tool",
        "Remote control program",
        (
            "A remote control program runs on {host} (account {user}).",
            "{host}: screen sharing with control from afar is active; {user} is signed in.",
            "The mouse on {host} can be moved from elsewhere: a program for remote control is running, user {user}.",
            "Software for remote control seen on the computer {host} of {user}.",
        ),
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
                        "{old}: the help desk's remote control program, exception for all computers until "
                        "{next}; its sessions are recorded."
                    )
                },
            ),
        ),
    ),
    Case(
        "credential_dump",
        "Memory of the sign-in process was read",
        (
            "A program read the memory of lsass.exe on {host}.",
            "{host}: lsass.exe was opened for reading by another program.",
            "Something on {host} looked into the memory where passwords are kept.",
            "Sensor rule 17. Object: lsass.exe. Access: read memory. Computer: {host}.",
        ),
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
        "dns_tunnel",
        "Odd name lookups",
        (
            "{host} asked for {count}00 long random names within ten minutes.",
            "Name server log: {count}00 names of forty random letters, all asked by {host}, all in ten minutes.",
            "{host} looks up names that nobody could read aloud, {count}00 of them so far.",
            "The name lookups of {host} look like noise ({count}00 in ten minutes).",
        ),
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "taskhost.exe\n"
                        "  {file}.dll, loaded by rundll32.exe, one lookup a second, answers carry commands "
                        "from {address}"
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "processes": (
                        "explorer.exe\n"
                        "  guardscan.exe (signed, our virus scanner), asks its maker's cloud about files by "
                        "name lookups"
                    )
                },
            ),
        ),
    ),
    Case(
        "scanner_on_laptop",
        "Port scan from inside",
        (
            "{host} (account {user}) tried {count} ports on each of its neighbours.",
            "Neighbours of {host} were probed, {count} ports each. Signed in there: {user}.",
            "{user} or something on {host} is knocking at the doors of other computers, {count} ports on every one.",
            "Switch log: {host} runs through {count} ports per machine in its network; account {user}.",
        ),
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
                {"user": "Letter of order by {boss}: to scan the office network from {host} on {day}, all day."},
            ),
        ),
    ),
    Case(
        "browser_plugin",
        "Browser add-on sends data",
        (
            'The add-on "{file}" in the browser of {user} on {host} sends data to {address}.',
            "{host}, browser of {user}: what the add-on {file} collects goes to {address}.",
            (
                "There is steady traffic from {host} to {address}. It belongs to {file}, an add-on in the "
                "browser of {user}."
            ),
            "{address} receives data from a browser extension ({file}) on {host}; the profile is that of {user}.",
        ),
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
)
