"""Questions of `retention` about a short text that contains the answer. Each entry is a family."""

from authoring.retention.families import COLOURS, GOODS, JOBS, NAMES, PETS, PLACES, TOWNS, Family
from authoring.retention.questions import lookup, number, options, yes_no
from authoring.vocabulary import WEEKDAYS

NUMBERS = list(range(2, 60))
HOURS = ["7:15", "8:30", "9:45", "10:20", "11:50", "14:10", "15:40", "16:25", "18:05"]
MONTHS = ["January", "March", "May", "June", "August", "October", "December"]
CITIES = ["Paris", "London", "Rome", "Berlin", "Madrid", "Vienna", "Prague"]
FOODS = ["soup", "fish", "salad", "rice", "pasta", "pizza", "omelette"]
DRINKS = ["tea", "coffee", "milk", "juice", "water", "cocoa"]
SPORTS = ["tennis", "football", "chess", "hockey", "golf", "judo"]
TOOLS = ["hammer", "saw", "spade", "drill", "rake", "axe"]
SUBJECTS = ["maths", "history", "music", "biology", "art", "French"]
VEHICLES = ["bus", "train", "tram", "bicycle", "taxi", "ferry"]
INSTRUMENTS = ["piano", "flute", "guitar", "violin", "trumpet"]
TREES = ["beech", "pine", "birch", "maple", "willow"]
FRUITS = ["apples", "pears", "plums", "cherries", "grapes", "lemons"]
THINGS = ["key", "ring", "letter", "map", "coin", "watch"]
FLOORS = ["first", "second", "third", "fourth", "fifth", "sixth"]
PRICES = ["4", "7", "12", "15", "18", "25", "30"]
WEATHER = ["sunny", "rainy", "foggy", "windy", "snowy"]
DEPARTMENTS = ["sales", "legal", "finance", "design", "support", "research"]

