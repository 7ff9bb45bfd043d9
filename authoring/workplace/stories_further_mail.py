"""Further requests to learn from about emails: two mails compared, mails opened to decide, chosen by hour, age or topic.

Each is said in six ways. `stories_further_mail_2` has those about senders and dates, those to refuse, and those that begin with
a mail and end elsewhere.
"""

from authoring.workplace import stories_further_mail_2
from authoring.workplace.scene import Scene, Story, Tell, call, find_email, find_person, later
from verigym.environments.workplace.office import TODAY, Email, Person


def _two_of_two(s: Scene) -> tuple[Email, Email]:
    """Emails of different colleagues and different days."""
    one, two = s.email(), s.email()
    while one.sender == two.sender or one.at[:10] == two.at[:10]:
        two = s.email()
    return one, two


def _reader(s: Scene, email: Email) -> Person:
    """A colleague who did not write it."""
    return s.other(person for person in s.office.people if person.address != email.sender)


def talk_or_drop(s: Scene) -> Story:
    senders = {person.address for person in s.office.people}
    emails = [row for row in s.only("emails", "subject") if row.sender in senders]
    email, text = s.either(emails, lambda row: "Can we talk?" in row.body), s.message()
    act = call("email.delete", id=email.id)
    if "Can we talk?" in email.body:
        act = call("email.reply", id=email.id, body=text)
    return Story(
        [
            f'Open "{email.subject}". If the sender asks to talk, reply "{text}" If they do not, delete it.',
            f'Does "{email.subject}" ask me for a talk? Then the answer is "{text}" A mail without that wish can be binned.',
            f'"{email.subject}" is worth a reply, "{text}", only when its text asks whether we can talk. Else throw it out.',
            f'I have not read "{email.subject}" yet. Somebody who wants to talk hears "{text}" back; anything else in '
            "there does not matter to me, and you delete the mail.",
            f'Delete "{email.subject}" unless it says "Can we talk?" - in that case reply "{text}"',
            f'Read what "{email.subject}" says: wish for a talk -> reply "{text}"; no such wish -> delete.',
        ],
        [find_email(email), call("email.get", id=email.id), act],
    )


def earlier_of_two(s: Scene) -> Story:
    one, two = _two_of_two(s)
    text = s.message()
    first, second = sorted((one, two), key=lambda row: row.at)
    return Story(
        [
            f'Of "{one.subject}" and "{two.subject}", reply "{text}" to the one that reached me first and delete the other.',
            f'Which is older, "{two.subject}" or "{one.subject}"? The older one is answered with "{text}", bin the newer.',
            f'Compare two mails, "{one.subject}" and "{two.subject}". Earlier arrival: reply "{text}" Later arrival: delete.',
            f'"{two.subject}" and "{one.subject}" overlap. Bin whichever came in later. The sender of the earlier '
            f'one reads "{text}" as my reply.',
            f'First come, first served: between "{one.subject}" and "{two.subject}" the mail with the earlier date gets '
            f'the response "{text}", the remaining one leaves the mailbox.',
            f'Please delete the more recent of "{two.subject}" / "{one.subject}" and answer the less recent: "{text}"',
        ],
        [
            find_email(one),
            find_email(two),
            call("email.reply", id=first.id, body=text),
            call("email.delete", id=second.id),
        ],
    )


def on_to_author(s: Scene) -> Story:
    email, other = _two_of_two(s)
    return Story(
        [
            f'Whoever wrote "{other.subject}" should also read "{email.subject}". Forward it to them.',
            f'"{email.subject}" is of interest to the author of "{other.subject}", so pass it along.',
            f'Check the sender of "{other.subject}" and relay "{email.subject}" to that address.',
            f'I forgot the name, but the colleague I mean sent me "{other.subject}". They need a forward of "{email.subject}".',
            f'The mail "{email.subject}" answers what somebody asked in "{other.subject}". Let this person have it as a forward.',
            f'Forward. What: "{email.subject}". To whom: the one behind "{other.subject}".',
        ],
        [find_email(email), find_email(other), call("email.forward", id=email.id, to=other.sender)],
    )


