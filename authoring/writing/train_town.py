"""Training briefs from a town: its offices, schools, clubs, museums and streets. Everything in them is invented."""

from authoring.writing.briefs import Brief
from authoring.writing.train_words import DAYS, NAMES

BRIEFS = [
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
    Brief("passport", "people who hate offices",
          ["A city office explains how to get a passport without losing a day. Write the leaflet.",
           "Write for people who need a passport and are afraid of the queue.",
           "We would like fewer tears at counter six. What must one bring, and when should one come?",
           "The passport counter wants a short text for its door and for its page on the net."],
          {"a": ["a birth certificate", "an old passport", "a photograph", "a bank card"],
           "b": ["Wednesday", "Tuesday", "Friday", "Monday"],
           "c": ["three weeks", "five weeks", "two weeks", "four weeks"]},
          ["citizen", "applicants"], "begins with a title",
          "In and out before your tea is cold|Come on {b} after four: that is the hour nobody knows. Bring {a} and "
          "your own face; fingers are scanned here and cost nothing. You sign once, pay once, and go. The passport "
          "takes {c} and comes by post. If you fly sooner, say so at the start, and we will tell you what hurry "
          "costs.",
          "How to get a passport|You need {a} for it. It is best to come on {b} after four, when there are few people. "
          "You have to sign and pay. It takes {c}, then you get it by post. Tell us if you need it sooner than that."),
    Brief("polling station", "people who vote and have never counted",
          ["Find helpers for election day. The town needs people at the tables.",
           "Write a call: who helps on the day of the vote?",
           "We are short of hands for the election, as always. Something that makes people curious would be good.",
           "A town hall looks for people who count votes. Put the question to those who have never done it."],
          {"a": ["twenty-two", "thirty-one", "eighteen", "forty-three"],
           "b": ["forty crowns", "fifty crowns", "thirty crowns", "sixty crowns"],
           "c": ["sandwiches", "a thermos", "cake", "soup"]},
          ["democracy", "duty"], "ends with a question",
          "You have always wondered what happens when the box is opened. It is emptied on a table, and people like you "
          "make piles. We lack {a} of them. You sit for half a day, look up names, point to the booth; at six the "
          "doors close and it becomes quiet, as in church. You get {b} in cash, {c}, and a story. May we write your "
          "name down?",
          "We need {a} more helpers for the election. They sit at a table for half a day and look up names. At six "
          "they count the votes. They get {b} for it and also {c}. You do not need to know anything beforehand. Would "
          "you like to help us?"),
    Brief("steep trail", "members who are not sure of their knees",
          ["A hiking club invites to a walk and is honest about how steep it is. Write it.",
           "I lead the next walk of our club. Some should come along and some should not, and both should know.",
           "Write to the members of a hiking club about a tour that has one bad hour in it.",
           "Invitation to a hike: beautiful, long, one steep part. No false promises."],
          {"a": ["seven hundred", "nine hundred", "six hundred", "eight hundred"],
           "b": ["gentians", "wild thyme", "orchids", "arnica"], "c": ["Konrad", "Elfie", "Matthias", "Ursel"]},
          ["breathtaking", "challenge"], "two paragraphs",
          "It is {a} metres up, and the last hundred have to be earned on all fours. After that it is flat for three "
          "hours, through {b}, with the whole valley below like something one has tidied up.|If your knees are in "
          "doubt, go with {c}, who takes the forest road and arrives at the hut earlier than we do, every time. The "
          "bus leaves at seven. Nobody will be left behind; we count.",
          "The tour goes up {a} metres. The last part is very steep. Then it is flat for three hours, and one sees "
          "{b}.|If this is too difficult for you, you can walk with {c} on the forest road. Both groups meet at the "
          "hut. The bus leaves at seven."),
    Brief("high water", "people with cellars near the river",
          ["A town warns of high water. Write the message that goes to phones.",
           "The river rises and cellars will be wet by night. Tell people by the river what to do.",
           "Write a flood message for the lower town: calm, exact, useful.",
           "We must warn everybody near the river within the hour. It has to fit on a phone and on a door."],
          {"a": ["midnight", "eleven", "two in the morning", "ten"],
           "b": ["Quay Street", "Tanner's Row", "the lower market", "Willow Lane"],
           "c": ["sandbags", "pumps", "planks", "plastic sheets"]},
          ["panic", "catastrophe"], "one paragraph",
          "The river comes into {b} at {a}. It will stand knee-high in the cellars and not reach the ground floor. "
          "Until then: carry up what you love, switch off the fuse below, move the car to the hill. {c} are at the "
          "fire station, as many as you can lift. Knock at the door of whoever lives alone. We write again every two "
          "hours, also when nothing is new.",
          "There will be high water in {b} at {a}. Cellars will be flooded. Take your things out of the cellar and "
          "switch off the fuse there. Move your car to the hill. You can get {c} at the fire station. Help your "
          "neighbours. We will write again in two hours."),
    Brief("no homework", "parents who worry about falling behind",
          ["A headmistress tells parents about a week without homework. Write her letter.",
           "For one week our school sets nothing to do at home. Parents will ask why, so we should write first.",
           "Write a letter from a school: a week in which children bring no exercises home.",
           "Letter to parents, please. One week, no tasks in the afternoon, and a reason for it."],
          {"a": ["the second week of May", "the last week of June", "the first week of March", "the week after Easter"],
           "b": ["bored", "dirty", "tired", "hungry"],
           "c": ["spelling", "long division", "grammar", "multiplication"]},
          ["learning outcomes", "wellbeing"], "two paragraphs",
          "In {a} your children will come home with empty bags. This is on purpose. We want to see what they bring "
          "back on Monday when nobody has told them what to bring: a beetle, a question, a dam in the brook.|They may "
          "get {b}; that is where it usually begins. {c} will wait for them, it has not changed for centuries. If you "
          "miss the exercises, do some yourselves.",
          "There will be no homework in {a}. We want the children to have time for other things. They can tell us "
          "about it on Monday.|Perhaps they will be {b} at times. This does no harm. They will practise {c} again "
          "after that week. If you have doubts about this, you can talk to the teachers."),
    Brief("lost match", "supporters who stood in the rain",
          ["Write a report on a match that a small football club lost.",
           "We lost, and it has to go into the village paper. Make people come again next Sunday all the same.",
           "A report for the page of a football club. The result was bad. The afternoon was not.",
           "Football, lowest league, a defeat. Please write it up for those who were there and those who were glad not "
           "to be."],
          {"a": ["five nil", "four nil", "six one", "seven one"],
           "b": ["the goalkeeper", "the left back", "the captain", "the substitute"],
           "c": ["mud", "fog", "hail", "sleet"]},
          ["fighting spirit", "unlucky"], "begins with a title",
          "Better than it looks on paper|It ended {a}, and it could have been worse, as the visitors said while we "
          "helped to push their bus. There was so much {c} that {b} tackled a spectator. For ten minutes after the "
          "break we were the better side; witnesses exist. The sausages were finished before the match was. Next "
          "Sunday we play again, and it can hardly rain twice.",
          "Defeat on Sunday|On Sunday we lost {a}. There was {c}, and so the game was difficult. Especially {b} had "
          "problems with it. After the break we were better for ten minutes. There were sausages for everybody. The "
          "next match is on Sunday. We hope for more luck then."),
    Brief("street name", "residents who must change their letterheads",
          ["A street gets a new name. Write to the people who live in it.",
           "From the city to residents: your street will be called something else, and this is what it means for you.",
           "Nobody likes a new address. Tell a street why it gets one.",
           "Write the letter that comes with a new street name. Warm, clear, no fuss."],
          {"a": ["a schoolteacher", "a nurse", "a bricklayer", "a seamstress"],
           "b": ["eighty", "sixty", "forty", "fifty"], "c": ["a year", "two years", "eighteen months", "six months"]},
          ["administrative", "rename"], "two paragraphs",
          "Two streets in our town have the same name, and last winter the ambulance went to the wrong one. So yours "
          "will be called after {a} who lived at number nine for {b} years and let half of the town in by the back "
          "door.|Post with the old address arrives for {c}. We inform the bank, the power company and the police. You "
          "only have to tell your friends, who will not believe it.",
          "Your street gets a new name because there are two streets with this name. It is named after {a} who lived "
          "there for {b} years.|Letters with the old address will arrive for {c}. We will tell the bank, the power "
          "company and the police about it. You have to tell your friends yourself."),
    Brief("fountain", "thirsty people in summer",
          ["Write the sign for a drinking fountain in a square.",
           "A new fountain gives drinking water. What should it say on the brass plate?",
           "People do not trust the water of our fountain, though it is good. A small sign would help.",
           "Sign, drinking fountain, old square: where the water comes from and that one may drink it."],
          {"a": ["the beech wood", "the chalk hill", "the high moor", "the old quarry"],
           "b": ["nine degrees", "eleven degrees", "eight degrees", "ten degrees"],
           "c": ["horses", "pigeons", "dogs", "sparrows"]},
          ["potable", "refreshing"], "one paragraph",
          "Drink. It fell as rain on {a} about forty years ago and has been on its way to you since then, through "
          "stone, in the dark. It arrives at {b}, summer and winter, and is looked at by a chemist each Monday. Press "
          "the lion's nose. Fill your bottle, wet your hat; the low basin is for {c}, who have never asked whether it "
          "is allowed.",
          "This is drinking water. It comes from {a} and is at {b} all year. It is tested every Monday. Press the nose "
          "of the lion and the water will flow. You can fill bottles here. The low basin is for {c}. Please keep the "
          "fountain clean for other people."),
    Brief("tenors", "men who sing in the car",
          ["A choir looks for men's voices. Write the notice.",
           "We have many sopranos and three tenors, one of whom coughs. Find us some more.",
           "Write a notice that brings people into a choir who believe that they cannot sing.",
           "Please write: choir needs tenors. Not the usual phrases, we have tried those."],
          {"a": ["Wednesdays", "Tuesdays", "Thursdays", "Mondays"],
           "b": ["the gym", "the parish hall", "the old dairy", "the music school"],
           "c": ["twenty-six", "thirty-four", "twenty-nine", "thirty-eight"]},
          ["talent", "join us"], "ends with a question",
          "You sing at red lights, with the windows up. We have {c} women who need somebody to stand behind them and "
          "hold a low note, and three men who do what they can. Come to {b} on {a} at eight. You will be put between "
          "two people who know the tune; lean on them. Nobody sings alone, and nobody is sent home. What have you got "
          "to lose but the radio?",
          "Our choir needs more men. We have {c} women and three men. We sing in {b} on {a} at eight. You do not have "
          "to be able to read music. You stand between two people who know the song. Nobody has to sing alone. Do you "
          "want to come?"),
    Brief("flea market", "families who sell for the first time",
          ["Write the rules of a flea market so that people read them.",
           "Our flea market needs rules. Last year they filled two pages and nobody had read them.",
           "The market on the fairground has a handful of rules. Put them into a text one likes to read.",
           "A sheet for people who want to sell old things on a Saturday. What must they know?"],
          {"a": ["six", "seven", "half past six", "half past seven"],
           "b": ["four crowns", "five crowns", "three crowns", "eight crowns"],
           "c": ["kittens", "mattresses", "home-made schnapps", "swords"]},
          ["vendors", "prohibited"], "begins with a title",
          "Less than you think|Stalls are set up from {a}, by whoever comes first; a blanket counts as a stall. It "
          "costs {b} for a table and nothing for children. Say a price and be ready to hear another one. No {c}, "
          "please, there was a story. What you have not sold by three goes home with you again, and that is the only "
          "rule we watch over.",
          "Rules of the market|You can set up your stall from {a}. A table costs {b}. Children do not pay. You may not "
          "sell {c} here. At three the market is over. You must take home what you did not sell. Please leave your "
          "place as clean as you have found it."),
    Brief("felled tree", "neighbours who loved it",
          ["A town had to fell an old tree. Write what hangs on the fence in its place.",
           "People are sad about the tree, and some are angry. Tell them why it is gone, on a sheet by the stump.",
           "Write about a tree that was cut down, for those who passed it every day.",
           "Sheet for a fence. The tree is gone, it was ill, another one comes."],
          {"a": ["lime", "chestnut", "plane", "hornbeam"], "b": ["a fungus", "a beetle", "rot", "a wood moth"],
           "c": ["schoolchildren", "street sweepers", "fire brigade", "brass band"]},
          ["regrettably", "measures"], "begins with a title",
          "What you can see from the stump|It was a hundred and twelve years old; count, if you have time. In the "
          "middle you can put your arm into the dark: {b} had eaten there for a decade while the leaves said nothing. "
          "It would have come down by itself, on a Saturday perhaps. In November the {c} will plant a young {a} beside "
          "it. The benches will be cut from this one.",
          "Why the tree was cut down|We had to cut down the {a}. The reason was {b}, and the tree was no longer safe. "
          "It was a hundred and twelve years old. In November the {c} will plant a new one. We will make benches from "
          "the wood of the old one."),
    Brief("host family", "families with a spare bed and doubts",
          ["A school looks for families who take in a pupil from abroad. Write to them.",
           "We need hosts for exchange pupils, and people think they need a big house for that.",
           "Find homes for our guests from abroad. A letter to families, short, that takes away their doubts.",
           "Appeal: a pupil from another country needs a bed for some time."],
          {"a": ["nine days", "two weeks", "twelve days", "three weeks"],
           "b": ["spinach", "onions", "liver", "cabbage"], "c": ["seventeen", "eleven", "thirteen", "fifteen"]},
          ["enriching", "cultural"], "ends with a question",
          "In autumn {c} young people get off a train here and know only how to ask for the toilet. For {a} each of "
          "them needs a bed, a key, and somebody who says good night. A sofa will do. You cook what you cook; they "
          "have been warned of the {b}. You will speak with your hands, and laugh at dinner. In May yours may go "
          "there. Could somebody sleep in the room with the ironing?",
          "In autumn {c} pupils from abroad come to our school. They stay for {a} and need families. They need a bed "
          "and meals. You can cook as usual, also {b}. They speak only a little of our language. In May your child can "
          "visit them. Can you take one of them?"),
    Brief("dug-up street", "customers of five small shops",
          ["The shops of a street that is being dug up write to their customers.",
           "In front of our shops there is a trench. We are open. Write that, for all five of us.",
           "Write a common letter of shopkeepers whose street is a building site.",
           "Our street will be torn up for months. People should still come and buy. A letter, please."],
          {"a": ["August", "December", "July", "October"],
           "b": ["planks", "a wooden bridge", "a ramp", "steel plates"],
           "c": ["coffee", "a plum", "a carnation", "soap"]},
          ["support local", "despite"], "two paragraphs",
          "Until {a} there is a trench where you used to park. The pipes date from the emperor, says the man who digs, "
          "and he seems to like them.|We are open, all five of us. You reach each door over {b}, and the workers lend "
          "an arm. Whoever arrives with mud on the shoes gets {c} from whichever shop it is. The noise ends at four. "
          "From then on it is the quietest street in town.",
          "Our street is being dug up until {a}. You cannot park there. The old pipes have to be replaced.|All five "
          "shops are open. You can get to them over {b}. You get {c} from us when you come. The work ends at four each "
          "day. After that there is no noise. We look forward to seeing you."),
    Brief("new bridge", "people who have taken the long way round for years",
          ["Write what is read out when a footbridge is opened.",
           "A few words for the opening of a small bridge. The mayor speaks badly and should speak briefly.",
           "Our footbridge is finished at last. Somebody has to say something before the ribbon is cut.",
           "Opening of a bridge over a brook, short speech, people are standing in the wind."],
          {"a": ["eleven", "fourteen", "nine", "sixteen"], "b": ["oak", "larch", "steel", "ash"],
           "c": ["Theres", "Wenzel", "Agathe", "Korbinian"]},
          ["milestone", "proud"], "begins with a title",
          "Two minutes instead of forty|For {a} years one has been able to see one's friends over there and not reach "
          "them without a bus. Today it takes as long as tying a shoe. {c} is ninety and will go first, since nobody "
          "has asked for this bridge more often. It is made of {b}, it sways a little, it is meant to. I stop now. "
          "Your soup is getting cold on the other side.",
          "Our new bridge|We have waited {a} years for this bridge. Before that one had to take the bus. Now everybody "
          "can cross the brook quickly. {c} will be the first to go over it. The bridge is made of {b}. We thank all "
          "who have helped. There is soup on the other side."),
    Brief("dog meadow", "people with a dog who know the rule",
          ["Write a sign that asks dog owners to use the lead on one path.",
           "Dogs run into the lambs. We need a sign that does not shout.",
           "A path leads past sheep. Ask people to put their dogs on the lead there, in a way that works.",
           "Sign at a meadow: dogs on the lead between the gates. Those who read it have read a hundred such signs."],
          {"a": ["March", "April", "June", "February"], "b": ["fifty", "eighty", "thirty", "sixty"],
           "c": ["a ewe", "the flock", "a lamb", "the ram"]},
          ["irresponsible", "fine"], "ends with a question",
          "Your dog only wants to play. We believe it, but {c} does not, and runs until something breaks. It is {b} "
          "steps from this gate to the next one. Until the end of {a} keep the lead on for these, and after them the "
          "whole hill belongs to the two of you. There are spare ropes on the hook. Who knows, perhaps you will like "
          "walking arm in arm?",
          "There are sheep on this meadow until the end of {a}. If your dog runs free, {c} can be frightened. It is "
          "{b} steps to the other gate. Put your dog on the lead for this part. There are ropes on the hook. After "
          "that it may run again. Will you do this?"),
]  # fmt: skip
