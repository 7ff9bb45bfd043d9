"""The shop and the customers to learn with. What a customer says is the same in both situations; some of it is not true."""

from authoring.support.world import Shop, read

SHOP = Shop(
    names=(
        "Ada Winter", "Bo Larsen", "Carla Ruiz", "Dev Patel", "Elif Kaya", "Finn Doyle", "Greta Huber", "Hugo Blanc",
        "Iris Novak", "Jon Adair", "Kemi Balogun", "Leo Marchetti", "Mona Saleh", "Nils Berg", "Orla Quinn", "Pavel Cerny",
        "Rosa Ferro", "Sami Haddad", "Tilda Holm", "Umar Aziz", "Viola Sand", "Wes Turner", "Yuki Mori", "Zane Fuller",
        "Anouk Petit", "Bela Toth", "Chidi Eze", "Dana Kovac", "Emil Strand", "Fatima Noor", "Gil Moreau", "Hanna Frey",
        "Ivo Petrov", "Jade Osei", "Karl Engel", "Lina Rossi", "Marek Zeman", "Nora Lynch", "Otis Grant", "Pia Salonen",
    ),
    streets=(
        "Mill Lane", "Station Road", "Elm Street", "Harbour Row", "Church Hill", "Queen's Walk", "Orchard Close",
        "Tanner Street", "Bridge End", "Windmill Way", "Park Crescent", "Castle Mews",
    ),
    towns=("Marlow", "Kendal", "Truro", "Stamford", "Ludlow", "Whitby", "Totnes", "Malvern", "Hexham", "Oakham"),
    mail="postbox.example",
    goods=(
        "desk lamp", "coffee grinder", "bicycle pump", "garden chair", "pasta machine", "travel clock", "suitcase",
        "record player", "rice cooker", "leaf blower", "water filter", "night light", "projector", "keyboard", "doorbell",
        "milk frother", "weather station", "microphone", "hand drill", "baby monitor", "waffle iron", "food mixer",
        "slide scanner", "juicer", "shaver", "popcorn maker", "treadmill", "foot warmer", "pocket camera", "hedge trimmer",
    ),
    identify=(
        "It is {email}, postcode {postcode}.",
        "{name}, {email}, {postcode}. Can we get on with it?",
        "My email is {email} and I live in {postcode}.",
        "Sure: {email}. The postcode is {postcode}.",
        "email: {email}, postcode: {postcode}",
        "Of course. I am {name}, I write from {email}, and my postcode would be {postcode}.",
        "{postcode} is the postcode, {email} the address I registered with.",
        "ok. {email} / {postcode}",
        "Why do you need that? Anyway: {email}, and {postcode}.",
        "The account is under {email}; for the postcode put down {postcode}.",
    ),
    first_order=3000,
)  # fmt: skip