def swap_mails(s: Scene) -> Story:
    one, two = _two_of_two(s)
    return Story(
        [
            f'The authors of "{one.subject}" and "{two.subject}" should read each other: forward either mail to the other.',
            f'Cross over two mails: "{one.subject}" goes on to the sender of "{two.subject}", and vice versa.',
            f'Two colleagues work on the same thing without knowing. One sent "{two.subject}", the other "{one.subject}". '
            "Let each have the mail of the other.",
            f'Forward "{one.subject}" to whoever wrote "{two.subject}", and "{two.subject}" to whoever wrote "{one.subject}".',
            f'Exchange needed. "{two.subject}" -> author of "{one.subject}"; "{one.subject}" -> author of "{two.subject}".',
            f'Please make the people behind "{one.subject}" and "{two.subject}" aware of one another by forwarding to '
            "each of them what the other one sent me.",
        ],
        [
            find_email(one),
            find_email(two),
            call("email.forward", id=one.id, to=two.sender),
            call("email.forward", id=two.id, to=one.sender),
        ],
    )


def one_or_both(s: Scene) -> Story:
    one = s.email()
    alike = [row for row in s.only("emails", "subject") if not row.sender.startswith("office@")]
    two = s.either((row for row in alike if row.at[:10] != one.at[:10]), lambda row: row.sender == one.sender)
    text = s.message()
    newer = max(one, two, key=lambda row: row.at)
    replied = [newer] if one.sender == two.sender else [one, two]
    return Story(
        [
            f'"{one.subject}" and "{two.subject}": if both are from one person, reply "{text}" to the newer only; '
            f'if not, reply "{text}" to each.',
            f'Answer "{text}" to "{one.subject}" as well as to "{two.subject}". Should the same colleague have sent '
            "both, one answer is enough, namely to the later mail.",
            f'I do not want to tell anybody the same twice. "{text}" is my reply to "{one.subject}" and "{two.subject}", '
            "but where a single person wrote the two, answer just the more recent one.",
            f'Did one and the same colleague write "{two.subject}" and "{one.subject}"? Yes: reply "{text}" to the newer. '
            f'No: reply "{text}" to both.',
            f'Two senders, two replies; one sender, one reply (to the latest mail). It is about "{two.subject}" and '
            f'"{one.subject}", and the reply is "{text}"',
            f'Look who sent "{one.subject}" and who sent "{two.subject}". Different people each get the answer "{text}" '
            "A single person gets it once, on whichever mail is newer.",
        ],
        [find_email(one), find_email(two), *(call("email.reply", id=row.id, body=text) for row in replied)],
    )


def by_hour(s: Scene) -> Story:
    clear = [row for row in s.only("emails", "subject") if row.at[11:] != "12:00"]
    email = s.either(clear, lambda row: row.at[11:] < "12:00")
    early, late = _reader(s, email), _reader(s, email)
    to = early if email.at[11:] < "12:00" else late
    return Story(
        [
            f'If "{email.subject}" arrived before noon, forward it to {early.first}, if later in the day, to {late.first}.',
            f'{early.first} handles what comes in the morning, {late.first} what comes from 12:00 on. Send "{email.subject}" '
            "to the right one of them.",
            f'At what time of day did "{email.subject}" come? Morning: relay it to {early.name}. Noon or after: to {late.name}.',
            f'Forward "{email.subject}" to {late.first}, provided it was sent at 12:00 or afterwards; mails of the '
            f"morning are for {early.first}.",
            f'"{email.subject}" has to be passed on, depending on its hour: up to 11:59 {early.first}, beyond that {late.first}.',
            f'Our mail shifts: {early.first} until noon, {late.first} after it. Whoever was on shift when "{email.subject}" '
            "reached me should get it as a forward.",
        ],
        [find_email(email), find_person(to), call("email.forward", id=email.id, to=to.address)],
    )


def unless_private(s: Scene) -> Story:
    emails = [row for row in s.only("emails", "subject") if not row.sender.startswith("office@")]
    email, text = s.either(emails, lambda row: "to yourself" in row.body), s.message()
    s.who(email.sender)
    person = s.person()
    private = "to yourself" in email.body
    acts = [find_person(person), call("email.forward", id=email.id, to=person.address)]
    return Story(
        [
            f'{person.first} wants "{email.subject}". Forward it, unless the text asks me to keep it to myself. In that '
            f'case leave {person.first} out and answer the sender "{text}"',
            f'Read "{email.subject}" before you share it. Meant for me alone: reply "{text}" to it. Otherwise: '
            f"on to {person.first} with it.",
            f'Is "{email.subject}" something I was told to keep to myself? Then just reply "{text}", and if not, {person.name} '
            "gets it as a forward.",
            f'"{email.subject}" goes to {person.first} if nothing in its text says to keep it private; if that is what it '
            f'says, it stays here and its author gets the reply "{text}"',
            f'I may pass "{email.subject}" on to {person.first} only if the author did not ask for silence. Look into the '
            f'mail, and where they did ask me to keep it to myself, reply "{text}" instead.',
            f'Check the text of "{email.subject}". Says "keep it to yourself" -> reply "{text}" Does not -> '
            f"forward to {person.first}.",
        ],
        [
            find_email(email),
            call("email.get", id=email.id),
            *([call("email.reply", id=email.id, body=text)] if private else acts),
        ],
    )


