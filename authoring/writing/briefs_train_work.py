"""Briefs to learn from: shops, workshops, offices, a clinic, a harbour."""

from authoring.writing.briefs import Brief

BRIEFS = [
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
