"""Training questions about several things at once: compared, counted, listed, calculated or excluded."""

from authoring.search.shapes import Compare, Ends, Family, Lacks, Listing, Members, Most, Odd, Other, Reckon, Same, Span

COMPARE = [
    Family("longer_river", "compare", Compare("river", "length"), [
        "Which of the two is longer, {} or {}?",
        "{} and {}: which has the greater length?",
        "Is it the {} or the {} that is the longer river?",
        "Two friends argue whether the {} or the {} is longer. Which is it?",
    ]),
    Family("older_company", "compare", Compare("company", "founded", False), [
        "Which firm is older, {} or {}?",
        "{} or {}: which was set up first?",
        "Give the older of the companies {} and {}.",
        "Both {} and {} claim to be the older house. Which of them is?",
    ]),
    Family("larger_town", "compare", Compare("town", "population"), [
        "Which town had more people in 2020, {} or {}?",
        "By the census of 2020, is {} or {} the larger town?",
        "{}, {}: the one with more inhabitants in 2020?",
        "We will open a shop where more people live, in {} or in {}. Going by 2020, where?",
    ]),
    Family("higher_fine", "compare", Compare("rule", "fine"), [
        "Which carries the higher fine, the {} or the {}?",
        "What costs more to break, the {} or the {}?",
        "The {} and the {}: which of these bylaws is the dearer one to break?",
        "If I must break either the {} or the {}, which one would cost me more crowns?",
    ]),
    Family("highest_of_three", "compare", Compare("hill", "height", True, 3), [
        "Which is the highest of {}, {} and {}?",
        "{}, {}, {}: the highest one?",
        "Of the three hills {}, {} and {}, whose top stands highest?",
        "We have time for one hill only and want the highest. {}, {} or {}?",
    ]),
    Family("biggest_firm_in", "compare", Most("company", "seat", "employees"), [
        "Which of the companies based in {} employs the most people?",
        "What is the largest firm with its seat in {}, by staff?",
        "{}: the biggest employer among the companies that sit there?",
        "My son wants to work for the company in {} with the largest staff. Which is it?",
    ]),
    Family("oldest_custom_in", "compare", Most("event", "town", "first_held", False), [
        "Which custom of {} is the oldest?",
        "Of the customs held in {}, which was held first in history?",
        "{} has several customs. Which goes back furthest?",
        "The people of {} are proudest of their oldest custom. What is its name?",
    ]),
    Family("first_book_by", "compare", Most("book", "author", "published", False), [
        "Which book by {} was published first?",
        "What was the first book of {} to come out?",
        "{} wrote more than one book. Which is the earliest?",
        "I want to read {} from the beginning, in the order of publication. With which book do I start?",
    ]),
    Family("same_river", "compare", Same("town", "river"), [
        "Do {} and {} lie on the same river? Yes or no.",
        "Yes or no: one river runs through both {} and {}.",
        "Is the river of {} also that of {}? Answer yes or no.",
        "A raft is put on the river at {}. Is that also the river of {}? Say yes or no.",
    ]),
    Family("same_founder", "compare", Same("company", "founder"), [
        "Were {} and {} founded by the same person, yes or no?",
        "{} and {}: one and the same founder? Yes or no.",
        "Is it true that whoever founded {} founded {} too? Yes or no.",
        "Somebody told me that {} and {} are sisters because one person founded both. Is that so, yes or no?",
    ]),
    Family("younger_founder", "compare", Compare("company", "founder.born"), [
        "Which company's founder was born later, that of {} or that of {}?",
        "{} and {}: whose founder is the one born in the later year?",
        "Look at the founders of {} and {}. Which of these firms had the one who was born later?",
        "Of {} and {}, I mean the company that was founded by the person with the later year of birth. Which is it?",
    ]),
    Family("bridge_in_larger", "compare", Compare("bridge", "town.population"), [
        "Which stands in the town with more inhabitants (2020), the {} or the {}?",
        "The {} and the {}: which bridge belongs to the larger town, by the census of 2020?",
        "Is it the {} or the {} whose town had more people in 2020?",
        "One of the bridges {} and {} will be repaired, the one in the town that counted more people in 2020. Which?",
    ]),
    Family("town_longer_river", "compare", Compare("town", "river.length"), [
        "Which town lies on the longer river, {} or {}?",
        "{} or {}: whose river is longer?",
        "The rivers of {} and {} differ in length. Which of the towns has the longer one?",
        "We want to live on a long river. Compare the rivers at {} and at {} and name the town with the longer.",
    ]),
    Family("longer_line", "compare", Compare("line", "length"), [
        "Which is longer, the {} or the {}?",
        "{} and {}: on which of them is the track longer?",
        "Give me the longer of the railway lines {} and {}.",
        "For a long ride, should I rather take the {} or the {}? I want the longer of them.",
    ]),
]  # fmt: skip
COUNT = [
    Family("companies_in", "count", Members("company", "seat"), [
        "How many companies have their seat in {}?",
        "Companies based in {}: how many?",
        "What is the number of firms with a head office in {}?",
        "I am to visit every company that sits in {}. How many visits will that be?",
    ]),
    Family("people_from", "count", Members("person", "birthplace"), [
        "How many people in these documents were born in {}?",
        "Of all the persons described here, how many are natives of {}?",
        "{} as place of birth: for how many persons of the library?",
        "The town of {} will put up a plaque for each person in this library who was born there. How many plaques?",
    ]),
    Family("events_in", "count", Members("event", "town"), [
        "How many customs are held in {}?",
        "What number of customs do the people of {} have?",
        "{}: number of customs?",
        "A photographer wants to see all the customs of {}. How many are there?",
    ]),
    Family("firms_by", "count", Members("company", "founder"), [
        "How many companies did {} found?",
        "{} was the founder of how many firms?",
        "Number of companies founded by {}?",
        "{} could not stop founding companies, they say. How many are on record?",
    ]),
    Family("firms_before", "count", Members("company", "seat", "founded", "less"), [
        "How many of the companies based in {0} were set up before {1}?",
        "Firms in {0} from before {1}: how many?",
        "Count the companies with their seat in {0} that were set up before {1}.",
        "A fire destroyed the papers of all firms in {0} that already existed before {1}. How many firms are meant?",
    ]),
    Family("books_about", "count", Members("book", "about"), [
        "How many books are about {}?",
        "{} is the subject of how many books?",
        "How many of the books described here are set in {}?",
        "The library of {} collects every book that tells of life in the town. How many are there to collect?",
    ]),
    Family("towns_on", "count", Members("town", "river"), [
        "How many towns lie on the {}?",
        "The {} runs through how many towns?",
        "Number of towns on the banks of the {}?",
        "If the {} floods, how many towns will have wet cellars?",
    ]),
    Family("natives_of_trade", "count", Members("person", "birthplace", "trade", "same"), [
        "How many natives of {0} have the profession of {1}?",
        "Profession {1}, born in {0}: how many persons?",
        "Of the people who were born in {0}, how many are on record with the trade {1}?",
        "For an exhibition in {0} I count the town's natives whose profession is {1}. What number should I get?",
    ]),
    Family("keepers_of", "count", Listing("museum", "keepers", "many"), [
        "How many keepers has the {} had?",
        "Number of keepers of the {}, from the beginning?",
        "The {} wants a portrait of each of its keepers. How many portraits?",
        "Count the people who have kept the {}.",
    ]),
    Family("books_of_author_since", "count", Members("book", "author", "published", "more"), [
        "How many of the books by {0} came out after {1}?",
        "{0}: number of books published later than {1}?",
        "After {1}, how many more books of {0} were published?",
        "The will of {0} names the books that came out after {1}, without a number. How many must they be?",
    ]),
]  # fmt: skip
LIST = [
    Family("firms_in_names", "list", Members("company", "seat", names=True), [
        "Name all companies that are based in {}.",
        "Which companies have their seat in {}? All of them, please.",
        "List the firms with a head office in {}.",
        "I need the names of every company in {} for the new telephone book.",
    ]),
    Family("towns_on_names", "list", Members("town", "river", names=True), [
        "Which towns lie on the {}? Name them all.",
        "All towns on the banks of the {}, please.",
        "List every town that the {} runs through.",
        "A boat is to call at each town on the {}. At which?",
    ]),
    Family("books_by_names", "list", Members("book", "author", names=True), [
        "Which books did {} write? Give all titles.",
        "The titles of all books by {}, please.",
        "List everything that has {} as its author.",
        "I collect {} and do not know yet what books there are. Name each of them.",
    ]),
    Family("firms_by_names", "list", Members("company", "founder", names=True), [
        "Name every company that {} founded.",
        "Which firms go back to {} as founder? I want all of them.",
        "{} founded more than one company. List them.",
        "What companies are there with {} as the founder? Leave none out.",
    ]),
    Family("clubs_in_names", "list", Members("club", "town", names=True), [
        "Which clubs have their home in {}? Name all of them.",
        "List the clubs that come from {}.",
        "{} has more than one club. What are they called?",
        "My children want to try every club in {}. Which ones are there?",
    ]),
    Family("line_ends", "list", Ends("line", "start", "end"), [
        "Which two towns does the {} join?",
        "The {}: from which town to which town does it go?",
        "At what towns are the two ends of the {}?",
        "I fell asleep on the {} and woke at one end, then slept again and woke at the other. Name both towns.",
    ]),
    Family("firms_over_names", "list", Members("company", "seat", "employees", "more", True), [
        "Which companies in {0} employ more than {1} people? Name them all.",
        "List the firms based in {0} with a staff of over {1}.",
        "{0}, more than {1} employees: the names of all such companies?",
        "An inspector visits each company with its seat in {0} where over {1} people work. Which ones?",
    ]),
    Family("all_keepers", "list", Listing("museum", "keepers", "all"), [
        "Name all the keepers that the {} has had.",
        "The {}: who have been its keepers, one and all?",
        "List everybody who ever was keeper of the {}.",
        "In the hall of the {} hang portraits of its keepers, without names. Which names belong there?",
    ]),
]  # fmt: skip
RECKON = [
    Family("founder_age", "reckon", Span("company", "founder.born", "founded"), [
        "How many years lie between the birth of its founder and the setting up of {}?",
        "{} was set up how many years after its founder's year of birth?",
        "Take the year in which {} began and the birth year of its founder: what is the difference?",
        "Reckoning by years alone, what age did the founder of {} reach in the year the firm was set up?",
    ]),
    Family("towns_apart", "reckon", Reckon("town", "founded", False), [
        "How many years passed between the founding of {} and that of {}?",
        "{} and {} were founded how many years apart?",
        "What is the difference, in years, between the ages of the towns {} and {}?",
        "One of {} and {} is the older town. By how many years?",
    ]),
    Family("staff_together", "reckon", Reckon("company", "employees", True), [
        "How many people do {} and {} employ together?",
        "If {} and {} became one company, how large would its staff be?",
        "Staff of {} plus staff of {}: how many people?",
        "{} and {} hold their summer party together and everybody who works there comes. How many is that?",
    ]),
    Family("town_growth", "reckon", Span("town", "census_1950", "population"), [
        "By how many inhabitants did {} grow from the census of 1950 to that of 2020?",
        "{}, 1950 and 2020: how many more people were counted the second time?",
        "How many more inhabitants did {} have in 2020 than in 1950?",
        "There are more people in {} than there were in 1950. Going by the 2020 census, how many more?",
    ]),
    Family("keeper_years", "reckon", Listing("museum", "keepers", "years"), [
        "For how many years was {1} keeper of the {0}?",
        "How many years did {1} keep the {0}?",
        "{1} at the {0}: number of years as keeper?",
        "The {0} owes {1} a medal for each year as its keeper. How many medals?",
    ]),
    Family("line_difference", "reckon", Reckon("line", "length", False), [
        "What is the difference in length between the {} and the {}, in km?",
        "By how many km does the longer of the {} and the {} exceed the shorter?",
        "{}, {}: how many km apart are their lengths?",
        "I have ridden the {} and the {} from end to end. How many km more was the longer ride?",
    ]),
    Family("book_after_town", "reckon", Span("book", "about.founded", "published"), [
        'How many years after the founding of the town it is about was "{}" published?',
        '"{}" tells of a town. How old was that town, counted from its founding, when the book came out?',
        'Between the founding of the town in "{}" and the publishing of the book, how many years went by?',
        'Subtract the year in which the town of "{}" was founded from the year of the first edition. What do you get?',
    ]),
    Family("both_fines", "reckon", Reckon("rule", "fine", True), [
        "What do I pay in all, in crowns, for breaking both the {} and the {}?",
        "How many crowns are the fine under the {} and the one under the {} together?",
        "Add up two fines, please, in crowns: {} and {}.",
        "Yesterday I broke the {}, today the {}. What does that come to, in crowns?",
    ]),
    Family("custom_town_age", "reckon", Span("event", "town.founded", "first_held"), [
        "How old was its town when the {} was first held, in years since the founding?",
        "From the founding of the town to the first {}, how many years are there?",
        "The {} began how many years after its town was founded?",
        "Its town had to wait for the {}: for how many years, from its founding to the first time?",
    ]),
]  # fmt: skip
NOT = [
    Family("not_on_river", "not", Odd("town", "river"), [
        "Which of {0}, {1} and {2} does not lie on the {3}?",
        "{0}, {1}, {2}: all but one are on the {3}. Which is not?",
        "Two of the towns {0}, {1} and {2} share the {3}. Which is the one without it?",
        "The flood of the {3} reached {0}, {1} and {2}, says the paper, but one of them is on another river. Which?",
    ]),
    Family("apart_from", "not", Other("company", "seat"), [
        "Apart from {1}, which company has its seat in {0}?",
        "Which company in {0} is not {1}?",
        "{0} is home to {1} and to one other company. What is the other called?",
        "I know {1} already; what I do not know is the only other firm that is based in {0}. Its name?",
    ]),
    Family("not_by_author", "not", Odd("book", "author"), [
        'Which of "{0}", "{1}" and "{2}" was not written by {3}?',
        '"{0}", "{1}", "{2}": one of these is not by {3}. Which one?',
        'On the shelf for {3} stand "{0}", "{1}" and "{2}". Which of them does not belong there?',
        'A seller offers "{0}", "{1}" and "{2}" as the works of {3}. That is wrong for one; for which?',
    ]),
    Family("not_in_month", "not", Odd("event", "month"), [
        "Which of these is not held in {3}: the {0}, the {1} or the {2}?",
        "The {0}, the {1}, the {2}: one does not fall in {3}. Which?",
        "In {3} we can go to two of the {0}, the {1} and the {2}. Which can we not?",
        "Somebody planned {3} around the {0}, the {1} and the {2}, and got the month of one of them wrong. Of which?",
    ]),
    Family("not_goods_in", "not", Lacks("company", "seat", "product"), [
        "Which company with its seat in {0} does not make {1}?",
        "{0}: what is the company called that makes something, but not {1}?",
        "Only one company in {0} makes something other than {1}. Which is it?",
        "In {0} they are tired of {1}. Which firm there is the one that does not make any?",
    ]),
    Family("not_craft_on", "not", Lacks("town", "river", "craft"), [
        "Which town on the {0} is not known for {1}?",
        "On the {0} one town is not famous for {1}. Which?",
        "Leave out every town known for {1}: which one is left on the {0}?",
        "We go down the {0} and do not want to see any more {1}. Which town is known for something else?",
    ]),
    Family("not_of_material", "not", Odd("bridge", "material"), [
        "Which of the {0}, the {1} and the {2} is not made of {3}?",
        "Two of these bridges are {3}, one is not: {0}, {1}, {2}. Which is the odd one?",
        "Among {0}, {1} and {2}, the bridge that is not {3}, please.",
        "A mason says that the {0}, the {1} and the {2} are all {3}. He errs about one. About which?",
    ]),
    Family("not_their_sport", "not", Odd("club", "sport"), [
        "Which of the clubs {0}, {1} and {2} does not go in for {3}?",
        "The {0}, the {1}, the {2}: who has nothing to do with {3}?",
        "Three clubs, {0}, {1} and {2}, and one of them does not practise {3}. Which?",
        "To the {3} contest came the {0}, the {1} and the {2}, one of them by mistake, for it is not their sport. Who?",
    ]),
]  # fmt: skip
