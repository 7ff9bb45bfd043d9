"""Training briefs from work: shops, workshops, offices, hotels and hospitals. Everything in them is invented."""

from authoring.writing.briefs import Brief
from authoring.writing.train_words import DAYS, NAMES

BRIEFS = [
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
    Brief("repair shop", "people who are about to throw something away",
          ["Write a text for the window of a shop that mends things.",
           "My repair shop needs a few lines for its door, so that people come in before they buy new.",
           "People bring us things too late or not at all. Put something on the window that changes that.",
           "A window sign, please: here somebody repairs what others give up."],
          {"a": ["toasters", "radios", "sewing machines", "hair dryers"],
           "b": ["ten minutes", "an afternoon", "half an hour", "two evenings"],
           "c": ["Nadja", "Bruno", "Hedwig", "Tilo"]},
          ["waste", "affordable"], "begins with a title",
          "Before you bury it|Most {a} that come in here dead are only dirty. {c} opens them on the counter while you "
          "watch, tells you what is wrong in words you know, and says honestly when it is not worth it. The usual job "
          "takes {b}. What cannot be saved gives its screws to the next one.",
          "We repair things|We repair {a} and other things. {c} looks at them and tells you what is wrong. It usually "
          "takes {b}. If it cannot be repaired, we tell you. You can come in and ask us about it at any time."),
    Brief("waiting room", "patients who have an appointment and sit there nonetheless",
          ["Explain on a sheet for the waiting room of a clinic why an appointment does not always mean what it says.",
           "We run late every day, and people get cross. A word from us on the wall might help; please draft it.",
           "Write what a clinic would like its waiting patients to know about waiting.",
           "Text for a waiting room: why it takes longer than the time on your card."],
          {"a": ["twelve minutes", "ten minutes", "eight minutes", "nine minutes"],
           "b": ["a torn tendon", "a broken wrist", "a frightened child", "a burnt hand"],
           "c": ["the front desk", "the bell", "the yellow phone", "the kiosk"]},
          ["patience", "understanding"], "one paragraph",
          "On paper each of you has {a}. Then somebody comes in with {b}, and we will not look at the clock while they "
          "cry. One day it may be you who needs the longer half hour. If you have a train to catch, say so at {c}; "
          "walk round the block, and we will ring you before it is your turn.",
          "Every patient has {a} with the doctor. Sometimes there is {b}, and it takes longer. Then the others have to "
          "wait. Tell us at {c} when you have little time. You can also go out, and we will call you."),
    Brief("berth", "skippers who have lain at the same place for years",
          ["Write to the skippers of a harbour: their boats have to lie elsewhere for some time.",
           "The quay has to be rebuilt and the boats must move. I am the harbour master; write the letter for me.",
           "A harbour moves its boats to another jetty for a while. Tell their owners.",
           "Please word a message from a harbour office. Boats must change berths because of building work, and nobody "
           "will like it."],
          {"a": ["the north jetty", "the fish quay", "the old slipway", "the coal pier"],
           "b": ["April", "October", "March", "September"], "c": ["water", "light", "a crane", "a hoist"]},
          ["relocation", "cooperation"], "two paragraphs",
          "The piles under your berths are older than any of us, and a diver has put his hand through two of them. "
          "Until {b} you will lie at {a}, which is a longer walk and a calmer night.|There is {c} for everybody, and "
          "the rent is halved. We move the first boats on Sunday at high tide. Whoever wants help with the lines need "
          "only whistle.",
          "Your berths have to be repaired because the piles are rotten. Until {b} your boats will lie at {a}.|There "
          "is {c} at the new place. You pay half of the rent. We begin on Sunday at high tide. If you need help with "
          "your boat, please tell us."),
    Brief("unpaid bill", "a café owner who pays late, and is liked",
          ["Write a second letter about a bill that has not been paid.",
           "A customer of my small printing shop still owes me money. I want it, and I want to keep the customer.",
           "Remind a friendly debtor once more. It is a printer's bill, and it is old by now.",
           "I print things for a living and one bill is open. Please find words that are neither cold nor meek."],
          {"a": ["five hundred menus", "two hundred cards", "a thousand leaflets", "ninety coasters"],
           "b": ["March", "June", "July", "November"], "c": ["180 crowns", "240 crowns", "310 crowns", "95 crowns"]},
          ["overdue", "legal"], "two paragraphs",
          "In {b} I printed {a} for you, and I still see them on your tables, which pleases me each time. The {c} for "
          "them have not arrived, which pleases me less.|Paper has to be paid before I may cut it, so I need the money "
          "by the end of the week. If it is a bad month, ring me, and we will make two halves of it.",
          "I printed {a} for you in {b}. The bill of {c} has not been paid. I sent you a letter before.|Please pay by "
          "the end of the week. If you cannot pay everything at once, you can call me. Then we can agree on two "
          "parts."),
    Brief("quiet chair", "people who dread the talk more than the scissors",
          ["A hairdresser offers cuts without conversation. Write the notice for the mirror.",
           "Some of my customers would rather say nothing at all. I have made a chair for them. How do I put that on a "
           "card?",
           "Write a few lines about a chair at a hairdresser's in which one need not talk.",
           "Notice for a salon: one seat is silent. Whoever wants can have it."],
          {"a": ["by the window", "behind the fern", "next to the stove", "under the clock"],
           "b": ["Tuesdays", "Fridays", "Thursdays", "Saturdays"],
           "c": ["a nod", "a raised finger", "a wink", "a tap"]},
          ["relax", "treat yourself"], "ends with a question",
          "The chair {a} is for people who have talked enough today. Show us a picture, sit down, and nobody will ask "
          "about your holidays. {c} means shorter, two of them mean stop. On {b} you need not book it. The price is "
          "the same, for silence is harder work for us than you think. Shall we begin by saying nothing?",
          "We have a chair {a} for people who do not want to talk. You show us a picture at the beginning. With {c} "
          "you can tell us to cut more. On {b} you do not have to book. It costs the same. Would you like to sit "
          "there?"),
    Brief("shift note", "the next shift, who come in from the cold",
          ["Write the note that one shift leaves for the next in a bottling plant.",
           "Our night shift hands over to the morning. What went wrong, what to watch, who to ask: one short note, "
           "please.",
           "A machine in a bottling plant has been moody all night. Leave word for those who take over.",
           "Handover note, bottling plant, end of the night. Clear and with a bit of heart."],
          {"a": ["the capper", "the labeller", "the washer", "the conveyor"],
           "b": ["a loose bolt", "a split belt", "a blocked nozzle", "a bent rail"],
           "c": ["Ferdi", "Ludmila", "Oskar", "Samira"]},
          ["as per", "FYI"], "begins with a title",
          "Listen to it first|From two o'clock {a} sang a note too high. We found {b}, and what you see there is our "
          "repair: it will hold until noon, not until Friday. {c} has the spare part and is already on the way. Run it "
          "at three quarters, put your hand on the housing every hour, and if it is hot, stop. There is soup.",
          "Problem in the night|There was a problem with {a} in the night. The reason was {b}. We have repaired it for "
          "now. {c} brings a spare part. Do not run it at full speed and check every hour whether it is hot. There is "
          "soup."),
    Brief("shorter week", "a boss who is fair and fears precedents",
          ["Write to a boss: somebody wants to work less.",
           "I want to work four days instead of five and have to ask for it in writing.",
           "Help me ask for a free day each week. My boss is fair, but afraid that all the others will want the same.",
           "A request to the boss for fewer hours, with a plan and without whining."],
          {"a": ["Wednesdays", "Mondays", "Fridays", "Thursdays"],
           "b": ["the monthly accounts", "the orders", "the stock list", "the price lists"],
           "c": ["my father", "my back", "a night school", "my daughter"]},
          ["work-life balance", "deserve"], "two paragraphs",
          "From autumn on I would like to have {a} off, for a fifth less pay. The reason is {c}, and it will not wait "
          "until I retire.|I have counted what I do in a week. {b} can be done in time if nobody moves the date, and "
          "the rest fits into four days that start earlier. Let us try it for three months. If anything is left lying, "
          "I go back to five.",
          "I would like to work four days from autumn on. I want to have {a} off. The reason is {c}. I would get less "
          "money.|I can still do {b} and my other work in four days. We could try it for three months. After that you "
          "can decide whether it works."),
    Brief("after the operation", "the owner of an old dog, who sits by the phone",
          ["A vet tells an owner how an operation went. Write the message.",
           "Write from a vet's practice: the dog has come through it, and this is what happens next.",
           "The operation on an old dog is over and went well. His owner cannot wait for a call, so send him a "
           "message.",
           "I am a vet and bad at writing. Tell my client that his dog is all right, and what he must do tonight."],
          {"a": ["Barney", "Moss", "Lotte", "Biscuit"],
           "b": ["a plum stone", "a fish hook", "half a sock", "a bottle cap"],
           "c": ["rice", "boiled chicken", "porridge", "cottage cheese"]},
          ["successful", "procedure"], "two paragraphs",
          "{a} is awake, insulted, and has already tried to leave. We found {b} and have kept it for you in a jar. The "
          "heart beat like a young dog's all the way through.|Come at six and bring the old blanket. Tonight a "
          "spoonful of {c}, tomorrow two, no stairs until the stitches are out. You may sleep now as well.",
          "The operation on {a} went well. We found {b} and have taken it out. The heart was strong during all of "
          "it.|You can come at six and take the dog home. Give only a little {c} tonight. No stairs for ten days, "
          "please. Call us at once if anything seems strange."),
    Brief("borrowed cups", "regulars who carry their coffee away",
          ["A café lends its cups, and they do not come back. Write what it should say on the counter.",
           "Our cups walk off and never return. I would like to ask for them without scolding anybody.",
           "Write a card for the counter of a café: bring back the cups you borrowed.",
           "Lines for a café that misses a good part of its cups. Friendly. The guests mean no harm."],
          {"a": ["forty", "sixty", "ninety", "seventy"], "b": ["eleven", "seven", "fourteen", "nine"],
           "c": ["a crate", "a basket", "a blue tub", "an old drawer"]},
          ["deposit", "policy"], "ends with a question",
          "In spring we had {a} cups, and this morning we washed {b}. The others are having a good time, we believe: "
          "on your desks, in your cars, full of pencils. We miss them. By the door stands {c}; put them in when nobody "
          "looks, as many as you like, and we will ask nothing. Where did you last see yours?",
          "We had {a} cups in spring and now we have {b}. Many guests have taken cups and did not return them. By the "
          "door there is {c}. You can put the cups in there. Nobody will ask you about it. Do you have one at home?"),
    Brief("fire drill", "staff of an office who have seen it all before",
          ["Announce a fire drill in an office so that people take it seriously.",
           "There will be a fire drill. Last time people strolled. Write to everybody.",
           "Everyone sighs when the alarm is tested. Write an announcement of the next one that makes them walk.",
           "Please write the notice of a drill: when, where to, and why it matters this time."],
          {"a": ["ten", "eleven", "three", "half past two"],
           "b": ["the car park", "the chestnut tree", "the bicycle racks", "the chapel"],
           "c": ["coffee", "laptops", "umbrellas", "coats"]},
          ["mandatory", "compliance"], "begins with a title",
          "Four minutes, and we had six|At {a} on Thursday the bell will ring, and it will be us. Last year it took "
          "six minutes to empty the house; smoke fills the stairs in four. So leave your {c}, take the person next to "
          "you, and walk to {b}. There somebody counts heads and says how long it took. Then there are doughnuts.",
          "Fire drill|There is a fire drill on Thursday at {a}. Last year it took too long. You must leave the "
          "building at once and leave your {c} behind. Everybody goes to {b}, where we count you. Take part in it, all "
          "of you."),
    Brief("apprentice", "a master in another town who has no time for praise",
          ["Write a letter of recommendation for an apprentice.",
           "My apprentice moves away and wants to finish elsewhere. A few honest lines from me could help.",
           "Recommend a young joiner to another master. Say what is true, what is good, and one thing that is not.",
           "A short reference for somebody who learns a trade, from one workshop to another."],
          {"a": ["Henrike", "Yusuf", "Tamsin", "Gregor"], "b": ["drawers", "window frames", "stairs", "table legs"],
           "c": ["late", "impatient", "too quiet", "untidy"]},
          ["hard-working", "team player"], "one paragraph",
          "{a} has made {b} here for two years, and I have stopped checking them. The first winter was all splinters. "
          "Then came a morning when the plane was sharp without my saying so, and it has been sharp since. Sometimes "
          "{c}, yes; never careless. I would keep such hands if the move were not decided. You will not have to "
          "explain anything twice.",
          "{a} has worked in my workshop for two years and has learnt to make {b}. The beginning was difficult, but "
          "then the work became good. Being {c} at times is the only fault. I can recommend this apprentice to you for "
          "the rest of the training."),
    Brief("dearer cheese", "customers who know last year's prices by heart",
          ["Explain on a board at a market stall why the cheese costs more.",
           "I have to raise my prices at the market and would rather say why than be asked forty times.",
           "Our cheese gets dearer. Write it on a slate so that people nod.",
           "A stall at the market charges more than last year. What does the sign say?"],
          {"a": ["a third", "a quarter", "a fifth", "a tenth"], "b": ["hay", "diesel", "electricity", "bran"],
           "c": ["the rind", "the crust", "the whey", "the last slice"]},
          ["inflation", "forced"], "begins with a title",
          "What you pay for now|The goats eat as they always did, but {b} costs {a} more than last summer. We could "
          "have used cheaper milk, and you would have tasted it by Easter. So it is forty cents on each piece. {c} is "
          "still free for anybody under ten, and a taste for everybody else. Ask us to cut it thin.",
          "New prices|Our cheese costs more than last year. The reason is that {b} costs {a} more. We do not want to "
          "use other milk. Each piece costs forty cents more. Children get {c} for free, as before. We hope that you "
          "still come to us."),
    Brief("canteen", "staff who bring sandwiches instead",
          ["A canteen wants to know what people would like to eat. Write the question that hangs by the trays.",
           "Half of the house no longer eats with us. The cook wants to ask them why, on one sheet.",
           "Write a short appeal from a canteen kitchen to people who stay away.",
           "Text to put up in a lift: the canteen asks for wishes, and means it."],
          {"a": ["onion soup", "lentil stew", "fish pie", "goulash"],
           "b": ["Wednesday", "Monday", "Thursday", "Tuesday"], "c": ["Gerlinde", "Anselm", "Ravi", "Dunja"]},
          ["feedback", "menu"], "ends with a question",
          "Since spring every second chair has been empty, and {c}, who cooks here, has noticed which. We know that "
          "the gravy was to blame for some of it. From {b} on there is {a} as somebody's grandmother made it, in small "
          "pots, until it is gone. One wish is cooked each week, with its owner's name on the board. What would make "
          "you leave your sandwich at home?",
          "Fewer people eat in the canteen than before. {c} wants to change this. On {b} there is {a}. Each week we "
          "cook something that one of you has asked for. The name is written on the board. What do you want us to "
          "cook?"),
    Brief("coffee machine", "whoever is first in the office",
          ["Write a sheet that says how to start an old coffee machine.",
           "Our coffee machine is older than the firm and has moods. New people need a guide to it.",
           "How does one wake up a difficult coffee machine? Put it on a page to hang above it.",
           "A few lines to stick on a machine that only two of us understand."],
          {"a": ["the left lever", "the brass tap", "the side valve", "the steam cock"],
           "b": ["a hiss", "a sigh", "two clicks", "a gurgle"],
           "c": ["a wooden spoon", "your elbow", "the flat hand", "a rolled newspaper"]},
          ["simply", "step"], "begins with a title",
          "She is not broken|Fill the tank to the scratch and no higher. Open {a}, wait for {b}, close it again: now "
          "she knows that you are there. After four minutes the lamp goes red, which means yes. If nothing comes, tap "
          "the back with {c}, once, as one wakes an uncle. The first cup is bitter and belongs to the sink.",
          "How to use the machine|Fill in water up to the mark. Open {a} and wait until you hear {b}. Then close it. "
          "After four minutes the lamp is red. If no coffee comes out, hit the back with {c}. Pour the first cup "
          "away."),
    Brief("noise", "people who have stood at the machines for years",
          ["A foreman asks the workers of a hall what could be done about noise. Write his notice.",
           "It is too loud in our hall. I want ideas from those who work there, not from a consultant.",
           "Write to the people in a factory hall and ask them how it could become quieter.",
           "Notice board, hall two: it is loud, we want to change it, you know best how."],
          {"a": ["the stamping press", "the compressor", "the grinder", "the saw"],
           "b": ["ninety-four", "ninety-one", "ninety-six", "eighty-nine"],
           "c": ["rubber mats", "cork panels", "a brick wall", "a curtain"]},
          ["brainstorm", "health and safety"], "ends with a question",
          "Yesterday we held a meter next to {a}: {b} decibels, about as much as a motorcycle in your kitchen. A "
          "consultant wants to sell us {c}, and perhaps he is right. But you have stood there for years and know when "
          "it screams and why. Write it on the sheet, badly spelt if need be; each idea gets an answer within a week. "
          "What would you do first?",
          "We have measured the noise near {a}. It was {b} decibels, and that is too much. Somebody has suggested {c}. "
          "We want to know what you think. Write your ideas on the sheet. You will get an answer within a week. What "
          "can be done about it?"),
]  # fmt: skip
