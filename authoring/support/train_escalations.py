"""Training stories of customers who speak of lawyers, injuries, newspapers or supervisors."""

from authoring.support.world import read

STORIES = read("""
court: legal
- Pay me back for order {order} by Friday, or my lawyer will see you in court.
> He is very good.
- My lawyer has drafted a letter about order {order}. Refund me this week or he posts it.
- Order {order}: either I get a refund or I sue. The papers are ready.
> I never bluff.
- I want my money for the {item}, order {order}. If not, we settle this before a judge, and I will bring charges.
hurt: injury
- The {item} from order {order} came apart and cut my hand, I had to see a doctor. I want a refund.
> It still hurts.
- I burnt my arm on the {item}. Order {order}. Give me my money back.
- When the {item} fell to pieces, a splinter hit my daughter above the eye. We want order {order} refunded.
> She has three stitches.
- Refund order {order}, please. The {item} gave me an electric shock and I spent the night in hospital.
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
