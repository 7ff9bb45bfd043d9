"""Training stories of customers who identify themselves early, late, wrongly or never, or who ask about orders of others."""

from authoring.support.world import read

STORIES = read("""
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
""")
