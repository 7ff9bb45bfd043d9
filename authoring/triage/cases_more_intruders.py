"""More cases to learn from in which somebody may have broken into a server."""

from authoring.triage.world import Case, Ending

CASES = (
    Case(
        "console_abroad",
        "Administration page opened from abroad",
        (
            "The administration page of {host} was opened from {address}, which is not in this country.",
            "{address} has the administration page of {host} open.",
            "Admin console, {host}: session from a foreign network, {address}.",
            "Somebody far away, at {address}, is looking at the settings of {host}.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "tomcat\n  page without sign-in abused by {address}\n    sh\n"
                        "      {file}, unknown, opens a second door on port 9001"
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "address": "hotel in {city2}; {boss} has a room there for {user3}",
                    "user user3": (
                        "Also looks after {host}; on a trip to {city2} until {back}; told the help desk at "
                        "{before} that the settings need a look."
                    ),
                },
            ),
        ),
        server=True,
    ),
    Case(
        "vpn_gate",
        "Gateway opened a session to a far country",
        (
            "The gateway {host} has let in {user2} from {address}, a country where we have no office.",
            "{host}: tunnel up for {user2}. Other end {address}, far away.",
            "From {address} a tunnel leads through {host} into our network, under the name {user2}.",
            "Country rule on the gateway {host}. User {user2}. Network {address}.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "gated\n  crashed twice at {before} on long requests of {address}\n    sh as root\n"
                        "      {file} writes tunnels for any name without asking"
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "user user2": (
                        "At the mine near {far} for us, from {last} to {back}; called in over the satellite "
                        "phone to announce the tunnel."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "proxy_country",
        "Server managed through a foreign relay",
        (
            "Commands reach {host} through a relay in another country, {address}, as {user}.",
            "{host} takes orders from {address}; the name used is {user}.",
            "{user} on {host}, by way of a foreign relay ({address}).",
            "Relay {address} in between: {user} is at work on {host}, or so it says.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "sshd, broken into through an old hole at {earlier}: takes any password\n"
                        "  bash from {address}\n    {file}, unknown, copies the sign-in keys"
                    )
                },
                beside={"user": "Guest of a customer in {city2} until {back}, trip booked by {boss}."},
            ),
            Ending(
                "travel",
                {
                    "address": "relay of a customer in {city2}, which all guests there have to pass",
                    "user": "Guest of a customer in {city2} until {back}, trip booked by {boss}.",
                },
            ),
        ),
        server=True,
    ),
    Case(
        "open_port",
        "A port is open to the world",
        (
            "Port 5900 of {host} answers the internet; first guest: {address}.",
            "{host} listens on a port that should be shut. {address} has found it.",
            "Outside check: port 5900, {host}, open. Somebody at {address} has connected.",
            "{address} is talking to {host} through a port that we do not offer.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "vncd\n  session of {address} without a password, through the known hole\n    sh\n"
                        "      {file}, new, starts again when ended"
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "host": (
                        "Note of {user}, {day}: put the cable of {host} into the guest network by mistake, "
                        "pulled it at {time}; {address} saw a sign-in window and left."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "front_page",
        "The web site shows other text",
        (
            "The front page on {host} no longer says what it said an hour ago.",
            "{host} greets visitors with a text that the press office did not write.",
            "Changed: start page of {host}.",
            "A visitor asks what happened to our web site ({host}).",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "apache\n  upload.php called by {address}\n    index.html rewritten\n"
                        "    {file}, keeps rewriting it"
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "processes": "apache\n  editor, session of {user3}: publish",
                    "user user3": (
                        'New to the web pages, by mistake pressed "publish" on the practice text. Put the old '
                        "page back at {time}."
                    ),
                },
            ),
        ),
        server=True,
    ),
    Case(
        "crash_loop",
        "Service starts again and again",
        (
            "A service on {host} has started {count} times within minutes.",
            "{host}: start, stop, start, stop. {count} times so far.",
            "The main service of {host} will not stay up.",
            "Supervisor of {host} gives up after {count} attempts to keep the service alive.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "supervisord\n  httpd, falls over at each oversized header from {address}\n"
                        "    at the last fall: sh, then {file} in its place"
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "processes": (
                        "supervisord\n"
                        "  httpd -t: error in line {number} of the settings, saved by {user} at {before} "
                        '("prot" for "port")'
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "login_flood",
        "Sign-in page under fire",
        (
            "{count}000 sign-ins a minute hit {host}; they come from {address}.",
            "The sign-in page of {host} is slow: {address} calls it {count}000 times a minute.",
            "{address} floods the sign-in page on {host}.",
            "Flood: source {address}, target {host}, {count}000 per minute.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "loginsrv, out of memory at {before}\n  restarted without its filter\n"
                        "    {address}: order passed on to sh\n      {file}, unknown, adds itself to the start-up"
                    )
                },
                beside={"host": "Capacity test by Hollander Load Tests, ordered by {boss}, from {last} until {next}."},
            ),
            Ending(
                "authorised_test",
                {
                    "address": "machines of the firm Hollander Load Tests, for hire",
                    "host": "Capacity test by Hollander Load Tests, ordered by {boss}, from {last} until {next}.",
                },
            ),
        ),
        server=True,
    ),
    Case(
        "error_pages",
        "Database errors on a web page",
        (
            "{host} shows database errors to a visitor, {address}.",
            "Visitor {address} makes {host} print parts of its database statements.",
            "Error pages of {host} on requests of {address}: quotes in the wrong place, {count} times.",
            "{count} database errors in the web log of {host}, each after a request by {address}.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "mysqld\n  statement of the web user: into outfile page.php\n"
                        "    php page.php, called by {address}: dumps the accounts"
                    )
                },
                beside={
                    "past": ("{old}: {address}, closed as authorised_test: contract with that tester, ended on {last}.")
                },
            ),
            Ending(
                "authorised_test",
                {
                    "past": (
                        "{old}: {address}, closed as authorised_test: contract with that tester to try {host} "
                        "at any hour, until {next}."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "strange_upload",
        "Program file in the picture upload",
        (
            "Somebody at {address} gave {host} a program in place of a picture.",
            "{host}: file {file}.jsp among the pictures. Sender {address}.",
            "Upload check of {host}: not a picture. Name {file}.jsp, from {address}.",
            "The picture folder of {host} holds {file}.jsp since {before}; {address} put it there.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "jetty\n  {file}.jsp, called by {address}\n    sh -c 'crontab -'\n    sh -c 'cat id_rsa'"
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "host": (
                        "Letter of {boss}, dated {last}: a firm that we hired tries the upload of {host} from "
                        '{address} on {day}; its file {file}.jsp only prints "found".'
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "hidden_hosts",
        "Every name under our domain was tried",
        (
            "{address} asked {host} for {count}00 names under our domain, most of which do not exist.",
            "Name server {host}: {count}00 guesses from {address}.",
            "Somebody at {address} guesses our host names; {host} answers them.",
            "{count}00 names asked in a row. By {address}, of {host}.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "named, sent an answer too long for it by {address}\n  sh as root\n"
                        "    {file}, unknown, hands out false names"
                    )
                },
                beside={
                    "host": (
                        "Note of {boss}, {last}: Brock Audits is to find all our names from outside; ordered, "
                        "goes on until {next}."
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "address": "office line of the firm Brock Audits",
                    "host": (
                        "Note of {boss}, {last}: Brock Audits is to find all our names from outside; ordered, "
                        "goes on until {next}."
                    ),
                },
            ),
        ),
        server=True,
    ),
    Case(
        "health_shell",
        "Shell opened every few seconds",
        (
            "A shell opens on {host} every ten seconds and closes again; {address} asks for it.",
            "{host}: sh, ten seconds, sh, ten seconds, sh. Peer: {address}.",
            "Short-lived shells on {host}, {count}00 today, all for {address}.",
            "Since {earlier} {host} opens a shell every ten seconds. The orders come from {address}.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "haproxy\n  sh, fed by {address} through the status page\n"
                        "    {file}, unknown, started anew whenever it is missing"
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "address": (
                        "our own watch station at the second site; asks each server for its health by a short shell"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "proxy_front",
        "Strange program answers for the web server",
        (
            "On {host} port 443 is answered by another program than yesterday.",
            "{host}: not the usual web server behind port 443.",
            "Fingerprint of {host}, port 443: changed.",
            "Something new stands between the internet and {host}.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "{file}, unknown, took over port 443 after a break-in through the web server\n"
                        "  httpd, behind it\n  copies each password to {address}"
                    )
                },
                beside={"change": "{change} {host2} {start}-{end}: relay put in front of the web server, by {user2}"},
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change} {host} {start}-{end}: relay put in front of the web server on port 443, by {user2}"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "site_relaunch",
        "All pages replaced at once",
        (
            "Every page of the site on {host} was replaced within a minute.",
            "{host}: {count}00 pages changed at {before}, all together.",
            "The whole site on {host} is new. Who did that?",
            "Pages on {host} rewritten, {count}00 of {count}00.",
        ),
        (
            Ending(
                "exploited_server",
                {
                    "processes": (
                        "nginx\n  editor opened through a forgotten plug-in, visitor {address}\n"
                        "    {file}, unknown, writes a card-reading script into each page"
                    )
                },
            ),
            Ending(
                "planned_change",
                {"change": "{change} {host} {start}-{end}: new design goes live, all pages replaced, by {user3}"},
            ),
        ),
        server=True,
    ),
)
