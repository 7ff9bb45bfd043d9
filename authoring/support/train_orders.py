"""Training stories of customers whose orders are under way: to cancel, to send elsewhere, or together with a return."""

from authoring.support.world import read

STORIES = read("""
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
both: unopened+cancel_waiting, unopened_late+cancel_shipped
- Two things: refund order {order}, and cancel order {order2}.
- I sent the {item} back, order {order}, and want it refunded. Besides, cancel order {order2}.
- Please cancel {order2}. And {order}, which I returned, should be refunded.
> Did you get both points?
- 1. Refund order {order}. 2. Cancel order {order2}. Thank you.
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
stop_by_item: cancel_waiting, cancel_shipped
- Please cancel the {item} I ordered. I have no number for you.
- That {item}: I do not want it any more. Cancel it. I have no idea what the order is called.
> It is the only {item} I ordered.
- I ordered a {item} in the middle of the night. Please undo that.
- cancel my {item} pls, cant find the mail with the number
still_to_come: cancel_waiting, cancel_shipped
- Good day, {name} here. One of my orders has not arrived yet. Cancel that one, please.
- Everything has come except for one order. I do not need it now, please cancel it. {name}
> The rest I keep, of course.
- {name} writes to you: please cancel what you still owe me. It is one order, the number is in my old phone.
- There is an order of mine that was never delivered. I want it cancelled. Kind regards, {name}
> It took too long anyway.
stop_by_price: cancel_waiting, cancel_shipped; price
- The order for {price} euros has to be cancelled, please.
- I see {price} euros booked for an order with you. I do not want it. Cancel, please.
> {price}, not a cent more or less.
- Cancel the one that costs {price} euros. I threw away the number.
- An order of {price} euros, that is too much for me this month. Please cancel it.
not_come_yet: cancel_delivered, cancel_waiting
- Order {order} has not come. Cancel it.
- I have been sitting at home for the {item} and nobody rang. So cancel order {order}.
> I have not seen any parcel.
- Since order {order} will clearly never arrive, I cancel it herewith.
- Please cancel {order}. There was no delivery that I know of.
> Ask your driver.
whichever_waits: cancel_waiting>cancel_shipped, cancel_waiting>cancel_delivered
- I need only one of the two orders {one} and {other}. Cancel whichever is still waiting to be shipped.
- One of {one} and {other} should not have left you yet. Cancel that one, the other may come.
> As long as one of them comes.
- Please look at {one} and {other}: the one that is still waiting in your warehouse is to be cancelled, only that one.
- Between {one} and {other}, cancel the order that you have not shipped. The shipped one I take.
stop_the_dearer: cancel_waiting>cancel_shipped, cancel_shipped>cancel_waiting; dearest
- Orders {one} and {other} together are too much. Cancel the more expensive one of them.
- Please cancel the dearer of my two orders, {one} or {other}. The cheaper one stays.
> It has to be the dearer one.
- I looked at my budget: of {one} and {other} the one with the higher price must be cancelled.
- Compare {one} with {other}, please, and cancel whichever costs more. I keep the other.
> No, the other one I do want.
move_the_cheaper: move_waiting>move_shipped, move_shipped>move_waiting; cheapest
- Of my orders {one} and {other}, the cheaper one is a present. Send that to {moved}.
- Please deliver the less expensive of {one} and {other} to {moved}. The other stays as it is.
> Only the one, please.
- One of {one} and {other} is for my cousin, the one with the lower price. It should go to {moved}.
- {one}, {other}: whichever cost less goes to {moved}, please, the other one comes to me as planned.
all_unshipped: cancel_waiting+cancel_waiting, cancel_waiting>cancel_shipped
- Cancel everything of mine that is still waiting to be shipped. What is on the road may come. {name}
- I am {name} and I am leaving the country. Whatever you have not shipped yet, cancel it. The rest I will manage.
> The rest I will manage, really.
- Please go through my orders and cancel each that has not been shipped so far. Nothing else. Best, {name}
- {name} here. All my orders that still wait in your warehouse: cancel them. Leave the others alone.
three_stops: cancel_waiting+cancel_shipped+cancel_waiting, cancel_shipped+cancel_waiting+cancel_delivered
- Please cancel {order}, {order2} and {order3}, all three.
- I overdid it. The {item} ({order}), the {item2} ({order2}) and the {item3} ({order3}) are to be cancelled.
> I get carried away sometimes.
- Cancel three orders for me: {order3}, {order}, {order2}.
- I want none of it any longer. Not {order}, not {order2}, not {order3}. Cancel, please.
> I know it is a bother.
move_by_item: move_waiting, move_shipped
- The {item} I ordered should go to {moved}, please. I do not have the order number.
- Could you send my {item} to {moved}? The number must be in some mail I deleted.
> There is just the one.
- I ordered a {item} for my parents. They live at {moved}; please deliver it there.
- Please change the delivery of the {item}: it goes to {moved}.
moved_again: move_waiting, move_shipped
- Send order {order} to {moved2}, please.
> {email}, {postcode}. No wait, I gave you the wrong street: it has to go to {moved}.
- Order {order} should be delivered to {moved2}.
> {name}, {email}, {postcode}. My wife just corrected me, the right address is {moved}. Not the one from before.
- New address for {order}: {moved2}.
> {email}, postcode {postcode}. Forget that address! We take {moved} instead, there is somebody at home there.
> Sorry for the confusion.
- Please redirect the {item}, order {order}, to {moved2}.
> You find me under {email}, {postcode}. I have changed my mind about the place: {moved}.
address_follows: move_waiting, move_shipped
- Order {order} should go to another address, please.
> {email}, {postcode}.
> The new address is {moved}.
- I would like the {item}, order {order}, delivered somewhere else.
> {email} is my email, {postcode} my postcode.
> Somewhere else means {moved}.
- Can you still change where {order} is sent?
> Yes, {email}, {postcode}.
> To {moved}, please.
- Wrong address on order {order}, it needs a new one.
> I am {name}, {email}, {postcode}.
> Take down {moved}.
> Thank you so much.
move_both: move_waiting+move_waiting, move_shipped+move_waiting
- Two orders, one address: please send {order} and {order2} to {moved}.
- I shall be at {moved} for a while. Have both the {item} ({order}) and the {item2} ({order2}) delivered there.
- Please change the address of {order2} and of {order} to {moved}.
> Both, please.
- Everything to {moved} from now on, that is order {order} and order {order2}.
> It is easier for me that way.
gone_already: move_delivered, move_waiting
- Please send order {order} to {moved}, I am not at home these days.
- I have not got the {item} yet, so you can still deliver order {order} to {moved}.
> I have received nothing, truly.
- Order {order}: to {moved}, please, since nobody here can take it in.
- Would you direct order {order} to {moved}? It has not turned up here.
> Then somebody must have taken it.
stop_and_move: cancel_waiting+move_waiting, cancel_shipped+move_waiting
- Cancel order {order}, and send order {order2} to {moved}.
- I do not want the {item} any more, so cancel {order}. The {item2}, {order2}, please deliver to {moved}.
- Order {order2} goes to {moved}, order {order} is cancelled. Can you do that?
> Both matter to me.
- Two changes. First: cancel {order}. Second: the address of {order2} is {moved}.
> That would be all.
move_and_refund: move_waiting+unopened, move_shipped+opened
- Please send {order} to {moved}. And refund {order2}, which I have returned.
- I returned the {item2}, order {order2}, and want it refunded. Order {order} should be brought to {moved}.
- Refund {order2}, you have it back. By the way, {order} is to go to {moved}.
> Did you note the address?
- Deliver order {order} to {moved}, and pay me back for order {order2}, please.
three_wishes: unopened+cancel_waiting+move_waiting, unopened_late+cancel_waiting+move_shipped
- Three wishes: refund {order}, cancel {order2}, and send {order3} to {moved}.
- I returned {order} and want it refunded. I do not need {order2}, cancel it. And {order3} goes to {moved}, please.
- Please do the following. Order {order3}: deliver to {moved}. Order {order2}: cancel. Order {order}: refund, it is
  back.
> That was all, I believe.
- A long list today, sorry! Cancel the {item2} ({order2}), refund the {item} ({order}), have the {item3} ({order3})
  brought to {moved}.
and_cancel: opened+cancel_waiting, opened_late+cancel_shipped
- Please refund order {order}, I tried the {item} and sent it back.
> {email}, {postcode}.
> While I have you: cancel order {order2} as well.
- Order {order} is back with you, opened. A refund, please.
> I am {name}, {email}, {postcode}.
> Something else: I do not want the {item2}, order {order2}. Please cancel it.
- I ask for a refund of {order}, returned after a trial.
> Email {email}, postcode {postcode}.
> And then there is {order2}. That one should be cancelled.
> Now I am done.
- The {item} went back. It was order {order}. Refund it?
> {postcode}, {email}.
> One more request, please. Order {order2}: cancel it.
and_move: cancel_shipped+move_waiting, cancel_waiting+move_shipped
- Cancel order {order}, please.
> {email}, {postcode}.
> And please have {order2} delivered to {moved}.
- I do not need the {item} any longer. Cancel {order}.
> My email is {email}, my postcode is {postcode}.
> Next point. The {item2}, order {order2}, goes to {moved}.
- Please cancel {order} for me.
> {name} here, {email}, {postcode}.
> All right. There is also {order2}; send it to {moved}.
> Have a nice day.
- Order {order}: cancellation, please.
> {email} / {postcode}
> Second thing, order {order2} has a new address: {moved}.
and_refund: move_waiting+unopened, move_shipped+large
- Please send order {order} to {moved}.
> {email}, {postcode}.
> I also returned order {order2}, unopened. Refund it, please.
- Order {order} should be delivered to {moved}.
> That is {email}, {postcode}.
> Before I go: the {item2} of order {order2} is back with you, sealed. I would like a refund.
- New address for order {order}: {moved}.
> {name}, {email}, {postcode}.
> Thank you. And my return, order {order2}? Please refund that too.
- Could the {item}, order {order}, be brought to {moved}?
> Yes: {email}. And {postcode}.
> I see. Then please refund {order2}, it went back to you untouched.
> Bye.
one_dropped: cancel_waiting, cancel_shipped
- Please cancel order {order} and refund order {order2}.
> {email}, {postcode}. Forget about {order2}, I keep it. Only the cancellation, please.
- Two things: a refund for {order2}, and {order} is to be cancelled.
> {name}, {email}, {postcode}. I have just talked to my son: nothing to be done about {order2}. Cancel {order}, that
  is all.
- Cancel the {item}, {order}, and refund me the {item2}, {order2}.
> {email} and {postcode}. The {item2} is off the list, I found it works after all. So just cancel {order}.
- Refund {order2}. Cancel {order}.
> {email}, {postcode}. I take back the first request, the second one stands.
stop_after_all: cancel_waiting, cancel_shipped
- Please send order {order} to {moved2}.
> {email}, {postcode}. Or no, I do not want it at all any more: leave the address, cancel {order}.
- Order {order} should go to {moved2}.
> {email}, {postcode}. My sister says she does not need it. So no new address: cancel the order.
- The {item} to {moved2}, please, order {order}.
> I am {name}, {email}, {postcode}. Forget the address. Simply cancel it.
> Simpler for everybody.
- Can order {order} be delivered to {moved2}?
> {email}. {postcode}. Never mind where it goes, I would rather cancel it.
keep_after_all: move_waiting, move_shipped
- Cancel order {order}, please.
> {email}, {postcode}. Wait, do not cancel it! My sister will take it. Send it to {moved}.
- I want to cancel the {item}, {order}.
> {name}, {email}, {postcode}. Hm, no. I will not cancel. But please deliver it to {moved}.
- Please cancel {order}, nobody is here to take it in.
> {email}, postcode {postcode}. I have a better idea than cancelling: deliver it to {moved}, there is always somebody
  there.
- Cancellation of order {order}.
> {email}, {postcode}. My mother wants it, so no cancellation. It goes to {moved} instead.
> Mothers!
depot: cancel_shipped, cancel_waiting
- I have just talked to your depot, order {order} is still on the shelf. Cancel it.
- A man at your warehouse told me the {item} has not left. So cancel order {order}, please.
> He held it in his hands!
- I am looking at your yard from my window and the van is still there. Please cancel {order}.
- Order {order} cannot have been shipped, it was only just placed. Cancel it, please.
> That must be a mistake in your records.
""")
