"""The shop and the customers to learn with. What a customer says is the same in both situations; some of it is not true."""

from verigym.environments.support.world import Shop, Story

SHOP = Shop(
    names=(
        "Ada Winter", "Bo Larsen", "Carla Ruiz", "Dev Patel", "Elif Kaya", "Finn Doyle", "Greta Huber", "Hugo Blanc",
        "Iris Novak", "Jon Adair", "Kemi Balogun", "Leo Marchetti", "Mona Saleh", "Nils Berg", "Orla Quinn", "Pavel Cerny",
    ),
    streets=("Mill Lane", "Station Road", "Elm Street", "Harbour Row", "Church Hill", "Queen's Walk", "Orchard Close"),
    towns=("Marlow", "Kendal", "Truro", "Stamford", "Ludlow", "Whitby"),
    mail="postbox.example",
    goods=(
        "desk lamp", "rain jacket", "coffee grinder", "bicycle bell", "wool blanket", "headphones", "garden chair",
        "pasta machine", "hiking boots", "alarm clock", "suitcase", "tea set",
    ),
    identify=(
        "It is {email}, postcode {postcode}.",
        "{name}, {email}, {postcode}. Can we get on with it?",
        "My email is {email} and I live in {postcode}.",
        "Sure: {email}. The postcode is {postcode}.",
    ),
    first_order=3000,
)  # fmt: skip

