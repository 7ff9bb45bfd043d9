"""Questions of `retention` about words, facts and short sentences. Each entry is a family."""

from authoring.retention.families import COLOURS, NAMES, WORDS, Family
from authoring.retention.questions import amounts, facts, options, text, yes_no

ANIMALS = ["dog", "cat", "horse", "rabbit", "lion", "mouse", "sheep", "goat"]
FOODS = ["bread", "cheese", "rice", "soup", "butter", "pasta", "cake"]
TOOLS = ["hammer", "saw", "spade", "drill", "screwdriver"]
CLOTHES = ["shirt", "coat", "sock", "scarf", "hat"]
FRUITS = ["apple", "banana", "cherry", "grape", "pear", "plum"]
CITIES = ["Paris", "London", "Rome", "Berlin", "Madrid"]
FAST, SLOW = ["plane", "racing car", "rocket"], ["snail", "tortoise", "worm"]
WARM, COLD = ["oven", "fire", "desert"], ["freezer", "glacier", "snowman"]

INSTRUCTIONS: dict[str, Family] = {
    # words and their forms
    "ing_form": facts(
        'Write the -ing form of "{}".', "run: running, swim: swimming, make: making, write: writing, sit: sitting"
    ),
    "participle": facts(
        'Complete with the right form of the verb in brackets: "I have ... ({}) it."',
        "take: taken, write: written, see: seen, break: broken, choose: chosen",
    ),
    "third_person": facts(
        'Complete with the right form: "I {} every day, and she ... too."',
        "watch: watches, carry: carries, fly: flies, teach: teaches, study: studies",
    ),
    "singular": facts(
        'Write the singular of "{}".', "leaves: leaf, knives: knife, women: woman, oxen: ox, wolves: wolf"
    ),
    "comparative": facts(
        'Complete: "big, bigger". Now the same for "{}":',
        "good: better, bad: worse, tall: taller, happy: happier, cold: colder",
    ),
    "superlative": facts(
        'What is the superlative of "{}"?', "small: smallest, old: oldest, good: best, easy: easiest, strong: strongest"
    ),
    "adverb": facts(
        'Turn "{}" into an adverb.', "slow: slowly, quick: quickly, happy: happily, careful: carefully, good: well"
    ),
    "adjective_of_noun": facts(
        'Which adjective belongs to the noun "{}"? Example: rain - rainy.',
        "wind: windy, sun: sunny, salt: salty, danger: dangerous, wool: woollen",
    ),
    "noun_of_adjective": facts(
        'Which noun belongs to the adjective "{}"?',
        "strong: strength, happy: happiness, warm: warmth, free: freedom, wise: wisdom",
    ),
    "doer": facts(
        "What do you call a person who can {}? One word.",
        "sing: singer, dance: dancer, swim: swimmer, paint: painter, act: actor",
    ),
    "negative_prefix": facts(
        'Put a prefix before "{}" so that it means the opposite.',
        "happy: unhappy, possible: impossible, visible: invisible, honest: dishonest, legal: illegal",
    ),
    "opposite_verb": facts(
        "Name the opposite of the verb to {}.",
        "buy: sell, win: lose, push: pull, open: close, laugh: cry, lend: borrow",
    ),
    "opposite_noun": facts(
        'Which noun means the opposite of "{}"?',
        "friend: enemy, war: peace, question: answer, day: night, profit: loss, success: failure",
    ),
    "opposite_preposition": facts(
        'What is the opposite of the word "{}"?',
        "above: below, inside: outside, before: after, with: without, near: far",
    ),
    "synonym": facts(
        'Which of the words huge, quick, glad, ill, silent means the same as "{}"?',
        "big: huge, fast: quick, happy: glad, sick: ill, quiet: silent",
    ),
    "pronoun": facts(
        'Which pronoun can replace "{}"?',
        "the girl: she, the boy: he, the children: they, my friend and I: we, the table: it",
    ),
    "contraction": facts(
        'Write "{}" as one short word with an apostrophe.',
        "do not: don't, we are: we're, it is: it's, they will: they'll, I have: I've",
    ),
    "spelled_out": facts('Write "{}" out in full.', "Dr: doctor, Mr: mister, kg: kilogram, cm: centimetre"),
    "short_day": facts(
        'Which day of the week does "{}" stand for?',
        "Mon: Monday, Tue: Tuesday, Wed: Wednesday, Thu: Thursday, Fri: Friday",
    ),
    "short_month": facts(
        'What is the full name of the month "{}"?',
        "Jan: January, Feb: February, Aug: August, Sep: September, Dec: December",
    ),
    "compound": facts(
        "Join two words to one: {}",
        "sun + flower: sunflower, rain + coat: raincoat, book + shop: bookshop, foot + ball: football",
    ),
    "british_american": facts(
        "What is the American English word for {}?",
        "a lift: elevator, a flat: apartment, a lorry: truck, petrol: gas, a biscuit: cookie",
    ),
    "feminine": facts(
        "The female form of {} is?", "king: queen, actor: actress, uncle: aunt, nephew: niece, prince: princess"
    ),
    "masculine": facts(
        "The male form of {} is?", "mother: father, sister: brother, wife: husband, daughter: son, bride: groom"
    ),
    "article": facts(
        'Is it "a" or "an" before this noun? Write the noun with its article: {}',
        "apple: an apple, house: a house, egg: an egg, dog: a dog, umbrella: an umbrella",
    ),
    "homophone": facts(
        'Which word sounds like "{}" but is spelled differently?',
        "see: sea, son: sun, meet: meat, right: write, hour: our",
    ),
    "spelling": facts(
        'Correct the spelling: "{}"',
        "becuase: because, freind: friend, recieve: receive, tommorow: tomorrow, diffrent: different",
    ),
    "missing_letter": facts(
        'Which animal is it if the missing letter is filled in: "{}"?',
        "h_rse: horse, ti_er: tiger, she_p: sheep, mo_key: monkey, ra_bit: rabbit",
    ),
    "word_kind": facts(
        'Is the word "{}" a noun, a verb or an adjective?',
        "table: noun, sing: verb, green: adjective, river: noun, write: verb",
    ),
    "which_is_name": options(
        lambda a, b, c: (f"Which word is the name of a person: {b}, {a}, {c}?", a, b, c), a=NAMES, b=FOODS, c=TOOLS
    ),
    # letters and numbers as words
    "next_letter": facts("Which letter of the alphabet comes after {}?", "B: C, D: E, M: N, Q: R, S: T, X: Y"),
    "letter_before": facts("Which letter of the alphabet comes just before {}?", "C: B, H: G, L: K, P: O, T: S, Z: Y"),
    "last_letter": facts(
        'What is the last letter of the word "{}"?', "garden: n, lamp: p, bread: d, clock: k, river: r, pencil: l"
    ),
    "number_word": amounts(
        'Write the number "{}" in digits.', "seven: 7, twelve: 12, twenty: 20, fifteen: 15, ninety: 90, thirty-four: 34"
    ),
    "digit_word": facts(
        "Write the number {} as a word.", "3: three, 8: eight, 11: eleven, 20: twenty, 50: fifty, 100: hundred"
    ),
    "ordinal": facts(
        'What is the ordinal number of "{}"? Example: four - fourth.',
        "one: first, two: second, three: third, five: fifth, nine: ninth",
    ),
    "roman": amounts("Which number is the Roman numeral {}?", "V: 5, X: 10, III: 3, IX: 9, XX: 20, L: 50"),
    "letters_in_word": amounts(
        'How many letters has the word "{}"?', "cat: 3, tree: 4, house: 5, garden: 6, window: 6, sun: 3"
    ),
    "greater": options(
        lambda a, b: (f"Which number is greater, {a} or {b}?", str(max(a, b)), str(min(a, b))),
        a=range(10, 99, 2),
        b=range(11, 99, 2),
    ),
    "smallest": options(
        lambda a, b, c: (
            f"Name the smallest of these numbers: {a + 20}, {b}, {c + 50}",
            str(b),
            str(a + 20),
            str(c + 50),
        ),
        a=range(20),
        b=range(3, 19),
        c=range(20),
    ),
    "even_odd": facts("Is {} an even or an odd number?", "4: even, 7: odd, 12: even, 15: odd, 20: even, 33: odd"),
    # languages
    "french": facts(
        'What does the French word "{}" mean in English?',
        "chien: dog, maison: house, pain: bread, eau: water, livre: book, rouge: red",
    ),
    "to_french": facts(
        'How do you say "{}" in French?',
        "thank you: merci, yes: oui, hello: bonjour, please: s'il vous plaît, goodbye: au revoir",
    ),
    "spanish": facts(
        'Translate the Spanish word "{}" into English.',
        "gato: cat, casa: house, agua: water, libro: book, amigo: friend, leche: milk",
    ),
    "to_spanish": facts(
        'What is "{}" in Spanish?', "one: uno, two: dos, three: tres, red: rojo, good morning: buenos días"
    ),
    "german": facts(
        'What is the English word for the German "{}"?',
        "Hund: dog, Haus: house, Wasser: water, Buch: book, Milch: milk, Baum: tree",
    ),
    "to_german": facts('Translate "{}" into German.', "yes: ja, no: nein, thank you: danke, bread: Brot, night: Nacht"),
    "italian": facts(
        '"{}" is Italian. What is it in English?',
        "ciao: hello, acqua: water, notte: night, sole: sun, amore: love, uno: one",
    ),
    "which_language": facts(
        'Is this French, German or Spanish? "{}"',
        "Guten Morgen: German, Bonjour: French, Buenas noches: Spanish, Auf Wiedersehen: German, Merci beaucoup: French",
    ),
    "currency_sign": facts('Which currency has the sign "{}"?', "$: dollar, €: euro, £: pound"),
    # places
    "country_of": facts(
        "In which country is the city of {}?",
        "Paris: France, Tokyo: Japan, Rome: Italy, Sydney: Australia, Toronto: Canada, Moscow: Russia",
    ),
    "continent": facts(
        "On which continent is {}?",
        "Egypt: Africa, China: Asia, France: Europe, Brazil: South America, Canada: North America",
    ),
    "currency": facts(
        "Which currency is used in {}?",
        "Japan: yen, India: rupee, China: yuan, Germany: euro, Russia: ruble, Mexico: peso",
    ),
    "landmark": facts(
        "In which city is {}?",
        "the Eiffel Tower: Paris, Big Ben: London, the Colosseum: Rome, the Statue of Liberty: New York, "
        "the Brandenburg Gate: Berlin",
    ),
    "landmark_country": facts(
        "Which country is home to {}?",
        "the Great Wall: China, the Taj Mahal: India, the pyramids of Giza: Egypt, Mount Fuji: Japan, "
        "the Grand Canyon: United States",
    ),
    "people_of": facts(
        "People from {} are called what?",
        "France: French, Spain: Spanish, Poland: Polish, China: Chinese, Italy: Italian, Canada: Canadian",
    ),
    "river": facts(
        "Through which country does the river {} mainly flow?",
        "Thames: England, Ganges: India, Seine: France, Amazon: Brazil, Mississippi: United States",
    ),
    "ocean": facts(
        "Which ocean lies between {}?",
        "America and Europe: Atlantic, America and Asia: Pacific, Africa and Australia: Indian",
    ),
    "direction": facts(
        "Which direction is opposite to {}?", "north: south, east: west, south: north, west: east, left: right"
    ),
    "dish_country": facts(
        "From which country does {} come?", "pizza: Italy, sushi: Japan, paella: Spain, tacos: Mexico, curry: India"
    ),
    # time
    "month_after": facts(
        "Which month comes after {}?",
        "January: February, March: April, May: June, August: September, November: December",
    ),
    "month_before": facts(
        "Which month is just before {}?",
        "March: February, June: May, August: July, December: November, October: September",
    ),
    "day_before": facts(
        "Which day comes before {}?", "Tuesday: Monday, Friday: Thursday, Sunday: Saturday, Thursday: Wednesday"
    ),
    "room_for": facts(
        "In which room of a flat do people {}?", "cook: kitchen, sleep: bedroom, take a shower: bathroom"
    ),
    "days_in_month": amounts(
        "How many days does {} have?", "January: 31, April: 30, June: 30, July: 31, December: 31, September: 30"
    ),
    "device": facts(
        "Which device shows you {}?", "how warm it is: thermometer, where north is: compass, how heavy you are: scale"
    ),
    "holiday": facts(
        "In which month is {}?",
        "Christmas: December, New Year's Day: January, Halloween: October, Valentine's Day: February",
    ),
    "meal": facts("Which meal do people eat {}?", "in the morning: breakfast, at noon: lunch, in the evening: dinner"),
    "part_of_day": facts(
        "Do people usually do this in the morning or at night: {}?",
        "wake up: morning, look at the stars: night, have breakfast: morning, sleep: night",
    ),
    # nature
    "group_of": facts(
        "Which word fits: a ... of {}?", "bees: swarm, wolves: pack, sheep: flock, fish: school, cows: herd"
    ),
    "animal_home": facts(
        "Which animal lives in a {}?", "nest: bird, kennel: dog, hive: bee, stable: horse, web: spider"
    ),
    "animal_class": facts(
        "Mammal, bird, fish or insect: which of these is the {}?",
        "dog: mammal, eagle: bird, shark: fish, ant: insect, horse: mammal, salmon: fish, bee: insect",
    ),
    "team_size": amounts(
        "How many players has one team on the field in {}?", "football (soccer): 11, basketball: 5, volleyball: 6"
    ),
    "meat": facts(
        "From which animal do we get {}?", "pork: pig, beef: cow, lamb chops: sheep, mutton: sheep, bacon: pig"
    ),
    "animal_product": facts(
        "Which product do we get from {}?", "bees: honey, hens: eggs, cows: milk, sheep: wool, silkworms: silk"
    ),
    "animal_covering": facts(
        "Is a {} covered with feathers, fur or scales?",
        "duck: feathers, bear: fur, fish: scales, eagle: feathers, cat: fur, snake: scales",
    ),
    "plant_part": facts(
        "Root, flower, leaf or stem: which part of a plant {}?",
        "is under the ground: root, smells sweet and draws bees: flower, is green and flat: leaf, holds it upright: stem",
    ),
    "grows_on": facts(
        "Does a {} grow on a tree or under the ground?",
        "potato: ground, apple: tree, carrot: ground, cherry: tree, pear: tree",
    ),
    "weather": facts(
        "Is it rain, snow or wind? {}",
        "It makes the streets wet: rain, Children build a man of it: snow, It moves the sails: wind",
    ),
    "matter": facts(
        "Is {} a solid, a liquid or a gas?",
        "ice: solid, milk: liquid, steam: gas, stone: solid, oil: liquid, oxygen: gas",
    ),
    "planet": facts(
        "Which planet is {}?",
        "closest to the sun: Mercury, called the red planet: Mars, the largest of all: Jupiter, "
        "known for its rings: Saturn, our home: Earth",
    ),
    "chemical": facts("What is the chemical symbol of {}?", "gold: Au, iron: Fe, oxygen: O, silver: Ag, helium: He"),
    "element": facts("Which element has the symbol {}?", "H: hydrogen, O: oxygen, C: carbon, N: nitrogen, Na: sodium"),
    "sense": facts(
        "Eyes, ears, nose or tongue: with which of these do we {}?", "see: eyes, hear: ears, smell: nose, taste: tongue"
    ),
    "organ": facts(
        "Which organ {}?", "pumps the blood: heart, thinks: brain, takes in air: lungs, digests food: stomach"
    ),
    "body_count": amounts(
        "How many {} does a person usually have?", "eyes: 2, fingers: 10, noses: 1, thumbs: 2, toes: 10"
    ),
    # things of every day
    "metal": facts(
        "Which metal is {}?",
        "yellow and used for wedding rings: gold, liquid in old thermometers: mercury, reddish and used for wires: copper, "
        "known to rust: iron",
    ),
    "tool_for": facts(
        "Hammer, scissors, shovel or saw: which one do you use to {}?",
        "drive in a nail: hammer, cut paper: scissors, dig a hole: shovel, cut a plank: saw",
    ),
    "worn_on": facts(
        "On which part of the body do you wear a {}?", "hat: head, glove: hand, shoe: foot, ring: finger, scarf: neck"
    ),
    "job_place": facts(
        "Where does a {} work?", "nurse: hospital, cook: kitchen, farmer: farm, librarian: library, sailor: ship"
    ),
    "job_does": facts(
        "What is the job of a person who {}?",
        "flies a plane: pilot, puts out fires: firefighter, repairs teeth: dentist, cuts hair: barber, bakes bread: baker",
    ),
    "shop_sells": facts(
        "In which shop do you buy {}?",
        "bread: bakery, medicine: pharmacy, meat: butcher, books: bookshop, flowers: florist",
    ),
    "vehicle_place": facts(
        "Does a {} travel in the air, on water or on the road?",
        "ship: water, plane: air, bus: road, helicopter: air, ferry: water, truck: road",
    ),
    "taste": facts(
        "Is {} sweet, sour or salty?", "honey: sweet, lemon juice: sour, sea water: salty, sugar: sweet, vinegar: sour"
    ),
    "cutlery": facts(
        "Do you use a knife, a fork or a spoon for {}?",
        "eating soup: spoon, cutting bread: knife, stirring coffee: spoon, slicing meat: knife, picking up noodles: fork",
    ),
    "building": facts(
        "What do you call a place where {}?",
        "films are shown: cinema, books are lent: library, planes land: airport, sick people are treated: hospital, "
        "money is kept: bank",
    ),
    "kept_in": facts(
        "Do people keep {} in a fridge, on a shelf or in a wardrobe?",
        "fresh milk: fridge, books: shelf, coats: wardrobe, butter: fridge",
    ),
    "instrument": facts(
        "Which instrument has {}?",
        "black and white keys: piano, six strings and a neck: guitar, two sticks: drum, four strings and a bow: violin",
    ),
    "sport_thing": facts(
        "Which sport is played with {}?",
        "a racket and a net: tennis, a bat and bases: baseball, a hoop: basketball, a puck: hockey",
    ),
    "unit": facts(
        "Do we measure {} in metres, litres, grams or hours?",
        "the length of a rope: metres, the milk in a jug: litres, the time of a trip: hours, the weight of a letter: grams",
    ),
    "symbol_name": facts(
        'What is the name of the sign "{}"?', "+: plus, %: percent, =: equals, ?: question mark, &: ampersand"
    ),
    "traffic_light": facts("What does a {} traffic light tell a driver to do?", "red: stop, green: go"),
    "relation": facts(
        "What do you call {}?",
        "the brother of your mother: uncle, the mother of your father: grandmother, "
        "the son of your uncle: cousin, the sister of your father: aunt",
    ),
    "feeling": facts(
        "How does a person feel who {}: happy, sad, angry or tired?",
        "cries at a funeral: sad, shouts at a thief: angry, yawns all the time: tired, smiles at a present: happy",
    ),
    "uses_power": facts(
        "Which thing in the house {}?",
        "washes clothes: washing machine, keeps food cold: fridge, sucks up dust: vacuum cleaner, shows films: television",
    ),
    "drink_eat": facts(
        "Do you eat or drink {}?",
        "bread: eat, juice: drink, cheese: eat, tea: drink, rice: eat",
    ),
    # people and books
    "author": facts(
        "Who wrote {}?",
        "Romeo and Juliet: Shakespeare, Harry Potter: Rowling, Oliver Twist: Dickens, War and Peace: Tolstoy",
    ),
    "painter": facts(
        "Who painted {}?", "the Mona Lisa: Leonardo, The Starry Night: van Gogh, Guernica: Picasso, Water Lilies: Monet"
    ),
    "inventor": facts(
        "Who {}?",
        "invented the telephone: Bell, invented the light bulb: Edison, "
        "described gravity after an apple fell: Newton, found the theory of relativity: Einstein",
    ),
    "explorer": facts(
        "Who {}?",
        "was the first man on the moon: Armstrong, sailed to America in 1492: Columbus, "
        "was the first president of the United States: Washington",
    ),
    "tale": facts(
        "Which fairy tale character {}?",
        "lost a glass shoe: Cinderella, wore a red hood: Little Red Riding Hood, "
        "had a very long nose: Pinocchio, lived with seven dwarfs: Snow White",
    ),
    # common phrases
    "pair_of_words": facts(
        "Complete the phrase: {} and ...", "salt: pepper, bread: butter, knife: fork, king: queen, black: white"
    ),
    "simile": facts("Complete: as {} as ...", "busy: bee, cold: ice, free: bird, blind: bat, white: snow"),
    "proverb": facts(
        "Which word ends the proverb? {}",
        "An apple a day keeps the doctor: away, Practice makes: perfect, Better late than: never, Time is: money",
    ),
    "analogy": facts(
        "{} is to what?",
        "Hand is to glove as foot: sock, Bird is to fly as fish: swim, Day is to sun as night: moon, Cow is to milk as hen: eggs",
    ),
    # choices
    "possessive": facts(
        "Say it with an apostrophe: the car of {}",
        "Tom: Tom's car, Anna: Anna's car, Paul: Paul's car, Lisa: Lisa's car",
    ),
    "question_word": facts(
        "Which question word asks for {}?", "a place: where, a time: when, a person: who, a reason: why, an amount: how"
    ),
    "faster": options(lambda a, b: (f"Which moves faster, a {a} or a {b}?", a, b), a=FAST, b=SLOW),
    "colder": options(lambda a, b: (f"Which is colder, a {a} or a {b}?", b, a), a=WARM, b=COLD),
    "which_is_animal": options(
        lambda a, b, c: (f"Which of these is an animal: {b}, {a} or {c}?", a, b, c), a=ANIMALS, b=TOOLS, c=CLOTHES
    ),
    "which_is_food": options(
        lambda a, b, c: (f"Which one can you eat: {b}, {c} or {a}?", a, b, c), a=FOODS, b=TOOLS, c=CLOTHES
    ),
    "which_is_fruit": options(
        lambda a, b, c: (f"Pick the fruit: {a}, {b}, {c}", a, b, c), a=FRUITS, b=TOOLS, c=COLOURS
    ),
    "which_is_city": options(
        lambda a, b, c: (f"Which word is a city: {b}, {c} or {a}?", a, b, c), a=CITIES, b=ANIMALS, c=FOODS
    ),
    "which_is_colour": options(
        lambda a, b, c: (f"Find the colour: {b}, {a}, {c}", a, b, c), a=COLOURS, b=ANIMALS, c=TOOLS
    ),
    "odd_one_out": options(
        lambda a, b, c, d: (f"Which word does not belong: {a}, {b}, {d}, {c}?", d, a, b, c),
        a=ANIMALS,
        b=ANIMALS,
        c=ANIMALS,
        d=TOOLS,
    ),
    "category": facts(
        "Is {} an animal, a food or a colour?",
        "cheese: food, a horse: animal, purple: colour, rice: food, green: colour, a goat: animal",
    ),
    "first_of_list": options(
        lambda a, b, c: (f"Name the first word of this list: {a}, {b}, {c}", a, b, c), a=FOODS, b=FOODS, c=FOODS
    ),
    "last_of_list": options(
        lambda a, b, c: (f"Name the last word of this list: {a}, {b}, {c}", c, a, b), a=CLOTHES, b=CLOTHES, c=CLOTHES
    ),
    "longer_word": options(
        lambda a, b: (f'Which word has more letters, "{b}" or "{a}"?', a, b),
        a=["elephant", "telephone", "mountain", "umbrella"],
        b=["cup", "sun", "tea", "pig"],
    ),
    "statement_true": yes_no(
        lambda a: (f"Is this true? {a[0]}", a[1]),
        a=[
            ("Fish live in water.", True),
            ("Snow is hot.", False),
            ("The sun is a star.", True),
            ("Dogs can fly.", False),
            ("Milk is white.", True),
            ("A week has nine days.", False),
        ],
    ),
    "review": facts(
        "Is this review positive or negative? {}",
        "The food was cold and the waiter rude: negative, "
        "A wonderful film that I will watch again: positive, It broke after one day: negative, "
        "Great service and a friendly team: positive",
    ),
    "polite": facts(
        "Is this sentence polite or rude? {}",
        "Could you please help me: polite, Shut up and go away: rude, Thank you so much for coming: polite, "
        "Give me that you idiot: rude",
    ),
    "asks_or_tells": facts(
        "Is this a question or a statement? {}",
        "Where do you live: question, I live in a small town: statement, What time is it: question, "
        "The bus is late again: statement",
    ),
    # short texts
    "thank": text(lambda n: (f"Thank {n} for the help, in one short sentence.", n.casefold()), "sentence", n=NAMES),
    "invite": text(lambda n: (f"Invite {n} to dinner on Friday. One sentence.", n.casefold()), "sentence", n=NAMES),
    "apologise": text(
        lambda n: (f"Say sorry to {n} because you are late. Use one sentence with the name in it.", n.casefold()),
        "sentence",
        n=NAMES,
    ),
    "about_animal": text(
        lambda a: (f"Tell me one thing about the {a}, in a single short sentence.", a), "sentence", a=ANIMALS
    ),
    "about_food": text(lambda a: (f"Write one short sentence about eating {a}.", a), "sentence", a=FOODS),
    "ask_someone": text(
        lambda n: (f"Write one question to {n} about the weekend. Use the name.", n.casefold()), "sentence", n=NAMES
    ),
    "say_twice": text(lambda a: (f"Write the word {a} two times, with a space between.", f"{a} {a}"), a=WORDS),
    "say_only": text(lambda a: (f'Reply with the single word "{a}" and nothing else.', a), a=WORDS),
    "repeat_number": text(lambda a: (f"Repeat this number: {a}", str(a)), a=range(1200, 9800, 37)),
    "repeat_name": text(
        lambda a, b: (f"Write these names again, in the same order: {a} {b}", f"{a} {b}"), a=NAMES, b=NAMES
    ),
    "repeat_question": text(
        lambda a: (f"Do not answer, only repeat: {a}", a),
        a=["Where is my coat?", "Who broke the cup?", "When does it start?", "Why is the sky blue?"],
    ),
}
