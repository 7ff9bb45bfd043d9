"""Training briefs from home: families, friends and neighbours. Everything in them is invented."""

from authoring.writing.briefs import Brief
from authoring.writing.train_words import DAYS

BRIEFS = [
    Brief("lift", "the people of the house",
          ["Write a notice: the lift of a house is out of order.",
           "The lift in our building is broken. Tell everyone who lives here, on one sheet by the door.",
           "A notice for the hallway, please: no lift for some days.",
           "Somebody has to explain to a house full of tenants why they are climbing stairs. Do it for us."],
          {"a": DAYS, "b": ["a worn cable", "a broken door", "a burnt motor", "a faulty sensor"],
           "c": ["Hausner", "Kessel", "Brandl", "Orbis"]},
          ["unfortunately", "inconvenience"], "one paragraph",
          "The lift stands still until {a}: the mechanics found {b}, and the part has to be made. If you cannot manage "
          "the stairs, ring {c} in the morning, and somebody will carry your shopping up. The goods lift in the yard "
          "still runs, and its key hangs by the letter boxes.",
          "The lift does not work. The reason is {b}. It will work again on {a}. The company {c} repairs it. Please "
          "take the stairs. We thank you for your patience with this matter."),
    Brief("recipe", "people who cook on weekdays",
          ["Write the introduction of a recipe for a simple soup.",
           "I collect recipes for tired people. Introduce a soup that is hardly any work.",
           "Above the list of ingredients there is room for a few lines about the soup. Fill it.",
           "Please write what stands before a recipe: why one should cook this soup tonight."],
          {"a": ["leeks", "lentils", "turnips", "white beans"],
           "b": ["twenty minutes", "half an hour", "a quarter of an hour", "forty minutes"],
           "c": ["lemon", "cumin", "dill", "vinegar"]},
          ["delicious", "perfect"], "one paragraph",
          "This is the soup for evenings when the fridge holds {a} and little else. It asks for one pot, {b} and no "
          "attention while it simmers, so you can read a letter meanwhile. The {c} goes in at the very end, off the "
          "heat, and wakes everything up. It is better tomorrow, if any is left.",
          "This soup is made of {a}. It takes {b} to cook and needs one pot only. At the end you add {c}. It is easy "
          "to make and tastes good. You can eat it on the next day as well."),
    Brief("lost cat", "neighbours",
          ["Write a notice about a cat that ran away.",
           "Our cat is gone. I need a sheet for the lamp posts.",
           "The cat climbed out and stayed away. Ask the street to look for him.",
           "Please write what we can put into the letter boxes: a cat is missing."],
          {"a": ["grey", "ginger", "black", "spotted"],
           "b": ["a torn ear", "one white paw", "a short tail", "a blue collar"],
           "c": ["Pepper", "Duke", "Olive", "Button"]},
          ["reward", "urgent"], "one paragraph",
          "{c} left by the kitchen window and has not come back. He is {a}, has {b} and comes to the sound of a tin "
          "being opened, though not to his name. He hides in cellars when it rains, so a look behind your bicycles "
          "would help us. We live above the pharmacy and are awake until late.",
          "Our cat {c} has run away. He is {a} and has {b}. We do not know where he is. He may be in a cellar. If you "
          "see him, tell us. We live above the pharmacy. Thank you very much for your help."),
    Brief("review", "people who take the train to work",
          ["Write a review of a folding bicycle.",
           "I have ridden a folding bicycle to the station for a month. Turn that into a review.",
           "Folding bicycle, tested daily. Other commuters would like to know.",
           "Tell people who commute whether a certain folding bicycle is worth it."],
          {"a": ["eleven kilos", "nine kilos", "twelve kilos", "ten kilos"],
           "b": ["twelve seconds", "twenty seconds", "nine seconds", "half a minute"],
           "c": ["the bell", "the saddle", "the lamp", "the mudguard"]},
          ["amazing", "game changer"], "one paragraph",
          "It folds in {b} once you have pinched your finger twice. At {a} it can be carried up one flight of stairs, "
          "not two. On cobbles it rattles, on asphalt it is quick, and in the train it fits between the seats, where "
          "nobody asks for a ticket. Only {c} is cheap. I would buy it again, and replace that.",
          "The bicycle weighs {a} and folds in {b}. It is good on asphalt and not so good on cobbles. It fits into the "
          "train. I did not like {c}. All in all it is a good bicycle, and I can recommend it to people who travel by "
          "train."),
    Brief("allotment", "people with small gardens next to each other",
          ["Write a text that asks gardeners to share their tools.",
           "Every garden here has its own machine for everything. Suggest something better.",
           "Ask a row of gardeners whether they would put their tools together.",
           "For the board by the gate: who would lend what?"],
          {"a": ["mowers", "ladders", "shredders", "wheelbarrows"],
           "b": ["thirty-one", "twenty-four", "nineteen", "forty"],
           "c": ["the old shed", "the gate house", "the pump house", "the old stable"]},
          ["sustainable", "sharing is caring"], "ends with a question",
          "There are {b} gardens here and nearly as many {a}, and each of them sleeps for fifty weeks of the year. We "
          "would like to keep three good ones in {c}, sharpened and oiled, for whoever signs the book. You keep your "
          "favourite spade. What you would give away is what we ask: which one rusts behind your door?",
          "There are {b} gardens here and many {a}. They are not used often. We want to share some of them. They would "
          "be kept in {c}. Everybody can use them and has to sign a book. Which of your tools would you give to us?"),
    Brief("dentist", "a child of five, read aloud",
          ["Write a message about the first visit of a child to a dentist.",
           "My patients are five. Before they come I send them a letter that parents read out.",
           "Tell a small child what happens at the dentist's.",
           "A child goes to the dentist for the first time. Let the dentist speak to it."],
          {"a": ["a chair that flies", "a lamp like the moon", "a tiny mirror", "a cup that fills itself"],
           "b": ["Rosa", "Emil", "Nuria", "Tom"], "c": ["count", "draw", "whisper to", "polish"]},
          ["hurt", "brave"], "one paragraph",
          "I am {b}, and I look after teeth. In my room there is {a}, and you may try it before anybody sits down. "
          "Then you open your mouth like a sleepy lion and I {c} your teeth, one after the other. Lions have thirty, I "
          "looked. You have some too, and I would like to know how many. Bring your bear.",
          "My name is {b}. I am a dentist. In my room there is {a}. You can look at it first. Then I {c} your teeth. "
          "It does not take long. After that you can go home. You can bring your bear when you come to me."),
    Brief("rent", "a landlord who answers slowly",
          ["Write to a landlord that the heating does not work.",
           "My flat is cold and my landlord is slow. Write to him for me.",
           "The radiators are dead. A letter to the owner, firm and polite.",
           "No heat for days: tell the landlord so that he acts."],
          {"a": ["fourteen degrees", "twelve degrees", "fifteen degrees", "thirteen degrees"], "b": DAYS,
           "c": ["bedroom", "kitchen", "nursery", "study"]},
          ["demand", "lawyer"], "two paragraphs",
          "Since {b} the heating has been cold, and this morning it was {a} in the {c}. I have bled the radiators and "
          "checked the fuse; the boiler shows the number 4 and clicks.|Could you send somebody tomorrow? I am at home "
          "from eight. If that is hard to arrange, I can call the firm on the boiler's sticker and send you the bill; "
          "one word from you is enough.",
          "The heating has not worked since {b}. It is {a} in the {c}. I have checked the radiators and the fuse. The "
          "boiler shows the number 4.|Please send somebody to repair it. I am at home from eight. Please answer this "
          "letter as soon as you can."),
    Brief("ninety", "relatives who live far apart",
          ["Write an invitation to the ninetieth birthday of a grandmother.",
           "Our grandmother turns ninety and wants no fuss. Invite the whole family to it.",
           "Everyone should come when she turns ninety, even those who do not talk to each other. Please write that to "
           "them.",
           "Invitation, family, a big birthday. She herself will read it, too."],
          {"a": ["an orchard", "a boat house", "a barn", "a village inn"],
           "b": ["cards", "skittles", "dominoes", "draughts"],
           "c": ["poppy-seed cake", "potato salad", "apple strudel", "plum tart"]},
          ["celebrate", "honour"], "begins with a title",
          "She says it is not worth the petrol|Our grandmother will be ninety in June and would like to have peace. So "
          "we have rented {a}, for sixty people. There will be {c} by her own recipe, made by us and therefore worse. "
          "In the evening {b}, at which she cheats. Bring no flowers; bring a photograph in which she laughs, and "
          "everyone you are not speaking to.",
          "A birthday in June|Our grandmother will be ninety in June. We have rented {a} for it. There will be {c} to "
          "eat. In the evening we will play {b}. Please do not bring flowers. Bring an old photograph of her instead. "
          "We would like the whole family to come."),
    Brief("babysitter", "a student who sits with them for the first time",
          ["Parents leave a note for the babysitter. Write it.",
           "We go out for the first time in a year. What does the person on our sofa need to know?",
           "Write the sheet on the kitchen table for somebody who minds two children tonight.",
           "Note for a sitter, please. The essential things, and what the children will claim."],
          {"a": ["Ottilie", "Janosch", "Fenja", "Balduin"],
           "b": ["eight", "half past seven", "half past eight", "a quarter to eight"],
           "c": ["the rabbit", "the dinosaur", "the torch", "the green blanket"]},
          ["in case of emergency", "screen time"], "begins with a title",
          "What they will tell you|They will say that they may stay up until ten. It is {b}, and they know it. {a} "
          "sleeps only with {c}, which is behind the radiator, where it fell on purpose. One story each; if you do the "
          "voices, three. Coughing means thirst, silence means scissors. Our number is on the fridge. Eat whatever you "
          "find, most of all the cake.",
          "Notes for tonight|The children go to bed at {b}. Read a story to each of them. {a} needs {c} to sleep, and "
          "it is behind the radiator. If they cough, give them water. Our number is on the fridge. You can eat what "
          "you find in the kitchen, also the cake."),
    Brief("flat share", "three flatmates, one of whom did it",
          ["Somebody leaves the kitchen of a shared flat in a bad state. Write the note for the fridge.",
           "Write to my flatmates about the kitchen, without naming anybody and without war.",
           "The sink is full again. I live with three people I like. Help me.",
           "A note on a fridge: the kitchen, the dishes, and a way out of it."],
          {"a": ["lasagne", "curry", "porridge", "goulash"], "b": ["Sunday", "Monday", "Tuesday", "Wednesday"],
           "c": ["a coin", "dice", "straws", "a spoon"]},
          ["respect", "whoever did this"], "ends with a question",
          "The {a} in the big pot has been there since {b} and has begun to look back. I do not want to know whose it "
          "was; by now it belongs to itself. Proposal: tonight at nine all four of us, loud music, twenty minutes, and "
          "it is done. After that we let {c} decide who cooks and who washes, every evening, so that only fate is to "
          "blame. Who brings the music?",
          "There has been {a} in the big pot since {b}. The kitchen is dirty. I think that we should clean it together "
          "tonight at nine. It takes twenty minutes. Later we can decide with {c} who cooks and who washes. Then it is "
          "fair for all of us. Do you agree?"),
    Brief("godchild", "a girl who has just learnt to read",
          ["Write a letter to a godchild on her first day at school.",
           "My goddaughter starts school and has read her first word. I want to send her a letter that she can keep.",
           "A letter from an aunt far away to a child who goes to school from now on.",
           "Please write to a girl of six: school begins. Short words, no advice, or one piece."],
          {"a": ["a compass", "a magnifying glass", "a pocket lamp", "a pen knife"],
           "b": ["bread", "boat", "moon", "rain"], "c": ["stairs", "bells", "Latin", "gymnastics"]},
          ["proud", "big girl"], "two paragraphs",
          "You can read this by yourself. So nobody else has to know what is in it. I could read one word at first, "
          "and it was {b}; I saw it all over the town, as if somebody had put it there for me.|In the parcel is {a}. "
          "It was mine when I was small and afraid of {c}. Ask when you do not know a thing. Those who laugh do not "
          "know it either.",
          "Now you go to school and can read my letter. The first word that I could read was {b}. I was happy about "
          "it.|I send you {a}, which was mine. At school I did not like {c}. It became better later. You should ask "
          "when you do not understand something. Write to me soon."),
    Brief("toast", "wedding guests with full glasses",
          ["Write what a witness says at a wedding before everybody drinks.",
           "My best friend gets married. I have one minute to speak and shaking hands.",
           "A short toast, please, for two people who took years to notice each other.",
           "Wedding, late afternoon, all are hungry. Somebody taps on a glass. What does she say?"],
          {"a": ["a bus stop", "a launderette", "a ticket counter", "a cloakroom"],
           "b": ["six years", "nine years", "five years", "eight years"],
           "c": ["umbrellas", "maps", "onions", "parking tickets"]},
          ["soulmate", "happily ever after"], "begins with a title",
          "To the slowest of us|They met at {a}, and each told me on the same evening about somebody rather odd. Then "
          "it took {b} and three other people until they noticed. I have seen them quarrel over {c} for a whole "
          "afternoon and go home hand in hand, both right. That is all I know about love. Raise your glasses before "
          "one of them corrects me.",
          "A speech for two|They met at {a}. After that it took {b} until they became a couple. I was told about it by "
          "both of them. They often quarrel, for example over {c}, but they like each other very much. I wish them all "
          "the best. Let us drink to them now."),
    Brief("leaving the house", "neighbours of many years",
          ["A family moves away. Write the letter to the neighbours.",
           "After many years we leave our street, and I want to say goodbye to everyone in it.",
           "Write a goodbye to a house full of neighbours, from people who move to another town.",
           "We are moving out. One letter for all the doors, with a thank you that is not a phrase."],
          {"a": ["fourteen years", "nineteen years", "eleven years", "twelve years"],
           "b": ["the ladder", "the cake tin", "the drill", "the sledge"],
           "c": ["a cellist", "a baker", "a young couple", "a judo teacher"]},
          ["new chapter", "memories"], "two paragraphs",
          "For {a} we have known by your footsteps what sort of day you had. You have heard our quarrels, fed our "
          "fish, and never mentioned the first.|On Saturday the van comes. In the hall you find {b}, which belongs to "
          "all of us and was always here; let the next one keep it. After us comes {c}: be as nosy with them as you "
          "were with us. It was good for us.",
          "We move to another town on Saturday. We have lived here for {a} and liked it. You have helped us often.|We "
          "leave {b} in the hall so that all of you can use it. After us comes {c}. We hope that you will get on well. "
          "Thank you for everything, and visit us some time."),
    Brief("old sofa", "people who look for something cheap",
          ["Write a small advertisement for a used sofa.",
           "My sofa has to go. It is not beautiful. Find somebody who wants it anyway.",
           "An honest advertisement for an old piece of furniture, with its faults.",
           "Sofa, used, to be fetched. Make me want it."],
          {"a": ["green", "mustard yellow", "brown", "wine red"],
           "b": ["a wine stain", "a cat scratch", "a burn hole", "a sagging spring"],
           "c": ["twenty crowns", "thirty crowns", "forty crowns", "fifteen crowns"]},
          ["great condition", "bargain"], "begins with a title",
          "Three people have proposed on it|One of them successfully. It is {a}, longer than most men, and so deep "
          "that guests stay. On the left side there is {b}, which a cushion has covered since the beginning. It has "
          "been through two divorces and one puppy and creaks at nothing any more. For {c} it is yours, with two "
          "strong friends on Saturday. The cushion stays with me.",
          "Sofa for sale|I sell my old sofa. It is {a} and very long. On the left side it has {b}, but one can put a "
          "cushion there. It costs {c}. It is heavy, so that you need two people. You have to fetch it on Saturday. "
          "The cushion is not for sale."),
    Brief("plants", "a neighbour with good will and no green thumb",
          ["Somebody will water my plants while I am away. Write the note for him.",
           "Write a sheet for a neighbour who looks after a flat full of plants for the first time.",
           "I am off for some weeks and my plants are not. What must the neighbour know?",
           "Guide to my balcony and windowsills, please, for a person who has killed a cactus."],
          {"a": ["the fern", "the lemon tree", "the orchid", "the fig"],
           "b": ["Thursdays", "Sundays", "Mondays", "Fridays"], "c": ["gin", "chocolate", "honey", "marmalade"]},
          ["don't forget", "overwater"], "begins with a title",
          "They are tougher than they look|Come on {b}, once, and be firm. Push a finger into the earth: if it comes "
          "out dirty, go home. Only {a} wants more, a glass every time, and will drop leaves at you out of spite. Do "
          "not believe it. If one dies, it was already thinking of it. In the cupboard there is {c} for you, and I "
          "have not counted how much.",
          "About the plants|Please come on {b} and look after the plants. Feel whether the earth is dry before you "
          "give them water. For {a} you need a glass each time. It may lose leaves, but that is normal. There is {c} "
          "in the cupboard, which you can have. Thank you very much."),
    Brief("drum kit", "the people upstairs, downstairs and next door",
          ["My child gets a drum kit. Write to the neighbours before they hear it.",
           "We have bought drums for our daughter. Be quick and tell the house, before it finds out.",
           "Write a note for the stairwell: from now on somebody practises the drums here.",
           "How do I tell a whole house that there will be drums? Offer them something, ask them something."],
          {"a": ["five", "four", "half past three", "half past four"],
           "b": ["thirty minutes", "twenty-five minutes", "forty minutes", "twenty minutes"],
           "c": ["carpets", "egg boxes", "mattresses", "old quilts"]},
          ["bear with us", "tolerance"], "ends with a question",
          "You will hear it anyway, so hear it from us first: our daughter has drums. We have lined the room with {c} "
          "and gone downstairs to listen; it sounds like a washing machine with opinions. She plays at {a} for {b}, "
          "never on Sundays, never when one of you is ill or asleep, if you tell us. In a year it may be music. Which "
          "hour would be the worst for you?",
          "Our daughter has got a drum kit. She will practise at {a} for {b}. She does not play on Sundays. We have "
          "put {c} on the walls so that it is less loud. If you are ill, tell us, and she will stop. We can also "
          "change the time. When does it disturb you most?"),
    Brief("forgotten birthday", "a friend of thirty years",
          ["I forgot the birthday of my oldest friend. Write to him for me.",
           "Write an apology to a friend: late, honest, and without excuses that are longer than the sorry.",
           "A birthday was forgotten, and it was a round one. What does one write a week later?",
           "An apology between friends. It may make him laugh, but first it should be one."],
          {"a": ["sixty", "fifty", "forty", "seventy"],
           "b": ["a table", "two tickets", "a rowing boat", "a telescope"],
           "c": ["Friday week", "the first of May", "Sunday", "the longest day"]},
          ["busy", "make it up to you"], "two paragraphs",
          "You turned {a}, and I was in the cellar sorting screws. I have no better story; I wish it had been a "
          "hospital. You have rung me at seven in the morning on every birthday for thirty years, singing.|For {c} I have "
          "booked {b}, for the two of us, and I shall sing, in public if I must. If you are angry, be angry there. I "
          "would rather have it across from me than at a distance.",
          "I am very sorry that I forgot your birthday. You turned {a}, and I did not call you. You have always called "
          "me on mine.|I have booked {b} for {c}, and I hope that you can come. I will sing for you there. If you are "
          "angry with me, we can talk about it then."),
    Brief("chronicle", "grandchildren who will ask one day",
          ["Write the opening of the chronicle of a family.",
           "I write down the history of our family. The first lines must be better than a list of dates.",
           "Somebody begins to tell where his family comes from. Only the beginning, please.",
           "First paragraph of a book that is meant for eleven grandchildren and nobody else."],
          {"a": ["a mule", "a handcart", "a barge", "a sleigh"],
           "b": ["a clock", "a goose", "a trombone", "a sack of salt"], "c": ["1848", "1902", "1919", "1877"]},
          ["ancestors", "roots"], "one paragraph",
          "We come from a man who got off at the wrong place. In {c} he travelled with {a} and {b} towards the sea, "
          "fell asleep, and woke up here, where it rained. He asked a woman for the way. She gave him one, but so "
          "badly that he was back by evening. All of you descend from this piece of information. Whoever gets lost "
          "among you need not be ashamed.",
          "Our family came to this place in {c}. The first of us was a man who travelled with {a} and wanted to go to "
          "the sea. He had {b} with him. Here he met a woman and asked her for the way. Then he stayed here and "
          "married her. All of you come from these two people."),
    Brief("reunion", "cousins who have not met since they were children",
          ["Cousins want to meet again after a long time. Write the first message to all of them.",
           "I have found the addresses of all my cousins. Now I need a message that makes them answer.",
           "Write to relatives who hardly know each other any more and propose a weekend.",
           "We last met under a table at a funeral, as children. Let us meet again: a message, please."],
          {"a": ["a mill", "a mountain hut", "a houseboat", "a farm"],
           "b": ["nineteen", "twenty-three", "sixteen", "twenty-one"], "c": ["September", "June", "October", "July"]},
          ["long overdue", "catch up"], "ends with a question",
          "The last time all {b} of us were together, we sat under a table and tied our uncles' shoelaces. They are "
          "gone, and we have their noses. I have found {a} with enough beds for a weekend in {c}: no programme, one "
          "long table, and somebody brings the old films. Children are welcome underneath it. I shall book when ten "
          "have said yes. Do you still know how the knot went?",
          "There are {b} cousins in our family, and we have not met for a long time. I have found {a} where we could "
          "spend a weekend in {c}. There are enough beds. Children may come too. Somebody will show old films. If ten "
          "of you say yes, I will book it. Do you want to come?"),
    Brief("bedtime story", "a child of four who does not want to sleep",
          ["Write the beginning of a bedtime story.",
           "My son wants a story about an animal that cannot sleep. How does it begin?",
           "A story to be read in the dark. Only how it starts, and it should make one yawn.",
           "Write a few lines to be read aloud at the edge of a bed. Somebody small in them stays awake."],
          {"a": ["hedgehog", "otter", "bear cub", "dormouse"], "b": ["a yawn", "a feather", "a snore", "a star"],
           "c": ["seven hills", "nine fields", "three woods", "five meadows"]},
          ["once upon a time", "magic"], "begins with a title",
          "The one who had lost it|The little {a} lay in bed and could not find his sleep. He looked under the pillow. "
          "He looked behind his ears. So he put on his slippers and went out to look for it, over {c}, each a bit "
          "softer than the one before. At the end of the last one something lay in the grass and hummed. It was {b}, "
          "and it was still warm.",
          "The animal that was awake|There was a little {a} who could not sleep. He got up and went out. He walked "
          "over {c} and became more and more tired. Then he found {b} in the grass. He took it home with him. After "
          "that he was able to sleep in his bed until the morning came."),
    Brief("treasure hunt", "children of nine, with torches",
          ["Write the second clue of a treasure hunt.",
           "For a birthday I hide something in the garden. The children find a letter first. What is in it?",
           "A clue in a bottle, for a party at dusk: it leads from the house to the garden.",
           "Please write a riddle letter to a gang of children that is on the right track. It leads them on."],
          {"a": ["the rain barrel", "the pear tree", "the hen house", "the woodpile"],
           "b": ["nine", "twelve", "fifteen", "eleven"], "c": ["an owl", "a captain", "a baker", "a ghost"]},
          ["congratulations", "clever"], "ends with a question",
          "You are late. I have been sitting in this bottle since breakfast, and it smells of lemonade. Put out all "
          "torches but one. Go out by the door that squeaks, {b} steps, big ones, as if {c} were leading you. Now you "
          "can see {a}. Do not dig; you would only find my uncle. Look where no hand of yours reaches and the smallest "
          "of you can, if the others lift. Who is the smallest?",
          "You have found this letter. Now you have to go on. Switch off your torches except one. Go out of the door "
          "and take {b} steps like {c}. Then you come to {a}. You do not have to dig there. You must look high up. One "
          "of you has to be lifted. Who will it be?"),
    Brief("swap party", "friends with full wardrobes",
          ["Write an invitation to an evening at which clothes are exchanged.",
           "I want to invite friends to bring what they never wear and take what they like.",
           "Clothes swap at my place. Make people bring the good things and not their rags.",
           "Invite some friends: everybody brings clothes, everybody goes home with others."],
          {"a": ["three", "five", "four", "six"], "b": ["hats", "scarves", "jumpers", "jackets"],
           "c": ["prosecco", "punch", "cider", "ginger beer"]},
          ["declutter", "fashion"], "begins with a title",
          "It never suited you|Somewhere in your wardrobe hangs what you bought for the person you meant to become. "
          "Bring {a} such pieces on Saturday, washed, with the truth about them. There is a rail, a mirror, {c}, and "
          "friends who tell you the truth as well. {b} are tried on by everybody. What nobody takes goes to the "
          "theatre, where it will at last have its evening.",
          "Clothes for all|On Saturday we exchange clothes at my place. Bring {a} things that you do not wear. They "
          "should be clean. There is a mirror and there is {c}. {b} are welcome too. You can take home what you like. "
          "What is left over goes to the theatre afterwards."),
]  # fmt: skip