SAID = {
    "longer": "something will take a week longer",
    "doubts": "they have a few doubts",
    "decided": "nothing is decided yet",
}
"""What an email says, by a word that no other text has."""


def told_me(s: Scene) -> Story:
    def told(row: Email) -> tuple[str, str] | None:
        word = next((word for word in SAID if word in row.body), None)
        return None if word is None or row.sender.startswith("office@") else (row.sender, word)

    (address, word), [email] = s.few("emails", told, least=1, most=1)
    person, text, said = s.who(address), s.message(), SAID[word]
    return Story(
        [
            f'{person.first} wrote in one of their mails that {said}. Find it and reply "{text}"',
            f'There is one mail in which {person.first} says that {said}; my answer to it is "{text}"',
            f'Search the mails of {person.name} for the one whose text says that {said}. Reply to that one: "{text}"',
            f'I forgot the subject. It was by {person.first}, and it said that {said}. Please reply "{text}"',
            f'"{text}" - as a reply to {person.first}, to the mail where we read that {said}.',
            f'Somewhere in my inbox {person.first} tells me that {said}. Dig that mail out and respond "{text}"',
        ],
        [
            find_person(person),
            call("email.search", query=f"{address} {word}"),
            call("email.reply", id=email.id, body=text),
        ],
    )


def pick_of_day(s: Scene) -> Story:
    colleagues = {person.address for person in s.office.people}
    (address, day), emails = s.few("emails", lambda row: row.sender in colleagues and (row.sender, row.at[:10]))
    sender, person, on, kept = s.who(address), s.person(), s.on(day), s.pick(emails)
    while [row.subject for row in emails].count(kept.subject) > 1:
        kept = s.pick(emails)
    return Story(
        [
            f'From the post by {sender.first} that came {on}, forward "{kept.subject}" to {person.first} and delete all else.',
            f'{sender.first} sent several mails {on}. "{kept.subject}" is for {person.first}, so forward it; away with '
            "the rest of that day.",
            f'Sort the mails that {sender.name} sent {on}: "{kept.subject}" goes on to {person.name}, all others are deleted.',
            f'From {sender.first}, dated {day}: relay "{kept.subject}" to {person.first}, delete the others of that date.',
            f'{sender.first} wrote "{kept.subject}" and more {on}. Let {person.first} have that one as a forward, and '
            "erase the other mails of theirs from the same day.",
            f'What did {sender.first} send {on}? Only "{kept.subject}" matters, and {person.first} should be forwarded that '
            "one. Bin the remainder of the day.",
        ],
        [
            find_person(sender),
            call("email.search", query=address, since=day, until=day),
            find_person(person),
            call("email.forward", id=kept.id, to=person.address),
            *(call("email.delete", id=row.id) for row in emails if row != kept),
        ],
    )


def last_but_one(s: Scene) -> Story:
    person, text = s.writer(), s.message()
    newest, before = s.emails_of(person.address, least=2)[:2]
    return Story(
        [
            f'The newest mail of {person.first} was an accident: delete it, and reply "{text}" to the one right before it.',
            f'{person.first} asks me to forget their last mail, so erase it. The mail before that gets the reply "{text}"',
            f'Of the mails by {person.name}, newest on top, the first is to be deleted and the second answered: "{text}"',
            f'Answer {person.first} on their last mail but one with "{text}" and bin the last.',
            f'"{text}" is a reply to the second newest mail that {person.first} wrote. Their newest can be thrown out.',
            f'Look at the two most recent mails from {person.first}. Later one: delete. Earlier one: reply "{text}"',
        ],
        [
            find_person(person),
            call("email.search", query=person.address),
            call("email.delete", id=newest.id),
            call("email.reply", id=before.id, body=text),
        ],
    )


