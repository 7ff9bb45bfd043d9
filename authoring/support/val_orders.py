"""Held-out stories of customers whose orders are under way: to cancel, to send elsewhere, or together with a return."""

from authoring.support.world import read

STORIES = read("""
halt: cancel_waiting, cancel_shipped
- Halt {order}! I clicked too early.
> Ring the driver, I shall wait.
- Oops, didn't mean to buy {order}. Call it off?
- Halt, halt, halt: purchase {order} must not proceed.
> One ring and the driver knows.
budget: cancel_waiting, cancel_shipped
- This month's budget is gone, so {order} must not be sent to me.
- Can't afford {order} right now, could you call it off?
- Funds exhausted. Withdraw {order}.
> Exhausted, down to the last coin.
summer_house: move_waiting, move_shipped
- Until autumn we live at {moved}. Have {order} brought there.
> Surely a label can be replaced on the way.
- Swallows and we spend the warm months elsewhere, namely at {moved}. Let {order} follow us.
- We're staying at {moved} this month, could {order} come here?
pair: faulty+cancel_waiting, unopened_late+cancel_waiting
- Concerning {order}: I want it repaid. Concerning {order2}: call it off.
> Is there nothing else to it?
- Call off {order2}, repay {order}; the latter rests with you since my return.
- Call off {order2} and get me my cash for {order}. I've sent that one in.
unnamed_halt: cancel_waiting, cancel_delivered
- Withdraw my {item}! Which number it bears escapes me.
- Somewhere in your queue there is a {item} for me. I renounce it; withdraw it.
> It cannot have got here unnoticed.
- Don't need the {item} anymore, can you call it off? Don't have the number.
idle_one: move_waiting>move_shipped, move_waiting>move_delivered
- Among {one} and {other} a single parcel has yet to leave you. Direct that one to {moved}.
- Inspect {one} along with {other}. Whichever remains unshipped shall travel to {moved}; its twin needs nothing.
> Its twin needs nothing, truly.
- Could you check {one} and {other}? One hasn't shipped yet, and that's the one that should go to {moved}.
lesser_halt: cancel_waiting>cancel_shipped, cancel_shipped>cancel_waiting; cheapest
- Withdraw the humbler of {one} and {other}, I mean by price.
- I've got {one} and {other} open and only want one. Call off the one that's cheaper, thanks.
> Really, the cheaper one.
- Kindly set the prices of {one} and {other} side by side, then withdraw the smaller purchase, sparing its neighbour.
street_mended: move_waiting, move_shipped
- Let {order} travel to {moved2}.
> Mailbox {email}, postcode {postcode}. Correction! Its destination is {moved}, my pen slipped.
- Can {order} go to {moved2}?
> It's {email}, {postcode}. Ah, typo, I meant {moved}. Ignore the first address.
- Kindly bring the {item} of {order} to {moved2}.
> {email}, {postcode}. Having asked my landlady, I amend this to {moved}.
> She knows every door.
where_to_later: move_waiting, move_shipped
- The destination printed on {order} is outdated.
> {email}; {postcode}.
> Henceforth it reads {moved}.
- May {order} travel elsewhere?
> Gladly: {email}, {postcode}.
> Elsewhere being {moved}.
> Splendid.
- I'd like {order} to go to a different place.
> Yep, {email}, {postcode}.
> {moved}, thanks.
triple: move_waiting+cancel_waiting+opened, move_shipped+cancel_waiting+opened_late
- Kindly bring {order} to {moved}, withdraw {order2}, and repay {order3}, tested and handed back.
- Three things. {order} goes to {moved}. Call off {order2}. And {order3}, which I've tried and returned:
  I'd like that paid back.
- Withdraw the {item2} ({order2}); reimburse the {item3} ({order3}), returned; direct the {item} ({order}) to {moved}.
furthermore: cancel_waiting+faulty, cancel_shipped+faulty_late
- Withdraw {order}.
> {email}; {postcode}.
> Furthermore, {order2} is flawed and lies with you. Repay it.
- I renounce the {item}, number {order}. Withdraw it.
> My mailbox: {email}. My postcode: {postcode}.
> Another errand: the {item2} failed, {order2} went home to you, reimburse me.
> So be it.
- Call {order} off, thanks.
> {email}, {postcode}, that's me.
> Oh, and {order2} broke. You've got it there. I'd like the cash for that.
rethought: move_waiting, move_shipped
- Withdraw {order}, nobody is in.
> {email}; {postcode}. Hm, withdraw nothing. My godson is in: bring it to {moved}.
- Don't need {order}, call it off.
> {email}, {postcode}. Actually no, keep it going, but ship it to {moved}.
- The {item} under {order} may be withdrawn.
> {email}, {postcode}. No, spare it. It shall travel to {moved}, where it is awaited.
> Awaited eagerly.
""")
