"""Held-out briefs from home: families, friends and neighbours. Everything in them is invented."""

from authoring.writing.briefs import Brief

BRIEFS = [
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
