"""The first briefs to learn from. A brief is a family. Everything here is invented."""

from authoring.writing.briefs import Brief

DAYS = ["Monday", "Tuesday", "Thursday", "Friday"]
NAMES = ["Mara", "Jonas", "Petra", "Silvan"]

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
    Brief("bakery", "people who walk by",
          ["Write a short text for the window of a bakery that has a new bread.",
           "Our bakery has baked something new. Get people through the door with a text for the window.",
           "A bakery window, a new loaf, one minute of attention. What does the card say?",
           "Please word the card that stands next to a bread nobody knows yet."],
          {"a": ["walnuts", "caraway", "dried plums", "roast barley"],
           "b": ["sixteen hours", "a night", "two days", "twenty hours"],
           "c": ["Korbin", "Aldo", "Weidling", "Marlen"]},
          ["delicious", "best"], "ends with a question",
          "Put your nose to the door. That smell is our new loaf: rye, {a} and nothing in a hurry, for the dough rests "
          "{b} before it sees the oven. {c} has burnt eleven trial loaves so that you need not. The crust cracks, the "
          "crumb holds butter. Shall we keep the first slice for you?",
          "We have a new bread. It has rye and {a} in it. The dough rests {b}. It was made by {c}. It tastes good with "
          "butter. You can buy it here every day. Do you want to try some?"),
    Brief("apology", "a customer who has complained once",
          ["Write to a customer whose parcel came late.",
           "A parcel of ours took far too long. The customer has every right to be cross; answer.",
           "We sent something late and nobody told the buyer why. Please write the letter we owe.",
           "Apologise to a buyer for a late delivery. One page would be too much."],
          {"a": ["a lamp", "a kettle", "a chair", "a globe"],
           "b": ["nine days", "eight days", "two weeks", "six days"], "c": NAMES},
          ["unfortunately", "valued"], "two paragraphs",
          "You waited {b} for {a}, and for most of that time nobody could tell you where it was. That was our doing: "
          "the label was torn, and the parcel sat on a shelf until somebody asked.|We have paid the postage back and "
          "now photograph every label. Should anything else go wrong, write to me and you will not have to explain it "
          "twice. {c}",
          "We are sorry that the parcel with {a} was late. It took {b}. There was a problem with the label.|We have "
          "paid the postage back to you. We hope that you will order from us again. Please write to us with any "
          "questions. {c}"),
    Brief("library", "readers who work in the day",
          ["Write an announcement: the library of a town opens in the evening from now on.",
           "Our town library will be open at night now and then. Spread the word.",
           "People with jobs never find the library open. That changes; write it up for the door.",
           "Announce longer hours in a library, for people who thought it was not for them."],
          {"a": DAYS, "b": ["ten", "nine", "eleven", "half past nine"], "c": ["soup", "tea", "a piano", "chess"]},
          ["exciting", "community"], "begins with a title",
          "The lights stay on|From next week you need not choose between work and a book. On {a} the reading room is "
          "open until {b} at night, with lamps on every table and {c} in the hall. The desk closes at seven; after "
          "that the machine lends and takes back. Bring your card, and a friend who has none yet.",
          "Longer hours|The library is open longer from next week. On {a} it closes at {b}. There will be {c} in the "
          "hall. The desk closes at seven, then you can use the machine. Please bring your card with you."),
    Brief("safety rule", "new workers in a workshop",
          ["Write why nobody may wear loose sleeves at a machine.",
           "New people come into our workshop with wide cuffs. Tell them why not.",
           "A sheet to hang beside a machine: sleeves. It should frighten a little and explain more.",
           "Loose clothing and machines do not go together. Make that plain to beginners."],
          {"a": ["lathe", "drill press", "band saw", "milling machine"],
           "b": ["a second", "half a second", "a blink", "one turn"],
           "c": ["rolled up", "buttoned", "taped", "pinned"]},
          ["always", "danger"], "one paragraph",
          "The {a} does not know where your sleeve ends and your arm begins. A loose cuff is wound in within {b}, and "
          "the motor will not notice the load. So sleeves are {c} before the switch is touched, gloves stay in the "
          "drawer, and whoever sees a loose cuff says so, to the foreman as well.",
          "Loose sleeves can be caught by the {a}. This takes {b}. Therefore sleeves must be {c} before you begin to "
          "work. Gloves must not be worn. Please tell others about this rule when they forget it."),
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
    Brief("farewell", "the colleague, read aloud to all",
          ["Write a card for a colleague who leaves.",
           "One of us is leaving after a long time, and I was asked to write the card.",
           "Say goodbye to a colleague, on behalf of everybody in the office.",
           "It will be read out in the kitchen, with cake: a card for somebody's last day."],
          {"a": NAMES, "b": ["eleven years", "four years", "twenty years", "six years"],
           "c": ["the red stapler", "the fern", "the broken printer", "the window seat"]},
          ["journey", "miss you"], "two paragraphs",
          "Dear {a}, in {b} you have never once said that something was not your job. Half of what works here works "
          "because you stayed until it did, and told nobody.|We have divided up your tasks, which took five people. "
          "Nobody dared to claim {c}: it stays as it is, in case you come by. The coffee is on us whenever you do.",
          "Dear {a}, you have worked here for {b}. You were a good colleague and helped us often.|Now you leave, and "
          "we wish you all the best. We will take care of {c}. Please come and visit us when you have the time for "
          "it."),
    Brief("bug", "people who use the app and are no engineers",
          ["Write a note on what was mended in an app.",
           "Something in our app went missing for people and is back. Tell them.",
           "We fixed a fault. Users want to know whether their things are safe. A short note.",
           "Release note for normal people, please: what was broken, what they should do now."],
          {"a": ["alarms", "notes", "photos", "contacts"], "b": ["March", "April", "June", "August"],
           "c": ["old phones", "tablets", "slow networks", "flights"]},
          ["issue", "improvements"], "one paragraph",
          "Since {b} some of you have found {a} missing after an update, most of all on {c}. They were never lost: the "
          "app looked for them in the wrong place, and now looks in the right one. Open it once while you are online "
          "and they come back. If one does not, send us its name and the day.",
          "We have mended a mistake with {a}. It had been there since {b} and happened on {c}. The {a} are still there and "
          "can be seen again. Please open the app while you are online. Write to us if there are more problems."),
    Brief("park", "families on a Sunday",
          ["Write a sign on why the grass of a park is not mown.",
           "The town leaves a meadow to grow, and people think it is laziness. Put up a sign.",
           "Why is nobody mowing here? Answer on a board at the edge of a meadow.",
           "A sign for a park, friendly and short, about long grass."],
          {"a": ["September", "June", "July", "August"], "b": ["larks", "hedgehogs", "bumblebees", "crickets"],
           "c": ["three", "five", "seven", "twelve"]},
          ["biodiversity", "please"], "ends with a question",
          "We have not forgotten this meadow. Until {a} it belongs to the {b}, who raise their young between the "
          "stalks where nobody sees them. Last year we counted {c} kinds of flowers here; when it was mown, two. The "
          "path is cut for you, wide enough for a pram. Can you hear who lives here?",
          "This meadow is not mown until {a}. The reason is the {b} which live here. There are {c} kinds of flowers. "
          "You can walk on the path. Do not walk on the meadow. Do you know the animals that live in it?"),
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
    Brief("meeting", "parents who have little time",
          ["Write an invitation to a meeting about a playground.",
           "Parents should come and decide about a playground. They never come. Invite them.",
           "We need twenty parents in a room for once. It is about the playground.",
           "A playground has to be dealt with, and parents have a say. Call them together."],
          {"a": DAYS, "b": ["the swing", "the fence", "the sandpit", "the climbing tower"],
           "c": ["forty minutes", "half an hour", "one hour", "fifty minutes"]},
          ["important", "kindly"], "ends with a question",
          "On {a} we decide what becomes of {b}: mended, moved or replaced. The town pays for one of these and wants "
          "to know by the end of the month. It takes {c}, and the children may come, there is paper and paint. If you "
          "cannot be there, one line is enough: which of the three?",
          "There is a meeting on {a}. It is about {b}. We have to decide if it is mended, moved or replaced. It takes "
          "{c}. Children can come as well. You can write to us instead. What is your opinion on this?"),
    Brief("museum", "visitors of twelve years and more",
          ["Write the label of a thing in a small museum.",
           "A small thing lies in a glass case and nobody stops. Write its label.",
           "Our village museum needs a text for an object of no value at all.",
           "Label for a find, please, so that a child of twelve reads it to the end."],
          {"a": ["a clay whistle", "a bone comb", "a brass key", "a wooden spoon"],
           "b": ["1640", "1712", "1588", "1803"], "c": ["a well", "a pond", "a ditch", "a cellar"]},
          ["ancient", "unique"], "one paragraph",
          "Somebody dropped {a} into {c} in about {b} and was surely scolded for it. It was made by hand in an "
          "afternoon and cost less than a loaf. That is why it is rare: things of gold are guarded, things of every "
          "day are thrown away. Look at the edge, where a thumb has worn it smooth.",
          "This is {a}. It was made in about {b} and was found in {c}. It was made by hand. Such things were cheap. "
          "Today there are few of them. At the edge one can see that it was used for a long time."),
    Brief("job", "people who have never worked with plants",
          ["Write an advertisement for a job in a garden nursery.",
           "Our nursery is looking for people. They need not know anything yet.",
           "Find us two people who would like to work with plants. An advertisement, no clichés.",
           "We grow trees and are short of hands. Put that into the paper."],
          {"a": ["six", "seven", "half past six", "half past seven"], "b": ["forty", "sixty", "eighty", "thirty"],
           "c": ["boots", "gloves", "a rain coat", "lunch"]},
          ["passionate", "dynamic"], "two paragraphs",
          "We grow {b} kinds of trees and need two more hands. The day begins at {a}, is mostly outdoors and ends when "
          "the watering does. You will be tired, and know why.|You need no certificate. You need to notice when a "
          "plant is thirsty before it shows, or want to learn it. We give you {c} and four weeks to find out.",
          "We are looking for somebody for our nursery. We have {b} kinds of trees. Work begins at {a} and is "
          "outdoors.|You do not need any training. You will learn the work from us in four weeks. We give you {c}. "
          "Please write to us soon."),
    Brief("bus", "people who wait at the stop",
          ["Write an announcement: a bus takes another way.",
           "Passengers stand at a stop where no bus will come. A sheet on the pole should tell them.",
           "Our bus runs elsewhere for a week. Word the sign for the stop.",
           "For a bus stop: why nothing comes, where to go instead, how long it takes."],
          {"a": ["14", "27", "33", "58"], "b": ["Mill Street", "Castle Road", "Linden Square", "Harbour Lane"],
           "c": ["nine", "five", "seven", "twelve"]},
          ["apologise", "disruption"], "one paragraph",
          "Bus {a} does not stop here this week: a water main has burst under the crossing. Walk to {b}, where a "
          "yellow post stands by the kiosk; it takes three minutes, and the bus leaves {c} minutes later than the "
          "timetable says. With a pram or a stick, wave to the driver of any bus and he will take you there.",
          "Bus {a} does not stop here this week. A water main has burst. Please go to {b}. The bus leaves {c} minutes "
          "later than it usually does. There is a yellow post. If you need help, you can ask a driver."),
    Brief("thanks", "an older lady who sings no more",
          ["Write a letter of thanks to somebody who gave money to a choir.",
           "An old friend of our choir gave us money. Thank her properly.",
           "She used to sing with us, and now she has sent a gift. A letter, please, from all of us.",
           "Somebody has been kind to a choir. Write back."],
          {"a": ["robes", "music stands", "song books", "lamps"],
           "b": ["Easter", "Whitsun", "the harvest feast", "Martinmas"], "c": NAMES},
          ["generous", "grateful"], "two paragraphs",
          "Your gift has become {a}, and for the first time in years nobody in the second row shares with a neighbour. "
          "One hears it: they stand straighter.|At {b} we sing the piece that you once sang with us. A chair is kept "
          "for you by the stove, near the altos, who remember you. {c} will fetch you by car if you say the word.",
          "Thank you very much for your gift. We have bought {a} with the money. Our choir needed them.|We sing at "
          "{b}. We would be happy if you came. {c} can fetch you by car. We have kept a chair for you near the stove."),
    Brief("tax", "somebody who has just begun to earn money",
          ["Explain why a letter from the tax office is nothing to fear.",
           "My niece got her first letter from the tax office and is pale. Calm her down in writing.",
           "A letter from the tax people arrives, and a young person panics. Say what it is.",
           "For a leaflet on first jobs: what to do when the tax office writes."],
          {"a": ["four weeks", "a month", "thirty days", "six weeks"],
           "b": ["receipts", "bank statements", "invoices", "contracts"], "c": ["blue", "grey", "green", "yellow"]},
          ["simply", "don't worry"], "one paragraph",
          "The {c} envelope looks like bad news and is usually a question. The office wants to see {b}, because two "
          "numbers in your form did not agree, and it gives you {a} to find them. Nobody thinks that you cheated. "
          "Answer in one page, copy what they ask for, keep the originals, and write the date on everything.",
          "You have received a {c} letter. The tax office wants to see your {b}. You have {a} to send them. This "
          "happens to many people. Make copies and keep the originals. Then write an answer and send all of it to the "
          "office."),
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
    Brief("school trip", "parents of children of eight",
          ["Write to parents about a trip of a class.",
           "Our class goes out for a day, and the parents need to know.",
           "Letter home, please: a trip, what to bring, when we return.",
           "I teach eight-year-olds and we are off on a visit. Tell their parents."],
          {"a": ["a quarry", "a mill", "a fire station", "a cheese dairy"],
           "b": ["four", "five", "half past three", "half past four"],
           "c": ["sandwiches", "rubber boots", "a hat", "a torch"]},
          ["reminder", "ensure"], "two paragraphs",
          "On Wednesday we go to see {a}. The children have written down what they want to know; the longest list has "
          "nineteen questions. We walk, it is half an hour each way, and we are back at {b}.|Each child needs {c} and "
          "something to drink. No money: there is nothing to buy, which we think is part of the pleasure.",
          "On Wednesday the class visits {a}. We walk there and will be back at {b}. The children have prepared some "
          "questions.|Please give your child {c} and something to drink. Money is not needed. If you have questions, "
          "you can ask the teacher."),
    Brief("weather", "guests in tents",
          ["Write a warning of a storm for a camping site.",
           "A storm is coming and the camp is full. Warn everyone.",
           "For the board at a camping site: bad weather tonight, and what to do.",
           "Tents, poplars, wind. Write to the guests before evening."],
          {"a": ["six", "eight", "nine", "seven"],
           "b": ["the barn", "the washroom", "the dining hall", "the boat house"], "c": NAMES},
          ["severe", "immediately"], "one paragraph",
          "A storm reaches us at {a} this evening. Take down what flaps, lay poles flat, and move away from the "
          "poplars, which drop branches without warning. {b} is open all night, dry and warm, and dogs are welcome. "
          "{c} walks round with a lamp every hour; call if you need a hand, even for a tent peg.",
          "There will be a storm at {a} this evening. Take down your awnings. Do not stay near the poplars. You can go "
          "to {b}, it is open all night. {c} will walk round every hour. If you need help, please tell us about it."),
    Brief("gym", "people over sixty",
          ["Write a text that takes away the fear of the first hour in a gym.",
           "Older people look through our door and walk on. Invite them in, on paper.",
           "The first hour in a gym is the hardest. Describe it so that it is not.",
           "We run a gym and would like guests who are past sixty. They are afraid of us."],
          {"a": ["rowing", "stepping", "pulling", "cycling"],
           "b": ["ten minutes", "twelve minutes", "a quarter of an hour", "eight minutes"], "c": NAMES},
          ["never too late", "fitness goals"], "ends with a question",
          "Nobody looks at you here; they are all counting. Your first hour is {b} of {a}, slowly, then a talk about "
          "your knees. {c} is sixty-eight and shows you the machines, with the smallest weight in. You will be asked "
          "what you would like to do again: lift a grandchild, a suitcase, yourself off the floor. What would it be?",
          "Many people are afraid of the first hour. You begin with {b} of {a}. Then {c} shows you the machines with a "
          "small weight. You can talk about your health. Nobody looks at you. After that we make a plan. When would "
          "you like to come?"),
    Brief("co-op", "its members, who are farmers",
          ["Write the opening of a yearly report of a small cooperative that sells milk.",
           "Our milk cooperative reports to its members. How does the report begin?",
           "A year of milk in one paragraph, please, before the tables start.",
           "The yearly report needs an opening that farmers do not skip."],
          {"a": ["three", "four", "six", "five"], "b": ["hay", "fuel", "glass bottles", "cattle feed"],
           "c": ["the new cooler", "the second van", "the yoghurt", "the farm shop"]},
          ["challenging", "synergies"], "one paragraph",
          "We sold less milk than last year and kept more of the money. {b} cost us {a} cents a litre more, which "
          "hurt, and {c} earned them back by October, which surprised even those who had voted for it. Nobody left, "
          "two joined. The roof of the dairy cannot wait another winter, and that is what we must talk about.",
          "This year we sold less milk than in the last year. {b} became dearer by {a} cents a litre. However, {c} "
          "brought in money. Two members joined and nobody left. The roof of the dairy has to be mended. We have to "
          "talk about it."),
    Brief("wifi", "guests who arrive tired",
          ["Explain to guests of a small hotel why there is no internet in the rooms.",
           "Guests ask every evening why the rooms have no internet. Answer on a card.",
           "Our hotel is old and the signal does not get far. Put it kindly, for the bedside table.",
           "Card for a hotel room: no internet here, but elsewhere in the house."],
          {"a": ["the garden", "the library", "the bar", "the terrace"],
           "b": ["thick walls", "old beams", "tin ceilings", "stone vaults"], "c": ["four", "six", "nine", "three"]},
          ["digital detox", "unfortunately"], "one paragraph",
          "The house has {b}, and no signal has got through them since there were signals. In {a} it is fast, day and "
          "night, and there are {c} armchairs and sockets for all of them. In your room there is a telephone that "
          "rings at any hour you name. If something cannot wait, ring us: we will come up and tell you.",
          "There is no internet in the rooms. The reason is the {b}. You can use the internet in {a}. There are {c} "
          "armchairs and enough sockets. It works day and night. If you need something, please call us with the "
          "telephone in the room."),
    Brief("bees", "people who buy presents",
          ["Write a short text for the label of a jar of honey.",
           "I sell honey and the label is still empty.",
           "Honey in a jar, for people who want to give something away. What does the label say?",
           "Please fill the back of a honey label with something one reads twice."],
          {"a": ["lime trees", "clover", "heather", "chestnuts"],
           "b": ["on a roof", "in a churchyard", "in an orchard", "on a railway bank"],
           "c": ["two", "three", "four", "five"]},
          ["natural", "pure"], "one paragraph",
          "Made {b} by some forty thousand workers who were never asked. They flew to the {a} for {c} weeks in summer; "
          "then it rained, and that was the year. It will turn hard by Christmas, as honest honey does. Stand the jar "
          "in warm water and wait. Do not stir, and do not tell the children where it is.",
          "This honey comes from bees {b}. They flew to the {a} for {c} weeks. The honey becomes hard after some time. "
          "This is a sign of quality. You can put the jar into warm water. It is a good present for many people."),
    Brief("translator", "an editor who is busy",
          ["Write a note with which a translator sends a book to the publisher.",
           "My translation is done. I want to send it off with a note that is not stiff.",
           "The manuscript goes to the publisher today. Write what goes on top.",
           "A translator has finished and has one doubt. Tell the editor."],
          {"a": ["chapter four", "the preface", "the epilogue", "chapter nine"],
           "b": ["a pun", "a song", "a dialect", "a curse"], "c": DAYS},
          ["attached please find", "deadline"], "two paragraphs",
          "Here is the whole book, a day early. You can print it as it stands, but for {a}, where {b} would not come "
          "over; I have put in one of my own, marked in the margin, and two others in case you hate it.|I can talk "
          "about it on {c} after ten. If I hear nothing, I shall assume that you laughed.",
          "I send you the translation of the book. It is finished. In {a} there was a problem with {b}. I have found a "
          "solution and marked it.|Please tell me if you like it. We can talk about it on {c} after ten."),
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
    Brief("server", "staff who lost half a day",
          ["Write to all staff: the mail server was down.",
           "Yesterday nobody in the house had mail. Say what happened and that it is over.",
           "We run the computers and owe everyone an explanation.",
           "Mail failed, work stood still, now it runs. A message to all."],
          {"a": ["nine", "ten", "half past eight", "eleven"],
           "b": ["a full disk", "a wrong cable", "an expired certificate", "a failed update"], "c": NAMES},
          ["outage", "root cause"], "two paragraphs",
          "From {a} until two nobody could send or read mail. The cause was {b}, which our own watchman program saw "
          "and reported, by mail. {c} found it by walking down to the cellar.|Nothing is lost: what was sent to you "
          "has arrived by now. From today the watchman rings a telephone as well. If a message is still missing "
          "tomorrow, tell us.",
          "The mail server did not work from {a} until two. The cause was {b}. {c} has found and mended it.|No mail "
          "was lost. It should have arrived by now. We have changed something so that it does not happen again. Tell "
          "us if mail is missing."),
    Brief("theatre", "people who never go to the theatre",
          ["Write an announcement of a play by amateurs in a village.",
           "Our village puts on a play. Bring in those who would rather watch television.",
           "A poster text for amateurs on a stage in a barn.",
           "Announce a play to people who think that plays are for others."],
          {"a": ["the butcher", "the postwoman", "the mayor", "the vet"],
           "b": ["a ghost", "a thief", "a king", "a miller"],
           "c": ["two hours", "ninety minutes", "an hour", "seventy minutes"]},
          ["unforgettable", "must-see"], "begins with a title",
          "A goose too many|In the barn behind the church {a} plays {b}, and has grown a beard for it, or tried. There "
          "is a murder in the first act and soup in the interval. It lasts {c}, the benches have cushions this year, "
          "and you will know everybody on the stage, which makes the kissing scene worth the price alone.",
          "A play in the barn|There is a play in the barn behind the church. In it {a} plays {b}. It lasts {c}. There "
          "is an interval with soup. The benches have cushions. Many people from the village take part. We hope that "
          "many guests will come."),
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
    Brief("stars", "families with children",
          ["Write an invitation to look at the stars from a hill.",
           "We set up telescopes on a hill. Families should come, children first.",
           "Get people out of their living rooms to look at the sky.",
           "An evening with telescopes, open to all. Write the invitation."],
          {"a": ["Saturn", "Jupiter", "the moon", "Venus"],
           "b": ["a blanket", "a thermos", "a red torch", "a woollen hat"],
           "c": ["ten", "nine", "half past nine", "eleven"]},
          ["magical", "once in a lifetime"], "ends with a question",
          "At {c} the street lamps below the hill go out, and the sky comes on. We have three telescopes, and {a} "
          "looks into all of them. Bring {b} and let your eyes get used to the dark: it takes twenty minutes and "
          "cannot be hurried. Children see more than we do, since they ask. Who sleeps early on a Saturday anyway?",
          "On Saturday at {c} we look at the stars from the hill. We have three telescopes. One can see {a}. Please "
          "bring {b}. The eyes need twenty minutes to get used to the dark. Children can come too. Would you like to "
          "be there with us?"),
]  # fmt: skip
