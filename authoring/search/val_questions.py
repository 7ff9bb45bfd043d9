"""Held-out questions. Their shapes and wordings differ from those of the training questions."""

from authoring.search.shapes import (
    Compare,
    Ends,
    Family,
    HalfSilent,
    Lacks,
    Listing,
    Members,
    Most,
    Nowhere,
    Odd,
    Other,
    Path,
    Reckon,
    Same,
    Sibling,
    Silent,
    Span,
    Untold,
    Which,
)

VAL = [
    Family("passed", "one", Path("rule", "passed"), [
        "I need the date of the {}: what year did it come into force?",
        "The council voted for the {}, and what year did the calendar show?",
        "How new is the {}? Quote me its year.",
    ]),
    Family("product", "one", Path("company", "product"), [
        "Tell me what leaves the gates of {}: what goods are they?",
        "Crates with the stamp of {} hold what sort of ware?",
        "{}, manufacturers of ...? Complete the sign.",
    ]),
    Family("source", "one", Path("river", "source"), [
        "Somebody wants to see where the {} springs. Name the hill.",
        "Where do the very first drops of the {} see daylight? A hill, surely.",
        "Hikers ask for the spring of the {}; send them up which slope?",
    ]),
    Family("native", "one", Path("person", "birthplace"), [
        "{} came into this world where? Name the town.",
        "Which town's register of births would have {} in it?",
        "Cradle of {}: stood where?",
    ]),
    Family("draughtsman", "one", Path("bridge", "designer"), [
        "Somebody sat down and drew the {}. Who?",
        "Credit for the drawings of the {} belongs to ...?",
        "An engineering student admires the {} and asks whose plans were used.",
    ]),
    Family("laureate_year", "one", Listing("prize", "winners", "year"), [
        "{1} took home the {0} once. What year was on the certificate?",
        "Date the triumph of {1} at the {0}.",
        "The {0} and {1}: their names met in which year?",
    ]),
    Family("such_a_person", "one", Which("person", "birthplace", "trade"), [
        "{0} brought forth exactly one {1}. Who?",
        "Seeking one {1}, cradle in {0}. Full name, please!",
        "There's just a single {1} among those whose life began in {0}: who?",
    ]),
    Family("custom_river", "two", Path("event", "town.river"), [
        "Standing at the {}, what water flows past the place?",
        "Whoever attends the {} can dip a toe in what stream?",
        "Map in hand, trace the {} to its town, then to the river there. Which one?",
    ]),
    Family("mayor_trade", "two", Path("town", "mayor.trade"), [
        "Before politics, what did the head of {}'s town hall do for a living?",
        "{}'s mayor once had an honest job. Being what?",
        "Give the old line of work of the person now governing {}.",
    ]),
    Family("seat_age", "two", Path("company", "seat.founded"), [
        "Take the home town of {}. What year is it from?",
        "Around {} there's a town. When did that town's story start?",
        "{} keeps its office in an old town; founding year of the latter?",
    ]),
    Family("bylaw_mayor", "two", Path("rule", "town.mayor"), [
        "Complaints about the {} go to the town's mayor. What name do I write?",
        "Who, as mayor, has to stand up for the {}?",
        "Mayor responsible for enforcing the {}, if you please.",
    ]),
    Family("penned_for", "two", Path("person", "book:author.publisher"), [
        "{} has a single title in print. Through which house?",
        "The lone book of {} was taken on by what publisher?",
        "Which firm believed in {} and printed that one work of theirs?",
    ]),
    Family("twin_bridge", "two", Sibling("bridge", "designer"), [
        "Whoever planned the {} planned just one bridge more: called what?",
        "Find the sister of the {}, born on the same drawing board.",
        "The {} has a twin by its designer. Identify it.",
    ]),
    Family("home_spring", "three", Path("club", "town.river.source"), [
        "Trace the stream at the home ground of the {} uphill. What summit feeds it?",
        "The {} fill their bottles from their town's river; the slope it starts on?",
        "Home of the {}, river of that place, hill of its spring. Last item only.",
    ]),
    Family("novel_mayor", "three", Path("book", "about.mayor.born"), [
        'Somebody governs the place where "{}" plays. Birth year of this mayor?',
        'Setting of "{}", today\'s mayor of it, then the year of that mayor\'s birth: give the final link.',
        'The present mayor of the setting of "{}" was born when? State which year.',
    ]),
    Family("climbers_water", "three", Path("hill", "climber.birthplace.river"), [
        "As a child, the conqueror of {} swam in the river back home. Called?",
        "{} saw a first climber from some riverside town. Which water was it?",
        "First up {}: who, from where, beside what river? Only the river matters.",
    ]),
    Family("railway_souvenir", "three", Path("line", "operator.seat.craft"), [
        "Staff of the {} bring home souvenirs typical of headquarters' town, meaning what?",
        "Behind the {} is an operator, behind that a town, behind that a speciality. Reveal it.",
        "Headquarters of whoever operates the {}: any local speciality?",
    ]),
    Family("sponsor_maker", "three", Path("prize", "sponsor.founder.birthplace"), [
        "Money for the {} flows from a firm; its founder hailed from ...?",
        "Follow the purse of the {} to a business, then to its founder, then to their native town.",
        "The donor behind the {} had a founder. Native town of theirs?",
    ]),
    Family("elder", "compare", Compare("person", "born", False), [
        "{} and {}: name the one who came first into the world.",
        "Seniority decides between {} and {}. Who has more years behind them?",
        "Older of this pair, by birth: {}, {}?",
    ]),
    Family("bigger_firm", "compare", Compare("company", "employees"), [
        "Put {} beside {}. Whose payroll has more names?",
        "More wage packets every month: at {}, or at {}?",
        "Headcounts of {} against {}. Winner?",
    ]),
    Family("eldest_native", "compare", Most("person", "birthplace", "born", False), [
        "Among everybody hailing from {}, whose cradle was rocked earliest?",
        "Rank {}'s sons and daughters by age. Who heads that ranking as the eldest?",
        "{} natives, earliest birth year on top: first entry?",
    ]),
    Family("fellow_townsfolk", "compare", Same("person", "birthplace"), [
        "{}, {}: fellow natives of a single town? Reply with yes or no.",
        "Might {} and {} have been baptised in one town? Just yes/no, going by birthplace.",
        "Birthplaces of {} and {} coincide. True (yes) or false (no)?",
    ]),
    Family("elder_pen", "compare", Compare("book", "author.born", False), [
        '"{}" versus "{}": whose writer saw the light of day before the other? Title, please.',
        'Two titles, "{}" and "{}". Pick whichever has the elder author.',
        'Sort "{}" and "{}" by their authors\' birth years, earliest on top, then hand me the first title.',
    ]),
    Family("crowded_club", "compare", Compare("club", "members", True, 3), [
        "{}, {}, {}. Longest roll of members belongs to ...?",
        "For company's sake, join whichever club is most crowded: {}, {}, or else {}?",
        "Compare membership at the {}, the {}, plus the {}. Who leads?",
    ]),
    Family("bylaws_of", "count", Members("rule", "town"), [
        "Count the bylaws of {} that are described here.",
        "{} regulates itself by bylaw. Give me a total.",
        "A newcomer to {} should learn every local bylaw by heart: quantity?",
    ]),
    Family("drawn_by", "count", Members("bridge", "designer"), [
        "Bridges to the credit of {}: total?",
        "{} designed bridges. Tally them.",
        "On the drawing board of {} lay plans for what number of bridges?",
    ]),
    Family("natives_before", "count", Members("person", "birthplace", "born", "less"), [
        "Tally those from {0} whose birth predates {1}.",
        "Births in {0} earlier than {1}, according to this library: total?",
        "{0} had children who'd arrived prior to {1}. Quantity, as far as recorded here?",
    ]),
    Family("laureates", "count", Listing("prize", "winners", "many"), [
        "Up to now the {} made what number of winners happy?",
        "Laureates of the {}, all told: a figure, please.",
        "A dinner for whoever ever won the {} needs what number of chairs?",
    ]),
    Family("feasts_of", "list", Members("event", "town", names=True), [
        "Every custom of {}, by name, for my diary.",
        "Spell out {}'s customs, completely.",
        "{} celebrates. Enumerate its customs without omission.",
    ]),
    Family("press_titles", "list", Members("book", "publisher", names=True), [
        "Complete catalogue of {} as a publisher, titles only.",
        "{} puts out books: enumerate those.",
        "What's on offer in the catalogue of {}? Each title counts.",
    ]),
    Family("works_and_place", "list", Ends("book", "author", "about"), [
        'Regarding "{}": both its writer and its setting, nothing more.',
        'Index card for "{}": writer, then place described. Fill in these two.',
        'Two blanks about "{}", namely whose work and about what place. Supply them.',
    ]),
    Family("engineers_years", "reckon", Span("bridge", "designer.born", "built"), [
        "Years from its designer's birth until the {} stood: what figure?",
        "Subtract its designer's birth year from the date of the {}. Result?",
        "Between the cradle of its designer and completion of the {}: a span of what number of years?",
    ]),
    Family("thick_pair", "reckon", Reckon("book", "pages", True), [
        'Stack "{}" upon "{}". Pages in that pile?',
        'Reading "{}", next "{}", means turning pages numbering ...?',
        'Page totals of "{}" and "{}", summed?',
    ]),
    Family("feast_gap", "reckon", Reckon("event", "first_held", False), [
        "First {}, first {}: what number of years lies between both debuts?",
        "Debut years of two customs, the {} versus the {}: what stretch, in years, separates these?",
        "Work out, in years, the interval separating the first {} from the first {}.",
    ]),
    Family("laureate_gap", "reckon", Listing("prize", "winners", "gap"), [
        "{1} won the {0}, afterwards {2} did. Interval in years?",
        "What stretch, in years, separates {1} from {2} as winners of the {0}?",
        "Years elapsed at the {0} from {1} until {2}?",
    ]),
    Family("seat_elsewhere", "not", Odd("company", "seat"), [
        "{3} claims {0}, {1}, {2} as its own, wrongly in a single case. Whose head office is elsewhere?",
        "Strike out whichever isn't based in {3}: {0}; {1}; {2}.",
        "An outsider hides among {0}, {1} plus {2}, the rest being {3} firms. Unmask it.",
    ]),
    Family("remaining_feast", "not", Other("event", "town"), [
        "{0} keeps up a pair of customs. Forget the {1}; what remains?",
        "I've been to the {1}. What other custom does {0} offer?",
        "If {0} ever gave up the {1}, its sole remaining custom would be ...?",
    ]),
    Family("wrong_guild", "not", Odd("person", "trade"), [
        "{0}, {1}, {2}. Profession {3} fits everybody except whom?",
        "Someone here has a calling other than {3}: {0}? {1}? {2}?",
        "Wanted: the single non-{3} in this trio, {0} / {1} / {2}.",
    ]),
    Family("exception_at_home", "not", Lacks("person", "birthplace", "trade"), [
        "{0}'s natives follow the calling of {1}, barring a lone exception. Who?",
        "Who, born in {0}, never took up the calling of {1}?",
        "Excluding each {1}, precisely one native of {0} remains. Identify them.",
    ]),
    Family("silent_fine", "unanswerable", Silent("rule", "fine"), [
        "Somebody ignored the {}. How many crowns will that cost?",
        "Penalty set by the {}, expressed in crowns?",
        "Budgeting for a breach of the {}: crowns to set aside?",
    ]),
    Family("stranger", "unanswerable", Nowhere("person", "trade"), [
        "{} earned a living as ...?",
        "Remind me of the calling of {}.",
        "On the door of {} hung a sign naming an occupation. Saying what?",
    ]),
    Family("toll", "unanswerable", Untold("bridge", "toll"), [
        "Crossing the {} with a cart costs what toll?",
        "Whose money paid for the {}?",
        "Up to what weight may a lorry use the {}?",
    ]),
    Family("thicker", "unanswerable", HalfSilent("book", "pages"), [
        'Weighing "{}" against "{}", which has got more pages?',
        'Bulkier volume, "{}" or else "{}", judged by pages?',
        'Pages decide: will "{}" or rather "{}" last me longer?',
    ]),
    Family("climber_birth", "unanswerable", Silent("hill", "climber.born"), [
        "What birth year has the first conqueror of {}?",
        "{} was first climbed by someone whose birth falls in what year?",
        "The pioneer on {}, first of all to get up there: born in what year?",
    ]),
]  # fmt: skip