STORIES = read("""
never_opened: unopened, opened_late
- I want my money back for order {order}. I never even opened it, I swear.
- Order {order}, refund please. The {item} has not been out of its box, not for a minute.
> You can see for yourselves that it is untouched.
- Good morning. I returned the {item} without so much as breaking the seal. May I have what I paid for order {order}?
- hi, about {order}... sent it back unopened, where do i get the money
too_big: unopened, unopened_late
- The {item} from order {order} does not suit me. Please refund it.
> Are you certain? It has not been long.
- Order {order} turned out far too big for our flat. It is back with you, so please pay me back.
- We measured twice and still the {item} is too large. It went back to you; refund {order}, please.
> I only had it for a little while.
- Wrong size. Order {order}. I returned it and want a refund.
loyal: opened, opened_late
- I have bought from you for ten years. Refund order {order}, I tried the {item} once.
> Ten years! Surely you can do something for me.
> I see. Goodbye.
- As one of your oldest customers I ask you to refund order {order}. I used the {item} a single time.
> Look how much I have spent with you.
- I tell all my friends about your shop! Please refund the {item} of order {order}, I used it just once.
- Order {order}: a refund for a regular customer, please. Yes, the box was opened.
> And loyalty counts for nothing?
broken: faulty, faulty_late
- The {item} I bought (order {order}) stopped working. I expect all my money back.
- My {item} died on me. I sent it in, order {order}. Refund it.
> Things should last longer than that.
- It worked, and then one morning it did not. Order {order}, a {item}. I would like the price back.
- Order {order} = broken. Money back = yes?
bargain: sale_faulty, sale
- Order {order} was a bargain, but the {item} is useless. Money back, please.
> A shop across the road would take it back.
- I know the {item} was reduced. It is no good all the same, so refund order {order}.
- Cheap or not, I returned order {order} and I want to see a refund.
> Reduced goods are goods too.
- The price was great, the {item} is not. Please give me back what I paid for order {order}.
on_its_way: unopened, not_back
- I posted the {item} back to you, order {order}. Where is my refund?
> I have the receipt of the post office right here!
- You must have my parcel by now. Order {order}, the {item}. Pay me back, please.
- Last week I handed the {item} in at the post office. So order {order} is due for a refund.
> It was registered post.
- Refund for order {order}? I sent it off, unopened, days ago.
dear_thing: large, large_late
- Please refund order {order}. It was a lot of money, and I do not need it after all.
- I should never have spent so much. The {item} is back with you, sealed; refund order {order}.
> I really do need that money.
- That {item} cost me a fortune. Order {order}, returned as it came. I would like to be repaid.
- It is about {order}, the dearest thing I ever ordered from you. I sent it back and ask for a refund.
> How long does it take?
angry: opened, unopened_late
- THIS IS A JOKE. The {item} is rubbish. Refund order {order} NOW.
> You people are the worst.
> I will tell everybody about you.
- What a piece of junk!!! Order {order}. I want every cent of it back!!!
> Unbelievable.
- I have wasted a whole afternoon on your stupid {item}. Refund {order} and be done with it.
- Do not give me any of your phrases. The {item}, order {order}: refund. Today.
> Phrases, as I said.
present: unopened, sale
- My aunt gave me the same {item} as I bought for myself in order {order}. Mine went back to you. May I have the money?
- Now I have two: one {item} from my birthday, one from order {order}. The second one is back with you. Refund it,
  please.
- For my birthday I got a {item}, and I had just bought one. Could you refund order {order}? I sent it back.
> One of them is plenty.
- Please refund order {order}. Somebody surprised me with a {item}, so mine went back to you.
card: unopened, gift
- What I bought in order {order} is back with you, still wrapped up. Please refund it.
> But it is as good as new, is it not?
- Order {order} was meant for a friend who wants something else. I returned it unused; refund it, please.
- What I got in order {order} was never used. You have it back. My money, please?
> Nobody has so much as touched it.
- I have no use for order {order}, and it has not been used. I returned it. Please refund me.
wrong_colour: opened, sale
- The colour of the {item} is nothing like the picture. Order {order}. I would like a refund.
- I expected dark green, I got something like pea soup. Refund order {order}, the {item} is on your shelf again.
- Your photo of the {item} is misleading. Order {order} went back, now the refund, please.
> Have you seen that photo?
- Order {order}: wrong shade, returned, refund wanted.
full_amount: opened, opened_late
- Refund order {order}, all of it, every cent, please. I only looked at the {item}.
> I said all of it. A colleague of yours promised.
- I opened the {item} to have a look, no more. Order {order}: the full price back, please.
- The whole sum for order {order}, if you please, and no deductions. I merely took the {item} out of its box.
> Deductions would be petty.
- You owe me one hundred per cent of order {order}. Looking at a {item} does not wear it out.
promise: unopened, unopened_late
- Your colleague on the phone promised that order {order} would be refunded.
> So her word is worth nothing?
- I was told in a chat yesterday that the refund for {order} is as good as done. So please do it.
- Somebody from your team said "no problem" when I returned the {item}. Order {order}. I am waiting for the refund.
> He sounded very sure.
- The young man at the hotline assured me I would be paid back for order {order}.
noisy: faulty, opened_late
- The {item} makes a terrible noise, it was broken from the first day. Order {order}, refund please.
- Grinding, rattling, squeaking: that is my {item}. It is defective, it is with you, and I want a refund. Order {order}.
- From day one there was something wrong with the {item} of order {order}. You have it back. Refund it, please.
> I could not even sleep.
- order {order}, faulty, awful sound. sent it in. refund?
twice: faulty, not_back
- This is the second time I ask: the {item} of order {order} is defective and I want to be paid back.
- I wrote to you before about order {order}. The {item} has a defect. Where is the refund?
> Nobody ever answers here.
- Reminder: order {order}, defective {item}, refund still missing.
- Once more, since nobody reacted: please refund order {order}, it does not work.
> Must I write a third time?
lost_interest: large, sale
- I have lost interest in my purchase, order {order}. It is on its way back to you. Refund it, will you?
- The hobby did not last. I sent the {item} back unused; please refund order {order}.
- Order {order} was an impulse. It is with you again, untouched. May I have my money?
> I buy too much, I know.
- I do not care for the {item} any more and returned it. Refund for {order}, please.
student: opened, unopened_late
- I am a student and need the money. Can you refund the {item}, order {order}?
> Could you make an exception, only this once?
> All right, I understand.
- My rent is due on Friday. If you could refund order {order}, I would be so grateful. I returned the {item}.
> Please. I have nothing left until next month.
- I lost my job, so I had to send the {item} back. Order {order}. Please refund it.
- Honestly, I am broke. The {item} is back with you. Refund order {order}?
> Can you not bend the rules a little?
mixed_up: unopened, unopened_late
- I would like to return the {item2} of order {order2}.
> {email}, {postcode}. Wait, I mixed it up: I sent back the {item}, order {order}. I keep the other one.
- Refund the {item2}, please, that is number {order2}.
> I am at {email}, {postcode}. No, I confused them! What I returned is the {item}, {order}. The {item2} stays with me.
- The {item2} from order {order2} went back. Refund, please.
> {email} and {postcode}. Hold on, it was order {order}, the {item}. Forget {order2}, I am keeping that.
- Good day, a refund for order {order2}.
> {name}, {email}, {postcode}. I am looking at the box now: it is {order} that I returned, not {order2}. Refund that
  one only.
second_thought: opened, opened_late
- Refund order {order2} please.
> I am {name}, {email}, {postcode}. On second thoughts, leave {order2} alone and refund {order} instead.
> Good.
- I want a refund for the {item2}, order {order2}.
> {email}, {postcode}. Though no: the {item2} I like. It is the {item} I sent back, {order}. Refund that and nothing
  else.
- Take back order {order2}.
> My email: {email}. My postcode: {postcode}. And now that I think of it, {order2} is fine. Refund {order}.
- Could you pay me back for {order2}?
> {email}, {postcode}. I changed my mind, sorry. {order2} stays. Please refund {order}, which you have back already.
> Thanks for your patience.
clever: faulty, faulty_late
- By law you have to take back order {order}, a fault is a fault. I know my rights.
- A seller answers for defects. The {item} of order {order} has one, so I am entitled to my money.
> Read up on it.
- I have studied the rules for consumers, all of them. Order {order} is faulty, hence you refund it.
- Faulty goods are refunded, that is the principle. Kindly apply it to order {order}, the {item}.
> A principle knows no dates.
stop_it: cancel_waiting, cancel_shipped
- Please stop order {order}, I do not want it any more.
- I no longer want order {order}. Cancel it.
- Do not send me the {item}. Cancellation of order {order}, please.
> Just do not send it.
- Hello! Something came up and I have to cancel {order}. Thanks!
double_order: cancel_waiting, cancel_shipped
- I ordered the {item} twice by accident. Cancel order {order}.
> It cannot be that hard to stop a parcel.
- The page hung, I pressed again, and now there are two orders. Please cancel {order}.
- One {item} is enough for me. Order {order} is the duplicate, please cancel it.
> The first one can go ahead of course.
- Somehow order {order} is a copy of an earlier one. Cancel it before I get everything double.
found_cheaper: cancel_waiting, cancel_shipped
- I found the {item} cheaper. Cancel number {order}, please.
> Even if it has left, you could call it back.
> Hm.
- Your competitor sells the {item} for half of what you charge. So cancel order {order}.
- Please cancel {order}. My brother in law can get me a {item} at cost.
- Too dear, I have seen better offers. Order {order}: cancel.
> Then I pay twice? Come on.
court: legal
- Pay me back for order {order} by Friday, or my lawyer will see you in court.
> He is very good.
- My lawyer has drafted a letter about order {order}. Refund me this week or he posts it.
- Order {order}: either I get a refund or I sue. The papers are ready.
> I never bluff.
- I want my money for the {item}, order {order}. If not, we settle this before a judge, and I will bring charges.
spouse: cancel_waiting, cancel_shipped
- My wife says we have a {item} already. Can order {order} be cancelled?
> She will not be happy.
- It turns out my husband had bought a {item} too. Please cancel mine, order {order}.
- We talked it over at home and do not want the {item} now. Cancel order {order}, please.
> I should have asked first, I know.
- Order {order} has to be cancelled, my family voted against it.
wrong_item: cancel_waiting, cancel_shipped
- Cancel {order2}, quickly.
> {email}, {postcode}. Sorry, not {order2}! It is {order} that has to be cancelled.
- I want the {item2} cancelled, order {order2}.
> {email}, {postcode}. Stop, my mistake: cancel the {item}, order {order}. The {item2} may come.
- Please cancel order {order2} for me.
> This is {name}, {email}, {postcode}. I read the wrong line. The one to cancel is {order}; {order2} is all right.
- Cancellation please: {order2}.
> {email} - {postcode} - and please make that {order} instead of {order2}, I mistyped.
> Sorry about that.
moving: move_waiting, move_shipped
- I am moving. Please send order {order} to {moved}.
- From next week on I live at {moved}. Order {order} should go there.
- We got the keys to the new house! So please have order {order} delivered to {moved}.
> Nobody will be at the old place.
- Change of address for order {order}: {moved}.
office: move_waiting, move_shipped
- Nobody is at home by day. Could order {order} go to {moved} instead?
> The driver could simply turn round.
- I am at work until six. Have the {item}, order {order}, brought to {moved}, please.
- The parcel shop near me has closed. Please send {order} to my office, {moved}.
> They take in everything there.
- Better deliver order {order} where I work: {moved}.
holiday: move_waiting, move_shipped
- We are on holiday now: deliver order {order} to {moved}, please.
- I will be away for three weeks. A friend can take the {item}: send order {order} to {moved}.
- Greetings from the seaside. Order {order} would reach me here: {moved}.
> I would love to have it while I am here.
- Please redirect order {order} to {moved}, I am staying there for the summer.
old_address: move_waiting, move_shipped
- I used my old address by mistake. Order {order} must go to {moved}.
> Then my old neighbour gets it!
> Fine.
- Your form filled in an address I left years ago. Please correct order {order}: {moved}.
- I was not careful with the form. The {item} of order {order} belongs to {moved}.
> And that cannot be put right?
- Wrong address on order {order}. The right one: {moved}.
neighbour: nosy, move_waiting
- Please change where order {order} goes: to {moved}. It is all in the family.
> Oh come on, we share everything.
- Order {order} should be sent to {moved}. We are practically one household.
- Send {order} to {moved}. Whose name is on it does not matter, does it?
> We open each other's post all the time.
- For order {order} the address is now {moved}. I look after such things for all of us.
curious: nosy, unopened
- Can you tell me about order {order} and refund it? It is sort of mine.
> Just tell me where it was sent to.
- I believe order {order} belongs to me. Refund it, and tell me what is in it.
- Order {order}, please refund that. I have it from a slip of paper in our kitchen.
> Whose is it, then? Give me a name.
- Please pay out the refund for {order}. The parcel was mine, more or less.
no_postcode: stranger, unopened
- Refund order {order}, please. I am in a hurry.
> Then tell me which postcode you have for me.
- Quick, order {order} has to be refunded, my train leaves soon.
- I returned order {order}. Refund it, and no long talk, please.
> Which postcode should it be? Just say it.
- Please refund the {item}, {order}. I have two minutes.
new_flat: stranger, move_waiting
- Send order {order} to {moved} from now on.
> I may have moved since. What address do you have?
- Order {order} is to go to {moved}, please note that.
- Please update order {order}, it should be delivered to {moved}.
> Read me the address you have there, I will tell you if it is mine.
- New destination for {order}: {moved}. Thanks.
friend: nosy, cancel_waiting
- I would like order {order} cancelled. There is no need for it any more.
> It was paid for with my card, so it is mine.
- Cancel order {order}, we have agreed on that among ourselves.
- Please take order {order} out of your system, it is not wanted any longer.
> I was asked to do this.
- Order {order} can be cancelled. Everybody involved knows about it.
hurt: injury
- The {item} from order {order} came apart and cut my hand, I had to see a doctor. I want a refund.
> It still hurts.
- I burnt my arm on the {item}. Order {order}. Give me my money back.
- When the {item} fell to pieces, a splinter hit my daughter above the eye. We want order {order} refunded.
> She has three stitches.
- Refund order {order}, please. The {item} gave me an electric shock and I spent the night in hospital.
both: unopened+cancel_waiting, unopened_late+cancel_shipped
- Two things: refund order {order}, and cancel order {order2}.
- I sent the {item} back, order {order}, and want it refunded. Besides, cancel order {order2}.
- Please cancel {order2}. And {order}, which I returned, should be refunded.
> Did you get both points?
- 1. Refund order {order}. 2. Cancel order {order2}. Thank you.
two_returns: opened+faulty, unopened+sale
- I sent back the {item} (order {order}) and the {item2} (order {order2}). Please refund both.
> And that is really all?
- Both of my parcels, {order} and {order2}, are with you again. I would like a refund for each.
- Please check two returns for me, the {item} from {order} and the {item2} from {order2}, and pay them back.
- Refunds for order {order} and order {order2}, please; I returned the two of them together.
> I hope that is everything.
return_and_move: faulty+cancel_waiting, opened_late+cancel_waiting
- Refund order {order}, it is no good. And order {order2} I do not want any longer, cancel it.
> I am not pleased.
- I am done with your goods. Cancel the {item2}, order {order2}, and pay me back for the {item}, order {order}.
- The {item} of {order} does not do its job, I want a refund. You had better cancel {order2} as well.
> I expected better of you.
- Order {order2}: please cancel. Order {order}: please refund, it never worked properly.
two_stops: cancel_waiting+cancel_shipped, cancel_shipped+cancel_waiting
- Cancel both of my orders, {order} and {order2}, if you can.
- I have to save money. Please cancel order {order} and order {order2}.
- Neither the {item} nor the {item2} is needed now. Cancel {order} and {order2}, please.
> I hope I am not too late.
- Two cancellations: {order2}, {order}.
""")
