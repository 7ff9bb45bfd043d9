"""The held-out briefs: other occasions, readers, facts and words than those to learn from."""

from authoring.writing.briefs import Brief

BRIEFS = [
    Brief("ferry menu", "passengers who are hungry and a little seasick",
          ["A ferry serves one dish only. Its card needs a few lines.",
           "There is nothing to choose in the galley of a ferry. Say it appetisingly on a card.",
           "In the ship's galley one pot is on the stove, every day the same. Make passengers want it."],
          {"a": ["herring", "pea stew", "mutton pie", "crab soup"], "b": ["crossing", "ebb", "headwind", "fog bank"],
           "c": ["fennel", "rhubarb", "peppermint", "quince"]},
          ["menu", "enjoy"], "one paragraph",
          "We cook one thing on board and have done so since before the engine: {a}. It is ready when the harbour is "
          "out of sight and gone by the next {b}. If your stomach disagrees with the sea, ask for the {c} cordial "
          "first, look at the horizon, and let the plate come to you. Seconds cost nothing after the lighthouse.",
          "On this ship there is one dish, which is {a}. You can get it until the next {b}. We also have a {c} cordial "
          "for those who feel sick. It is served on deck and below. Seconds cost nothing after the lighthouse."),
    Brief("glacier", "hikers who have looked forward to it for months",
          ["A mountain guide has to call off a tour and tells the group why.",
           "This morning the guide turned back. The group at the hut must hear it, and what they may do instead.",
           "No tour across the ice today: put it to people who got up at four, and give them another plan."],
          {"a": ["snow bridges", "loose rock", "wet slabs", "new crevasses"],
           "b": ["Orsina", "Balthazar", "Ingmar", "Celeste"],
           "c": ["the marmot valley", "the old smugglers' path", "the lower hut", "the gorge"]},
          ["regret", "disappointing"], "two paragraphs",
          "I turned round on the ice at five this morning. {a} where last week there was firm ground: I would cross "
          "with one of you on a rope, and not with eight.|The mountain will be there in August, and your deposit with "
          "it. Meanwhile {b} knows {c} like a pocket and starts at nine, with cake at the turning point. Come down to "
          "breakfast and look at the map.",
          "The tour over the ice has to be called off today. The reason is {a}. It would not be safe with eight "
          "people.|You can come again in August. Today {b} goes to {c} instead. It starts at nine, and there is cake. "
          "You can look at the map at breakfast."),
    Brief("violin", "a student's mother who does not play",
          ["A maker of violins describes an instrument that is for sale.",
           "A violin is waiting for its buyer. Its maker knows it well and speaks to somebody who does not.",
           "Somebody's daughter needs a violin. Describe this one for the parent who pays."],
          {"a": ["spruce", "maple", "pear wood", "willow"], "b": ["1931", "1954", "1978", "1899"],
           "c": ["a scratch", "a patch", "a new neck", "a worn scroll"]},
          ["investment", "stunning"], "one paragraph",
          "Built in {b} from {a} that had already dried for a generation, it has been played every day by people who "
          "were not famous. You will see {c}; it changes the price and not the sound. It speaks softly in a small room "
          "and carries to the back of a hall. Let her try it for a month, and listen from the kitchen.",
          "This violin was made in {b} out of {a}. It has {c}, which does not change the sound. It sounds good in "
          "small rooms and in halls. It was played by several people. Your daughter can try it for a month before you "
          "decide."),
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
    Brief("translation app", "nurses on a night shift",
          ["A hospital tells its nurses that a new gadget translates for patients.",
           "A ward gets a box that interprets. Its limits must be known before the first night.",
           "Tonight a machine starts to interpret at the bedside. Brief those on duty."],
          {"a": ["ward two", "the delivery room", "admissions", "intensive care"],
           "b": ["Tigrinya", "Tamil", "Pashto", "Hungarian"], "c": ["doses", "allergies", "consent", "test results"]},
          ["innovative", "solution"], "one paragraph",
          "From tonight a small grey box in {a} speaks {b}, and sixty other languages less well. Use it for thirst, "
          "pain, cold, fear, and where the toilet is. For {c} ring the interpreter as before, at any hour: the box "
          "sounds sure of itself even when it is wrong. Hold it between you, look at the patient, and speak in short "
          "sentences.",
          "There is a new device in {a}. It can translate {b} and sixty other languages. You can use it for simple "
          "things. For {c} you have to call the interpreter, as it makes mistakes. Hold it between you and the patient "
          "and speak in short sentences."),
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
    Brief("night train", "travellers who sleep badly",
          ["A night train greets its passengers on a card upon the pillow.",
           "On each berth of a sleeper lies a card. It should help against lying awake.",
           "Passengers find a card on the pillow of their berth. Let it be a quiet one."],
          {"a": ["the border", "the watershed", "the viaduct", "the river"],
           "b": ["buttermilk", "cocoa", "plum juice", "barley broth"],
           "c": ["an oboe", "a knock", "a lullaby", "a hand bell"]},
          ["welcome aboard", "comfortable"], "one paragraph",
          "You will wake at two, when we cross {a}; everybody does. Turn over: nothing is asked of you, the guard has "
          "your papers. The window opens a hand's breadth, the blanket is heavier than it looks, and {b} stands "
          "outside your door from midnight. In the morning there is {c}, softly, half an hour before you need shoes. "
          "We shall drive as if carrying eggs.",
          "This is your bed for the night. At two we cross {a}. The guard keeps your papers. You can open the window a "
          "little. There is {b} outside your door from midnight. In the morning there is {c} half an hour before you "
          "arrive. Sleep well on our train."),
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
]  # fmt: skip
