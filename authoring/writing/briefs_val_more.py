"""More held-out briefs, from all of life, in words that no brief to learn from has."""

from authoring.writing.briefs import Brief

BRIEFS = [
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
    Brief("piano movers", "a removal firm that has so far said nothing",
          ["Movers damaged a piano. Its owner complains and wants to have it put right.",
           "A piano came out of the van with a fault that it did not have before. The firm should hear of it.",
           "Complain to a removal firm in such a manner that it pays and nobody loses face."],
          {"a": ["a cracked leg", "a dead bass string", "a dented lid", "a jammed pedal"],
           "b": ["the banister", "the door frame", "a radiator", "the newel post"],
           "c": ["14 February", "23 November", "9 September", "30 January"]},
          ["unacceptable", "compensation"], "two paragraphs",
          "On {c} your men carried my piano up three floors, singing, and I have seldom seen such work. On the last "
          "step it met {b}. It now has {a}, and the men went quiet, and so have you.|I have two photographs and a "
          "tuner who will put it right for less than you fear. I ask you to pay him, not me. And give my regards to "
          "the one who sang tenor.",
          "Your firm moved my piano on {c}. It was knocked against {b}. Now it has {a}. It was in order before that "
          "day.|I send you two photographs of the damage. A tuner can repair it. I want you to pay for his work. So "
          "far you have not answered my calls. I expect to hear from you."),
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
    Brief("quiet landing", "a widow across the landing who has lost her dog",
          ["An old dog has died across the landing. Somebody pushes a card under that door.",
           "A neighbour has had to let her dog go. Console her in a few lines, from one door to the other.",
           "A card for the woman opposite, whose dog died this week."],
          {"a": ["Figaro", "Captain", "Admiral", "Truffle"],
           "b": ["the third stair", "the lift button", "the coal hatch", "the umbrella stand"],
           "c": ["lentil broth", "a pear tart", "rye crackers", "damson jam"]},
          ["better place", "condolences"], "two paragraphs",
          "This morning I waited for {a} to sneeze at {b}, as on every other day, and only then I knew what the quiet "
          "was.|I will not say that it was only a dog. He greeted me more warmly than my own sons do. Outside your "
          "door you will find {c}; you need not open while I am there. And I still go round the park at five, on the "
          "left side, where he used to pull. There is room.",
          "I am sorry that {a} has died. I heard it today. I will always think of him when I pass {b}. He was a "
          "friendly dog.|I have put {c} in front of your door. You need not thank me. If you feel lonely, we might go "
          "to the park at five. I go there every afternoon."),
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
    Brief("sewing circle", "lodgers of a big house who own one needle",
          ["A few people darn together in a cellar on winter nights. A slip in the letter boxes invites the rest.",
           "Holes in socks, loose buttons, and nobody to show one how. A sewing circle puts a slip into each box.",
           "Get a whole house down to the cellar with their torn clothes, by a slip of paper."],
          {"a": ["the drying room", "the boiler room", "the pram cellar", "the laundry"],
           "b": ["heels", "elbows", "zips", "hems"], "c": ["Apollonia", "Gottfried", "Clementine", "Evander"]},
          ["mending skills", "cosy"], "ends with a question",
          "You keep a bag of things that only need a stitch; it has moved house with you twice. Bring it down to {a} "
          "any evening when the light is on. {c} can do {b} blindfold, and the rest of us can do tea and gossip. Men "
          "prick their fingers no more often than women, we have kept a list. You go home with one thing whole. What "
          "is at the bottom of your bag?",
          "We sew together in {a}. You can come when the light is on there. {c} shows you how it is done, for instance "
          "with {b}. Bring clothes that have holes. We have needles, thread and tea. It costs nothing, and men are "
          "welcome too. Is there something of yours that needs a stitch?"),
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
    Brief("tandem", "strangers at a language school",
          ["Someone offers her mother tongue against another one. A slip on a cork board has to find the partner.",
           "Two people teach each other to speak, for nothing. One of them still lacks the other. A slip for a board.",
           "My language for yours: a slip that makes the right person tear off the number."],
          {"a": ["Finnish", "Basque", "Welsh", "Georgian"],
           "b": ["swear words", "cooking verbs", "lullabies", "small talk"],
           "c": ["the botanical garden", "the ferry landing", "a bowling alley", "the covered market"]},
          ["native speaker", "exchange partner"], "ends with a question",
          "I speak {a} as one speaks in dreams, and your language as one fills in forms. I want {b} in it as well. So: "
          "an hour at {c}, half of it yours and half mine, and whoever falls back into English buys the ice cream. I "
          "am patient, loud, and wrong about prepositions. You may be anything but punctual. Which word have you never "
          "dared to say?",
          "I am looking for a person with whom I can practise your language. I can teach you {a} in return. I want to "
          "learn {b} in particular. We could meet for an hour at {c}. Each of us gets half of the hour. It does not "
          "cost anything. Are you interested in this?"),
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
    Brief("jumper", "somebody who was given it and does laundry without looking",
          ["A hand-knitted jumper is given away. A tag tells its new owner how to look after it.",
           "With a jumper from her own needles she sends a tag. On it: how it wants to be washed.",
           "Washing advice on a knitted tag, as if the jumper itself were talking."],
          {"a": ["lukewarm rain water", "a spoon of vinegar", "egg shampoo", "baby soap"],
           "b": ["alpaca", "mohair", "camel hair", "merino"],
           "c": ["nineteen evenings", "one long winter", "eleven train rides", "four colds"]},
          ["delicate", "tumble dry"], "one paragraph",
          "I am {b}, and it took {c} to make me, so we may as well get on. Do not wash me when a night by the open "
          "window will do. If you must, then by hand, with {a}, as one washes a cat's ears. Lay me flat and pull me "
          "into the shape of somebody you like. Moths fear cedar and being worn. There is spare yarn in the left cuff, "
          "for later.",
          "This jumper is made of {b}. It took {c} to knit it. Do not put it into the machine. Wash it by hand with "
          "{a}. It should dry lying flat. Often it is enough to hang it by the window. Some spare yarn has been put "
          "into the cuff. I hope that it keeps you warm."),
]  # fmt: skip
