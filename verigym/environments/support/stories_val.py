"""The held-out shop: other customers, other goods, other stories."""

from verigym.environments.support.world import Shop, Story

SHOP = Shop(
    names=("Tess Okoro", "Ravi Menon", "Ulla Stein", "Yann Morel", "Zoe Hart", "Quentin Abel", "Vera Lund", "Xavi Costa"),
    streets=("Beacon Drive", "Foundry Yard", "Linden Avenue", "Spring Terrace", "Weaver Court"),
    towns=("Alnwick", "Bude", "Frome", "Skipton"),
    mail="letterbox.example",
    goods=("yoga mat", "fountain pen", "toaster", "board game", "wall mirror", "camping stove", "scarf", "mixing bowl"),
    identify=(
        "Here you are, {email} with the postcode {postcode}.",
        "You will find me under {email}. As for the postcode: {postcode}.",
        "{postcode} and {email}, as always.",
    ),
    first_order=7000,
)  # fmt: skip

STORIES = (
    Story(
        "not_as_described",
        (
            "opened",
            "opened_late",
        ),
        "Hello there. What arrived under number {order} is not what your catalogue shows; kindly reimburse me.",
        later=("My brother got his money within an hour.",),
    ),
    Story(
        "sealed",
        (
            "unopened",
            "opened",
        ),
        "The box of the {item} is as sealed as on the day it came. I would be glad of a repayment for {order}.",
    ),
    Story(
        "burnt_out",
        (
            "faulty",
            "faulty_late",
        ),
        "Smoke rose from my {item} and now it is dead. Purchase {order}. What about my money?",
        later=("In my country the guarantee is for life.",),
    ),
    Story(
        "clearance",
        (
            "sale_faulty",
            "sale",
        ),
        "I got {order} in your clearance week. It disappoints me, so let us undo the deal.",
        later=(
            "Nowhere on the page did it say final.",
            "Very well.",
        ),
    ),
    Story(
        "courier",
        (
            "unopened",
            "not_back",
        ),
        "A courier took the {item} of {order} back to you days ago, so pay me, will you?",
    ),
    Story(
        "luxury",
        (
            "large",
            "large_late",
        ),
        "My most expensive purchase ever, {order}, was a whim. I returned it; reimburse me.",
        later=("I hope a supervisor reads this.",),
    ),
    Story(
        "voucher",
        (
            "gift",
            "unopened",
        ),
        "Could {order} be turned back into money? Nobody here has any use for it.",
    ),
    Story(
        "halt",
        (
            "cancel_waiting",
            "cancel_shipped",
        ),
        "Halt {order}! I clicked too early.",
        later=("Ring the driver, I shall wait.",),
    ),
    Story(
        "budget",
        (
            "cancel_waiting",
            "cancel_shipped",
        ),
        "This month's budget is gone, so {order} must not be sent to me.",
    ),
    Story(
        "summer_house",
        (
            "move_waiting",
            "move_shipped",
        ),
        "Until autumn we live at {moved}. Have {order} brought there.",
        later=("Surely a label can be replaced on the way.",),
    ),
    Story(
        "colleague",
        (
            "nosy",
            "unopened",
        ),
        "A question about {order}: give the money back, I handle it for everyone here.",
        later=("Then at least read me what is in the file.",),
    ),
    Story(
        "forgotten",
        (
            "stranger",
            "cancel_waiting",
        ),
        "Withdraw {order} for me, please.",
        later=("Odd. Could you read me what you have on record?",),
    ),
    Story(
        "solicitor",
        ("legal",),
        "If {order} is not repaid by tonight, you will hear from my solicitor and we meet in court.",
        later=("I mean it.",),
    ),
    Story(
        "pair",
        (
            "faulty+cancel_waiting",
            "unopened_late+cancel_waiting",
        ),
        "Concerning {order}: I want it repaid. Concerning {order2}: call it off.",
        later=("Is there nothing else to it?",),
    ),
)
