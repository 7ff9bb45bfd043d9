"""Held-out briefs from a town: its offices, schools, clubs, museums and streets. Everything in them is invented."""

from authoring.writing.briefs import Brief

BRIEFS = [
    Brief("compost", "households that think it will smell",
          ["A town sends out brown bins for kitchen scraps and explains them on a leaflet.",
           "Brown bins arrive at every house, and with them a leaflet from the town hall.",
           "The town hall would like every kitchen to use the brown bin. A leaflet must answer the one worry they all "
           "have."],
          {"a": ["egg shells", "tea leaves", "potato peel", "coffee grounds"],
           "b": ["newspaper", "sawdust", "straw", "cardboard"], "c": ["fortnight", "ten days", "week", "five days"]},
          ["environment", "green"], "ends with a question",
          "It smells if you close it wet. So: {b} at the bottom, {a} and the rest on top, the lid left open a finger's "
          "width, and the lorry comes every {c}. What leaves your kitchen comes back in spring as soil, two sacks for "
          "each house, free at the depot. Last year that grew the pumpkins by the station. Have you seen their size?",
          "This is your new bin for scraps such as {a}. Put {b} at the bottom or else it will smell. It is emptied "
          "every {c}. The scraps become soil, and you get two sacks of it in spring. You can fetch them at the depot. "
          "Do you have any questions?"),
    Brief("clock tower", "people who have been asked for money often",
          ["A parish asks for money to mend the clock of its tower.",
           "The hands of a church clock no longer move. The parish passes the hat round once more.",
           "A tower clock has stopped for good unless somebody pays. The parish writes once more."],
          {"a": ["ten past four", "noon", "twenty to nine", "five to six"],
           "b": ["the escapement", "the mainspring", "a cog", "the dial"],
           "c": ["Ottokar", "Brunhild", "Leopold", "Amalia"]},
          ["donate", "heritage"], "begins with a title",
          "It is always {a}|The tower has shown the same time since the frost, and the swifts have stopped believing "
          "it. {c} has climbed up and found that {b} is worn through; a new one costs what a good sofa costs, and "
          "lasts ninety years. We have a third of it, from the jumble sale. The tin stands by the door, and every coin "
          "buys a minute.",
          "The clock stands still|The clock of our tower shows {a} all the time. {c} has looked at it and says that "
          "{b} is broken. It costs as much as a sofa to mend it. We have a third of the money. We ask you for the "
          "rest. There is a tin by the door."),
    Brief("allergy", "parents who pack lunch boxes in a hurry",
          ["A kindergarten explains to the other parents what one child must not eat.",
           "One child in the group must stay away from a certain food. All lunch boxes are concerned.",
           "A kindergarten has to speak to every family about one boy's or girl's food. No alarm, no blame."],
          {"a": ["peanuts", "sesame", "hazelnuts", "egg white"], "b": ["Liv", "Anton", "Mireille", "Casper"],
           "c": ["lip", "neck", "eyelid", "tongue"]},
          ["strictly", "prohibited"], "two paragraphs",
          "{b} is four and swells up from {a}, first at the {c}, then where one cannot see it. A crumb on a hand is "
          "enough, and children hold hands.|So we ask for boxes without any until summer. Pretzels, cheese, apples and "
          "most biscuits are fine, and a list hangs in the cloakroom. If it went wrong this morning, tell us at the "
          "door. Nobody will frown; we have a spare roll.",
          "{b} is allergic to {a}. The {c} swells when that happens, and it can become worse. A crumb is enough for "
          "it.|Do not put any into lunch boxes until summer. There is a list of other foods in the cloakroom. Tell us "
          "if you have forgotten it. We have a spare roll."),
    Brief("mushrooms", "town people with a basket and no knowledge",
          ["A forester writes a board on how to gather mushrooms.",
           "Where the path enters a wood stands an empty board. The forester wants it to speak to gatherers.",
           "People from town gather what they do not know. A friendly board could save some stomachs."],
          {"a": ["chanterelles", "parasols", "blewits", "milk caps"],
           "b": ["a knife", "two fingers", "a brush", "a twist"],
           "c": ["a hatful", "one basket", "a kilo", "two handfuls"]},
          ["forbidden", "expert"], "ends with a question",
          "Take what you know, and leave what you nearly know. {a} are loosened with {b}, so that the threads below "
          "live on, and {c} each day is what the law calls enough and the forest calls plenty. Carry them in something "
          "that breathes. At the hut somebody looks through your basket on Sundays, without laughing. Would you have "
          "eaten all of it?",
          "You may gather mushrooms such as {a}. Use {b} to loosen them. You may take {c} each day. Do not take "
          "mushrooms that you do not know. Use a basket. On Sundays somebody at the hut can look at them. Is "
          "everything clear to you?"),
    Brief("archive", "heirs who do not know what they have",
          ["An archive asks a family for the letters of a forefather.",
           "Old letters lie forgotten in somebody's attic. The archive asks to see them.",
           "Heirs may own letters an archive has sought for years. It writes to them out of the blue."],
          {"a": ["a lighthouse keeper", "a midwife", "a bell founder", "a map maker"],
           "b": ["1874", "1851", "1866", "1889"], "c": ["shoe box", "hat box", "biscuit tin", "suitcase"]},
          ["historical significance", "hereby"], "two paragraphs",
          "Somewhere in your house there may be a {c} that nobody wants to throw away or to read. If it holds letters "
          "of {a}, of about {b}, we would give much to open it.|We would read them for you and write out every line, "
          "so that you know what your people said. You may keep the paper: we need it for three weeks, and bring it "
          "back in better boxes.",
          "You may have letters of {a} in your house. They are from about {b} and may lie in a {c}. We would like to "
          "see them.|We can read them and make a copy. You will get them back after three weeks. Tell us if you have "
          "found such letters in your house."),
    Brief("lighthouse", "visitors at the foot of a long staircase",
          ["A lighthouse is open to climbers. It wants a plate at the bottom that tells them what is coming.",
           "Visitors stand before the stairs of a lighthouse and hesitate. Give them some lines to read there.",
           "The plate below a tower's stairs ought to amuse people and spare their breath."],
          {"a": ["214", "187", "263", "149"], "b": ["gannets", "seals", "oil tankers", "porpoises"],
           "c": ["the winch room", "the third window", "the paraffin store", "the fog horn"]},
          ["spectacular", "at your own risk"], "begins with a title",
          "Your grandmother managed it|There are {a} stairs and one bench, at {c}, where everybody pretends to look at "
          "the view. Keep to the wall, let those who come down go first, and do not count aloud. On top the wind takes "
          "hats. On a bright day you will see {b}; on a grey one, the inside of a cloud, which few people can say of "
          "themselves.",
          "Going up the tower|The tower has {a} stairs. Half-way there is a bench at {c}. People who come down go "
          "first. It is windy on the gallery, so hold on to your hat. In bright weather {b} can be seen from above. "
          "Small children should be held by the hand."),
    Brief("puppets", "grown-ups who were dragged along",
          ["A puppet theatre hands out a leaf with each ticket. It says what is behind the curtain.",
           "Grown-ups sit bored among the children at a puppet show. A leaf in their hands could win them over.",
           "A slip of paper comes with the ticket of a puppet show. Say on it what to look out for."],
          {"a": ["papier mâché", "limewood", "felt", "walnut shells"],
           "b": ["a drowned bell", "a stolen shadow", "the last dragon", "a talking well"],
           "c": ["Zdenka", "Hippolyt", "Ambrosia", "Valentino"]},
          ["for young and old", "enchanting"], "begins with a title",
          "Look at the hands|{c} plays all nine parts alone, in socks, behind a board one metre wide. The heads are of "
          "{a}, the voices come from a single throat, and the sea is a bath towel. It is about {b}, and the children "
          "will explain the ending to you. Forget for an hour that you know how it is done. They know it too.",
          "About the show|Tonight's show is about {b}. {c} moves and speaks every figure. The figures have heads of "
          "{a}. There are nine of them. The stage is small. It lasts an hour, with no interval. Children should sit in "
          "front so that all are able to see well."),
    Brief("seed library", "borrowers who came for a novel",
          ["Between its shelves a lending house now keeps seeds. A drawer full of them needs a label.",
           "One may borrow seeds there as one borrows books. Explain on the cabinet how that is done.",
           "Next to the novels stands a chest of seeds for lending. Its label has to say how it works."],
          {"a": ["runner beans", "black radish", "orache", "marigolds"],
           "b": ["a thimbleful", "one envelope", "a capful", "a teaspoonful"],
           "c": ["Michaelmas", "the first frost", "All Souls", "Candlemas"]},
          ["browse", "free of charge"], "begins with a title",
          "To be returned, changed|In these drawers sleep {a} and ninety others, each from a garden within sight of "
          "the tower. Borrow {b}, no card needed. Sow them, eat most, let the finest plant grow old and ugly, and "
          "shake it over a newspaper. By {c} you bring back as much as you took. There is no fine for late seeds, only "
          "a bare drawer.",
          "Borrowing seeds|Here you may borrow seeds, such as {a}. Take {b} for your garden. You need no card for "
          "that. Let some plants stand until they have ripened. Gather their seeds and return them by {c}. Other "
          "borrowers will then have some. Ask at the desk."),
    Brief("chess corner", "passers-by who know how the knight moves, more or less",
          ["Beginners may play chess in a tea room one night a week. A poster is missing.",
           "The tea room has put up chess boards and hopes for people who play badly. Invite those.",
           "A poster for a tea room, where those who hardly know the rules may play each other."],
          {"a": ["Wednesday nights", "Saturday nights", "Friday nights", "Monday nights"],
           "b": ["Casimir", "Leocadia", "Prospero", "Wilhelmine"],
           "c": ["ginger biscuits", "roasted almonds", "rhubarb crumble", "salted pretzels"]},
          ["tournament", "strategy"], "begins with a title",
          "Lose to somebody nice|On {a} seven boards stand ready between the teapots. {b}, who is eleven, beats "
          "everyone and shows you afterwards where it went wrong, kindly, with a mouth full of {c}. Clocks are banned. "
          "Moves may be taken back if the other one sighs. After four visits you will lose more slowly, and after ten "
          "you will hear yourself sigh.",
          "Chess for beginners|On {a} you may play chess in our tea room. We have seven boards. {b} can help you to "
          "learn it. We serve {c} with the tea. There are no clocks, and mistakes may be put right. Beginners of any "
          "age are very welcome here."),
    Brief("thin ice", "skaters who have their boots over the shoulder",
          ["A lake looks frozen and is not. The parish puts up a board on its shore.",
           "The first cold nights are over, and everyone wants to skate. It is too soon. Warn them by the shore.",
           "Keep skaters off a lake for some days more, without spoiling their joy."],
          {"a": ["four centimetres", "six centimetres", "five centimetres", "three centimetres"],
           "b": ["the mill stream", "the reeds", "the bathing hut", "the willow island"],
           "c": ["Epiphany", "New Year's Eve", "Twelfth Night", "Saint Lucy's Day"]},
          ["trespass", "lethal"], "begins with a title",
          "It is lying to you|The ice is white, it is still, and it is {a} thick. It needs twelve to carry a child and "
          "a sledge. Near {b} it is thinner yet, for warm water comes up there and says nothing. We drill each morning "
          "and write the number below. If the frost keeps its word, we light the lanterns on {c}. Until then the pond "
          "behind the school is hard as iron.",
          "Do not skate yet|The ice on this lake is {a} thick. Twelve are needed. It is even thinner close to {b}. We "
          "measure every morning and write the result below. It may be opened on {c} if the cold goes on. You can "
          "skate on the pond behind the school until then."),
    Brief("stationmaster", "villagers who set their watches by him",
          ["A stationmaster has died. His village paper prints a few lines on him.",
           "Say farewell in print to the man who ran a little railway station all his life.",
           "An obituary for a railwayman of a village, short enough for the lower corner of the page."],
          {"a": ["forty-four years", "thirty-eight years", "fifty-one years", "forty-seven years"],
           "b": ["geraniums", "a barometer", "begonias", "a parrot"],
           "c": ["honey drops", "aniseed", "a spare mitten", "a penny whistle"]},
          ["passed away", "tireless"], "begins with a title",
          "The 6.14 left without him|For {a} he stood on the platform before anybody else was awake, with his cap "
          "straight and {b} in the window behind him. He held trains for those who ran and told them they were early. "
          "Every child who wept at a parting was given {c}, out of a pocket that was never empty. On Friday the "
          "express, which does not stop here, stopped.",
          "Our stationmaster is dead|He worked at our station for {a}. He was there every morning. In his window he "
          "had {b}. He was kind to travellers and waited for those who were late. To children he gave {c}. The village "
          "will remember him. On Friday even the express stopped in our village."),
    Brief("cold lanes", "early swimmers with firm opinions",
          ["A bath has to save heat and lets its swimmers choose how. A placard should put it to them.",
           "The pool cannot stay as warm as it was. Those who swim at dawn get a say, so ask them.",
           "Swimmers must give something up, as heat is short. The bath lets them vote."],
          {"a": ["24 degrees", "23 degrees", "25 degrees", "22 degrees"],
           "b": ["the whirlpool", "the hot showers", "the sauna oven", "the diving pit"],
           "c": ["pebbles", "corks", "clothes pegs", "hazel sticks"]},
          ["energy crisis", "survey"], "ends with a question",
          "Heat has become dear, and we can keep only one of two things: the water as you know it, or {b}. If you want "
          "both, we close at Whitsuntide. With {a} in the lanes nobody has ever drowned, though some have sworn. At "
          "the till stand two jars and a bowl of {c}; drop one in as you go by, dripping. We count on the last of the "
          "month. Which would you miss first?",
          "We have to save heat in the pool. Either the water will be no warmer than {a}, or {b} will be closed. You may "
          "decide about it. At the till there are two jars. Put one of the {c} into the jar that you prefer. The jars "
          "are counted on the thirtieth. What do you prefer?"),
    Brief("museum guard", "visitors with tired feet",
          ["The guard of a gallery has seen one painting for decades. A card on his chair lets him speak.",
           "Visitors hurry past a picture that its guard loves. He is given a card next to it, and a few lines.",
           "Let a gallery's guard say on a small card what he sees and others overlook."],
          {"a": ["the left glove", "the spilt milk", "the open drawer", "the dead partridge"],
           "b": ["Cornelius", "Leander", "Engelbert", "Hieronymus"],
           "c": ["a rival", "a creditor", "a stepson", "the painter"]},
          ["masterpiece", "brushstroke"], "ends with a question",
          "My name is {b}, and I have sat across from these people for longer than I have been married. Everyone looks "
          "at the faces. Look at {a}. Nobody puts such a thing there by chance, and I believe that {c} has just left "
          "the room. In the morning, before the lamps are lit, the woman knows it. You have a minute, and I have a "
          "second chair. What do you suppose was said?",
          "I am {b} and work as a guard in this room. I have often looked at this picture. I would like to show you "
          "{a}. I think it tells us that {c} was in the room before. Not many visitors notice it. You may sit on the "
          "second chair. What do you think about it?"),
    Brief("sauna", "guests who have never sat in one",
          ["A public sauna wants newcomers to know its customs, without a list of don'ts.",
           "The customs of a sauna puzzle newcomers. A few words in the changing room may explain them.",
           "Put newcomers to a sauna at ease before they open the hot door."],
          {"a": ["birch twigs", "a bucket of snow", "wet towels", "a wooden ladle"],
           "b": ["politics", "business", "football", "diets"],
           "c": ["the lowest bench", "the corner seat", "the step by the stove", "the bench near the door"]},
          ["etiquette", "nudity"], "one paragraph",
          "Everyone was new here once and sat too high. Begin on {c}, on your towel, and leave while you would still "
          "like to stay: that is the whole art. You will be offered {a}; say yes. One may be silent, or speak low, of "
          "anything but {b}. Nobody looks, since everyone has enough to do with himself. Cold water comes afterwards, "
          "and then an appetite that will surprise you.",
          "Newcomers ought to sit on {c} at first. Sit on a towel. Do not stay too long in the heat, and take a cold "
          "shower afterwards. You may use {a}, too. Speak in a low voice. We do not talk about {b} in there. Then have "
          "a rest and drink some water, and eat something light."),
]  # fmt: skip
