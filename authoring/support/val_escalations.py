"""Held-out stories of customers who speak of lawyers, injuries, newspapers or supervisors."""

from authoring.support.world import read

STORIES = read("""
solicitor: legal
- If {order} is not repaid by tonight, you will hear from my solicitor and we meet in court.
> I mean it.
- I'll be taking you to court over {order} unless I'm paid back, my solicitor's on it.
- Either {order} is repaid or proceedings begin against you; a writ has been drawn up.
> Drawn up and stamped.
retired_notary: opened, opened_late
- As a retired notary I abhor quarrels, so no solicitors here. Merely repay {order}, unpacked and handed back.
- I'm married to a solicitor, but I'm not threatening anybody. I tried {order} and returned it, can I get my cash?
> Honestly, no threats.
- No threats from me, litigation bores me. The {item} under {order} was tested, then handed back; repay it.
shaken_only: faulty_edge, faulty_missed
- About twelve months of service, then the {item} cracked. Everyone is unharmed. Repay {order}, it lies with you.
- My {item} fell apart after roughly twelve months. Everyone's OK. {order} is at your place, I'd like my cash.
> We're all OK, thanks.
- A crack, a clatter, no injuries whatsoever: so ended the {item}. You hold {order}. Kindly repay.
writ: legal
- Repay {order}, kindly.
> {email}; {postcode}. Should you decline, my solicitor starts proceedings at dawn.
- The {item} under {order} merits reimbursement.
> {name}; {email}; {postcode}. Mind you, refuse and I shall drag you before a tribunal with my barrister.
- I'd like {order} called off.
> {email}, {postcode}. Otherwise my solicitor will be taking you to court.
> Seriously.
nameless_suit: legal
- My barrister calls the {item} a textbook case. Repay it or proceedings start. Numbers bore me, find it.
- For that wretched {item} you shall answer in court, unless reimbursed at once. I own no slip.
> The barrister is expensive, for you.
- Pay up for the {item} or my solicitor gets involved and it'll end up in court. Don't have the number.
ward: injury
- The {item} under {order} scalded my knee, a nurse dressed it. Repay it.
- Purchase {order} sent my grandmother to the emergency ward with a fractured elbow. Reimburse us.
> The elbow is in plaster.
- The {item} ({order}) blew up and I've got burns on my face. I'd like my cash.
wounded_and_more: injury
- Withdraw {order2}, repay {order}. The latter tore open my palm, seven stitches.
- My fiancée bleeds from the ear since the {item}, {order}, burst. Repay it, and let {order2} travel to {moved}.
> An ambulance is here.
- {order} fell on my foot and broke two toes. Cash back, thanks. Also ship {order2} to {moved}.
want_the_boss: two_hundred, just_over
- Fetch your superior, I discuss sums of this size with nobody else. Repay {order}, sealed and home with you.
- Can you get your boss? {order} was returned sealed and I'd like it paid back. It was around 200.
> So what did your boss say?
- Purchase {order}, sealed, lies with you. Whether you or your superior repays it is all the same to me.
""")
