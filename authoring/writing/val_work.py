"""Held-out briefs from work: shops, workshops, offices, hotels and hospitals. Everything in them is invented."""

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
    Brief("night radio", "listeners who cannot sleep, and drivers",
          ["A small radio station announces a programme for the hours after midnight.",
           "After midnight someone will read aloud on the radio. The listings need an entry for it.",
           "The radio listings have a gap between one and four at night. Announce what fills it."],
          {"a": ["timetables", "whaling logs", "knitting patterns", "shipping forecasts"],
           "b": ["Theodora", "Ignatius", "Seraphine", "Lazarus"],
           "c": ["moths", "foxes", "milk floats", "snow ploughs"]},
          ["tune in", "don't miss"], "begins with a title",
          "For those who are up anyway|From one until four {b} reads {a} to you, slowly, in a voice like a coat being "
          "hung up. Nothing happens in them, and that is the idea. Between the pages you hear the night outside our "
          "window: {c}, rain if there is any. You may ring, and talk or not. Whoever falls asleep has understood the "
          "programme.",
          "A new programme|From one until four in the night {b} reads {a} on our station. In between there are sounds "
          "from outside, such as {c}. It is made for listeners who are awake at night. They are able to ring us as "
          "well. It helps many of them to fall asleep."),
    Brief("poem refused", "a poet of nineteen who waited for an answer",
          ["A magazine will not print a poem that was sent in. Its editor answers the poet.",
           "An editor sends some verses back and hopes that more will follow. How does that letter go?",
           "No, says the magazine to a young poet, yet not a flat no. Word the answer."],
          {"a": ["the heron", "the second stanza", "the tin roof", "the unmade bed"],
           "b": ["old age", "exile", "eternity", "paradise"], "c": ["Candida", "Rupert", "Philomena", "Ambrose"]},
          ["not a good fit", "submission"], "two paragraphs",
          "We shall not print your poem, and I have read it four times. Everything before {a} sounds like poetry. From "
          "there on it sounds like you, and I sat up.|Cross out {b}: you have not been there yet, and neither have I. "
          "Send me three more in spring, shorter, about things within reach of your hand. Put my name on the envelope, "
          "or it will lie about. {c}",
          "We are not able to print your poem. It was good from {a} on. The rest of it was less original.|You should "
          "not write about {b} so much. You are welcome to send other poems in spring. Address them to me, and they "
          "will be read. With kind greetings from our magazine, {c}"),
    Brief("muck spreading", "weekenders in the new houses beyond the hedge",
          ["A farm is about to spread manure, and it will smell. It writes to the newcomers next door.",
           "New houses stand beside an old farm. Before the stench begins, the farmer drops a letter through each "
           "slot.",
           "Warn the people in the new estate that the fields get manure, and stay friends with them."],
          {"a": ["the long acre", "the glebe", "the top paddock", "the hollow"],
           "b": ["maize", "spring barley", "sugar beet", "rapeseed"],
           "c": ["two nights", "a day and a half", "until it rains", "seventy hours"]},
          ["countryside", "as you may know"], "two paragraphs",
          "Next week I drive out the muck, and you will think that something has died. It is the other way about: {a} "
          "has carried wheat for three summers, and before the {b} it needs a meal.|The worst lasts {c}. Hang no "
          "washing, shut the east side, and I will not start on a Saturday. In return come with buckets in October. "
          "Your roses will speak of it for years.",
          "Next week I will spread manure on {a}. The soil needs it because I want to grow {b}. There is going to be a "
          "bad smell.|How long it lasts: {c}. Keep your windows shut on the east side and do not dry clothes outdoors. "
          "I will not do it on Saturday. You may have some for your roses."),
    Brief("blood donor", "a man who had never given blood before",
          ["A blood bank writes to a donor and tells him what became of it.",
           "Somebody gave half a litre of himself and heard nothing since. The blood bank ought to write.",
           "News for a donor: where his blood went, and when he may give again."],
          {"a": ["a tram conductor", "a trapeze artist", "a mother of quadruplets", "a roofer"],
           "b": ["Advent Sunday", "Shrove Tuesday", "Midsummer Eve", "Boxing Day"],
           "c": ["twelve weeks", "ninety days", "a quarter of a year", "ten weeks"]},
          ["hero", "gift of life"], "two paragraphs",
          "You looked away when the needle came, and then asked for a second biscuit. We are not allowed to give "
          "names. But on {b} your half litre went into {a}, who had gone white as paper, and by evening complained "
          "about the pillow.|Your body has made all of it anew by now, without telling you. After {c} you may come "
          "again. The biscuits are better this time.",
          "Thank you for giving blood. On {b} it went to {a}. The operation was difficult, but it ended well. We may "
          "not tell you the name.|You can give blood once more after {c}. Your body needs that time. There is "
          "something to eat and drink for donors. Make an appointment with our nurses."),
    Brief("pickers", "students between two terms",
          ["The fruit is ripe all at once, and an orchard lacks hands. It pins a slip up at the university.",
           "An orchard wants students for its harvest. No experience, early mornings, fair pay: make them curious.",
           "A slip for a campus wall: fruit, ladders, a week of work, and something after it."],
          {"a": ["russets", "damsons", "bergamots", "medlars"],
           "b": ["a caravan", "a hayloft", "bunk beds", "an old signal box"],
           "c": ["a bath tub", "a goose pond", "a skittle alley", "a brass telescope"]},
          ["flexible", "earn extra"], "ends with a question",
          "From the tenth the {a} come down whether somebody holds a basket or not. We pick from dew until the heat, "
          "six days, paid by the hour and not by the crate, since hurried fruit is bruised fruit. You sleep in {b}; in "
          "the evening there is {c}, a fire, and legs you did not know you had. You will never again buy one without "
          "turning it over. Can you climb?",
          "We need students who pick {a} with us from the tenth on. The work begins early and ends at noon. You are "
          "paid by the hour. You can sleep in {b}. For the evenings we have {c}. It lasts six days. Food is included. "
          "Experience is not needed. Would that be something for you?"),
    Brief("answering machine", "callers who are worried",
          ["A country doctor records what callers hear when nobody can pick up.",
           "The practice is closed at night, and the telephone has to say so. Word what the machine tells them.",
           "A tape for callers at night. They are ill or afraid, so choose each word."],
          {"a": ["0411", "0732", "0958", "0263"],
           "b": ["half past five", "a quarter past seven", "cock-crow", "sunrise"],
           "c": ["Dr Hollerbusch", "Dr Anwander", "Dr Quellmalz", "Dr Zirngibl"]},
          ["your call is important", "office hours"], "one paragraph",
          "You have reached us, but we are asleep or on the road. If somebody cannot breathe, speak or feel one side, "
          "hang up now and dial the ambulance. For everything that keeps you awake and can be told in words, ring {a}: "
          "there {c} sits up tonight and is glad of a voice. At {b} one of us makes coffee and listens to you here. "
          "Say your name slowly. Say it twice.",
          "Nobody is in the practice at the moment. When somebody is in great danger, dial the ambulance at once. With "
          "other troubles you can ring {a} tonight and talk to {c}. The practice opens at {b}. You may also leave a "
          "message after the tone. Tell us your name and your number for that."),
]  # fmt: skip
