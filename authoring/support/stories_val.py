"""The held-out shop: other customers, other goods, other stories."""

from authoring.support.world import Shop, read

SHOP = Shop(
    names=(
        "Tess Okoro", "Ravi Menon", "Ulla Stein", "Yann Morel", "Zoe Hart", "Quentin Abel", "Vera Lund", "Xavi Costa",
        "Agnes Wolff", "Basil Trent", "Cleo Diaz", "Dimitri Vale", "Esme Barlow", "Farid Amin", "Gwen Pryce", "Henrik Dahl",
        "Inga Roth", "Jules Perrin", "Kaya Demir", "Lorenz Kern",
    ),
    streets=(
        "Beacon Drive", "Foundry Yard", "Linden Avenue", "Spring Terrace", "Weaver Court", "Cooper Square", "Heron Wharf",
        "Granary Steps",
    ),
    towns=("Alnwick", "Bude", "Frome", "Skipton", "Ripon", "Wells"),
    mail="letterbox.example",
    goods=(
        "toaster", "camping stove", "hair dryer", "bread maker", "printer", "blender", "torch", "sewing machine",
        "metronome", "telescope", "fan heater", "label maker", "radio", "steam mop", "typewriter", "lawn mower",
    ),
    identify=(
        "Here you are, {email} with the postcode {postcode}.",
        "You will find me under {email}. As for the postcode: {postcode}.",
        "{postcode} and {email}, as always.",
        "By all means. Mailbox {email}, postcode {postcode}.",
        "That would be {name}; {email}; {postcode}.",
        "Noted: {email} for letters, {postcode} for parcels.",
    ),
    first_order=7000,
)  # fmt: skip

STORIES = read("""
not_as_described: opened, opened_late
- Hello there. What arrived under number {order} is not what your catalogue shows; kindly reimburse me.
> My brother got his money within an hour.
- Your catalogue and reality are two worlds, as {order} shows. It was unpacked, it was returned; reimburse me.
- {order} looks nothing like on your site. Opened it, returned it. Cash back?
sealed: unopened, opened
- The box of the {item} is as sealed as on the day it came. I would be glad of a repayment for {order}.
- Not a soul has unpacked {order}; you received it in that condition. Kindly repay the price.
- Didn't open {order}, it's at your place already. I'd like my cash.
> Not opened, honest.
burnt_out: faulty, faulty_late
- Smoke rose from my {item} and now it is dead. Purchase {order}. What about my money?
> In my country the guarantee is for life.
- One puff of smoke and the {item} had passed away. You hold the remains of {order}. Reimburse me, if you please.
- My {item} just died, {order}. You've got it there. Can I get my cash?
clearance: sale_faulty, sale
- I got {order} in your clearance week. It disappoints me and travelled home to you, so let us undo the deal: repay me.
> Nowhere on the page did it say final.
> Very well.
- Clearance week or no clearance week, {order} travelled back to you and its price should travel back to me.
- Returned the {item} I got cheap ({order}), don't like it. Cash back?
> It's only fair.
courier: unopened, not_back
- A courier took the {item} of {order} back to you days ago, so pay me, will you?
- My return {order} left by courier. Repay it, since he must have rung your bell.
> The courier signed for it, I swear.
- Dropped {order} off with the courier, never opened it. Could you send me my cash?
luxury: large, large_late
- My most expensive purchase ever, {order}, was a whim. I returned it; reimburse me.
> I hope a supervisor reads this.
- A whim, a weakness, a {item}! Its number is {order}, its seal unbroken, its place your depot. Reimburse me.
- Spent way too much on {order}. Returned it, never opened. I'd like that paid back.
voucher: gift, unopened
- Could {order} be turned back into money? Nobody here has any use for it.
- We drew lots and nobody wanted {order}. It has been handed back to you; turn it into money.
> Nobody, imagine.
- Money in place of {order}, would that be feasible? You have it, unused.
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
colleague: nosy, unopened
- A question about {order}: give the money back, I handle it for everyone here.
> Then at least read me what is in the file.
- In our firm I settle everybody's returns. Today it is {order}: repay it, the seal is whole.
- I do the returns for our office, can you pay back {order}?
> What does the file say, roughly?
forgotten: stranger, cancel_waiting
- Withdraw {order} for me, please.
> Odd. Could you read me what you have on record?
- The {item} under {order} is not wanted here. Withdraw it.
- I don't want {order} anymore, call it off.
> Give me a hint. How does it begin?
solicitor: legal
- If {order} is not repaid by tonight, you will hear from my solicitor and we meet in court.
> I mean it.
- I'll be taking you to court over {order} unless I'm paid back, my solicitor's on it.
- Either {order} is repaid or proceedings begin against you; a writ has been drawn up.
> Drawn up and stamped.
pair: faulty+cancel_waiting, unopened_late+cancel_waiting
- Concerning {order}: I want it repaid. Concerning {order2}: call it off.
> Is there nothing else to it?
- Call off {order2}, repay {order}; the latter rests with you since my return.
- Call off {order2} and get me my cash for {order}. I've sent that one in.
""")
