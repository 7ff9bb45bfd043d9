"""Vocabulary of the offices: names, subjects and texts. Training and held-out offices share no name and no subject.

All of it is invented. `office` draws the rows. `authoring/workplace` has the requests to the assistant.
"""

from typing import NamedTuple


def _listed(text: str) -> list[str]:
    return [" ".join(each.split()) for each in text.split(",")]


class Words(NamedTuple):
    """The vocabulary of the offices of one split."""

    first: list[str]
    last: list[str]
    companies: list[str]
    """First halves of customers' names."""
    trades: list[str]
    """Second halves."""
    things: list[str]
    """What emails are about, with one of `kinds`."""
    kinds: list[str]
    meetings: list[str]
    """What events are about, with one of `gatherings`."""
    gatherings: list[str]
    verbs: list[str]
    objects: list[str]
    """Tasks: a verb and an object."""
    bodies: list[str]
    """Texts of emails. `{thing}` is the subject."""
    notes: list[str]
    messages: list[str]
    """Messages to pass on."""
    titles: list[str]
    """Subjects of new emails."""


TRAIN = Words(
    first=_listed(
        """Adele, Amir, Anton, Bianca, Boris, Britta, Carla, Cedric, Chiara, Clara, Dana, Dario, Diego, Edith, Elena, Emil,
        Farah, Felix, Greta, Hanna, Hugo, Ines, Ivan, Jana, Joel, Karin, Kofi, Lena, Luca, Maya, Milan, Nadia, Nils,
        Olga, Oscar, Paula, Pavel, Rania, Ravi, Selma, Simon, Tara, Theo, Uma, Viktor, Wanda, Yusuf, Zoe"""
    ),
    last=_listed(
        """Abbott, Becker, Brandt, Castro, Corrigan, Dahl, Duarte, Egan, Ekberg, Falk, Fonseca, Grant, Hale, Iqbal, Jansen,
        Keller, Lund, Moreau, Nakata, Okoye, Pereira, Quist, Rossi, Sato, Tanner, Usman, Vargas, Weiss, Young, Zeller"""
    ),
    companies=_listed(
        """Larkfield, Ostrow, Pinecrest, Halden, Meridian, Bramley, Corvane, Dunmore, Eastgate, Ferrow, Glenmark, Hollis,
        Ironbay, Juniper, Kestrel, Lowmoor, Marston, Norwick, Oakline, Penrose, Quarry, Redfern, Silverton, Tidewell,
        Underhill, Vantage, Westmere, Yarrow"""
    ),
    trades=_listed("Foods, Logistics, Textiles, Motors, Clinics, Optics, Timber, Hotels, Studios, Metals"),
    things=_listed(
        """budget, supplier contract, office move, hiring plan, server upgrade, travel costs, trade fair, price list,
        warehouse, newsletter, insurance, parking, canteen, training day, audit, printer, catalogue, delivery dates,
        customer survey, door badges, quarterly figures, spring campaign, heating, summer party, packaging, phone
        system, meeting rooms, recycling"""
    ),
    kinds=_listed(
        """draft, update, question, reminder, approval, notes, feedback, corrections, invoice, summary, proposal, schedule,
        estimate, checklist"""
    ),
    meetings=_listed(
        """budget, hiring, roadmap, supplier, campaign, pricing, onboarding, security, design, warehouse, newsletter,
        support, release, insurance, logistics, website, training, audit, catalogue, partner"""
    ),
    gatherings=_listed(
        """review, planning, sync, workshop, kickoff, call, lunch, briefing, interview, walkthrough, retrospective,
        rehearsal, clinic, forum"""
    ),
    verbs=_listed(
        """Fix, Draft, Test, Rewrite, Measure, Document, Replace, Translate, Simplify, Sketch, Archive, Speed up, Restyle,
        Monitor"""
    ),
    objects=_listed(
        """login form, search index, billing page, icon set, payment retries, image cache, footer links, signup email,
        report export, colour palette, session storage, menu bar, price calculator, upload queue, landing page, error
        messages, backup job, profile page, checkout flow, mobile header"""
    ),
    bodies=[
        "Could you look at the {thing} before Friday? I need an answer this week.",
        "Here is where we are with the {thing}. Nothing is decided yet.",
        "The {thing} came up again this morning. Let me know what you think.",
        "I have a few doubts about the {thing}. Can we talk?",
        "Attached is the latest on the {thing}. Please keep it to yourself for now.",
        "Quick word on the {thing}: it will take a week longer.",
    ],
    notes=["asked for a demo", "prefers phone calls", "contract ends in August", "met at the fair", "wants a discount"],
    messages=[
        "Thanks, that works for me.",
        "Please send me the numbers by noon.",
        "I will be ten minutes late.",
        "The room has changed to 4B.",
        "Let us talk about it on Monday.",
        "I agree with every point.",
        "Can you bring the samples along?",
        "We go with the second option.",
        "I need two more days for this.",
        "Good work, carry on.",
    ],
    titles=_listed(
        "Room change, Short notice, Lunch on Friday, Holiday cover, New phone number, Open points, Thank you"
    ),
)

