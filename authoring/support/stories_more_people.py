"""More customers to learn with: who they are comes early, late or wrong; other people's orders; lawyers, doctors, bosses."""

from authoring.support.world import read

STORIES = read("""
all_at_once: unopened, unopened_late
- I am {name}, {email}, postcode {postcode}. Please refund order {order}, I sent it back sealed.
> As I wrote, {email} and {postcode}. Thank you.
- Order {order}. Returned, unopened. Name {name}, email {email}, postcode {postcode}. I would like a refund.
> My details stand in my first message: {email}, {postcode}.
- So that you need not ask: {email}, {postcode}. The {item} of order {order} went back in its box, please refund it.
> Again, {email}, {postcode}. That is all from me.
- {email} / {postcode} / order {order} / unopened / refund please
> See above: {email} / {postcode}. Thanks.
stop_at_once: cancel_waiting, cancel_delivered
- {name} here ({email}, {postcode}). Cancel order {order}, please.
> To repeat it: {email}, {postcode}. Bye.
- Please cancel {order}. You will ask who I am: {email}, postcode {postcode}.
> {email}, {postcode}, in case you missed it. Many thanks.
- My email is {email}, my postcode is {postcode}, and I no longer want the {item}. Cancel order {order}.
> {email} with {postcode}, as before. Good night.
- Dear help desk, kindly cancel order {order}. Regards, {name}, {email}, {postcode}
> My data once more: {email}, {postcode}. Regards.
in_two_halves: opened, sale_opened
- Please refund the {item}, order {order}. I tried it and sent it back.
> My email is {email}.
> Ah, the postcode: {postcode}.
- I returned order {order} after a day of use. Refund, please.
> {email}
> {postcode}
- Order {order} did not convince me, it is back with you. May I have a refund?
> Sure, {email}.
> Oh, both? {postcode}, then.
> Thank you.
- A refund for {order}, please, I have used it once or twice.
> You can reach me at {email}.
> Postcode... {postcode}, if I am not mistaken.
postcode_first: move_waiting, move_shipped
- Order {order} has to go to {moved}, please.
> The postcode is {postcode}.
> Email? {email}.
- Please deliver the {item}, order {order}, to {moved}.
> I live in {postcode}.
> And I write to you from {email}.
> Good.
- Change the address of {order} to {moved}.
> {postcode}.
> {email}.
- I will be at {moved} next week, send order {order} there.
> {postcode} is where I live.
> Right, the email too: {email}.
second_try: unopened, stranger
- I sent back order {order}, sealed. Refund it, please.
> {email}, {wrong}. If that is not it, I have another one.
> Strange. Then it must be {email} and {postcode}.
- Please refund {order}. The box was never opened.
> Email {email}, postcode {wrong}, or did I use the one from home?
> The other one was my office. At home it is {postcode}.
> And now?
- The {item} of order {order} is back with you. My refund, please.
> {email} and {wrong}, I think. Tell me if it is another.
> We moved a while ago. Try {postcode}.
- Refund for order {order}, unopened.
> It is {name}, {email}, {wrong}, but I had better check that.
> I have checked: {postcode}. That is what stands on the letter.
second_try_stop: cancel_waiting, stranger
- Please cancel order {order}.
> {email}, {wrong}. I type badly, so ask again if it does not fit.
> A slip of the finger: {postcode}.
- I want to cancel the {item}, {order}.
> {name}, {email}. The postcode is {wrong}, or that of the other house.
> No? Then take {postcode}, that is the other house.
> I hope that helped.
- Order {order} is to be cancelled.
> {email} with {wrong}? I always mix those up.
> I did mix them up. {postcode}!
- Cancel {order} for me, would you?
> Yes. {email}. {wrong} now, but I had another one before.
> Before that it was {postcode}. Perhaps you still have that on file.
rather_not: opened, opened_late
- I would like a refund for order {order}, opened and returned.
> What do you need my data for?
> Well, if I must: {email}, {postcode}.
- Refund the {item}, order {order}. I tried it and sent it in.
> Why? Do you not know who I am?
> All right, all right. {email}, postcode {postcode}.
> Happy now?
- Please pay me back for {order}, I had it open for a day.
> Can we do this without all the questions?
> Fine. {email}. {postcode}.
- Order {order}, used once, returned. Refund?
> Is the number not enough?
> {email} and {postcode}, since you insist.
rather_not_move: move_waiting, stranger
- Deliver order {order} to {moved}, please.
> Is that any of your business?
> If it has to be: {email}, {postcode}.
- Send {order} to {moved}.
> Do you ask everybody such things?
> {email}, {postcode}. I hope you are content.
> Well?
- Order {order} must go to {moved}.
> Can you not just do it?
> Have it your way: {email}, and the postcode is {postcode}.
- The {item}, order {order}, please to {moved}.
> Does it have to be? I like to stay anonymous.
> Hm. {email}. And {postcode}.
slow_start: cancel_waiting, cancel_shipped
- Hello? {name} here. Is anybody there?
> {email}, {postcode}.
> I would like to cancel order {order}.
- Good evening, my name is {name}. I have a question.
> Certainly. {name}, {email}, {postcode}.
> It is about order {order}, the {item}. Please cancel it.
- I am {name} and need help with an order.
> {email} and {postcode}.
> Cancel it, please. The number is {order}.
> Thank you for your help.
- hey, {name} here
> {email} {postcode}
> cancel {order} please
long_way_round: faulty, faulty_late
- {name} is my name, and I hardly know where to begin. We had guests, the cake was ready, and then this.
> {email}, {postcode}.
> The {item} broke down, order {order}. I sent it to you and want a refund.
- First of all, I like your shop, or my name is not {name}.
> My email is {email}, my postcode {postcode}.
> But order {order} is defective, and it is back with you. Please refund it.
- You will not believe what happened to me with one of your machines. Me, {name}, of all people!
> Yes, yes: {email}, {postcode}.
> It simply broke! Order {order}. You have it, so refund it.
> What a story.
- May {name}, a faithful reader of your catalogue, tell you something about quality?
> {name}, {email}, {postcode}.
> A {item} should not fail like that. Refund order {order}, it is with you.
mine_and_theirs: unopened+nosy, unopened_late+nosy
- Please refund two orders: {order}, and {order2}, both sent back.
- I returned {order}. My neighbour returned {order2} in the same parcel. Refund both to me.
> We share the costs.
- Orders {order} and {order2} are back with you, unopened. I would like the money for the two.
- Refund {order2} and {order}, please. It is all one to us who ordered what.
> It really does not matter who gets it.
stop_both_houses: cancel_waiting+nosy, cancel_shipped+nosy
- Cancel {order} and {order2}, please. We have decided against both.
- My flatmate and I do not need our things any more, that is {order} and {order2}. Cancel them.
> My flatmate agrees, I asked.
- Please cancel two orders for our house: {order2} and {order}.
- Order {order} and order {order2} can both be cancelled. I speak for everybody here.
> Shall I spell the numbers?
bought_together: nosy, opened
- {friend} and I ordered together, it is order {order}. It was tried and sent back. Refund it to me.
- Order {order} is in my name, or in that of {friend}, I forget. It is back with you, please refund it.
> It comes down to the same thing.
- Please refund {order}. We shared the price, {friend} and I, and we used it for a day.
- The money for order {order} can come to me. {friend} knows about it.
> Ask {friend}, if you like.
for_mother: nosy, move_waiting
- My mother does not write mails. Please send order {order} to {moved}, that is where she is now.
- I look after my father's affairs: order {order} must be delivered to {moved}.
> He is ninety. Be kind.
- Order {order} should go to {moved}, it is for an old lady who cannot fetch it herself.
- I help people in our street with their parcels. {order} goes to {moved}, please.
> Somebody has to help them.
from_the_carrier: nosy, cancel_waiting
- I work for the carrier and need order {order} cancelled, there was a mix-up with the labels.
- This is about {order}: please cancel it, our van has no room left for it.
> I am from the carrier, you can trust me.
- We from the logistics team ask you to cancel order {order}.
- Cancel order {order}, please. I deal with parcels for a living and this one makes no sense.
> Colleagues help each other, do they not?
dear_not_mine: nosy, large
- Refund order {order}, please. It was expensive and it is back with you.
> It is quite a sum, so please be quick.
- I want to have the money for order {order}, the dear one, paid out to me.
- The whole family saved for order {order}. It went back sealed. I would like the refund.
> We all put money in.
- Order {order} cost a lot and was returned unopened. Pay it back to me, please.
by_profession: unopened, unopened_late
- I happen to be a lawyer, but I write as a plain customer. Please refund order {order}, it is back, sealed.
- My daughter studies law and says I should ask politely, so I do: may I have a refund for order {order}?
> I only ask. I would never make trouble over this.
- Please refund the {item}, {order}. I need no court and no lawyer for that, just a friendly help desk.
- Between two hearings I have time to write: I am a judge, and I returned order {order} unopened. A refund, please.
> Thank you. No hard feelings.
nobody_hurt: faulty, faulty_late
- The {item} gave way with a bang. Nobody was hurt, luckily. Order {order} is back with you, refund it, please.
- What a fright! My {item} broke in two, but we are all safe and sound. Please refund {order}, you have it.
> No, no, we are all well.
- Order {order} broke down. Do not worry, not a scratch on anybody. I returned it and would like the money.
- It hissed, it stopped. No harm done to anyone, only to the {item}. Refund order {order}, please, it is with you.
> Everybody is fine, thanks for asking.
sue_in_passing: legal
- Please refund order {order}.
> {email}, {postcode}. And I tell you now: if I do not get it, I take you to court.
- I would like my money back for the {item}, order {order}.
> {name}, {email}, {postcode}. My lawyer reads along, by the way, and he will sue you if this goes wrong.
- Order {order} is to be cancelled.
> {email}, {postcode}. Cancel it, or you get a letter from my lawyers.
> I am serious.
- Refund {order}, the {item}.
> {email}, {postcode}. One warning only: I have a lawyer, and I will not hesitate to have you sued.
sue_by_item: legal
- The {item} is a disgrace. Refund it or I go to court. I do not keep order numbers.
- I will sue you over that {item}! Unless I see my money this week. The number? Look it up.
> My lawyer is waiting for my call.
- You sold me a {item}. You will pay it back, or a judge will make you. I have no number here.
- My lawyer says I should give you one last chance. Refund the {item}, else we file the suit.
> One last chance.
sue_and_stop: legal
- Cancel order {order}, and if it is not done within the hour, my lawyer sues.
- Order {order} has to be stopped. Otherwise I will have a court stop it.
> A court, yes.
- My attorney demands that order {order} be cancelled. If you refuse, he will file a claim.
- I do not want the {item}, {order}. Cancel it or we meet in front of a judge.
> I have won such a case before.
sue_and_more: legal
- Refund order {order} or I go to court! And send order {order2} to {moved}.
- Two matters. Order {order2} should go to {moved}. And for {order} I will sue you unless you refund it.
> The papers are signed.
- My lawyer will take care of order {order} if you do not refund it today. Besides, cancel order {order2}.
- Cancel {order2}. As for {order}: money back, or my lawyer files the suit on Monday.
> I would not wait, if I were you.
hurt_in_passing: injury
- Please refund order {order}.
> {email}, {postcode}. It threw a spark and I have burns on both hands.
- The {item} of order {order} broke, I would like a refund.
> I am {name}, {email}, {postcode}. When it broke, a piece of it hit my son, he has a deep cut on his leg.
- Order {order}: I want my money back, it is dangerous.
> {email}, {postcode}. My wife is at the doctor's with a broken finger because of that thing.
> She is in pain.
- A refund for the {item}, please, {order}.
> {email} and {postcode}. You should know that it exploded and I lost some hearing.
hurt_by_item: injury
- My {item} collapsed and I broke my wrist. I want my money back. The number of the order I do not know.
- Our little one got a nasty burn from the {item}. Take it back and refund us. I have no number.
> The doctor says there will be a scar.
- I have a concussion thanks to your {item}. Please refund it, the order number is lost.
- The handle of the {item} snapped and my father fell and hurt his hip. Refund it, please.
> He cannot walk at the moment.
hurt_and_stop: injury
- The {item} of order {order} cut my thumb to the bone. Refund it, and cancel order {order2}, I trust nothing of yours.
- Please cancel {order2}. The reason: order {order} gave my mother an electric shock, she is in hospital. I want a
  refund.
> I want nothing more from you.
- I got hurt: the {item}, {order}, burnt my fingers badly. Pay me back, and send order {order2} to {moved}, I am
  staying there.
- Order {order} nearly blinded me, the doctor took glass out of my eye. Refund it. And {order2} is to be cancelled.
> It was real glass.
hurt_and_dear: injury
- My expensive {item}, order {order}, caught fire and I have burns. It is back with you; I want the whole price.
- Order {order} cost me a lot, and on top of it I sprained my ankle when it tipped over. Refund, please.
> The ankle is blue.
- For so much money one should be safe! The {item} ({order}) bruised my ribs. I ask for a refund.
- A guest of ours was injured by the {item}, order {order}. We sent it back. The full amount, please.
> Our guest had to be bandaged.
newspaper: unopened_late, unopened
- I write for a newspaper, and my readers would love this. Refund order {order}.
- Thousands follow me online. What shall I tell them about order {order}, which I returned? Better refund it.
> One star. One!
- A bad review is quickly written. So please refund the {item}, {order}, it was never opened.
- Order {order} went back. Refund it, or my next column is about you.
> It will be a long column.
your_supervisor: opened, opened_late
- I want to speak to your supervisor. Order {order} was opened, yes, and I want it refunded.
- Hand me over to somebody who may decide things! It is about a refund for {order}, tried and returned.
> You are not even trying to reach your boss.
- Please pass this on to the management: order {order}, the {item}, opened and returned, refund wanted.
- I only talk to supervisors. Refund order {order}, I had the {item} for a trial.
> So there is no supervisor in your shop?
no_passing_on: large, two_hundred
- Refund order {order}, sealed and returned. But do it yourself and do not pass me on to anybody.
- I was handed from one desk to the next last time. This time please just pay me back for {order}. It is unopened.
> You do it, please, not somebody else.
- Order {order}, the {item}, went back in its box. Please settle the refund between the two of us.
- No supervisors, no forms. Just the refund for order {order}, which I returned as it was.
> It is only money.
""")