READING: dict[str, Family] = {
    # one of two facts
    "platform": lookup(
        "The train to {a} leaves from platform {x}. The train to {b} leaves from platform {y}.",
        "From which platform does the train to {k} leave?",
        CITIES,
        NUMBERS,
    ),
    "departure": lookup("Departures: {a} at {x}, {b} at {y}.", "At what time is the departure to {k}?", CITIES, HOURS),
    "birthday_month": lookup("{a} was born in {x} and {b} in {y}.", "In which month was {k} born?", NAMES, MONTHS),
    "lives_in": lookup(
        "{a} moved to {x} last year, while {b} still lives in {y}.", "In which city does {k} live?", NAMES, CITIES
    ),
    "ordered_dish": lookup(
        "At the table, {a} ordered the {x} and {b} took the {y}.", "Which dish did {k} order?", NAMES, FOODS
    ),
    "drinks": lookup("For breakfast {a} drinks {x}. {b} prefers {y}.", "What does {k} drink?", NAMES, DRINKS),
    "plays_sport": lookup("{a} plays {x} every week; {b} plays {y}.", "Which game does {k} play?", NAMES, SPORTS),
    "plays_music": lookup(
        "In the band, the {x} is for {a} and the {y} is for {b}.", "Which instrument is for {k}?", NAMES, INSTRUMENTS
    ),
    "likes_subject": lookup(
        "The favourite subject of {a} is {x}. The favourite subject of {b} is {y}.",
        "What is the favourite subject of {k}?",
        NAMES,
        SUBJECTS,
    ),
    "travels_by": lookup("{a} goes to work by {x}, and {b} goes by {y}.", "How does {k} go to work?", NAMES, VEHICLES),
    "lost_thing": lookup("{a} lost a {x} at the beach. {b} lost a {y} there.", "What did {k} lose?", NAMES, THINGS),
    "tool_of": lookup("The {x} belongs to {a}. The {y} belongs to {b}.", "Which tool belongs to {k}?", NAMES, TOOLS),
    "owner_of": lookup("The {a} is owned by {x}; the {b} is owned by {y}.", "Who owns the {k}?", THINGS, NAMES),
    "lives_on_floor": lookup(
        "{a} lives on the {x} floor and {b} on the {y} floor.", "On which floor does {k} live?", NAMES, FLOORS
    ),
    "door_colour": lookup(
        "House {a} has a {x} door. House {b} has a {y} door.", "What colour is the door of house {k}?", NUMBERS, COLOURS
    ),
    "box_contents": lookup(
        "The {a} box is full of {x}. The {b} box is full of {y}.", "What is in the {k} box?", COLOURS, FRUITS
    ),
    "box_colour": lookup(
        "There are {a} in the {x} bag and {b} in the {y} bag.", "What colour is the bag with the {k}?", FRUITS, COLOURS
    ),
    "garden_tree": lookup(
        "The tree at {a}'s house is a {x}; the one at {b}'s house is a {y}.",
        "Which tree grows at {k}'s house?",
        NAMES,
        TREES,
    ),
    "price_of": lookup("Price list: {a} {x} euros, {b} {y} euros.", "How many euros is the {k}?", FOODS, PRICES),
    "cheaper_dish": options(
        lambda x, y, a: (f"The {x} costs {a} euros, the {y} costs {a + 6} euros. Which dish is cheaper?", x, y),
        x=FOODS,
        y=FOODS,
        a=range(3, 20),
    ),
    "weather_city": lookup("Forecast: {x} in {a}, {y} in {b}.", "How will the weather be in {k}?", CITIES, WEATHER),
    "weather_where": lookup("It is {a} in {x} today, but {b} in {y}.", "In which city is it {k}?", WEATHER, CITIES),
    "temperature": lookup(
        "It is {x} degrees in {a} and {y} degrees in {b}.", "How many degrees is it in {k}?", CITIES, list(range(3, 35))
    ),
    "office_room": lookup(
        "The {a} team sits in room {x}; the {b} team sits in room {y}.",
        "In which room does the {k} team sit?",
        DEPARTMENTS,
        list(range(101, 160)),
    ),
    "head_of": lookup("{x} leads the {a} team. {y} leads the {b} team.", "Who leads the {k} team?", DEPARTMENTS, NAMES),
    "phone_extension": lookup(
        "Extensions: {a} {x}, {b} {y}.", "What is the extension of {k}?", NAMES, list(range(210, 390, 7))
    ),
    "seat_number": lookup("{a} sits in seat {x}. {b} sits in seat {y}.", "Which seat does {k} have?", NAMES, NUMBERS),
    "appointment_day": lookup(
        "The dentist sees {a} on {x} and {b} on {y}.", "On which day does the dentist see {k}?", NAMES, WEEKDAYS
    ),
    "appointment_who": lookup(
        "On {a} the doctor sees {x}. On {b} it is {y}.", "Whom does the doctor see on {k}?", WEEKDAYS, NAMES
    ),
    "duty": lookup("Kitchen duty: {a} {x}, {b} {y}.", "Who has kitchen duty on {k}?", WEEKDAYS, NAMES),
    "menu_of_day": lookup(
        "The canteen has {x} on {a} and {y} on {b}.", "What does the canteen have on {k}?", WEEKDAYS, FOODS
    ),
    "lesson_day": lookup("There is {a} on {x} and {b} on {y}.", "On which day is {k}?", SUBJECTS, WEEKDAYS),
    "pet_name": lookup(
        "The {a} is called {x}, and the {b} is called {y}.", "What is the name of the {k}?", PETS, NAMES
    ),
    "pet_age": lookup("Our {a} is {x} years old. Our {b} is {y}.", "How old is the {k}?", PETS, list(range(2, 20))),
    "sold_for": lookup(
        "{a} sold a bicycle for {x} euros and {b} sold a bench for {y} euros.",
        "How many euros did {k} get?",
        NAMES,
        list(range(40, 190, 10)),
    ),
    "hat_and_name": lookup(
        "The person in the {a} hat is {x}. The person in the {b} hat is {y}.", "Who wears the {k} hat?", COLOURS, NAMES
    ),
    "car_colour": lookup(
        "{a} drives a {x} car. The car of {b} is {y}.", "What colour is the car of {k}?", NAMES, COLOURS
    ),
    "gift_for": lookup(
        "We give {x} to {a} and {y} to {b}.",
        "What do we give to {k}?",
        NAMES,
        ["a book", "a plant", "a game", "a cake", "a scarf"],
    ),
    "parcel_from": lookup(
        "The large parcel is from {x}; it goes to {a}. The small one is from {y} and goes to {b}.",
        "From which city is the parcel for {k}?",
        NAMES,
        CITIES,
    ),
    "hotel_nights": lookup(
        "{a} stays for {x} nights, {b} for {y}.", "How many nights does {k} stay?", NAMES, list(range(2, 15))
    ),
    "team_points": lookup("Final table: {a} {x} points, {b} {y} points.", "How many points has {k}?", TOWNS, NUMBERS),
    "medal": lookup(
        "{x} won the {a} medal and {y} won the {b} medal.",
        "Who won the {k} medal?",
        ["gold", "silver", "bronze"],
        NAMES,
    ),
    "wrote_on": lookup(
        "{a} wrote about {x}. {b} wrote about {y}.",
        "What did {k} write about?",
        NAMES,
        ["whales", "volcanoes", "castles", "comets", "bridges"],
    ),
    "built_in": lookup(
        "The bridge in {a} was built in {x}. The one in {b} was built in {y}.",
        "In which year was the bridge in {k} built?",
        TOWNS,
        list(range(1850, 1999, 3)),
    ),
    "flower_vase": lookup(
        "There are {x} in the {a} and {y} in the {b}.",
        "Which flowers are in the {k}?",
        PLACES,
        ["roses", "tulips", "lilies", "daisies", "poppies"],
    ),
    "who_in_room": lookup("{x} is in the {a}. {y} is in the {b}.", "Who is in the {k}?", PLACES, NAMES),
    "language_of": lookup(
        "{a} speaks {x}, and {b} speaks {y}.",
        "Which language does {k} speak?",
        NAMES,
        ["Polish", "Greek", "Turkish", "Danish", "Arabic"],
    ),
    "job_city": lookup("The {a} comes from {x} and the {b} from {y}.", "Where does the {k} come from?", JOBS, CITIES),
    "file_size": lookup(
        "{a}.txt has {x} lines, {b}.txt has {y} lines.",
        "How many lines has {k}.txt?",
        ["notes", "todo", "draft", "list", "letter"],
        NUMBERS,
    ),
    "shop_closes": lookup(
        "The bakery in {a} closes at {x}, the one in {b} at {y}.", "When does the bakery in {k} close?", TOWNS, HOURS
    ),
    # who did what to whom
    "gave_to": options(lambda a, b: (f"{a} gave a book to {b}. Who got the book?", b, a), a=NAMES, b=NAMES),
    "got_from": options(
        lambda a, b: (f"{a} received a letter from {b}. Who wrote the letter?", b, a), a=NAMES, b=NAMES
    ),
    "called_whom": options(lambda a, b: (f"{a} phoned {b} in the evening. Who made the call?", a, b), a=NAMES, b=NAMES),
    "taught_by": options(lambda a, b: (f"{a} was taught to swim by {b}. Who was the teacher?", b, a), a=NAMES, b=NAMES),
    "helped": options(lambda a, b: (f"{b} was helped by {a}. Who gave the help?", a, b), a=NAMES, b=NAMES),
    "sold_bought": options(lambda a, b: (f"{a} sold the boat to {b}. Who owns the boat now?", b, a), a=NAMES, b=NAMES),
    "beat_at_chess": options(lambda a, b: (f"{a} beat {b} at chess. Who lost the game?", b, a), a=NAMES, b=NAMES),
    "did_not_come": options(
        lambda a, b: (f"{a} came to the party, but {b} did not. Who was missing?", b, a), a=NAMES, b=NAMES
    ),
    "only_one": options(
        lambda a, b, c: (f"{a} and {b} ate meat. {c} ate only vegetables. Who ate no meat?", c, a, b),
        a=NAMES,
        b=NAMES,
        c=NAMES,
    ),
    "who_is_older": options(lambda a, b: (f"{a} is older than {b}. Who is younger?", b, a), a=NAMES, b=NAMES),
    "who_is_taller": options(lambda a, b: (f"{b} is shorter than {a}. Who is taller?", a, b), a=NAMES, b=NAMES),
    "who_came_first": options(lambda a, b: (f"{b} arrived after {a}. Who arrived first?", a, b), a=NAMES, b=NAMES),
    "who_sits_between": options(
        lambda a, b, c: (f"From left to right sit {a}, {b} and {c}. Who sits in the middle?", b, a, c),
        a=NAMES,
        b=NAMES,
        c=NAMES,
    ),
    "whose_turn": options(
        lambda a, b: (f"First it was the turn of {a}, then the turn of {b}. Who had the second turn?", b, a),
        a=NAMES,
        b=NAMES,
    ),
    "who_is_last": options(
        lambda a, b, c: (f"The order in the race was {a}, {b}, {c}. Who was last?", c, a, b), a=NAMES, b=NAMES, c=NAMES
    ),
    "oldest_of_three": options(
        lambda a, b, c, x: (
            f"{a} is {x + 2}, {b} is {x + 9} and {c} is {x + 5} years old. Who is the oldest?",
            b,
            a,
            c,
        ),
        a=NAMES,
        b=NAMES,
        c=NAMES,
        x=range(4, 40),
    ),
    # changes
    "moved_thing": options(
        lambda a, x, y: (f"{a} took the cup from the {x} and put it in the {y}. Where is the cup now?", y, x),
        a=NAMES,
        x=PLACES,
        y=PLACES,
    ),
    "new_colour": options(
        lambda x, y: (f"The fence was {x}. Yesterday it was painted {y}. What colour is the fence now?", y, x),
        x=COLOURS,
        y=COLOURS,
    ),
    "was_before": options(
        lambda x, y: (f"The shop sells {y} now. Before that it sold {x}. What did it sell before?", x, y),
        x=FRUITS,
        y=FRUITS,
    ),
    "postponed": options(
        lambda x, y: (f"The concert was planned for {x} but was moved to {y}. On which day is the concert?", y, x),
        x=WEEKDAYS,
        y=WEEKDAYS,
    ),
    "new_price": options(
        lambda x, y: (f"The ticket used to cost {x} euros. Since May it costs {y} euros. What does it cost now?", y, x),
        x=PRICES,
        y=PRICES,
    ),
    "changed_job": options(
        lambda a, x, y: (f"{a} was a {x} for years and is now a {y}. What is the job of {a} today?", y, x),
        a=NAMES,
        x=JOBS,
        y=JOBS,
    ),
    "went_where": options(
        lambda a, x, y: (f"{a} left {x} in the morning and reached {y} at night. Where was {a} in the morning?", x, y),
        a=NAMES,
        x=CITIES,
        y=CITIES,
    ),
    # signs, notes and forms
    "sender": options(
        lambda a, b, d: (f"From: {a}\nTo: {b}\nSubject: Meeting on {d}\n\nWho sent this email?", a, b),
        a=NAMES,
        b=NAMES,
        d=WEEKDAYS,
    ),
    "receiver": options(
        lambda a, b: (f"Dear {b},\nthe parcel is here.\nRegards, {a}\n\nTo whom is this note?", b, a), a=NAMES, b=NAMES
    ),
    "mail_day": options(
        lambda a, x, y: (
            f"Hi {a}, {x} does not work for me. Let us meet on {y}.\n\nOn which day does the writer want to meet?",
            y,
            x,
        ),
        a=NAMES,
        x=WEEKDAYS,
        y=WEEKDAYS,
    ),
    "sign_closed": options(
        lambda x, y: (f"Sign on the door: Closed on {x}. Late opening on {y}.\n\nOn which day is it closed?", x, y),
        x=WEEKDAYS,
        y=WEEKDAYS,
    ),
    "form_city": options(
        lambda a, x, y: (f"Name: {a}\nBorn in: {x}\nLives in: {y}\n\nWhere was {a} born?", x, y),
        a=NAMES,
        x=CITIES,
        y=CITIES,
    ),
    "form_number": options(
        lambda a, x, y: (f"Order: {x}\nCustomer: {a}\nItems: {y}\n\nWhat is the order number?", str(x), str(y)),
        a=NAMES,
        x=list(range(1040, 1990, 13)),
        y=NUMBERS,
    ),
    "receipt_total": options(
        lambda x, y: (
            f"Receipt\nBread {x} euros\nTotal {x + y} euros\n\nWhat is the total in euros?",
            str(x + y),
            str(x),
        ),
        x=range(2, 9),
        y=range(3, 30),
    ),
    "recipe_amount": options(
        lambda x, y: (
            f"Recipe: {x} grams of flour, {y} grams of sugar.\n\nHow many grams of sugar do you need?",
            str(y),
            str(x),
        ),
        x=list(range(200, 500, 20)),
        y=list(range(50, 190, 20)),
    ),
    "recipe_first": options(
        lambda x, y: (f"First wash the {x}. Then cut the {y}.\n\nWhat do you wash?", x, y), x=FRUITS, y=FRUITS
    ),
    "league_winner": options(
        lambda a, b, x: (f"{a} {x + 2} : {x} {b}. That was the final score. Which town won?", a, b),
        a=TOWNS,
        b=TOWNS,
        x=range(1, 5),
    ),
    "table_row": options(
        lambda a, b, x, y: (f"name | colour\n{a} | {x}\n{b} | {y}\n\nWhich colour stands in the row of {b}?", y, x),
        a=NAMES,
        b=NAMES,
        x=COLOURS,
        y=COLOURS,
    ),
    "shopping_list": options(
        lambda x, y, z: (f"Shopping list: {x}, {y}. We already have {z}.\n\nWhat do we already have?", z, x, y),
        x=FRUITS,
        y=FRUITS,
        z=FRUITS,
    ),
    # reasons and results
    "why_late": options(
        lambda a, x, y: (
            f"{a} was late because the {x} broke down, not because the {y} was full. What broke down?",
            x,
            y,
        ),
        a=NAMES,
        x=VEHICLES,
        y=VEHICLES,
    ),
    "why_happy": options(
        lambda a, x, y: (f"{a} wanted {x} but got {y}. What did {a} want?", x, y),
        a=NAMES,
        x=["a kite", "a drum", "a ball", "a doll"],
        y=["a book", "a lamp", "a pen", "a hat"],
    ),
    # yes or no
    "has_it": yes_no(
        lambda a, x, y, z: (f"{a} has {x} and {y} at home. Does {a} have {x if z else 'a piano'}?", z),
        a=NAMES,
        x=GOODS,
        y=GOODS,
        z=[True, False],
    ),
    "can_swim": yes_no(
        lambda a, b, z: (f"{a} can swim. {b} cannot swim. Can {a if z else b} swim?", z),
        a=NAMES,
        b=NAMES,
        z=[True, False],
    ),
    "is_on_list": yes_no(
        lambda a, b, c, d, z: (f"Guests: {a}, {b}, {c}. Is {b if z else d} a guest?", z),
        a=NAMES,
        b=NAMES,
        c=NAMES,
        d=NAMES,
        z=[True, False],
    ),
    "paid_bill": yes_no(
        lambda a, b, z: (f"{a} has paid the bill and {b} has not. Has {a if z else b} paid?", z),
        a=NAMES,
        b=NAMES,
        z=[True, False],
    ),
    "same_town": yes_no(
        lambda a, b, x, y, z: (f"{a} lives in {x}. {b} lives in {x if z else y}. Do they live in the same city?", z),
        a=NAMES,
        b=NAMES,
        x=CITIES,
        y=CITIES,
        z=[True, False],
    ),
    # numbers in a text
    "count_people": number(
        lambda a, b: (f"These people are in the room: {', '.join(NAMES[a : a + b])}. How many people is that?", b),
        a=range(16),
        b=range(2, 7),
    ),
    "floor_number": number(
        lambda a, b, x: (f"{a} lives on floor {x}. {b} lives one floor higher. On which floor does {b} live?", x + 1),
        a=NAMES,
        b=NAMES,
        x=range(2, 30),
    ),
    "both_together": number(
        lambda a, b, x, y: (f"{a} picked {x} plums. {b} picked {y}. How many plums did they pick together?", x + y),
        a=NAMES,
        b=NAMES,
        x=range(2, 10),
        y=range(2, 10),
    ),
    "year_of": number(
        lambda a, x: (
            f"{a} was born in {x} and moved house ten years later. In which year did {a} move house?",
            x + 10,
        ),
        a=NAMES,
        x=range(1950, 2000),
    ),
}