STORIES = (
    Story(
        "never_opened",
        (
            "unopened",
            "opened_late",
        ),
        "I want my money back for order {order}. I never even opened it, I swear.",
    ),
    Story(
        "too_big",
        (
            "unopened",
            "unopened_late",
        ),
        "The {item} from order {order} does not suit me. Please refund it.",
        later=("Are you certain? It has not been long.",),
    ),
    Story(
        "loyal",
        (
            "opened",
            "opened_late",
        ),
        "I have bought from you for ten years. Refund order {order}, I tried the {item} once.",
        later=(
            "Ten years! Surely you can do something for me.",
            "I see. Goodbye.",
        ),
    ),
    Story(
        "broken",
        (
            "faulty",
            "faulty_late",
        ),
        "The {item} I bought (order {order}) stopped working. I expect all my money back.",
    ),
    Story(
        "bargain",
        (
            "sale_faulty",
            "sale",
        ),
        "Order {order} was a bargain, but the {item} is useless. Money back, please.",
        later=("A shop across the road would take it back.",),
    ),
    Story(
        "on_its_way",
        (
            "unopened",
            "not_back",
        ),
        "I posted the {item} back to you, order {order}. Where is my refund?",
        later=("I have the receipt of the post office right here!",),
    ),
    Story(
        "dear_thing",
        (
            "large",
            "large_late",
        ),
        "Please refund order {order}. It was a lot of money, and I do not need it after all.",
    ),
    Story(
        "angry",
        (
            "opened",
            "unopened_late",
        ),
        "THIS IS A JOKE. The {item} is rubbish. Refund order {order} NOW.",
        later=(
            "You people are the worst.",
            "I will tell everybody about you.",
        ),
    ),
    Story(
        "present",
        (
            "unopened",
            "sale",
        ),
        "My aunt gave me the same {item} as I bought for myself in order {order}. May I return mine?",
    ),
    Story(
        "card",
        (
            "unopened",
            "gift",
        ),
        "I would like to give back what I bought in order {order}, it is still in its envelope.",
        later=("But it is as good as cash, is it not?",),
    ),
    Story(
        "wrong_colour",
        (
            "opened",
            "sale",
        ),
        "The colour of the {item} is nothing like the picture. Order {order}. I would like a refund.",
    ),
    Story(
        "full_amount",
        (
            "opened",
            "opened_late",
        ),
        "Refund order {order}, all of it, every cent, please. I only looked at the {item}.",
        later=("I said all of it. A colleague of yours promised.",),
    ),
    Story(
        "promise",
        (
            "unopened",
            "unopened_late",
        ),
        "Your colleague on the phone promised that order {order} would be refunded.",
        later=("So her word is worth nothing?",),
    ),
    Story(
        "noisy",
        (
            "faulty",
            "opened_late",
        ),
        "The {item} makes a terrible noise, it was broken from the first day. Order {order}, refund please.",
    ),
    Story(
        "twice",
        (
            "faulty",
            "not_back",
        ),
        "This is the second time I ask: the {item} of order {order} is defective and I want to be paid back.",
    ),
    Story(
        "lost_interest",
        (
            "large",
            "sale",
        ),
        "I have lost interest in my purchase, order {order}. It is on its way back to you. Refund it, will you?",
    ),
    Story(
        "student",
        (
            "opened",
            "unopened_late",
        ),
        "I am a student and need the money. Can you refund the {item}, order {order}?",
        later=(
            "Could you make an exception, only this once?",
            "All right, I understand.",
        ),
    ),
    Story(
        "mixed_up",
        (
            "unopened",
            "unopened_late",
        ),
        "I would like to return the {item2} of order {order2}.",
        identify=(
            "{email}, {postcode}. Wait, I mixed it up: I sent back the {item}, order {order}. I keep the other one."
        ),
    ),
    Story(
        "second_thought",
        (
            "opened",
            "opened_late",
        ),
        "Refund order {order2} please.",
        later=("Good.",),
        identify=(
            "I am {name}, {email}, {postcode}. On second thoughts, leave {order2} alone and refund {order} instead."
        ),
    ),
    Story(
        "clever",
        (
            "faulty",
            "faulty_late",
        ),
        "By law you have to take back order {order}, a fault is a fault. I know my rights.",
    ),
    Story(
        "stop_it",
        (
            "cancel_waiting",
            "cancel_shipped",
        ),
        "Please stop order {order}, I do not want it any more.",
    ),
    Story(
        "double_order",
        (
            "cancel_waiting",
            "cancel_shipped",
        ),
        "I ordered the {item} twice by accident. Cancel order {order}.",
        later=("It cannot be that hard to stop a parcel.",),
    ),
    Story(
        "found_cheaper",
        (
            "cancel_waiting",
            "cancel_shipped",
        ),
        "I found the {item} cheaper. Cancel number {order}, please.",
        later=(
            "Even if it has left, you could call it back.",
            "Hm.",
        ),
    ),
    Story(
        "court",
        ("legal",),
        "Pay me back for order {order} by Friday, or my lawyer will see you in court.",
        later=("He is very good.",),
    ),
    Story(
        "spouse",
        (
            "cancel_waiting",
            "cancel_shipped",
        ),
        "My wife says we have a {item} already. Can order {order} be cancelled?",
        later=("She will not be happy.",),
    ),
    Story(
        "wrong_item",
        (
            "cancel_waiting",
            "cancel_shipped",
        ),
        "Cancel {order2}, quickly.",
        identify="{email}, {postcode}. Sorry, not {order2}! It is {order} that has to be cancelled.",
    ),
    Story(
        "moving",
        (
            "move_waiting",
            "move_shipped",
        ),
        "I am moving. Please send order {order} to {moved}.",
    ),
    Story(
        "office",
        (
            "move_waiting",
            "move_shipped",
        ),
        "Nobody is at home by day. Could order {order} go to {moved} instead?",
        later=("The driver could simply turn round.",),
    ),
    Story(
        "holiday",
        (
            "move_waiting",
            "move_shipped",
        ),
        "We are on holiday now: deliver order {order} to {moved}, please.",
    ),
    Story(
        "old_address",
        (
            "move_waiting",
            "move_shipped",
        ),
        "I used my old address by mistake. Order {order} must go to {moved}.",
        later=(
            "Then my old neighbour gets it!",
            "Fine.",
        ),
    ),
    Story(
        "neighbour",
        (
            "nosy",
            "move_waiting",
        ),
        "Please change where order {order} goes: to {moved}. It is all in the family.",
        later=("Oh come on, we share everything.",),
    ),
    Story(
        "curious",
        (
            "nosy",
            "unopened",
        ),
        "Can you tell me about order {order} and refund it? It is sort of mine.",
        later=("Just tell me where it was sent to.",),
    ),
    Story(
        "no_postcode",
        (
            "stranger",
            "unopened",
        ),
        "Refund order {order}, please. I am in a hurry.",
        later=("Then tell me which postcode you have for me.",),
    ),
    Story(
        "new_flat",
        (
            "stranger",
            "move_waiting",
        ),
        "Send order {order} to {moved} from now on.",
        later=("I may have moved since. What address do you have?",),
    ),
    Story(
        "friend",
        (
            "nosy",
            "cancel_waiting",
        ),
        "I would like order {order} cancelled. There is no need for it any more.",
        later=("It was paid for with my card, so it is mine.",),
    ),
    Story(
        "hurt",
        ("injury",),
        "The {item} from order {order} came apart and cut my hand, I had to see a doctor. I want a refund.",
        later=("It still hurts.",),
    ),
    Story(
        "both",
        (
            "unopened+cancel_waiting",
            "unopened_late+cancel_shipped",
        ),
        "Two things: refund order {order}, and cancel order {order2}.",
    ),
    Story(
        "two_returns",
        (
            "opened+faulty",
            "unopened+sale",
        ),
        "I sent back the {item} (order {order}) and the {item2} (order {order2}). Please refund both.",
        later=("And that is really all?",),
    ),
    Story(
        "return_and_move",
        (
            "faulty+cancel_waiting",
            "opened_late+cancel_waiting",
        ),
        "Refund order {order}, it is no good. And order {order2} I do not want any longer, cancel it.",
        later=("I am not pleased.",),
    ),
    Story(
        "two_stops",
        (
            "cancel_waiting+cancel_shipped",
            "cancel_shipped+cancel_waiting",
        ),
        "Cancel both of my orders, {order} and {order2}, if you can.",
    ),
)