def last_before(s: Scene) -> Story:
    person, text = s.writer(), s.message()
    emails = s.emails_of(person.address, least=4)
    places = [place for place in range(1, len(emails)) if emails[place].at[:10] < emails[place - 1].at[:10]]
    place = s.pick(places)
    email, day = emails[place], emails[place - 1].at[:10]
    date = s.date(day)
    return Story(
        [
            f'Reply "{text}" to the last mail that {person.first} sent before {date}.',
            f'What did {person.first} mail me last prior to {date}? Answer it with "{text}"',
            f'Mails of {person.name} dated {date} or later do not count. Of the earlier ones answer the most recent: "{text}"',
            f'Go back to the time before {date}: the final mail by {person.first} from then still lacks my answer, "{text}"',
            f'"{text}" is my response to {person.first}, and it belongs to the newest of those mails that came before {date}.',
            f"Ignore whatever {person.first} wrote from {date} on. Of their mails before that, reply to the "
            f'newest: "{text}"',
        ],
        [
            find_person(person),
            call("email.search", query=person.address, until=later(day, -1)),
            call("email.reply", id=email.id, body=text),
        ],
    )


def age_decides(s: Scene) -> Story:
    weeks = s.pick((2, 3, 4, 5))
    day = later(TODAY.isoformat(), -7 * weeks)
    clear = [row for row in s.only("emails", "subject") if not later(day, -1) <= row.at[:10] <= later(day, 1)]
    email = s.either(clear, lambda row: row.at[:10] < day)
    person = _reader(s, email)
    acts = [find_person(person), call("email.forward", id=email.id, to=person.address)]
    if email.at[:10] < day:
        acts = [call("email.delete", id=email.id)]
    return Story(
        [
            f'Is "{email.subject}" more than {weeks} weeks old? Then delete it. If it is younger, forward it to {person.first}.',
            f'Mails older than {weeks} weeks are of no use to {person.first}. So forward "{email.subject}" to them if it '
            "is not that old, and bin it if it is.",
            f'Look at the date of "{email.subject}". Within the past {weeks} weeks: on to {person.name}. Further back: delete.',
            f'{person.first} gets "{email.subject}" passed on, given that it came during the last {weeks} weeks. An older '
            "one is deleted without further ado.",
            f'After {weeks} weeks a mail is stale. Stale or not, that is the question with "{email.subject}": '
            f"stale, throw it away; fresh, forward it to {person.first}.",
            f'Delete "{email.subject}" or relay it to {person.first}? It depends on its age. Above {weeks} weeks '
            "delete, below relay.",
        ],
        [find_email(email), *acts],
    )


def wrote_more(s: Scene) -> Story:
    title, text = s.title(), s.message()
    one, two, day, counts = s.writer(), s.writer(), "", [0, 0]
    while counts[0] == counts[1]:
        mails = [s.emails_of(each.address) for each in (one, two)]
        day = s.quiet_day(row.at[:10] for rows in mails for row in rows)
        counts = [sum(row.at[:10] > day for row in rows) for rows in mails]
    more, since = one if counts[0] > counts[1] else two, s.date(day)
    return Story(
        [
            f'Who mailed me more often since {since}, {one.first} or {two.first}? That one gets "{title}": "{text}"',
            f"Count the mails of {one.first} and those of {two.first} since {since}. Whoever has the higher count is sent "
            f'"{text}", under "{title}".',
            f"Both colleagues, {one.first} and {two.first}, write to me. Look at the time since {since}. Send the keener "
            f'writer of the two, by number of mails, a new mail "{title}" with "{text}"',
            f'"{title}" / "{text}" is a mail for {two.first} if more came from them since {since} than from {one.first}, '
            f"and for {one.first} if it was fewer.",
            f"Compare {two.name} with {one.name}: whose mails since {since} are more numerous? Write to that colleague, "
            f'"{text}", heading "{title}".',
            f"Mail the more diligent of {one.first} and {two.first}, judged by how many mails each sent me since {since}. "
            f'Subject "{title}", message "{text}"',
        ],
        [
            find_person(one),
            call("email.search", query=one.address, since=day),
            find_person(two),
            call("email.search", query=two.address, since=day),
            call("email.send", to=more.address, subject=title, body=text),
        ],
    )


