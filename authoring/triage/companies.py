"""The training company and the held-out company. They share no name and no ordinary fact."""

from authoring.triage.world import Company

TRAIN = Company(
    people=(
        "m.okafor", "l.brandt", "s.iyer", "p.nowak", "c.duarte", "h.lindqvist", "a.bensaid", "r.tanaka", "e.moretti",
        "j.kowal", "t.adeyemi", "v.petrov", "n.haddad", "g.sorensen", "k.mbeki", "d.ferrari", "o.laurent", "b.szabo",
    ),
    jobs=("payroll clerk", "sales manager", "designer", "lawyer", "buyer", "developer", "recruiter", "lab assistant"),
    cities=("Lyon", "Gdansk", "Porto", "Leeds", "Graz", "Turin", "Malmo", "Ghent"),
    far=("Osaka", "Lima", "Perth", "Hanoi", "Quito", "Manila"),
    laptop="ws-",
    servers=("srv-files-1", "srv-web-2", "srv-mail-1", "srv-build-3", "srv-db-4", "srv-wiki-1", "srv-print-2", "srv-crm-1"),
    address="203.0.113.",
    files=("updsvc", "msfilter", "readerx", "netcache", "dispdrv", "winlogq"),
    laptops_are=(
        "laptop of {user}, Windows 11, patched.",
        "computer of {user}, Windows 11, on lease.",
        "three years old, Windows 11, patched last week.",
    ),
    servers_are=(
        "server in the {city} data centre, owner {boss}.",
        "bought last year, owner {boss}, backed up nightly.",
        "server of the IT department, owner {boss}.",
    ),
    critical=(
        "CRITICAL: it runs the loading dock.",
        "CRITICAL: door control of the whole site.",
        "CRITICAL: production line 2 stops without it.",
        "CRITICAL: the cold store alarms hang on it.",
        "CRITICAL: pays out the wages.",
    ),
    people_are=("{job}, works from {city}.", "{job}, in the company since 2019.", "{job}, team of {boss}."),
    host_notes=(
        "Inventory sticker renewed on {old}.",
        "Free of dust since {last}.",
        "Warranty ends on {next}.",
        "Came with two spare cables.",
    ),
    user_notes=(
        "Parks in the yard.",
        "Passed the yearly safety course on {old}.",
        "New chair delivered on {last}.",
        "Member of the choir.",
    ),
    laptop_trees=(
        "explorer.exe\n  outlook.exe\n  chrome.exe",
        "explorer.exe\n  excel.exe\n  teams.exe",
        "explorer.exe\n  acrobat.exe\n  edge.exe",
    ),
    server_trees=(
        "services.exe\n  svchost.exe\n  spoolsv.exe",
        "services.exe\n  w32time\n  wmiprvse.exe",
        "init\n  rsyslogd\n  crond",
    ),
    unknown=(
        "no reports; owner not public",
        "no reports, this year or last",
        "no reports; registered three years ago",
    ),
    bad=(
        "malicious: 41 reports this month",
        "malicious: control server of a known gang",
        "malicious: on three blocklists since {last}",
    ),
    past=(
        "{old}: on {host2}, closed as known_software: the backup agent there.",
        "{old}: on {host}, closed as malware; it was set up anew on {last}.",
        "{old}: closed as user_mistake by {boss}.",
        "{old}: {host2}, closed as known_software. The exception for {host2} ended on {last}.",
        "{old}: {host3}, closed as planned_change after a call to {boss}.",
        "{old}: closed as stolen_account; it was the account of {user3}.",
        "{old}: {host3}, closed as travel.",
    ),
    changes=(
        "{change} {host3} {start}-{end}: more memory, by {user3}",
        "{change} {host2} {start}-{end}: new certificates, by {user2}",
        "{change} {host} {early}-{over}: printer driver, by {user3}",
        "{change} all printers {early}-{end}: new toner, by {user3}",
        "{change} {host3} {start}-{end}: clean-up of old accounts, by {user2}",
        "{change} {host} {early}-{over}: firmware of the network card, by {user2}",
        "{change} meeting rooms {start}-{end}: screens replaced, by {user3}",
    ),
)  # fmt: skip

VAL = Company(
    people=(
        "ingrid_vale", "tomas_reyes", "yuki_arata", "omar_fadel", "bela_horn", "nina_cole", "piet_jansen", "lucia_bravo",
        "samir_rao", "freya_dahl", "marek_zelny", "chloe_ashe",
    ),
    jobs=("accountant", "pharmacist", "editor", "planner", "surveyor", "trainer"),
    cities=("Bergen", "Sofia", "Cork", "Basel", "Tartu", "Nantes"),
    far=("Nagoya", "Bogota", "Jakarta", "Calgary"),
    laptop="PC",
    servers=("orion", "vega", "altair", "rigel", "deneb", "capella"),
    address="192.0.2.",
    files=("hostmgr", "audiopan", "gfxhelp", "syncq"),
    laptops_are=(
        "assigned to {user}; Linux, up to date.",
        "a shared notebook at the {city} branch.",
        "assigned to {user}; leased until {next}.",
    ),
    servers_are=(
        "rack 4, looked after by {boss}.",
        "two years old, looked after by {boss}.",
        "hosted at {city}, looked after by {boss}.",
    ),
    critical=(
        "CRITICAL: patients' monitors report to it.",
        "CRITICAL: the emergency line runs through it.",
        "CRITICAL: doses are worked out on it.",
    ),
    people_are=("{job} at the {city} branch.", "{job}; reports to {boss}.", "{job}, part time."),
    host_notes=(
        "Insured against water.",
        "Next check-up due on {next}.",
        "Power plug tested on {old}.",
        "Fan wiped on {last}.",
    ),
    user_notes=(
        "Has a locker in the basement.",
        "Holds a first-aid certificate.",
        "Canteen card renewed on {last}.",
        "Long-service pin handed over on {old}.",
    ),
    laptop_trees=("systemd\n  gnome-shell\n    firefox", "systemd\n  gnome-shell\n    libreoffice"),
    server_trees=("systemd\n  cron\n  sshd", "systemd\n  journald\n  chronyd"),
    unknown=(
        "nothing known, good or bad",
        "nothing known; holder withheld",
        "nothing known; in use for a long time",
    ),
    bad=(
        "malicious: seen in attacks on hospitals",
        "malicious: sells stolen passwords",
        "malicious: confirmed by two partners on {last}",
    ),
    past=(
        "One on {old}, {host3}: an authorised_test, long over.",
        "One on {old}, {host}: stolen_account, password changed since.",
        "Two since {old}, both planned_change, both on {host2}.",
        "One on {old}, {host3}: travel, cleared up on the phone.",
        "One on {old}, {host2}: mining; {user2} cleaned it up.",
    ),
    changes=(
        "{change}, {host2}, from {start} to {end}: kernel update ({user3})",
        "{change}, {host}, from {early} to {over}: cables relaid ({user2})",
        "{change}, {host3}, from {start} to {end}: moved to another room ({user2})",
        "{change}, {host}, from {early} to {over}: label renewed ({user3})",
        "{change}, lifts, from {start} to {end}: yearly inspection ({user2})",
    ),
)  # fmt: skip
