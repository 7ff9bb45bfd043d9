"""Training cases whose alert may be data theft."""

from authoring.triage.world import Case, Ending

CASES = (
    Case(
        "big_upload",
        "Large upload",
        (
            "{count} GB went from {host} (account {user}) to an outside storage.",
            "Outgoing traffic of {host}: {count} GB to a storage service that is not ours. Signed in: {user}.",
            "{user} has moved {count} GB from {host} to storage outside the company.",
            "Somebody at {host} (the account is {user}) filled an outside storage with {count} GB of our files.",
        ),
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
                        "{change} {host} {start}-{end}: film material handed to the agency's storage, by "
                        "{user}, agreed by {boss}"
                    )
                },
            ),
        ),
    ),
    Case(
        "night_work",
        "Sign-in at an unusual hour",
        (
            "{user} signed in to {host} at {time}, for the first time at such an hour.",
            "At {time} {user} appeared on {host}. In two years this has not happened at this time of day.",
            "First sign-in ever of {user} around {time}; the computer is {host}.",
            "{host} was used at {time} by {user}, far from the usual hours of that account.",
        ),
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
                        "{change} {host} {start}-{end}: year's accounts closed at an unusual hour, by {user}, "
                        "agreed by {boss}"
                    )
                },
            ),
        ),
    ),
    Case(
        "database_dump",
        "Whole table read",
        (
            "The account {user} read all customers from the database on {host}.",
            "{host}, database: select * from customers, without a limit, by {user}.",
            "The complete customer table on {host} was fetched in one go under the account {user}.",
            "{user} has just read every single customer that {host} knows.",
        ),
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
        "shared_account",
        "Files copied by a shared session",
        (
            "{count}00 drawings were copied from {host} in the session of {user}.",
            "The session of {user} on {host} took a copy of {count}00 drawings.",
            "{host}: {count}00 drawings read and copied, signed in as {user}.",
            "Somebody signed in as {user} helped themselves to {count}00 drawings from {host}.",
        ),
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
                        "Dragged the wrong folder onto the desktop, saw it, deleted the copy, and reported it "
                        "at {time}."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "offline_copy",
        "Folder made available offline",
        (
            "{user} marked a folder of {count} GB to be kept on {host}.",
            "Sync on {host}: {count} GB are being copied for use without a network. Account {user}.",
            "An unusually big offline copy ({count} GB) is on its way to {host}, asked for by {user}.",
            "{count} GB from the project drive will soon lie on {host}; {user} ticked the box.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Signed with a rival on {last}, which {boss} learnt today. The folder is another "
                        "team's, and a private disk took it in at {time}."
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "Leaves for {far} today, six days on sites without a network; travel form signed by "
                        "{boss} asks for an offline copy of the project."
                    )
                },
            ),
        ),
    ),
    Case(
        "roaming_bill",
        "High use of mobile data",
        (
            "{count} GB over the mobile card of {host} in one day, user {user}.",
            "The mobile card in {host} has used {count} GB today. It is paid for by us and carried by {user}.",
            "Data limit passed: card of {user}, computer {host}, {count} GB.",
            "Our phone company warns: {count} GB in one day for the card of {user} in {host}.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Sent the design archive over the mobile card, past our filter, to a buyer; the chat "
                        "with the buyer was left open at the desk and {boss} has it."
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "past": (
                        "{old}: {user}, closed as travel: drives to the building sites around {city2} and "
                        "holds the meetings over the card. Exception until {next}."
                    )
                },
            ),
        ),
    ),
    Case(
        "mail_at_sea",
        "Mailbox fetched in full",
        (
            "A mail program on {host} fetched the whole mailbox of {user}, nine years of it.",
            "{user}: all mail downloaded to {host}, {count}000 messages.",
            "Complete download of a mailbox. Owner {user}; it went to {host}.",
            "{host} holds every message of {user} now; normally it keeps the last month.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Works out the notice given on {last}. Told a colleague that the customers' letters in "
                        "that mailbox come along to the next job; burnt them to a disk at {time}."
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "past": (
                        "{old}: {user}, closed as travel: sails on the survey ship with the whole mailbox on "
                        "board. Exception for these voyages until {next}."
                    )
                },
            ),
        ),
    ),
    Case(
        "shared_room",
        "Files opened at the other site",
        (
            "{count} plans were opened on {host2}, which is in {city2} today, by {user}, whose desk is in {city}.",
            "{user} ({city}) reads plans on {host2} in {city2}: {count} since {before}.",
            "Wrong site: {host2} is in {city2}, {user} belongs to {city}. {count} plans were looked at.",
            "On {host2} in {city2} the account {user} went through {count} plans. Its owner works in {city}.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "At the desk in {city} at {time}, as two colleagues saw. Gave the password to {user2} "
                        'on {last} "for an emergency".'
                    ),
                    "user user2": (
                        "Opened the plans as {user} without any order, photographed them and sent them to a "
                        "bidder, as the bidder reports."
                    ),
                },
                who="user2",
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "Stands in for a colleague in {city2} this week and reads the plans of that site; "
                        "{boss} sent the travel order."
                    )
                },
            ),
        ),
    ),
    Case(
        "customs_copy",
        "Disk read out as a whole",
        (
            "The whole disk of {host} was read from first to last block. Signed in: {user}.",
            "{host}: full image of the disk taken, account {user}.",
            "Something copied {host} block by block. It is {user}'s.",
            "Disk sensor of {host} ({user}): complete read, {count}0 GB, in one sitting.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Signed a contract with a rival, dated {last}. Took the image to a private drive at "
                        "{time} and refuses to hand it in."
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "host": (
                        "Travel desk, {day}: {user} is on the way back from a customer in {city2}; customs "
                        "read out the disk at the border, receipt {number}."
                    )
                },
            ),
        ),
    ),
    Case(
        "customers_by_phone",
        "Many customer pages opened on a phone",
        (
            (
                "{user} opened {count} customer pages on a phone, by {address}; normally this account uses "
                "only a desktop."
            ),
            "Phone instead of desktop: {user}, {address}, {count} customer pages.",
            "{count} customers were looked up as {user} with a telephone whose network is {address}.",
            "From a phone at {address} the account {user} has called up {count} customers one by one.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Lists of those customers, with screenshots of the phone, were put up for sale under "
                        "the private name of {user}, who has admitted it to {boss}."
                    )
                },
            ),
            Ending(
                "travel",
                {
                    "user": (
                        "On the road visiting customers around {city2} since {last}, {count} on the list that "
                        "{boss} drew up; the car has a phone only."
                    )
                },
            ),
        ),
    ),
    Case(
        "wrong_recipient",
        "Customer list in an outgoing mail",
        (
            "A mail of {user} with {count}00 customers in it went to an address outside.",
            "Mail filter: list of {count}00 customers, sender {user}, receiver not one of us.",
            "{user} sent our customers (a table with {count}00 lines) out of the house.",
            "Outgoing: customers.xlsx, {count}00 lines. From {user}.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        'Receiver is the private mailbox of {user}. A note to it reads "as agreed, the rest '
                        'after payment". Leaves the company on {next}.'
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        "The mail program filled in a Smith at a supplier for a Smith in accounts. {user} rang "
                        "the supplier, who wiped it and confirmed so in writing."
                    )
                },
            ),
        ),
    ),
    Case(
        "public_link",
        "Folder shared with everybody",
        (
            "{user} made a link to a folder that anybody on the internet can open; {count} downloads by now.",
            "Public link by {user}. Downloads: {count}.",
            "There is a folder of {user} out in the open, no password. It was fetched {count} times.",
            "Anyone with the link gets the folder that {user} has shared; {count} have.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Posted the link in a forum where plans are sold, under a name that {user} has used "
                        "there since {old}; the money went to the same name."
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        'Ticked "anyone" where "team" was meant; the {count} downloads are the team\'s own. '
                        "Took the link back and reported it at {time}."
                    )
                },
            ),
        ),
    ),
    Case(
        "phone_backup",
        "Company pictures on a private phone",
        (
            "Pictures of the prototype from {host} turned up in a private phone backup of {user}.",
            "{host}: {count} pictures of the prototype synced to a phone that belongs to {user} and not to us.",
            "{user} has {count} pictures from {host} on a private phone.",
            "Private phone, company pictures ({count}), computer {host}, account {user}.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "The pictures were sent on from the phone to a journalist, who asked our press office "
                        "about them by name of the sender."
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "host": (
                        "Note of the help desk, {day}: {user} had only charged the phone on the cable; it took "
                        "the pictures by itself. Wiped together at {time}."
                    )
                },
            ),
        ),
    ),
    Case(
        "wrong_printer",
        "Secret papers on a strange printer",
        (
            "{count} pages marked secret were printed by {user} at a copy shop, from {host}.",
            "{host} printed to a printer that is not ours: {count} secret pages, account {user}.",
            'Printer log of {host}: outside printer, {count} pages with the stamp "secret", {user}.',
            "Secret pages ({count}) went from {host} to a printer in town. It was {user}.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Picked the pages up in person, as the shop says, and handed them to somebody in a car "
                        "of a rival; {boss} has the plate number."
                    )
                },
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        "Had printed private tickets there last week and it stayed the default printer. "
                        "Noticed, drove over, shredded all {count} pages with the shop's owner."
                    )
                },
            ),
        ),
    ),
    Case(
        "bulk_select",
        "Every personnel file was opened",
        (
            "{user} opened all {count}0 personnel files on {host}.",
            "{host}: {count}0 personnel files read one after the other by {user}.",
            "Personnel: each and every file on {host} was opened, {count}0 in all, under the name {user}.",
            "All personnel files of {host} are marked as read by {user}.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "The session was opened by remote help, which {user2} gave at {before}; {user} had gone home."
                    ),
                    "user user2": (
                        "Read the files under the name of {user}, kept the salaries and showed them around in "
                        "a private group."
                    ),
                },
                who="user2",
            ),
            Ending(
                "user_mistake",
                {
                    "user": (
                        'Pressed "select all" and Enter in the wrong window; closed what opened, called {boss} '
                        "at once and was believed after a look at the recording."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "marked_papers",
        "Papers with a hidden mark left the house",
        (
            "Papers with our hidden mark passed the gateway; they were sent by {user}.",
            "Gateway: {count} marked papers outbound, {user}.",
            "{user} mailed {count} papers that carry the mark to an outside mailbox.",
            "The mark in {count} outgoing papers belongs to our secret folder. Account: {user}.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Offered these papers to a rival for money; {boss} was sent a copy of the letter. The "
                        "outside mailbox is rented by {user}."
                    )
                },
                beside={"past": "{old}: {user2}, closed as authorised_test: a check of the gateway."},
            ),
            Ending(
                "authorised_test",
                {
                    "user": (
                        "Has to do it: {boss} ordered a check of the gateway on {last}, {count} marked blank "
                        "papers to be mailed to our own outside mailbox."
                    )
                },
            ),
        ),
    ),
    Case(
        "disk_cabinet",
        "Disks taken from the cabinet",
        (
            "{count} disks were signed out of the cabinet by {user} and read on {host}.",
            "Disk cabinet: {count} out, {user}. They are in {host} now.",
            "{host} is reading old disks. {user} took {count} of them from the cabinet.",
            "{user} goes through {count} archive disks on {host}.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Signed out disks of a closed case with a forged order. {boss} found copies of them in "
                        "the private locker of {user} at {time}."
                    )
                },
            ),
            Ending(
                "authorised_test",
                {
                    "change": (
                        "{change} {host} {start}-{end}: archive audit, {count} disks drawn by lot and read by "
                        "{user}, a test ordered by {boss}"
                    )
                },
            ),
        ),
    ),
    Case(
        "letter_archive",
        "One account reads all outgoing letters",
        (
            "{user} reads every outgoing letter on {host}, thousands of them.",
            "All letters on {host} were opened in one run under the name {user}.",
            "{host}: letters A to Z, read by {user}.",
            "{count}00 letters to customers were read on {host}; the name in the log is {user}.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Sold the letters of two customers to a newspaper, which printed them with the file "
                        "names of {host}; {user} has told {boss} so."
                    )
                },
            ),
            Ending(
                "known_software",
                {
                    "past": (
                        "{old}: {user}, closed as known_software: the archive program runs under that name and "
                        "files each letter on {host}; exception until {next}."
                    )
                },
            ),
        ),
        server=True,
    ),
    Case(
        "court_copy",
        "Mail of a whole team copied",
        (
            "The mail of a whole team was copied from {host} to a disk by {user}.",
            "{host}: nine mailboxes exported by {user}.",
            "{user} exported nine mailboxes from {host} onto a disk.",
            "Export of mailboxes, nine at once. Server {host}, account {user}.",
        ),
        (
            Ending(
                "data_theft",
                {
                    "user": (
                        "Under notice since {last}. Posted the disk to a private address, as the receipt from "
                        "the post room shows."
                    )
                },
                beside={
                    "change": (
                        "{change} {host2} {start}-{end}: mailboxes of the sales team handed to the court, by {user3}"
                    )
                },
            ),
            Ending(
                "planned_change",
                {
                    "change": (
                        "{change} {host} {start}-{end}: nine mailboxes copied to a disk for the court, by "
                        "{user}, agreed by {boss}"
                    )
                },
            ),
        ),
        server=True,
    ),
)