VAL = Words(
    first=_listed(
        """Aldo, Beatrix, Casper, Delia, Enzo, Freya, Gideon, Hilda, Ilya, Jocelyn, Kenji, Lorna, Mateo, Nora, Otis, Petra,
        Quentin, Rosa, Stefan, Thea, Ugo, Vera, Wim, Xenia, Yara, Zeno"""
    ),
    last=_listed(
        """Archer, Adler, Bloom, Cordes, Drake, Ellis, Fabre, Gallo, Haas, Ibsen, Joshi, Kovac, Lowe, Marsh, Novak, Olsen,
        Pratt, Ruiz, Stein, Toth, Vogel, Wolff, Yates, Zander"""
    ),
    companies=_listed(
        """Ashcombe, Birchway, Calder, Dovetail, Elmstead, Fairholm, Greyson, Hartwell, Ingleby, Jardine, Kelso, Linden,
        Mossvale, Nettleton, Orchard, Pemberly, Rookwood, Stonebridge, Thornby, Upland, Valewood, Winslow"""
    ),
    trades=_listed("Ceramics, Couriers, Vineyards, Dental, Robotics, Paper, Bicycles, Catering, Gardens, Saddlery"),
    things=_listed(
        """roof repair, loading dock, pension scheme, coffee machines, brand colours, visitor passes, fleet lease, spring
        stocktake, web shop, language course, expense rules, show room, cleaning rota, sales targets, press release,
        first aid kit, lab equipment, intern programme, returns desk, winter hours, staff handbook, sample boxes,
        charity run, power outage, bike shed"""
    ),
    kinds=_listed(
        """outline, inquiry, revision, decision, timeline, quote, memo, comments, agenda, receipt, forecast, template,
        minutes, request"""
    ),
    meetings=_listed(
        """pension, fleet, brand, returns, stocktake, payroll, tender, intern, facilities, export, quality, loyalty,
        maintenance, tax, sponsor, laboratory, retail, compliance"""
    ),
    gatherings=_listed(
        """catch-up, session, roundtable, debrief, demo, huddle, standup, tasting, hearing, check-in, panel, seminar, tour,
        handover"""
    ),
    verbs=_listed(
        """Repair, Outline, Benchmark, Polish, Merge, Localise, Audit, Remove, Prototype, Split, Label, Upgrade, Retire,
        Trace"""
    ),
    objects=_listed(
        """voucher field, date picker, audit log, onboarding tour, currency switch, map widget, consent banner, rate
        limiter, chat bubble, font loader, stock alerts, tax rounding, gift wrapping, order history, password reset,
        size chart, parcel tracker, review stars"""
    ),
    bodies=[
        "We should settle the {thing} soon. What is your view?",
        "Sharing my thoughts on the {thing}. Tell me if I missed anything.",
        "The board asked about the {thing} yesterday; I said you would know.",
        "Two open points remain on the {thing}. Both are small.",
        "Please read this on the {thing} when you have a minute.",
    ],
    notes=["visited the plant", "slow to answer", "wants quarterly bills", "knows our founder", "needs a reference"],
    messages=[
        "Count me in.",
        "Our side is ready when you are.",
        "The keys are at the reception.",
        "Could you check the second page once more?",
        "I would rather wait until June.",
        "All seats are taken, sorry.",
        "Please bring your own laptop.",
        "That is fine with the board.",
    ],
    titles=_listed("Seating plan, Change of plan, Key handover, Train tickets, Last call, Guest list, Small favour"),
)