def hot_topic(s: Scene) -> Story:
    thing, text = s.pick(s.words.things), s.message()
    rows = [row for row in s.rows("emails") if thing in row.body]
    day = s.quiet_day(row.at[:10] for row in rows)
    rows = [row for row in rows if row.at[:10] > day]
    if len(rows) < 3:
        return hot_topic(s)
    hot = s.pick((True, False))
    limit = len(rows) - 1 if hot else len(rows) + s.pick((0, 1, 2))
    since, newest = s.date(day), rows[0]
    person = _reader(s, newest)
    acts = [find_person(person), call("email.forward", id=newest.id, to=person.address)]
    return Story(
        [
            f"Did more than {limit} mails about the {thing} come since {since}? Then forward the newest of them to "
            f'{person.first}. If not, reply to it: "{text}"',
            f"Count what arrived on the {thing} since {since}. Up to {limit} mails I can handle: answer the latest with "
            f'"{text}" With more than that, {person.first} gets the latest as a forward.',
            f"The {thing} again! If there are over {limit} mails about that since {since}, pass the most recent on to "
            f'{person.name}; otherwise reply to that one "{text}"',
            f'Reply "{text}" to the newest mail about the {thing}. But should their number since {since} exceed {limit}, '
            f"forward that newest one to {person.first} instead of replying.",
            f"{limit} mails about the {thing} since {since} are the most I accept. Beyond that {person.first} is to be "
            f'forwarded the last one; within it, the last one is answered "{text}"',
            f"Mails on the {thing} since {since}: more than {limit} -> newest to {person.first} as a forward; {limit} or "
            f'fewer -> newest gets the reply "{text}"',
        ],
        [
            call("email.search", query=thing, since=day),
            *(acts if hot else [call("email.reply", id=newest.id, body=text)]),
        ],
    )


def expert_on(s: Scene) -> Story:
    colleagues = {person.address for person in s.office.people}
    latest = {thing: next(row for row in s.rows("emails") if thing in row.body) for thing in s.words.things}
    thing = s.pick([thing for thing, row in latest.items() if row.sender in colleagues])
    email = s.email()
    while thing in email.body or email.sender == latest[thing].sender:
        email = s.email()
    return Story(
        [
            f'Who was the last to write to me about the {thing}? Forward "{email.subject}" to that colleague.',
            f'"{email.subject}" should go on to whoever sent the newest mail about the {thing}.',
            f'The most recent mail on the {thing} shows who is the expert. They should have a look at "{email.subject}", '
            "so forward it to them.",
            f'Look for the {thing} in my mails, take the sender of the newest, and pass "{email.subject}" along to them.',
            f'I need somebody who knows the {thing}: the one who mailed me about it last. Relay "{email.subject}" there.',
            f'To the author of the latest message concerning the {thing}: a forward of "{email.subject}".',
        ],
        [
            call("email.search", query=thing),
            find_email(email),
            call("email.forward", id=email.id, to=latest[thing].sender),
        ],
    )


def outside_pile(s: Scene) -> Story:
    address, emails = s.few("emails", lambda row: row.sender.startswith("office@") and row.sender)
    person = s.person()
    return Story(
        [
            f"{address} wrote more than once. Forward the newest of it to {person.first}, the older ones go in the bin.",
            f"{person.first} should be forwarded the latest from {address}. Delete what they sent before that.",
            f"Mails of {address}: the last one is to be relayed to {person.name}, those that came earlier are to be deleted.",
            f"I keep getting mail from {address}. {person.first} takes over, so pass the most recent one along; all earlier "
            "ones from there can be deleted.",
            f"Sender {address}: newest -> forward to {person.first}; every other -> delete.",
            f"Of the mails that {address} wrote, {person.first} needs just the newest, as a forward. Erase the previous ones.",
        ],
        [
            call("email.search", query=address),
            find_person(person),
            call("email.forward", id=emails[0].id, to=person.address),
            *(call("email.delete", id=row.id) for row in emails[1:]),
        ],
    )


STORIES: dict[str, list[Tell]] = {
    **stories_further_mail_2.STORIES,
    "email": [
        talk_or_drop, earlier_of_two, on_to_author, swap_mails, one_or_both, by_hour, unless_private, told_me, pick_of_day,
        last_but_one, last_before, age_decides, wrote_more, hot_topic, expert_on, outside_pile,
        *stories_further_mail_2.STORIES["email"],
    ],
}  # fmt: skip
